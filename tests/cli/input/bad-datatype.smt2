(declare-datatype T ((node (left T) (right T))))
