(declare-datatype T ((leaf) (node (left T))))
(declare-const t T)
(assert (match t ((leaf true))))
