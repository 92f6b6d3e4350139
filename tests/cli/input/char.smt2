(assert (= (_ char #x41) "A"))
