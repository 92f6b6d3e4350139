//! Explains a contradiction: quantifier-free instances and facts that no interpretation satisfies,
//! so that every solver can check them.

use crate::diagnosis::{Diagnosis, Report, Triggered};
use crate::driver::examined;
use crate::engine::{Engine, SatResult};
use crate::nnf::junction;
use crate::normal::prepare;
use crate::problem::Problem;
use crate::proof::Instance;
use crate::strategy::{PatternSource, Settings};
use crate::suggest::plain;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_smtlib::read_core;
use assay_term::theories::core;
use assay_term::{Replacements, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// A formula of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExampleFormula {
    /// The index of its assertion.
    pub fact: usize,
    /// The name of its assertion.
    pub axiom: String,
    /// The line of the assertion, from one.
    pub line: usize,
    /// The values of the quantified variables; empty for a fact.
    pub values: Vec<(String, String)>,
    /// The formula, without quantifiers.
    pub formula: String,
    /// The terms that match the quantifier's pattern, and where each occurs first; empty for a
    /// fact.
    pub matched: Vec<(String, Origin)>,
    /// The pattern that they match.
    pub pattern: Option<String>,
}

/// Where a triggering term occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is added, or a subterm of an added term.
    Added,
    /// In a fact of the file.
    File,
    /// In the example's formula with this index.
    Formula(usize),
    /// Nowhere literally: it equals another term, or was not needed.
    Elsewhere,
}

/// Contradicting quantifier-free formulas. The solver answered `unsat` on them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The formulas, all needed by the solver; each comes after those that trigger it.
    pub formulas: Vec<ExampleFormula>,
    /// The terms that are added to the file for E-matching.
    pub added: Vec<String>,
    /// A script that shows the contradiction.
    pub script: String,
}

impl Example {
    /// The names of the contradicting assertions, in the order of the file.
    #[must_use]
    pub fn axioms(&self) -> Vec<String> {
        let mut lines: Vec<(usize, &String)> =
            self.formulas.iter().map(|formula| (formula.line, &formula.axiom)).collect();
        lines.sort();
        lines.dedup();
        lines.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// The indices of the contradicting assertions.
    pub(crate) fn facts(&self) -> Vec<usize> {
        let facts: BTreeSet<usize> = self.formulas.iter().map(|formula| formula.fact).collect();
        facts.into_iter().collect()
    }

    /// The instances that added terms cause.
    pub(crate) fn triggered(&self) -> Vec<Triggered> {
        let mut found: Vec<Triggered> = Vec::new();
        for formula in &self.formulas {
            for (term, origin) in &formula.matched {
                let whole = self.added.iter().find(|added| added.contains(term.as_str()));
                let (Origin::Added, Some(whole)) = (origin, whole) else { continue };
                let new = Triggered {
                    term: whole.clone(),
                    axiom: formula.axiom.clone(),
                    line: formula.line,
                    values: formula.values.clone(),
                };
                if !found.contains(&new) {
                    found.push(new);
                }
            }
        }
        found
    }
}

/// The result of searching for an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The result of the search for terms.
    pub report: Report,
    /// The contradiction, if there is one.
    pub example: Option<Example>,
}

/// Searches for terms that refute the file, and for an example of the contradiction that they show;
/// without such terms, the solver's own instances are used.
pub fn explain(problem: Problem, engine: &mut dyn Engine, settings: &Settings) -> Explanation {
    let (report, example) = examined(problem.clone(), engine, settings);
    if example.is_some() || matches!(report.diagnosis, Diagnosis::Sat(_)) {
        return Explanation { report, example };
    }
    // A little longer than the search, if that used up its time.
    let budget = settings.budget.max(engine.elapsed() + GRACE);
    let settings = Settings { budget, ..settings.clone() };
    let example = without_terms(problem, engine, &settings);
    Explanation { report, example }
}

/// The extra time for an explanation after the search for terms.
const GRACE: Duration = Duration::from_secs(5);

