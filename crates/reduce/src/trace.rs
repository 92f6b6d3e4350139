//! Undoes mutations that a finding does not need: the remaining ones are applied to the seed again.

use crate::Original;
use crate::candidate::{Candidate, Learnt, ScriptTester};
use crate::size::Size;
use assay_case::Formula;
use assay_mutate::{Seed, TraceStep, rebuild, rebuild_fused};
use assay_search::{Gain, Progress, Reducible, Search, Workers};
use std::sync::Arc;

/// The result of a shortened trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortened {
    /// The formula.
    pub original: Original,
    /// The remaining lines.
    pub trace: Vec<String>,
    /// The number of tests.
    pub tests: usize,
}

/// The positions of the remaining steps.
#[derive(Clone)]
struct Kept<'m> {
    seeds: &'m [Seed],
    form: &'m String,
    all: &'m [String],
    has_core: bool,
    witness: Option<Arc<str>>,
    steps: Vec<usize>,
}

impl Kept<'_> {
    fn lines(&self) -> Vec<String> {
        [self.form].into_iter().chain(self.steps.iter().map(|&at| &self.all[at])).cloned().collect()
    }

    /// Whether the core contains all assertions that these steps make, as it does for all steps.
    fn keeps_core(&self) -> bool {
        let gone: Vec<usize> = (0..self.all.len()).filter(|at| !self.steps.contains(at)).collect();
        self.has_core && is_sound(self.all, &gone, &self.steps)
    }
}

impl Reducible for Kept<'_> {
    type Home = ();
    type Candidate = Candidate;
    type Learnt = Learnt;

    fn candidate(&mut self, (): &(), _: Option<(&Self, &Candidate)>) -> Option<Candidate> {
        let text = made(self.seeds, &self.lines())?.text().to_owned();
        Some(Candidate { text, witness: self.witness.clone(), keeps_core: self.keeps_core() })
    }

    fn taken(&mut self, (): &mut (), learnt: Learnt) {
        if let Some(text) = learnt.witness {
            self.witness = Some(text.into());
        }
    }
}

/// Leaves out as many steps of a trace as the testers allow; `None` if all are needed, or if they
/// do not make the original from these seeds.
pub fn undo<'a>(
    seeds: &'a [Seed],
    trace: &'a [String],
    original: &'a Original,
    testers: Vec<ScriptTester<'a>>,
    stop: &'a dyn Fn() -> bool,
) -> Option<Shortened> {
    let (form, all) = trace.split_first().filter(|(_, steps)| !steps.is_empty())?;
    let witness = original.witness.as_deref().map(Into::into);
    let (has_core, steps) = (original.core.is_some(), (0..all.len()).collect());
    let whole = Kept { seeds, form, all, has_core, witness, steps };
    let mut silent = |_: Progress<Size>| {};
    let panel = Workers { testers, stop, progress: &mut silent };
    let mut search = Search::begin((), [whole], None, panel).ok()?;
    // A formula with fewer mutations counts as simpler, however large it is. A step may be needed only
    // by one that is left out later, so that the rest is tried again until every step is needed.
    loop {
        let taken = search.counts.taken;
        let present = search.state.steps.clone();
        search.bisect(present.len(), true, 1, Gain::Any, &|(), kept, gone| {
            let is_gone = |step: &usize| gone.iter().any(|&at| present[at] == *step);
            let steps: Vec<usize> = kept.steps.iter().copied().filter(|s| !is_gone(s)).collect();
            (steps.len() < kept.steps.len()).then(|| Kept { steps, ..kept.clone() })
        });
        if search.counts.taken == taken || stop() {
            break;
        }
    }
    let Search { state, candidate, counts, .. } = search;
    if counts.taken == 0 {
        return None;
    }
    let Candidate { text, witness, keeps_core } = candidate;
    let assertions = made(seeds, &state.lines())?.assertions().len();
    let core = keeps_core.then(|| (0..assertions).collect());
    let witness = state.witness.clone().or(witness).map(|text| text.to_string());
    let original = Original { text, core, witness, ..original.clone() };
    Some(Shortened { original, trace: state.lines(), tests: counts.tests })
}

fn made(seeds: &[Seed], lines: &[String]) -> Option<Formula> {
    match seeds {
        [seed] => rebuild(seed, lines).ok(),
        [first, second] => rebuild_fused(first, second, lines).ok(),
        _ => None,
    }
}

/// Whether steps that keep a truth one by one still do so without some of them: only if no
/// remaining step was applied to the result of a removed one.
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
    use crate::candidate::Tested;

    const SEED: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
        (assert (> x 1))(assert (> y 1))(assert (> (+ x y) 3))(check-sat)";

    fn shortened(lines: &[&str], core: Option<Vec<usize>>, needle: &str) -> Option<Shortened> {
        let seed = Seed::read("seed", SEED.as_bytes(), 1000).expect("it is a seed");
        let trace: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let text = rebuild(&seed, &trace).expect("it can be made").text().to_owned();
        let original = Original { core, ..Original::new(text) };
        let wants_core = original.core.is_some();
        let tester = |candidate: &Candidate| -> Tested {
            let kept = candidate.keeps_core == wants_core;
            Tested::when(candidate.text.contains(needle) && kept, "no")
        };
        undo(&[seed], &trace, &original, vec![Box::new(tester)], &|| false)
    }

    #[test]
    fn steps_that_are_not_needed_are_left_out() {
        let lines = ["form kept", "a 0: (> x (* 2 7))", "b 1: (> y (* 3 7))", "c 2:1 (* 5 5)"];
        let left = shortened(&lines, None, "(* 3 7)").expect("it is shorter");
        assert_eq!(left.trace, ["form kept", "b 1: (> y (* 3 7))"]);
        assert!(left.original.text.contains("(assert (> x 1))"));
        let seed = shortened(&lines, None, "(> x").expect("the seed shows it");
        assert_eq!(seed.trace, ["form kept"]);
        assert_eq!(seed.tests, 2, "the mutant, then the seed");
        assert_eq!(shortened(&lines[..2], None, "(* 2 7)"), None);
    }

    #[test]
    fn every_step_that_is_left_is_needed() {
        // The first can only be undone once the second is.
        let lines =
            ["form kept", "a 0: (or (> x 1) (> x 7))", "b 0:1 (> x 8)", "c 1: (> y (* 3 7))"];
        let left = shortened(&lines, None, "(* 3 7)").expect("it is shorter");
        assert_eq!(left.trace, ["form kept", "c 1: (> y (* 3 7))"]);
        // Without the first the formula is larger.
        let lines = ["form kept", "a 2: true", "b 1: (> y (* 3 7))"];
        let left = shortened(&lines, None, "(* 3 7)").expect("it has fewer mutations");
        assert_eq!(left.trace, ["form kept", "b 1: (> y (* 3 7))"]);
        assert!(left.original.text.contains("(+ x y)"), "{}", left.original.text);
    }

    #[test]
    fn steps_that_later_steps_need_are_kept() {
        let lines = ["form kept", "a 0: (or (> x 1) (> x 7))", "b 0:1 (> x (* 3 3))"];
        assert!(
            shortened(&lines, None, "(* 3 3)").is_none(),
            "without the first there is no place"
        );
        let lines = ["form kept", "a 0:1 (* 3 3)", "b 0: (> x (* 2 3))"];
        assert!(shortened(&lines, Some(vec![0]), "(* 2 3)").is_none(), "the rules no longer apply");
    }
}
