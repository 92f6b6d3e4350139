(assert (= "abc
