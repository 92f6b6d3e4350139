(declare-const s (Set Int))
