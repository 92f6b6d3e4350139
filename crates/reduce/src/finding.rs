//! Tests whether a candidate still shows a finding, and whether its truth is still known.
//!
//! [`assay_case::judge`] makes the comparison. A candidate whose truth is lost is rejected before
//! the tool runs, unless the truth can be re-established: by trying every assignment if there are
//! few, by a solver's model, which is checked by evaluation, by a solver's proof whose steps are all
//! checked, or by two solvers that independently answer `unsat`, which is a declared truth.

use crate::candidate::{Candidate, Learnt, Tested};
use assay_case::{
    Answer, Checked, Comparison, Consult, CrashSignature, Evidence, ExpectedCore, Finding,
    FindingKind, Formula, Judgement, Observation, Oracle, Origin, Question, Statement, TestCase,
    Why, Witness, check_model, compare, judge,
};
use assay_smtlib::{STANDARD, print_model};
use assay_term::Model;

/// A tool that can be run on cases.
pub trait Party: Send {
    /// Its name.
    fn name(&self) -> &str;

    /// Its answer to a case.
    ///
    /// # Errors
    /// Why it could not be run: a failure of assay itself, or a feature that the tool lacks.
    fn observe(&mut self, case: &TestCase) -> Result<Observation, String>;
}

/// A finding, and what a candidate must show of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Wanted {
    /// The kind.
    pub kind: FindingKind,
    /// The crash, if the tool crashed.
    pub signature: Option<CrashSignature>,
    /// The tool's error message without numbers, if it rejected the input.
    pub message: Option<String>,
    /// The names of the unique minimal core, if the finding is about a core.
    pub core: Option<ExpectedCore>,
    /// The basis of the truth.
    pub truth: Truth,
}

/// The basis of a case's truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// None: the finding proves itself. The tool is asked as for a case of this status.
    Needless(Asked),
    /// On a model.
    Model,
    /// On an unsatisfiable core, for this reason.
    Core(Why),
    /// The truth is unknown: tools contradict each other.
    Open,
}

/// The status that determines the requests to a tool: for a model, for a core, or for both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Expected to have a model.
    Sat,
    /// Expected to have no model.
    Unsat,
    /// Of unknown status.
    Open,
}

impl Wanted {
    /// The parts of a finding about a case that must be kept.
    #[must_use]
    pub fn new(finding: &Finding, oracle: &Oracle) -> Wanted {
        let signature = match &finding.evidence {
            Evidence::Crash(signature) => Some(signature.clone()),
            _ => None,
        };
        let message = match (&finding.kind, &finding.evidence) {
            (FindingKind::Rejected, Evidence::Message(words)) => Some(shape(words)),
            _ => None,
        };
        let asked = match oracle {
            Oracle::Sat(_) | Oracle::Optimum { .. } => Asked::Sat,
            Oracle::Unsat { .. } => Asked::Unsat,
            Oracle::Open => Asked::Open,
        };
        let truth = match (finding.kind, oracle) {
            (
                FindingKind::Crash
                | FindingKind::Rejected
                | FindingKind::InvalidModel
                | FindingKind::Timeout
                | FindingKind::OutOfMemory,
                _,
            ) => Truth::Needless(asked),
            (FindingKind::Disagreement, _) | (_, Oracle::Open) => Truth::Open,
            (_, Oracle::Unsat { why, .. }) => Truth::Core(why.clone()),
            (_, Oracle::Sat(_) | Oracle::Optimum { .. }) => Truth::Model,
        };
        let core = match (finding.kind, oracle) {
            (FindingKind::InvalidCore | FindingKind::LargerCore, Oracle::Unsat { core, .. }) => {
                core.clone()
            }
            _ => None,
        };
        Wanted { kind: finding.kind, signature, message, core, truth }
    }

    /// Whether this is the same finding.
    fn is_shown(&self, finding: &Finding) -> bool {
        let same_death = match (&self.signature, &finding.evidence) {
            (Some(wanted), Evidence::Crash(seen)) => wanted == seen,
            (wanted, _) => wanted.is_none(),
        };
        let same_words = match (&self.message, &finding.evidence) {
            (Some(wanted), Evidence::Message(words)) => *wanted == shape(words),
            (wanted, _) => wanted.is_none(),
        };
        finding.kind == self.kind && same_death && same_words
    }
}

/// A message without numbers and names that depend on the input.
fn shape(words: &str) -> String {
    let words = words
        .split_whitespace()
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit() || "'\"`()|".contains(c)));
    words.collect::<Vec<_>>().join(" ")
}

/// The tester of a finding, as used by one worker.
pub struct FindingTester {
    wanted: Wanted,
    /// The tool that the finding is about, and those that contradict it.
    parties: Vec<Box<dyn Party>>,
    consultants: Vec<Box<dyn Consult + Send>>,
}

