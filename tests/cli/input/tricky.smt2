(declare-const |let| Bool)
