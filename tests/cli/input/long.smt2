(declare-const a (_ BitVec 32))
(declare-const b (_ BitVec 32))
(assert (or (= (bvadd (bvmul a b) (bvmul b a)) (bvshl (bvmul a b) #x00000001)) (bvult (bvurem a b) (bvudiv b a)) (= a b)))
