(push 1)
(assert (= "\u{1F600}" ""))
(pop 1)