/// An example from the solver's instances of the file as it is.
fn without_terms(
    mut problem: Problem,
    engine: &mut dyn Engine,
    settings: &Settings,
) -> Option<Example> {
    let mut walks = settings.walks(engine);
    let form = prepare(&mut problem, &mut walks).ok()?;
    let mut bench = Workbench::new(problem, form, engine, settings, walks);
    bench.check_options();
    if settings.patterns == PatternSource::Solver {
        bench.ask_patterns();
    }
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    [Instantiation::Ematching, Instantiation::Models].into_iter().find_map(|how| {
        let instances = bench.proof_of(&all, &[], how, Effort::SMALL).ok()?;
        example(&mut bench, &instances, &[])
    })
}

/// The example behind the refutation with these terms.
pub(crate) fn example_with(bench: &mut Workbench<'_>, terms: &[TermId]) -> Option<Example> {
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    let instances = bench.proof_of(&all, terms, Instantiation::Ematching, Effort::MEDIUM).ok()?;
    example(bench, &instances, terms)
}

/// A formula that may be part of an example.
struct Candidate {
    fact: usize,
    /// The number of its quantifier; `None` for a fact.
    quantifier: Option<usize>,
    values: Vec<(TermId, TermId)>,
    formula: TermId,
}

/// Turns instances into formulas and keeps those that the solver needs.
fn example(bench: &mut Workbench<'_>, instances: &[Instance], added: &[TermId]) -> Option<Example> {
    let values = rows_of(bench, instances);
    let candidates = candidates(bench, &values);
    let kept = core(bench, &candidates)?;
    let script = script(bench, &candidates, &kept);
    if bench.run(&script, Effort::MEDIUM).sat_result() != SatResult::Unsat {
        return None;
    }
    let formulas = in_order(bench, &candidates, &kept, added);
    let added = added.iter().map(|&term| bench.problem.show(term)).collect();
    Some(Example { formulas, added, script })
}

/// The formulas of an example, each after those that contain the terms of its pattern, as far as
/// terms show that.
fn in_order(
    bench: &mut Workbench<'_>,
    candidates: &[Candidate],
    kept: &[usize],
    added: &[TermId],
) -> Vec<ExampleFormula> {
    let mut origins: FxHashMap<TermId, Origin> = FxHashMap::default();
    let note = |bench: &Workbench<'_>, origins: &mut FxHashMap<_, _>, roots: &[TermId], origin| {
        for part in bench.problem.store.postorder(roots) {
            origins.entry(part).or_insert(origin);
        }
    };
    note(bench, &mut origins, added, Origin::Added);
    let ground: Vec<TermId> = bench
        .form
        .statements
        .iter()
        .filter(|&&(_, term)| !bench.problem.any_quantifier(&[term]))
        .map(|&(_, term)| term)
        .collect();
    note(bench, &mut origins, &ground, Origin::File);
    let mut left: Vec<usize> = kept.to_vec();
    let mut formulas: Vec<ExampleFormula> = Vec::new();
    while !left.is_empty() {
        let mut best: Option<(usize, usize, Option<usize>)> = None;
        for (position, &at) in left.iter().enumerate() {
            let (missing, alternative) = missing(bench, &candidates[at], &origins);
            if best.is_none_or(|(fewest, ..)| missing < fewest) {
                best = Some((missing, position, alternative));
            }
        }
        let (_, position, alternative) = best.expect("something is left");
        let candidate = &candidates[left.remove(position)];
        formulas.push(shown(bench, candidate, alternative, &origins));
        let origin = Origin::Formula(formulas.len() - 1);
        note(bench, &mut origins, &[candidate.formula], origin);
    }
    formulas
}

/// The number of pattern terms that a formula lacks, with the best alternative.
fn missing(
    bench: &mut Workbench<'_>,
    candidate: &Candidate,
    origins: &FxHashMap<TermId, Origin>,
) -> (usize, Option<usize>) {
    let Some(number) = candidate.quantifier else { return (0, None) };
    let alternatives = bench.form.quantifiers[number].patterns.len();
    (0..alternatives)
        .map(|at| {
            let terms = pattern_under(bench, candidate, at);
            (terms.iter().filter(|term| !origins.contains_key(term)).count(), Some(at))
        })
        .min()
        .unwrap_or((0, None))
}

