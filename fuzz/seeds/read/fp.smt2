(declare-const f Float16)
(declare-const m RoundingMode)
(assert (fp.leq (fp.add m f ((_ to_fp 5 11) RNE 0.5)) (fp #b0 #b00001 #b0000000000)))
