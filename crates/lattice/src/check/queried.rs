//! Compares elements that were queried before with copies that were not.
//!
//! Libraries close elements when they are queried and cache the result. Every comparison here starts
//! with fresh copies, because a query would change the original.

use super::{Found, Trial, contradict};
use crate::domain::{Domain, Truth};

/// A copy that was queried about everything, also against another copy: some libraries shortcut the
/// comparison of an element with itself.
pub(super) fn queried<D: Domain>(domain: &D, element: &D::Element) -> D::Element {
    let (copy, other) = (element.clone(), element.clone());
    let _ = (domain.is_bottom(&copy), domain.is_top(&copy));
    let _ = (domain.leq(&copy, &other), domain.eq(&other, &copy));
    if domain.profile().closure {
        let _ = domain.close(&copy);
    }
    copy
}

/// A query about two elements.
type Question<D> = fn(&D, &<D as Domain>::Element, &<D as Domain>::Element) -> Truth;

impl<D: Domain> Trial<'_, D> {
    /// Whether every query has the same answer for the operands and for copies that were queried before.
    /// An undecided answer contradicts no other.
    pub(super) fn answers_the_same(&self) -> Found {
        let domain = self.domain;
        let questions: [(&str, Question<D>); 5] = [
            ("is_bottom(x)", |domain, x, _| domain.is_bottom(x)),
            ("is_top(x)", |domain, x, _| domain.is_top(x)),
            ("x <= y", |domain, x, y| domain.leq(x, y)),
            ("y <= x", |domain, x, y| domain.leq(y, x)),
            ("x == y", |domain, x, y| domain.eq(x, y)),
        ];
        for (words, question) in questions {
            let (x, y) = (self.operand(0), self.operand(1));
            // Each query gets fresh copies, because the previous query may have changed them.
            let before = question(domain, &x.clone(), &y.clone());
            let after = question(domain, &queried(domain, x), &queried(domain, y));
            if contradict(before, after) {
                let answer = |truth: Truth| if truth == Truth::Yes { "yes" } else { "no" };
                let (before, after) = (answer(before), answer(after));
                let (x, y) = (domain.show(x), domain.show(y));
                return Found::broken(format!(
                    "the answer to {words} is {before}, but {after} after other queries: {x}; {y}"
                ));
            }
        }
        Found::of(true)
    }
}
