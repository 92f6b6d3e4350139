(assert true)
; ÿ