/// An alternative of a formula's patterns, instantiated with its values.
fn pattern_under(bench: &mut Workbench<'_>, candidate: &Candidate, at: usize) -> Vec<TermId> {
    let Some(number) = candidate.quantifier else { return Vec::new() };
    let terms = bench.form.quantifiers[number].patterns[at].clone();
    let mut by: Replacements = candidate.values.iter().copied().collect();
    terms.iter().map(|&term| bench.problem.store.replace(term, &mut by)).collect()
}

/// The instances that a contradiction of ground formulas needs: those in the solver's core, and all
/// instances of nested quantifiers.
pub(crate) fn core_instances(
    bench: &mut Workbench<'_>,
    instances: &[Instance],
) -> Option<Vec<Instance>> {
    let values = rows_of(bench, instances);
    let candidates = candidates(bench, &values);
    let core = core(bench, &candidates)?;
    let rows: FxHashSet<&[(TermId, TermId)]> =
        core.iter().map(|&at| candidates[at].values.as_slice()).collect();
    let mut kept = Vec::new();
    for instance in instances {
        let Some(number) = bench.quantifier(&instance.qid) else { continue };
        let nested = !bench.form.quantifiers[number].outer.is_empty();
        if nested || rows.contains(row_of(bench, number, instance).as_slice()) {
            kept.push(instance.clone());
        }
    }
    Some(kept)
}

/// The values of an instance by variable; an inexpressible value becomes an arbitrary constant.
fn row_of(bench: &mut Workbench<'_>, number: usize, instance: &Instance) -> Vec<(TermId, TermId)> {
    let vars = bench.form.quantifiers[number].vars.clone();
    let mut row = Vec::new();
    for var in vars {
        let name = bench.problem.show(var);
        let given = instance.values.iter().find(|(known, _)| *known == name.trim_matches('|'));
        let sort = bench.problem.store.sort(var);
        let value = given.and_then(|(_, value)| *value);
        row.push((var, value.unwrap_or_else(|| bench.problem.any(sort, 0))));
    }
    row
}

/// The values of instances by the numbers of their quantifiers.
fn rows_of(bench: &mut Workbench<'_>, instances: &[Instance]) -> Rows {
    let mut values = Rows::default();
    for instance in instances {
        let Some(number) = bench.quantifier(&instance.qid) else { continue };
        let row = row_of(bench, number, instance);
        values.entry(number).or_default().push(row);
    }
    values
}

/// Rows of values by quantifier.
type Rows = FxHashMap<usize, Vec<Vec<(TermId, TermId)>>>;

/// The facts and the instances of outermost quantifiers, in which instances replace nested
/// quantifiers.
fn candidates(bench: &mut Workbench<'_>, values: &Rows) -> Vec<Candidate> {
    let numbers = bench.form.numbers();
    let mut found = Vec::new();
    for (fact, statement) in bench.form.statements.clone() {
        let matrix = without_nested(bench, statement, &numbers, values);
        let Term::Quant(_, vars, _) = bench.problem.store.get(statement) else {
            found.push(Candidate { fact, quantifier: None, values: Vec::new(), formula: matrix });
            continue;
        };
        let quantifier = numbers.get(vars).copied();
        let Some(rows) = quantifier.and_then(|number| values.get(&number)) else { continue };
        for row in rows {
            let mut by: Replacements = row.iter().copied().collect();
            let formula = bench.problem.store.replace(matrix, &mut by);
            found.push(Candidate { fact, quantifier, values: row.clone(), formula });
        }
    }
    found
}

