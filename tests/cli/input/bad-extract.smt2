(declare-const v (_ BitVec 8))
(assert (= v ((_ extract 8 1) v)))
