(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(assert (= ((_ extract 3 0) (bvadd x #x01)) (_ bv5 4)))
(check-sat)
