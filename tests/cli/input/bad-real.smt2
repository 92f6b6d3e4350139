(declare-const x real)
