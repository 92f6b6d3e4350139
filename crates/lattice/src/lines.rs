//! A domain in another language: a program that reads lines and answers some of them.
//!
//! ```text
//! hello                        → domain sign intervals no-exact-meet no-best-transformers
//! new 1 top 8                    (element 1 is top over 8 variables; nothing is answered)
//! new 2 guard 1 >= 1 0 0 0 0 0 0 0 -5      (x0 - 5 >= 0; `=` for an equation)
//! new 3 assign 2 4 1 0 0 0 0 0 0 0 3       (x4 := x0 + 3)
//! new 4 project 3 0
//! new 5 join 3 4                 (and meet, widen, narrow; copy and close take one element)
//! leq 3 5                      → yes, no or unsure (and eq; is_bottom and is_top take one element)
//! show 5                       → one line of words
//! drop 4
//! ```
//!
//! What is not promised is said after `hello`: `no-least-join`, `no-exact-meet`,
//! `no-best-transformers`, `monotone-widening`, `without=LAW` for a law by its name, `steps=N` for
//! widenings that take more than 200 steps to rest. `narrowing` and `closure` say that there is one.

use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use std::cell::{Cell, RefCell};
use std::io::{BufRead, Write};
use std::rc::Rc;

/// The two ends of a conversation.
struct Talk {
    answers: RefCell<Box<dyn BufRead>>,
    requests: RefCell<Box<dyn Write>>,
    count: Cell<u64>,
}

/// A domain at the other end of two streams.
///
/// Where the other end is gone, every operation panics: a worker dies with what it works for.
pub struct Lines {
    profile: Profile,
    talk: Rc<Talk>,
}

/// An element that the other end knows by its number.
pub struct Element {
    number: u64,
    talk: Rc<Talk>,
}

impl Talk {
    fn say(&self, line: &str) {
        let mut requests = self.requests.borrow_mut();
        writeln!(requests, "{line}").expect("the domain's program reads");
    }

    fn ask(&self, line: &str) -> String {
        self.say(line);
        self.requests.borrow_mut().flush().expect("the domain's program reads");
        let mut answer = String::new();
        let length = self.answers.borrow_mut().read_line(&mut answer);
        let length = length.expect("the domain's program writes text");
        assert!(length > 0, "the domain's program ended after `{line}`");
        answer.trim_end().to_owned()
    }

    fn make(self: &Rc<Talk>, how: &str) -> Element {
        let number = self.count.replace(self.count.get() + 1);
        self.say(&format!("new {number} {how}"));
        Element { number, talk: Rc::clone(self) }
    }
}

impl Clone for Element {
    fn clone(&self) -> Element {
        self.talk.make(&format!("copy {}", self.number))
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        // Nobody is left to be told where the other end is gone.
        let _ = writeln!(self.talk.requests.borrow_mut(), "drop {}", self.number);
    }
}

impl Lines {
    /// Greets the other end.
    ///
    /// # Errors
    /// What it said instead of its name and shape.
    pub fn greet(
        answers: impl BufRead + 'static,
        requests: impl Write + 'static,
    ) -> Result<Lines, String> {
        let talk = Rc::new(Talk {
            answers: RefCell::new(Box::new(answers)),
            requests: RefCell::new(Box::new(requests)),
            count: Cell::new(1),
        });
        let said = talk.ask("hello");
        let mut words = said.split_whitespace();
        let strange =
            || format!("expected `domain NAME SHAPE …` in answer to `hello`, got `{said}`");
        let (Some("domain"), Some(name), Some(shape)) = (words.next(), words.next(), words.next())
        else {
            return Err(strange());
        };
        let mut profile = Profile::new(name, Shape::by_name(shape).ok_or_else(strange)?);
        for word in words {
            match word {
                "no-least-join" => profile.least_join = false,
                "no-exact-meet" => profile.exact_meet = false,
                "no-best-transformers" => profile.best_transformers = false,
                "narrowing" => profile.narrowing = true,
                "monotone-widening" => profile.monotone_widening = true,
                "closure" => profile.closure = true,
                _ => return Err(format!("`{word}` is nothing that a domain can lack")),
            }
        }
        Ok(Lines { profile, talk })
    }

    fn pair(&self, how: &str, left: &Element, right: &Element) -> Element {
        self.talk.make(&format!("{how} {} {}", left.number, right.number))
    }

    fn truth(&self, question: &str) -> Truth {
        match self.talk.ask(question).as_str() {
            "yes" => Truth::Yes,
            "no" => Truth::No,
            "unsure" => Truth::Unsure,
            other => panic!("`{other}` is no answer to `{question}`"),
        }
    }
}

fn numbers(sum: &Linear) -> String {
    let parts = sum.coefficients.iter().chain([&sum.constant]);
    parts.map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl Domain for Lines {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        self.talk.make(&format!("top {dimensions}"))
    }

    fn bottom(&self, dimensions: usize) -> Element {
        self.talk.make(&format!("bottom {dimensions}"))
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        self.truth(&format!("leq {} {}", left.number, right.number))
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        self.truth(&format!("eq {} {}", left.number, right.number))
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        self.truth(&format!("is_bottom {}", element.number))
    }

    fn is_top(&self, element: &Element) -> Truth {
        self.truth(&format!("is_top {}", element.number))
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        self.pair("join", left, right)
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        self.pair("meet", left, right)
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        self.pair("widen", left, right)
    }

    fn narrow(&self, left: &Element, right: &Element) -> Element {
        self.pair("narrow", left, right)
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        self.talk.make(&format!("assign {} {variable} {}", element.number, numbers(sum)))
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        self.talk.make(&format!("project {} {variable}", element.number))
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let relation = match constraint.relation {
            Relation::AtLeast => ">=",
            Relation::Equal => "=",
        };
        let sum = numbers(&constraint.sum);
        self.talk.make(&format!("guard {} {relation} {sum}", element.number))
    }

    fn close(&self, element: &Element) -> Element {
        self.talk.make(&format!("close {}", element.number))
    }

    fn remembers(&self) -> bool {
        true
    }

    fn show(&self, element: &Element) -> String {
        self.talk.ask(&format!("show {}", element.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other end, written down beforehand.
    fn greeted(answers: &'static str) -> Result<Lines, String> {
        Lines::greet(answers.as_bytes(), Vec::new())
    }

    #[test]
    fn a_greeting_says_what_is_promised() {
        let lines = greeted("domain sign intervals no-exact-meet monotone-widening\nyes\nunsure\n");
        let lines = lines.expect("it is a greeting");
        let profile = lines.profile();
        assert_eq!((profile.name.as_str(), profile.shape), ("sign", Shape::Intervals));
        assert!(!profile.exact_meet && profile.monotone_widening && profile.least_join);
        let (x, y) = (lines.top(2), lines.bottom(2));
        assert_eq!((lines.leq(&x, &y), lines.is_top(&x)), (Truth::Yes, Truth::Unsure));
    }

    #[test]
    fn strange_greetings_are_refused() {
        for said in ["hi\n", "domain sign spheres\n", "domain sign intervals no-shoes\n"] {
            assert!(greeted(said).is_err(), "{said}");
        }
    }
}
