(declare-const s String)
(assert (str.in_re (str.++ s "a\u{41}") (re.* (re.union (str.to_re "a") ((_ re.loop 1 3) (re.range "b" "d"))))))
(assert (= (str.indexof s "b" 0) 1))
