(assert (= #b012 #b1))
