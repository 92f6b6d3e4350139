(declare-const r Real)
(declare-const i Int)
(assert (= (* r r) 2.0))
(assert (> i 0))
