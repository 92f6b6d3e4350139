(declare-const s String)
(assert (= s "\u{1F600}"))
