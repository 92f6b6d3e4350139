(declare-const x (_ BitVec 8))
(assert (= x (bvadd x 1)))
