//! First-order provers as a source of instances: a resolution refutation has no quantifier
//! instances, but each of its steps follows from a few others.
//!
//! The proof is replayed backwards. For the final contradiction, the solver says which instances of
//! earlier steps are needed; for each of these, which instances of still earlier steps; and so on
//! until only the file's own quantifiers are left. Each query is small.

use crate::engine::{FirstOrderProver, SatResult};
use crate::normal::QID;
use crate::proof::{self, Instance};
use crate::tptp::{Names, Step, steps};
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::{Replacements, TermId};
use rustc_hash::FxHashSet;
use std::fmt::Write;
use std::time::Duration;

/// The maximum number of queries about one proof.
const MAX_QUESTIONS: usize = 400;

/// The prefix of the `:qid`s of steps.
const STEP: &str = "step!";

/// The result of asking first-order provers.
pub(crate) enum Outcome {
    /// None is installed.
    Absent,
    /// None refutes the file.
    None(String),
    /// This one refutes it, and these instances may suffice.
    Refuted(String, Vec<Vec<Instance>>),
}

/// Asks the provers that are installed.
pub(crate) fn refutation(bench: &mut Workbench<'_>, limit: Duration) -> Outcome {
    let statements: Vec<TermId> = bench.form.statements.iter().map(|&(_, term)| term).collect();
    let mut names = Names::default();
    let text = names.file(&bench.problem, &statements);
    let mut asked = Vec::new();
    for prover in FirstOrderProver::ALL {
        let limit = limit.min(bench.left());
        let Some(said) = bench.engine.run_first_order(prover, &text, limit) else { continue };
        asked.push(prover.name());
        let steps = steps(&mut bench.problem, &names, &said.text);
        if steps.is_empty() {
            continue;
        }
        let mut sets = Vec::new();
        sets.extend(replayed(bench, &steps));
        let mut core: Vec<usize> = steps.iter().filter_map(|step| step.statement).collect();
        core.sort_unstable();
        core.dedup();
        core.retain(|&at| at < statements.len());
        sets.extend(bench.proof_of(&core, &[], Instantiation::Models, Effort::SMALL));
        return Outcome::Refuted(prover.name().to_owned(), sets);
    }
    match asked.is_empty() {
        true => Outcome::Absent,
        false => Outcome::None(asked.join(" and ")),
    }
}

/// A step with values for its variables.
type Request = (usize, Vec<TermId>);

/// The instances of the file's quantifiers behind a proof; `None` if one of its steps cannot be
/// replayed.
fn replayed(bench: &mut Workbench<'_>, steps: &[Step]) -> Option<Vec<Instance>> {
    let last = steps.len().checked_sub(1)?;
    let mut found: Vec<Instance> = Vec::new();
    let mut seen: FxHashSet<Request> = FxHashSet::default();
    let mut waiting: Vec<Request> = vec![(last, Vec::new())];
    while let Some(request) = waiting.pop() {
        if bench.is_over() || seen.len() > MAX_QUESTIONS {
            return None;
        }
        if !seen.insert(request.clone()) {
            continue;
        }
        let (at, values) = request;
        for instance in needed(bench, steps, at, &values)? {
            if instance.qid.starts_with(QID) {
                if !found.contains(&instance) {
                    found.push(instance);
                }
                continue;
            }
            let Some(parent) = instance.qid.strip_prefix(STEP) else { continue };
            let parent: usize = parent.parse().ok()?;
            let row = steps.get(parent)?.vars.clone();
            let mut values = Vec::with_capacity(row.len());
            for var in row {
                let name = bench.problem.show(var);
                let given =
                    instance.values.iter().find(|(known, _)| *known == name.trim_matches('|'));
                let sort = bench.problem.store.sort(var);
                let value = given.and_then(|(_, value)| *value);
                values.push(value.unwrap_or_else(|| bench.problem.any(sort, 0)));
            }
            waiting.push((parent, values));
        }
        // Steps without variables have no instances, but their parents have.
        for &parent in &steps[at].parents {
            let step = &steps[parent];
            if step.vars.is_empty() && step.statement.is_none() && !step.parents.is_empty() {
                waiting.push((parent, Vec::new()));
            }
        }
    }
    Some(found)
}

/// The instances of a step's parents that it needs under these values.
fn needed(
    bench: &mut Workbench<'_>,
    steps: &[Step],
    at: usize,
    values: &[TermId],
) -> Option<Vec<Instance>> {
    let step = &steps[at];
    let mut by: Replacements = step.vars.iter().copied().zip(values.iter().copied()).collect();
    let goal = bench.problem.store.replace(step.formula?, &mut by);
    let mut assertions = String::new();
    let mut used = vec![goal];
    for parent in step.parents.iter().copied().chain(step.statement.map(|_| at)) {
        let known = &steps[parent];
        if let Some(number) = origin(steps, parent) {
            let &(_, statement) = bench.form.statements.get(number)?;
            used.push(statement);
            let _ = writeln!(assertions, "(assert {})", bench.problem.show(statement));
            continue;
        }
        let formula = known.formula?;
        used.push(formula);
        let shown = bench.problem.show(formula);
        if known.vars.is_empty() {
            let _ = writeln!(assertions, "(assert {shown})");
            continue;
        }
        let vars: Vec<String> = known
            .vars
            .iter()
            .map(|&var| {
                let sort = bench.problem.show_sort(bench.problem.store.sort(var));
                format!("({} {sort})", bench.problem.show(var))
            })
            .collect();
        let vars = vars.join(" ");
        let _ = writeln!(assertions, "(assert (forall ({vars}) (! {shown} :qid {STEP}{parent})))");
    }
    let script = format!(
        "(set-option :rlimit {})\n(set-option :produce-proofs true)\n{}{}{assertions}\
         (assert (not {}))\n(check-sat)\n(get-proof)\n",
        Effort::TINY.0,
        bench.options(Instantiation::Models),
        bench.problem.declarations_for(&used),
        bench.problem.show(goal),
    );
    let said = bench.ask(&script, Effort::TINY);
    (said.sat_result() == SatResult::Unsat)
        .then(|| proof::instances(&mut bench.problem, &said.text))
}

/// The statement of the file that a step equals or is rewritten from on its own.
fn origin(steps: &[Step], mut at: usize) -> Option<usize> {
    loop {
        let step = &steps[at];
        match (step.statement, step.parents.as_slice()) {
            (Some(number), _) => return Some(number),
            (None, &[parent]) if parent < at => at = parent,
            _ => return None,
        }
    }
}
