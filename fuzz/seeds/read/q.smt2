(declare-sort U 0)
(declare-fun f (U Int) Bool)
(assert (! (forall ((x U) (i Int)) (! (=> (f x i) (exists ((j Int)) (let ((k (+ i j)) (x i)) (> k x)))) :pattern ((f x i)) :weight 3)) :named n))
(check-sat-assuming (n))
