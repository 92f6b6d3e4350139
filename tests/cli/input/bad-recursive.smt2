(define-fun f ((n Int)) Int (+ 1 (f n)))
