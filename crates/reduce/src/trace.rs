//! Mutations that a finding does not need, undone: what is left is made from the seed again, with
//! fewer steps.

use crate::Subject;
use crate::candidate::{Candidate, Tester, Verdict};
use crate::size::Size;
use assay_case::Formula;
use assay_mutate::{Seed, TraceStep, rebuild, rebuild_fused};

/// What a shortened trace makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortened {
    /// The formula.
    pub subject: Subject,
    /// The lines that are left.
    pub trace: Vec<String>,
    /// How often the tester was asked.
    pub tests: usize,
}

/// Leaves out steps of a trace, as many as the tester lets go; none where all are needed, or where
/// they do not make the subject from these seeds.
pub fn undo(
    seeds: &[Seed],
    trace: &[String],
    subject: &Subject,
    tester: &mut dyn Tester,
) -> Option<Shortened> {
    let (form, steps) = trace.split_first().filter(|(_, steps)| !steps.is_empty())?;
    let mut kept: Vec<usize> = (0..steps.len()).collect();
    let mut best: Option<(Subject, Vec<usize>)> = None;
    let mut size = Size::of(&subject.text);
    let mut tests = 0;
    let mut open: Vec<Vec<usize>> = vec![kept.clone()];
    while let Some(gone) = open.pop() {
        let rest: Vec<usize> = kept.iter().copied().filter(|at| !gone.contains(at)).collect();
        let lines: Vec<String> =
            [form].into_iter().chain(rest.iter().map(|&at| &steps[at])).cloned().collect();
        let made = made(seeds, &lines).filter(|made| Size::of(made.text()) < size);
        let shown = made.as_ref().is_some_and(|made| {
            tests += 1;
            let candidate = Candidate {
                text: made.text().to_owned(),
                witness: subject.witness.as_deref().map(Into::into),
                keeps_core: subject.core.is_some() && is_sound(steps, &gone, &rest),
            };
            matches!(tester.test(&candidate), Verdict::Shown(learnt) if learnt.witness.is_none())
        });
        match made.filter(|_| shown) {
            Some(made) => {
                size = Size::of(made.text());
                let core = subject.core.as_ref().filter(|_| is_sound(steps, &gone, &rest));
                let core = core.map(|_| (0..made.assertions().len()).collect());
                let text = made.text().to_owned();
                best = Some((Subject { text, core, ..subject.clone() }, rest.clone()));
                kept = rest;
            }
            None if gone.len() > 1 => {
                let (left, right) = gone.split_at(gone.len() / 2);
                open.extend([left.to_vec(), right.to_vec()]);
            }
            None => {}
        }
    }
    let (subject, kept) = best?;
    let trace = [form].into_iter().chain(kept.iter().map(|&at| &steps[at])).cloned().collect();
    Some(Shortened { subject, trace, tests })
}

fn made(seeds: &[Seed], lines: &[String]) -> Option<Formula> {
    match seeds {
        [seed] => rebuild(seed, lines).ok(),
        [first, second] => rebuild_fused(first, second, lines).ok(),
        _ => None,
    }
}

/// Whether steps that keep a truth one by one still do so without some of them: only if no step
/// that is left was made on the result of one that is gone.
fn is_sound(steps: &[String], gone: &[usize], rest: &[usize]) -> bool {
    let place = |at: &usize| steps[*at].parse::<TraceStep>().ok().map(|it| (it.assertion, it.path));
    gone.iter().all(|left_out| {
        let Some((assertion, path)) = place(left_out) else { return false };
        rest.iter().filter(|at| *at > left_out).all(|at| match place(at) {
            Some((other, below)) => {
                other != assertion || !path.starts_with(&below) && !below.starts_with(&path)
            }
            None => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Learnt;

    const SEED: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
        (assert (> x 1))(assert (> y 1))(assert (> (+ x y) 3))(check-sat)";

    fn shortened(lines: &[&str], core: Option<Vec<usize>>, needle: &str) -> Option<Shortened> {
        let seed = Seed::read("seed", SEED.as_bytes(), 1000).expect("it is a seed");
        let trace: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let text = rebuild(&seed, &trace).expect("it can be made").text().to_owned();
        let subject = Subject { core, ..Subject::new(text) };
        let wants_core = subject.core.is_some();
        let mut tester = |candidate: &Candidate| match candidate.text.contains(needle)
            && candidate.keeps_core == wants_core
        {
            true => Verdict::Shown(Learnt::default()),
            false => Verdict::Not("no".into()),
        };
        undo(&[seed], &trace, &subject, &mut tester)
    }

    #[test]
    fn steps_that_are_not_needed_are_left_out() {
        let lines = ["form kept", "a 0: (> x (* 2 7))", "b 1: (> y (* 3 7))", "c 2:1 (* 5 5)"];
        let left = shortened(&lines, None, "(* 3 7)").expect("it is shorter");
        assert_eq!(left.trace, ["form kept", "b 1: (> y (* 3 7))"]);
        assert!(left.subject.text.contains("(assert (> x 1))"));
        let seed = shortened(&lines, None, "(> x").expect("the seed shows it");
        assert_eq!(seed.trace, ["form kept"]);
        assert_eq!(seed.tests, 1);
        assert_eq!(shortened(&lines[..2], None, "(* 2 7)"), None);
    }

    #[test]
    fn what_later_steps_rest_on_stays() {
        let lines = ["form kept", "a 0: (or (> x 1) (> x 7))", "b 0:1 (> x (* 3 3))"];
        assert!(
            shortened(&lines, None, "(* 3 3)").is_none(),
            "without the first there is no place"
        );
        let lines = ["form kept", "a 0:1 (* 3 3)", "b 0: (> x (* 2 3))"];
        assert!(shortened(&lines, Some(vec![0]), "(* 2 3)").is_none(), "the rules no longer apply");
    }
}
