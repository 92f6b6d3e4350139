(declare-const x Int)
(declare-const x Int)
