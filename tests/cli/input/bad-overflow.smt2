(assert (= (_ bv300 8) #x00))
