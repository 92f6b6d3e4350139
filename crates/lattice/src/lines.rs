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
//! Words after `hello` declare missing promises: `no-least-join`, `no-exact-meet`,
//! `no-best-transformers`, `monotone-widening`, `without=LAW` to exclude a law by name, `steps=N` for
//! widenings that need more than 200 steps to converge. `narrowing` and `closure` declare that there
//! is one.

use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, Write};
use std::rc::Rc;

/// Maximum length of an answer.
const ANSWER: usize = 1 << 20;

/// The two ends of a conversation.
struct Talk {
    answers: RefCell<Box<dyn BufRead>>,
    requests: RefCell<Box<dyn Write>>,
    excess: RefCell<Box<dyn Write>>,
    count: Cell<u64>,
}

/// A domain at the other end of two streams.
///
/// If the other end is gone, every operation panics, so the worker dies with it.
pub struct Lines {
    profile: Profile,
    talk: Rc<Talk>,
}

/// An element of the other end, identified by a number.
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
        self.asked(line).unwrap_or_else(|why| panic!("{why}"))
    }

    /// The answer to a line, or what happened to the domain's program.
    fn asked(&self, line: &str) -> Result<String, String> {
        let ended = || format!("the domain's program ended without an answer to `{line}`");
        let mut requests = self.requests.borrow_mut();
        let sent = writeln!(requests, "{line}").and_then(|()| requests.flush());
        sent.map_err(|_| ended())?;
        let answer = self.answer().map_err(|why| format!("no answer to `{line}`: {why}"))?;
        if answer.is_empty() {
            return Err(ended());
        }
        Ok(String::from_utf8_lossy(&answer).trim_end().to_owned())
    }

    /// The next line; a line longer than any answer is passed on instead of being kept.
    fn answer(&self) -> io::Result<Vec<u8>> {
        let mut answers = self.answers.borrow_mut();
        let mut line = Vec::new();
        loop {
            let buffer = answers.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = end.map_or(buffer.len(), |end| end + 1);
            line.extend_from_slice(&buffer[..part]);
            answers.consume(part);
            let over = part == 0 || end.is_some();
            if over && line.len() <= ANSWER {
                return Ok(line);
            }
            if line.len() > ANSWER {
                return self.pass_on(line, over, &mut **answers);
            }
        }
    }

    fn pass_on(&self, line: Vec<u8>, over: bool, rest: &mut dyn BufRead) -> io::Result<Vec<u8>> {
        let mut excess = self.excess.borrow_mut();
        excess.write_all(&line)?;
        if !over {
            io::copy(&mut *rest, &mut *excess)?;
        }
        Err(io::Error::other(format!("the answer is longer than {ANSWER} bytes")))
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
        // If the other end is gone, the request is not needed.
        let _ = writeln!(self.talk.requests.borrow_mut(), "drop {}", self.number);
    }
}

impl Lines {
    /// Greets the other end. Output beyond the maximum length goes to `excess`, for the code that limits
    /// the output of domains.
    ///
    /// # Errors
    /// If it does not answer with its name and shape: its answer.
    pub fn greet(
        answers: impl BufRead + 'static,
        requests: impl Write + 'static,
        excess: impl Write + 'static,
    ) -> Result<Lines, String> {
        let talk = Rc::new(Talk {
            answers: RefCell::new(Box::new(answers)),
            requests: RefCell::new(Box::new(requests)),
            excess: RefCell::new(Box::new(excess)),
            count: Cell::new(1),
        });
        let hint =
            "it must read lines and answer the first one, `hello`, with `domain NAME SHAPE …`";
        let said = talk.asked("hello").map_err(|why| format!("{why}; {hint}"))?;
        let mut words = said.split_whitespace();
        let shapes = Shape::ALL.map(|row| row.1).join(", ");
        let strange = || {
            format!(
                "expected `domain NAME SHAPE …` in answer to `hello`, got `{said}`; shapes are \
                 {shapes}"
            )
        };
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
                _ => match word.split_once('=') {
                    Some(("without", law)) => profile.waive(law)?,
                    Some(("steps", count)) => {
                        let no_count = |_| format!("`{word}` is not a number of steps");
                        profile.steps = count.parse().map_err(no_count)?;
                    }
                    _ => return Err(format!("`{word}` is not a known promise")),
                },
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
    let coefficients = sum.coefficients.iter().map(ToString::to_string);
    coefficients.chain([sum.constant.to_string()]).collect::<Vec<_>>().join(" ")
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
        let shown = self.talk.ask(&format!("show {}", element.number));
        if shown.is_empty() { "an element without a description".to_owned() } else { shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recorded other end.
    fn greeted(answers: &'static str) -> Result<Lines, String> {
        Lines::greet(answers.as_bytes(), Vec::new(), std::io::sink())
    }

    #[test]
    fn a_greeting_gives_the_profile_of_the_domain() {
        let lines = greeted("domain sign intervals no-exact-meet monotone-widening\nyes\nunsure\n");
        let lines = lines.expect("it is a greeting");
        let profile = lines.profile();
        assert_eq!((profile.name.as_str(), profile.shape), ("sign", Shape::Intervals));
        assert!(!profile.exact_meet && profile.monotone_widening && profile.least_join);
        let (x, y) = (lines.top(2), lines.bottom(2));
        assert_eq!((lines.leq(&x, &y), lines.is_top(&x)), (Truth::Yes, Truth::Unsure));
    }

    #[test]
    fn malformed_greetings_are_refused() {
        for said in [
            "hi\n",
            "domain sign spheres\n",
            "domain sign intervals no-shoes\n",
            "domain sign intervals without=shoes\n",
            "domain sign intervals steps=many\n",
        ] {
            assert!(greeted(said).is_err(), "{said}");
        }
    }

    #[test]
    fn a_greeting_can_exclude_laws_and_set_limits() {
        let lines = greeted("domain sign intervals without=has-points without=33 steps=900\n");
        let lines = lines.expect("it is a greeting");
        assert_eq!(lines.profile().without, ["has-points", "widen-rests"]);
        assert_eq!(lines.profile().steps, 900);
    }

    #[test]
    fn an_overlong_answer_counts_as_output() {
        let answers = [&b"domain sign intervals\n"[..], &vec![b'x'; 3 * ANSWER]].concat();
        let excess: Rc<RefCell<Vec<u8>>> = Rc::default();
        let lines =
            Lines::greet(Box::leak(answers.into()) as &[u8], Vec::new(), Kept(Rc::clone(&excess)));
        let lines = lines.expect("it is a greeting");
        let asked = std::panic::AssertUnwindSafe(|| lines.is_top(&lines.top(1)));
        assert!(std::panic::catch_unwind(asked).is_err(), "it is no answer");
        assert_eq!(excess.borrow().len(), 3 * ANSWER);
    }

    /// Where overlong output is kept.
    struct Kept(Rc<RefCell<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
