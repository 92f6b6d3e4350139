(define-const c String "\u{100}")