/// The body of a statement in which each quantifier is replaced by the conjunction of its known
/// instances, a weaker formula that still follows.
fn without_nested(
    bench: &mut Workbench<'_>,
    statement: TermId,
    numbers: &FxHashMap<Vec<TermId>, usize>,
    values: &Rows,
) -> TermId {
    let store = &mut bench.problem.store;
    let mut by = Replacements::default();
    for part in store.postorder(&[statement]) {
        let Term::Quant(_, vars, body) = store.get(part) else { continue };
        let vars = vars.to_vec();
        let inner = match store.get(body) {
            Term::Annotated(inner, _) => inner,
            _ => body,
        };
        let inner = store.replace(inner, &mut by);
        if part == statement {
            return inner;
        }
        let rows = numbers.get(&vars).and_then(|number| values.get(number));
        let mut instances = Vec::new();
        for row in rows.into_iter().flatten() {
            let mut row: Replacements = row.iter().copied().collect();
            instances.push(store.replace(inner, &mut row));
        }
        let new = junction(store, core::AND, &instances);
        by.insert(part, new);
    }
    store.replace(statement, &mut by)
}

/// The indices of the candidates in the solver's unsatisfiable core.
fn core(bench: &mut Workbench<'_>, candidates: &[Candidate]) -> Option<Vec<usize>> {
    let formulas: Vec<TermId> = candidates.iter().map(|candidate| candidate.formula).collect();
    let ground = |term: &TermId| !bench.problem.store.mentions_variables(*term);
    let usable: Vec<usize> = (0..formulas.len()).filter(|&at| ground(&formulas[at])).collect();
    let script = script(bench, candidates, &usable);
    let asked = format!(
        "(set-option :produce-unsat-cores true)\n(set-option :smt.core.minimize true)\n\
         {script}(get-unsat-core)\n"
    );
    let said = bench.run(&asked, Effort::MEDIUM);
    if said.sat_result() != SatResult::Unsat {
        return None;
    }
    let core = read_core(said.after_result().trim()).ok()?;
    let kept: Vec<usize> =
        core.iter().filter_map(|name| name.strip_prefix("step!")?.parse().ok()).collect();
    let mut kept: Vec<usize> = kept.into_iter().filter(|at| usable.contains(at)).collect();
    kept.sort_unstable();
    Some(kept)
}

fn script(bench: &Workbench<'_>, candidates: &[Candidate], numbers: &[usize]) -> String {
    let formulas: Vec<TermId> = numbers.iter().map(|&at| candidates[at].formula).collect();
    let mut text = bench.problem.declarations_for(&formulas);
    for (&at, &formula) in numbers.iter().zip(&formulas) {
        let _ = writeln!(text, "(assert (! {} :named step!{at}))", bench.problem.show(formula));
    }
    text.push_str("(check-sat)\n");
    text
}

fn shown(
    bench: &mut Workbench<'_>,
    candidate: &Candidate,
    alternative: Option<usize>,
    origins: &FxHashMap<TermId, Origin>,
) -> ExampleFormula {
    let terms = alternative.map(|at| pattern_under(bench, candidate, at)).unwrap_or_default();
    let matched = terms.into_iter().map(|term| {
        let origin = origins.get(&term).copied().unwrap_or(Origin::Elsewhere);
        (bench.problem.show(term), origin)
    });
    let matched = matched.collect();
    let pattern = candidate.quantifier.zip(alternative).map(|(number, at)| {
        let terms = &bench.form.quantifiers[number].patterns[at];
        let shown: Vec<String> =
            terms.iter().map(|&term| plain(&bench.problem.show(term))).collect();
        format!("({})", shown.join(" "))
    });
    let fact = &bench.problem.facts[candidate.fact];
    let value = |&(var, value): &(TermId, TermId)| {
        let name = bench.problem.show(var);
        let name = name.trim_matches('|').rsplit_once('!').map_or("", |(stem, _)| stem).to_owned();
        (name, bench.problem.show(value))
    };
    ExampleFormula {
        fact: candidate.fact,
        axiom: fact.name.clone(),
        line: fact.line,
        values: candidate.values.iter().map(value).collect(),
        formula: bench.problem.show(candidate.formula),
        matched,
        pattern,
    }
}
