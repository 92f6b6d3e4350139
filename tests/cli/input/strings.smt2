(declare-const s String)
(declare-const r RegLan)
(assert (str.in_re s (re.union (str.to_re "\u{7}") re.none)))
(assert (= (str.from_int (str.to_int s)) "1"))
