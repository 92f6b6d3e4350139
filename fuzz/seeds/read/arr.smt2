(declare-const a (Array Int (Array Bool Real)))
(assert (= (select (select a 1) true) (/ 1 3)))
(assert (= a ((as const (Array Int (Array Bool Real))) (store (select a 0) false 1.5))))
