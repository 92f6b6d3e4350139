//! Why there is a contradiction: instances of quantifiers and facts that no interpretation satisfies,
//! without quantifiers, so that every solver can check them.

use crate::diagnosis::Diagnosis;
use crate::engine::{Engine, SatResult};
use crate::nnf::junction;
use crate::normal::prepare;
use crate::problem::Problem;
use crate::proof::Instance;
use crate::search::Search;
use crate::strategy::{PatternSource, Settings};
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_smtlib::read_core;
use assay_term::theories::core;
use assay_term::{Replacements, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A formula of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExampleFormula {
    /// The assertion it comes from, by name.
    pub axiom: String,
    /// The line of the assertion, from one.
    pub line: usize,
    /// What takes the places of the quantified variables; none for a fact.
    pub values: Vec<(String, String)>,
    /// The formula, without quantifiers.
    pub formula: String,
}

/// Formulas without quantifiers that contradict each other. The solver answered `unsat` to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The formulas, none of which the solver could leave out.
    pub formulas: Vec<ExampleFormula>,
    /// A script that shows the contradiction.
    pub script: String,
}

impl Example {
    /// The assertions that contradict each other, by name, in the order of the file.
    #[must_use]
    pub fn axioms(&self) -> Vec<String> {
        let mut lines: Vec<(usize, &String)> =
            self.formulas.iter().map(|formula| (formula.line, &formula.axiom)).collect();
        lines.sort();
        lines.dedup();
        lines.into_iter().map(|(_, name)| name.clone()).collect()
    }
}

/// Looks for an example; where there is none, says what came of the search for terms.
///
/// # Errors
/// What came of the search, where no example was found.
pub fn explain(
    problem: Problem,
    engine: &mut dyn Engine,
    settings: &Settings,
) -> Result<Example, Diagnosis> {
    let mut problem = problem;
    let mut walks = settings.walks(engine);
    let form = match prepare(&mut problem, &mut walks) {
        Ok(form) => form,
        Err(error) => return Err(settings.unprepared(error)),
    };
    let mut bench = Workbench::new(problem, form, engine, settings, walks);
    bench.check_options();
    if settings.patterns == PatternSource::Solver {
        bench.ask_patterns();
    }
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    let tries = [(Instantiation::Ematching, Effort::SMALL), (Instantiation::Models, Effort::SMALL)];
    for (how, effort) in tries {
        match bench.proof_of(&all, &[], how, effort) {
            Ok(instances) => {
                if let Some(example) = example(&mut bench, &instances) {
                    return Ok(example);
                }
            }
            Err(SatResult::Sat) => {
                return Err(Diagnosis::Sat(bench.evidence(how)));
            }
            Err(_) => {}
        }
    }
    let plain = bench.plain(Effort::MEDIUM);
    let mut search = Search::new(bench, settings, plain);
    let diagnosis = search.run();
    match search.example.take() {
        Some(example) => Ok(example),
        None => Err(diagnosis),
    }
}

/// The example that the refutation with these terms rests on.
pub(crate) fn example_with(bench: &mut Workbench<'_>, terms: &[TermId]) -> Option<Example> {
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    let instances = bench.proof_of(&all, terms, Instantiation::Ematching, Effort::MEDIUM).ok()?;
    example(bench, &instances)
}

/// A formula that may be part of an example.
struct Candidate {
    fact: usize,
    values: Vec<(TermId, TermId)>,
    formula: TermId,
}

/// Makes formulas of instances and keeps those that the solver needs.
fn example(bench: &mut Workbench<'_>, instances: &[Instance]) -> Option<Example> {
    let values = rows_of(bench, instances);
    let candidates = candidates(bench, &values);
    needed(bench, &candidates)
}

/// The instances that a contradiction of ground formulas needs: those of the solver's core, and all
/// of nested quantifiers.
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

/// The values of an instance by variable; what cannot be said is any constant.
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

/// The facts, and the instances of outermost quantifiers, in which instances stand for the
/// quantifiers inside.
fn candidates(bench: &mut Workbench<'_>, values: &Rows) -> Vec<Candidate> {
    let numbers = bench.form.numbers();
    let mut found = Vec::new();
    for (fact, statement) in bench.form.statements.clone() {
        let matrix = without_nested(bench, statement, &numbers, values);
        let Term::Quant(_, vars, _) = bench.problem.store.get(statement) else {
            found.push(Candidate { fact, values: Vec::new(), formula: matrix });
            continue;
        };
        let Some(rows) = numbers.get(vars).and_then(|number| values.get(number)) else { continue };
        for row in rows {
            let mut by: Replacements = row.iter().copied().collect();
            let formula = bench.problem.store.replace(matrix, &mut by);
            found.push(Candidate { fact, values: row.clone(), formula });
        }
    }
    found
}

/// The body of a statement in which a quantifier is the conjunction of its known instances: weaker,
/// so it still follows.
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

/// The candidates in the solver's unsatisfiable core, by number.
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

/// The example that the core of the candidates is.
fn needed(bench: &mut Workbench<'_>, candidates: &[Candidate]) -> Option<Example> {
    let kept = core(bench, candidates)?;
    let script = script(bench, candidates, &kept);
    if bench.run(&script, Effort::MEDIUM).sat_result() != SatResult::Unsat {
        return None;
    }
    let formulas = kept.iter().map(|&at| shown(bench, &candidates[at])).collect();
    Some(Example { formulas, script })
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

fn shown(bench: &Workbench<'_>, candidate: &Candidate) -> ExampleFormula {
    let fact = &bench.problem.facts[candidate.fact];
    let value = |&(var, value): &(TermId, TermId)| {
        let name = bench.problem.show(var);
        let name = name.trim_matches('|').rsplit_once('!').map_or("", |(stem, _)| stem).to_owned();
        (name, bench.problem.show(value))
    };
    ExampleFormula {
        axiom: fact.name.clone(),
        line: fact.line,
        values: candidate.values.iter().map(value).collect(),
        formula: bench.problem.show(candidate.formula),
    }
}
