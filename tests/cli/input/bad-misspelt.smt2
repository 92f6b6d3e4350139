(declare-const v (_ BitVec 8))
(assert (= (bvad v v) v))
