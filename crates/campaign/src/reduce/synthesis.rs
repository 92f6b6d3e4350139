//! Reduces synthesis tasks: fewer premises and constraints, smaller formulas.

use super::answered::{Course, outside, reduce_answered};
use super::{Job, Reduction, ReductionError, Watch};
use assay_case::{Formula, SynthesisTest};
use assay_search::Counts;
use assay_smtlib::{Command, Printer};
use assay_term::eval::EvalContext;
use assay_term::{Func, FuncId, Model, Replacements, SortId, Store, Term, TermId};
use std::collections::HashSet;

/// The smallest task on which the target still shows the finding.
///
/// Fails if the target does not show a finding, or cannot be run.
pub(crate) fn reduce_task(
    job: Job<'_>,
    watch: &mut Watch<'_>,
) -> Result<Reduction, ReductionError> {
    reduce_answered(job, watch, smallest)
}

fn smallest(
    given: &SynthesisTest,
    course: &mut Course<'_, SynthesisTest>,
) -> Result<(SynthesisTest, Counts), ReductionError> {
    outside(given.clone(), course, smaller)
}

/// The same task without one formula, or with a part of a formula in the place of the whole part.
fn smaller(test: &SynthesisTest) -> Vec<SynthesisTest> {
    let Ok(formula) = Formula::read(test.script()) else { return Vec::new() };
    let mut store = formula.store().clone();
    let formulas: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    let commands = &formula.script().commands;
    let mut edits = Vec::new();
    for at in 0..formulas.len() {
        let mut fewer = formulas.clone();
        fewer.remove(at);
        edits.push(fewer);
    }
    for (at, &formula) in formulas.iter().enumerate() {
        for part in store.postorder(&[formula]).into_iter().rev() {
            for by in replacements(&mut store, part) {
                let mut replacements = Replacements::from_iter([(part, by)]);
                let Ok(new) = store.replaced(formula, &mut replacements) else { continue };
                if new != formula {
                    let mut formulas = formulas.clone();
                    formulas[at] = new;
                    edits.push(formulas);
                }
            }
        }
    }
    edits.iter().filter_map(|formulas| with(test, &store, commands, formulas)).collect()
}

/// Smaller terms of a part's sort.
fn replacements(store: &mut Store, part: TermId) -> Vec<TermId> {
    let sort = store.sort(part);
    let mut found: Vec<TermId> =
        store.children(part).iter().copied().filter(|&c| store.sort(c) == sort).collect();
    if sort == SortId::BOOL {
        found.push(store.bool(true));
    }
    let value = EvalContext::new(store, &Model::new()).default_value(sort);
    let value = value.and_then(|value| store.value(&value));
    let is_value = matches!(store.get(part), Term::Literal(_));
    found.extend(value.filter(|_| !is_value));
    found.retain(|&by| by != part);
    found
}

/// The task with these formulas, and with the constants that they mention.
fn with(
    test: &SynthesisTest,
    store: &Store,
    commands: &[Command],
    formulas: &[TermId],
) -> Option<SynthesisTest> {
    let parts = store.postorder(formulas);
    let mentioned: HashSet<FuncId> = parts
        .iter()
        .filter_map(|&part| match store.get(part) {
            Term::App(func, _) => Some(func),
            _ => None,
        })
        .collect();
    let printer = Printer::new(store);
    let mut declarations = String::new();
    for command in commands {
        let is_kept = match command {
            Command::DeclareConst(func) => mentioned.contains(func),
            Command::Assert(_) => false,
            // The functions of the request are declared with it.
            Command::DeclareFun(func) => {
                matches!(store.func(*func), Func::Declared { params, .. } if params.is_empty())
                    && mentioned.contains(func)
            }
            _ => true,
        };
        if is_kept {
            declarations += &printer.command(command);
            declarations.push('\n');
        }
    }
    let formulas: Vec<String> = formulas.iter().map(|&term| printer.term(term)).collect();
    test.with(&declarations, &formulas)
}
