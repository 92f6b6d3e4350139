(assert (and true
(check-sat)
