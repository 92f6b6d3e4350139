(assert (foo 1))
