//! Seeds in folders, a solver that says what it was told to, and a search over all assignments.

use assay_case::{
    Answer, Consult, Consultation, Formula, ProofReport, Proved, Question, Selection, Suite,
    TestCase,
};
use assay_mutate::{MutantOptions, Seed, suite};
use assay_smtlib::Command;
use assay_term::bitvec::BitVec;
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Model, Sort, SortId, Store, TermId, Value,
};

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Knows the models of some formulas, and of others whether they say that they have none.
struct Scripted {
    models: Vec<(&'static str, &'static str)>,
}

impl Consult for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn prove(&mut self, formula: &Formula) -> Option<Proved> {
        let is_complete = satisfiable(formula) == Some(false);
        Proved::new("scripted", "", &ProofReport { is_complete, ..ProofReport::default() })
    }

    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation {
        let said =
            |answer, model, core| Consultation { who: "scripted".into(), answer, model, core };
        let is = |text: &str| {
            let seed = Seed::read("", text.as_bytes(), 10_000).expect("a seed of ours");
            seed.formula().text() == formula.text()
        };
        if let Some((_, model)) = self.models.iter().find(|(text, _)| is(text)) {
            return said(Answer::Sat, Some((*model).to_owned()), None);
        }
        match satisfiable(formula) {
            Some(false) if question == Question::Core => {
                said(Answer::Unsat, None, Some(core(formula)))
            }
            Some(false) => said(Answer::Unsat, None, None),
            _ => said(Answer::Unknown(None), None, None),
        }
    }
}

/// A core of named assertions: as many as possible are left out, in order.
fn core(formula: &Formula) -> Vec<String> {
    let all = formula.assertions();
    let mut kept: Vec<usize> = (0..all.len()).collect();
    for out in 0..all.len() {
        let fewer: Vec<usize> = kept.iter().copied().filter(|&at| at != out).collect();
        let terms: Vec<TermId> = fewer.iter().map(|&at| all[at].term).collect();
        if search(formula, &terms) == Some(false) {
            kept = fewer;
        }
    }
    kept.iter().flat_map(|&at| all[at].names.clone()).collect()
}

/// A suite whose seeds such a solver knows.
pub(crate) fn consulted(
    name: &str,
    config: MutantOptions,
    models: Vec<(&'static str, &'static str)>,
) -> Box<dyn Suite> {
    let consultants =
        move || vec![Box::new(Scripted { models: models.clone() }) as Box<dyn Consult + Send>];
    suite(name, config, Some(Box::new(consultants))).expect("a suite")
}

pub(crate) fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

/// Every case of a suite.
pub(crate) fn all(suite: &dyn Suite) -> Vec<TestCase> {
    let cases = suite.cases(&Selection::default());
    cases.map(|id| suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"))).collect()
}

/// Whether a formula over constants of few values has a model, by trying them all; `None` if a
/// constant has too many.
pub(crate) fn satisfiable(formula: &Formula) -> Option<bool> {
    // What a solver reads is the text.
    let formula = Formula::read(formula.text()).expect("what was printed can be read");
    let terms: Vec<TermId> = formula.assertions().iter().map(|it| it.term).collect();
    search(&formula, &terms)
}

fn search(formula: &Formula, assertions: &[TermId]) -> Option<bool> {
    let store = formula.store();
    let mut constants: Vec<(FuncId, Vec<Value>)> = Vec::new();
    for command in &formula.script().commands {
        if let Command::DeclareConst(func) | Command::DeclareFun(func) = command {
            let Func::Declared { result, params, .. } = store.func(*func) else { continue };
            if !params.is_empty() {
                return None;
            }
            constants.push((*func, values(store, *result)?));
        }
    }
    let count: usize = constants.iter().map(|(_, values)| values.len()).product();
    if count > 1 << 16 {
        return None;
    }
    for mut number in 0..count {
        let mut model = Model::new();
        for (func, values) in &constants {
            let value = values[number % values.len()].clone();
            model.set(*func, Interpretation::Value(value));
            number /= values.len();
        }
        model.extend(formula.definitions());
        let mut evaluator = Evaluator::new(store, &model);
        let mut all = true;
        for &assertion in assertions {
            all &= evaluator.holds(assertion).ok()?;
        }
        if all {
            return Some(true);
        }
    }
    Some(false)
}

/// Every value of a small sort.
fn values(store: &Store, sort: SortId) -> Option<Vec<Value>> {
    match store.sorts.get(sort) {
        Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::BitVec(width) if *width <= 6 => {
            let all = 0..1u64 << width;
            Some(all.map(|bits| Value::BitVec(BitVec::from_u64(*width, bits))).collect())
        }
        _ => None,
    }
}
