(set-info :status sat)
(assert true)
(check-sat)