/// A case with its known truth.
#[derive(Debug)]
pub struct Known {
    /// The case.
    pub case: TestCase,
    /// A model that was learned on the way, as text.
    pub learnt: Option<String>,
}

impl FindingTester {
    /// A tester with these parties and consultants. The first party is the one that the finding is
    /// about.
    #[must_use]
    pub fn new(
        wanted: Wanted,
        parties: Vec<Box<dyn Party>>,
        consultants: Vec<Box<dyn Consult + Send>>,
    ) -> FindingTester {
        FindingTester { wanted, parties, consultants }
    }

    /// The candidate as a case with its truth, if it shows the finding.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn known(&mut self, candidate: &Candidate) -> Result<Known, String> {
        let formula = Formula::read(candidate.text.clone()).map_err(|error| error.to_string())?;
        match self.wanted.truth.clone() {
            Truth::Needless(asked) => self.by_itself(formula, asked),
            Truth::Model => self.by_model(formula, candidate),
            Truth::Core(why) => self.by_core(formula, candidate, why),
            Truth::Open => self.by_comparison(formula),
        }
    }

    fn by_itself(&mut self, formula: Formula, asked: Asked) -> Result<Known, String> {
        let word = || "nobody".to_owned();
        let oracle = match asked {
            Asked::Sat => Oracle::Sat(Witness::Declared(word().into())),
            Asked::Unsat => Oracle::Unsat { why: Why::Declared(word().into()), core: None },
            Asked::Open => Oracle::Open,
        };
        let seen = self.observe(&case(formula.clone(), oracle)?)?;
        let case = case(formula, Oracle::Open)?;
        self.judged(&case, &seen)?;
        Ok(Known { case, learnt: None })
    }

    fn by_model(&mut self, formula: Formula, candidate: &Candidate) -> Result<Known, String> {
        if let Some((formula, model)) =
            candidate.witness.as_deref().and_then(|text| checked(&formula, text))
        {
            let case = case(formula, Oracle::Sat(Witness::Checked(model)))?;
            let seen = self.observe(&case)?;
            self.judged(&case, &seen)?;
            return Ok(Known { case, learnt: None });
        }
        // The target is asked first: far more candidates fail there than are worth computing a
        // model for.
        let word = Oracle::Sat(Witness::Declared("nobody".into()));
        let supposed = case(formula.clone(), word)?;
        if self.consultants.is_empty() && !supposed.has_few_assignments() {
            let known = candidate.witness.is_some();
            return Err(if known {
                "the model does not satisfy it"
            } else {
                "it has no known model"
            }
            .into());
        }
        let seen = self.observe(&supposed)?;
        self.judged(&supposed, &seen)?;
        if let Some(known) = self.by_exhaustion(&supposed, &seen) {
            return Ok(known);
        }
        for solver in &mut self.consultants {
            let mut formula = formula.clone();
            let said = solver.ask(&formula, Question::Model);
            let Ok(model) = said.checked_model(&mut formula) else { continue };
            let mut store = formula.store().clone();
            let text = print_model(&mut store, &model, STANDARD);
            // Only the text is stored, so the text must suffice.
            let Some((formula, model)) = checked(&formula, &text) else { continue };
            let case = case(formula, Oracle::Sat(Witness::Checked(model)))?;
            self.judged(&case, &seen)?;
            return Ok(Known { case, learnt: Some(text) });
        }
        Err("no solver gives a model that satisfies it".into())
    }

    /// The case with the truth that trying every assignment proves, if the tool is wrong about it.
    fn by_exhaustion(&self, supposed: &TestCase, seen: &Observation) -> Option<Known> {
        let case = supposed.proved()?;
        self.judged(&case, seen).ok()?;
        let test = case.as_formula()?;
        let learnt = match test.oracle() {
            Oracle::Sat(Witness::Checked(model)) => {
                Some(print_model(&mut test.formula().store().clone(), model, STANDARD))
            }
            _ => None,
        };
        Some(Known { case, learnt })
    }

    fn by_core(
        &mut self,
        formula: Formula,
        candidate: &Candidate,
        why: Why,
    ) -> Result<Known, String> {
        let core = self.wanted.core.clone();
        if !candidate.keeps_core && core.is_some() {
            return Err("its core has changed".into());
        }
        let proofs = matches!(why, Why::Proved(_));
        let mut case = case(formula.clone(), Oracle::Unsat { why, core })?;
        let seen = self.observe(&case)?;
        self.judged(&case, &seen)?;
        if candidate.keeps_core {
            return Ok(Known { case, learnt: None });
        }
        let word = Oracle::Unsat { why: Why::Declared("nobody".into()), core: None };
        let supposed = self::case(formula.clone(), word)?;
        if let Some(known) = self.by_exhaustion(&supposed, &seen) {
            return Ok(known);
        }
        // What was proved before is asked for again.
        let mut solvers = self.consultants.iter_mut().filter(|_| proofs);
        if let Some(proof) = solvers.find_map(|solver| solver.prove(&formula)) {
            let case = self::case(formula, Oracle::Unsat { why: Why::Proved(proof), core: None })?;
            self.judged(&case, &seen)?;
            return Ok(Known { case, learnt: None });
        }
        if self.consultants.len() < 2 {
            return Err("its core has changed, and there are no two solvers to ask".into());
        }
        let mut agreed = Vec::new();
        for solver in &mut self.consultants {
            let said = solver.ask(&formula, Question::Status);
            match said.answer {
                Answer::Unsat => agreed.push(said.who),
                Answer::Sat => return Err(format!("{} says sat", said.who)),
                // Unknowns and unreadable answers count for nothing.
                _ => {}
            }
            if agreed.len() == 2 {
                break;
            }
        }
        if agreed.len() < 2 {
            return Err("two independent solvers do not agree that it is unsatisfiable".into());
        }
        let why = Why::Declared(format!("agreement of {}", agreed.join(" and ")).into());
        case = self::case(formula, Oracle::Unsat { why, core: None })?;
        self.judged(&case, &seen)?;
        Ok(Known { case, learnt: None })
    }

    fn by_comparison(&mut self, formula: Formula) -> Result<Known, String> {
        let open = case(formula, Oracle::Open)?;
        let mut seen = Vec::with_capacity(self.parties.len());
        for party in &mut self.parties {
            seen.push(party.observe(&open)?);
        }
        let said: Vec<Statement<'_>> = self
            .parties
            .iter()
            .zip(&seen)
            .map(|(party, seen)| Statement { who: party.name(), seen })
            .collect();
        match compare(&open, &said) {
            Comparison::Agreed | Comparison::Contested => {
                self.judged(&open, &seen[0])?;
                Ok(Known { case: open, learnt: None })
            }
            // A model or a proof decides, which is more than was known before.
            Comparison::Decided(truth) => match judge(&truth, &seen[0]) {
                Judgement::Finding(finding)
                    if self.wanted.is_shown(&finding)
                        || self.wanted.kind == FindingKind::Disagreement
                            && matches!(
                                finding.kind,
                                FindingKind::WrongUnsat | FindingKind::WrongSat
                            ) =>
                {
                    Ok(Known { case: *truth, learnt: None })
                }
                other => Err(words(&other)),
            },
            Comparison::Disputed { suspects, finding } if suspects.contains(&0) => {
                if !self.wanted.is_shown(&finding) {
                    return Err(finding.to_string());
                }
                Ok(Known { case: open, learnt: None })
            }
            Comparison::Disputed { finding, .. } => Err(finding.to_string()),
        }
    }

    /// The answer of the tool that the finding is about.
    fn observe(&mut self, case: &TestCase) -> Result<Observation, String> {
        self.parties[0].observe(case)
    }

    fn judged(&self, case: &TestCase, seen: &Observation) -> Result<(), String> {
        match judge(case, seen) {
            Judgement::Finding(finding) if self.wanted.is_shown(&finding) => Ok(()),
            other => {
                Err(format!("{} says {}: {}", self.parties[0].name(), seen.answer, words(&other)))
            }
        }
    }
}

impl assay_search::Tester<Candidate, Learnt> for FindingTester {
    fn test(&mut self, candidate: &Candidate) -> Tested {
        match self.known(candidate) {
            Ok(known) => Tested::Shown(Learnt { witness: known.learnt }),
            Err(reason) => Tested::Not(reason),
        }
    }
}

fn case(formula: Formula, oracle: Oracle) -> Result<TestCase, String> {
    TestCase::formula("reduced", formula, oracle, Origin::default())
        .map_err(|error| error.to_string())
}

/// The formula with the model's terms in its store, and the model, if it satisfies the formula.
fn checked(formula: &Formula, text: &str) -> Option<(Formula, Checked<Model>)> {
    let mut formula = formula.clone();
    let model = formula.read_model(text).ok()?;
    let model = check_model(&formula, model).ok()?;
    Some((formula, model))
}

fn words(judgement: &Judgement) -> String {
    match judgement {
        Judgement::Correct => "the answer is right".into(),
        Judgement::Inconclusive(doubt) => doubt.to_string(),
        Judgement::Finding(finding) => finding.to_string(),
        Judgement::OracleContradicted(how) => how.to_string(),
    }
}
