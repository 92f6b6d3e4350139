(declare-fun f (Int Int) Int)
(assert (= (f 1) 2))
