//! Models that fit into C: a solver is first asked for a model with small integers, small indices and
//! nonzero divisors. Such a model is also a model of the formula itself.

use crate::lower::LARGEST;
use crate::program::LARGEST_ARRAY;
use assay_case::{Answer, Consult, Consultation, Formula, Question};
use assay_smtlib::{Command, Script};
use assay_term::bitvec::BitVec;
use assay_term::theories::{arrays, core, ints};
use assay_term::{Func, Int, Op, Sort, SortId, Store, Term, TermId};

/// The bounds for indices, the smallest first.
const SIZES: [usize; 3] = [8, 64, LARGEST_ARRAY];

/// A solver that prefers models that fit.
pub struct SmallModels<C: ?Sized>(pub Box<C>);

impl<C: Consult + ?Sized> Consult for SmallModels<C> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation {
        if question != Question::Model || bounded(formula, SIZES[0]).is_none() {
            return self.0.ask(formula, question);
        }
        // An unsatisfiable formula has no small model either, and is asked about once.
        let said = self.0.ask(formula, Question::Status);
        if matches!(said.answer, Answer::Unsat | Answer::Timeout) {
            return said;
        }
        for size in SIZES {
            let Some(bounded) = bounded(formula, size) else { break };
            let said = self.0.ask(&bounded, question);
            if said.answer == Answer::Sat && said.model.is_some() {
                return said;
            }
            match said.answer {
                Answer::Unsat => {}
                Answer::Timeout => return said,
                _ => break,
            }
        }
        self.0.ask(formula, question)
    }

    fn knows(&self, operator: Op) -> bool {
        self.0.knows(operator)
    }
}

/// The formula with the bounds of C; `None` if there is nothing to bound, or if it is larger than any
/// program.
pub(crate) fn bounded(formula: &Formula, size: usize) -> Option<Formula> {
    let mut store = formula.store().clone();
    let roots: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    let bounds = Bounds { size }.all(&mut store, &roots);
    if bounds.is_empty() {
        return None;
    }
    let mut script = Script::default();
    let commands = &formula.script().commands;
    let kept = commands.iter().filter(|c| !c.is_check() && !matches!(c, Command::Plain(_)));
    kept.cloned().for_each(|command| script.push(command, 0));
    // In one assertion the printer writes what the bounds share once: separately, each bound of a deep
    // term would repeat all of it.
    let all = match bounds.as_slice() {
        [only] => *only,
        _ => store.op(core::AND, &bounds).expect("bounds are formulas"),
    };
    script.push(Command::Assert(all), 0);
    script.push(Command::CheckSat, 0);
    Some(Formula::from_parts(store, script, formula.environment().clone()))
}

struct Bounds {
    size: usize,
}

impl Bounds {
    fn all(&self, store: &mut Store, roots: &[TermId]) -> Vec<TermId> {
        let mut bounds = Vec::new();
        let parts = store.postorder(roots);
        if parts.len() > LARGEST {
            return bounds;
        }
        for term in parts {
            // A term under a binder has no single value.
            if store.mentions_variables(term) {
                continue;
            }
            if store.sort(term) == SortId::INT && !matches!(store.get(term), Term::Literal(_)) {
                bounds.extend(between(store, term, i64::from(i32::MIN), i64::from(i32::MAX)));
            }
            let Term::App(func, args) = store.get(term) else { continue };
            let Func::Op(op, _) = store.func(func) else { continue };
            match (*op, args) {
                (arrays::SELECT | arrays::STORE, &[_, index, ..]) => {
                    bounds.extend(self.index(store, index));
                }
                (ints::DIV | ints::MOD, &[_, divisor]) => bounds.extend(not_zero(store, divisor)),
                _ => {}
            }
        }
        bounds
    }

    /// The requirement that an index is below the size.
    fn index(&self, store: &mut Store, index: TermId) -> Vec<TermId> {
        match *store.sorts.get(store.sort(index)) {
            Sort::Int => between(store, index, 0, self.size as i64 - 1),
            Sort::BitVec(width) if width < 64 && self.size >= 1 << width => Vec::new(),
            Sort::BitVec(width) => {
                let size = store.bit_vec(BitVec::from_u64(width, self.size as u64));
                store.op(assay_term::theories::bv::ULT, &[index, size]).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

fn between(store: &mut Store, term: TermId, least: i64, most: i64) -> Vec<TermId> {
    let least = store.int(&Int::from(least));
    let most = store.int(&Int::from(most));
    store.op(ints::LE, &[least, term, most]).into_iter().collect()
}

fn not_zero(store: &mut Store, term: TermId) -> Vec<TermId> {
    let zero = store.int(&Int::from(0i64));
    let equal = store.op(core::EQ, &[term, zero]);
    equal.and_then(|equal| store.op(core::NOT, &[equal])).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Formula {
        let term = format!("{}a{}", "(+ 1 ".repeat(depth), ")".repeat(depth));
        let text = format!("(declare-const a Int)(assert (= 0 {term}))(check-sat)");
        Formula::read(text).expect("a formula")
    }

    /// Each bound used to repeat its term: 2,000 levels took ten megabytes.
    #[test]
    fn bounds_share_their_terms() {
        let formula = nested(2_000);
        let bounded = bounded(&formula, 8).expect("an integer is bounded");
        assert!(bounded.text().len() < 20 * formula.text().len(), "{}", bounded.text().len());
        assert_eq!(bounded.assertions().len(), 2);
    }

    #[test]
    fn formulas_that_no_program_expresses_are_not_bounded() {
        assert!(bounded(&nested(LARGEST), 8).is_none());
    }
}
