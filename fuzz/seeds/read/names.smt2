(declare-const p Bool)
(assert (let ((y (! (or p p p p p p p p p p p) :named n)) (z p)) (and y (or y n z))))
(assert (and (! p :named m) (xor m (or p p p p p p p p p p p)) (not (xor m (or p p p p p p p p p p p)))))
(check-sat-assuming (n (not m)))
