//! A finding's folder: everything that somebody else needs to see it with their own eyes.
//!
//! ```text
//! finding.json   what was found, where, how sure, and the case's origin
//! case.smt2      the case in today's SMT-LIB
//! input.smt2     the case as the target was given it
//! witness.smt2   a model that satisfies the case, where it is satisfiable
//! program.c      the case as a program, where it was written as one; then the target got input.c
//! witness.c      the inputs on which the program reaches its error: gcc program.c witness.c
//! run-TARGET.py  what runs the target without assay, where it is a library
//! stdout.txt, stderr.txt   what the target said
//! README.txt     the finding in words, and the commands that show it again
//! ```
//!
//! A program about an abstract domain is in `program.txt`, its picture in `picture.svg`.

use crate::confirm::{Opinion, Settled, Stability};
use crate::domains::DomainRecord;
use crate::header::Header;
use crate::shown::shown;
use assay_case::{CaseId, Formula, Judgement, Oracle, Payload, TestCase, Witness};
use assay_smtlib::bytes_of;
use assay_smtlib::{STANDARD, print_model};
use assay_target::{ByHand, Script, Target, witness_file};
use std::fs;
use std::io;
use std::path::Path;

/// What `finding.json` holds.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FindingRecord {
    /// The kind of the finding; `oracle-contradicted` where the fault is ours.
    pub kind: String,
    /// How bad it is.
    pub severity: String,
    /// How sure the truth is.
    pub grade: String,
    /// How firmly it stands.
    pub stability: Stability,
    /// What shows it.
    pub evidence: String,
    /// The right answer.
    pub expected: String,
    /// How we know.
    pub why: String,
    /// The names of the only minimal core, where it is known.
    pub core: Option<Vec<String>>,
    /// What the target answered.
    pub answer: String,
    /// How long it took.
    pub seconds: f64,
    /// The target's full name.
    pub target: String,
    /// How somebody without us runs the target on the file `input.smt2` (`input.c`).
    #[serde(default)]
    pub by_hand: Option<ByHand>,
    /// The options that the target ran with beside the usual ones, as `name=value`.
    #[serde(default)]
    pub options: Vec<String>,
    /// What other targets said who are party to the finding.
    #[serde(default)]
    pub against: Vec<Opinion>,
    /// How the limits were enforced.
    pub containment: String,
    /// How the target was confined; empty where that was not written down.
    #[serde(default)]
    pub sandbox: String,
    /// The case's name.
    pub case: String,
    /// The case within its suite, as [`CaseId`] prints.
    pub id: String,
    /// Its category.
    pub category: String,
    /// The rules and operations that made it.
    pub rules: Vec<String>,
    /// The files that it was made from.
    #[serde(default)]
    pub seeds: Vec<String>,
    /// What was done to them, step by step.
    #[serde(default)]
    pub trace: Vec<String>,
    /// Whether the case is a reduced one, which no suite makes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reduced: bool,
    /// What it says of an abstract domain, where the case is a program about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<DomainRecord>,
    /// The campaign that found it.
    pub campaign: Header,
}

pub(crate) fn write_finding(
    path: &Path,
    header: &Header,
    (id, case): (CaseId, &TestCase),
    target: &dyn Target,
    settled: &Settled,
) -> io::Result<()> {
    write_folder(path, &record(header, (id, case), target, settled), case, settled)
}

pub(crate) fn write_folder(
    path: &Path,
    record: &FindingRecord,
    case: &TestCase,
    settled: &Settled,
) -> io::Result<()> {
    let truth = settled.truth.as_deref().unwrap_or(case);
    let Payload::Formula(formula) = truth.payload();
    fs::create_dir_all(path)?;
    fs::write(path.join("case.smt2"), bytes_of(formula.text()))?;
    let input = if truth.program().is_some() { "input.c" } else { "input.smt2" };
    fs::write(path.join(input), bytes_of(&settled.run.input))?;
    if let Some(program) = truth.program() {
        fs::write(path.join("program.c"), &program.text)?;
        if let Some(inputs) = &program.inputs {
            fs::write(path.join("witness.c"), witness_file(inputs))?;
        }
    }
    fs::write(path.join("stdout.txt"), &settled.run.stdout)?;
    fs::write(path.join("stderr.txt"), &settled.run.stderr)?;
    if let Some(witness) = witness(formula, truth.oracle()) {
        fs::write(path.join("witness.smt2"), witness)?;
    }
    for script in record.scripts() {
        fs::write(path.join(&script.file), &script.text)?;
    }
    fs::write(path.join("README.txt"), shown(&words(record)))?;
    // Last, so that a folder with a record is complete.
    record.write(path)
}

impl FindingRecord {
    /// The file of a finding's folder that holds it.
    pub const FILE: &str = "finding.json";

    /// The file that holds a program about an abstract domain.
    pub const PROGRAM: &str = "program.txt";

    /// The file that shows a program's elements.
    pub const PICTURE: &str = "picture.svg";

    /// The file of a finding's folder that holds its case.
    #[must_use]
    pub fn case_file(&self) -> &'static str {
        if self.domain.is_some() { FindingRecord::PROGRAM } else { "case.smt2" }
    }

    /// Whether the case is a C program, and the target an analyzer.
    #[must_use]
    pub fn is_about_program(&self) -> bool {
        self.campaign.kind() == assay_case::Kind::Program
    }

    /// The right answer in the target's own words: a program's error is reachable or not.
    #[must_use]
    pub fn verdict(&self) -> &str {
        match (self.is_about_program(), self.expected.as_str()) {
            (true, "sat") => "reachable",
            (true, "unsat") => "unreachable",
            (_, expected) => expected,
        }
    }

    /// The right answer, and how it is known, as a sentence without a full stop; none where nobody
    /// knows.
    #[must_use]
    pub fn truth(&self) -> Option<String> {
        let FindingRecord { expected, why, .. } = self;
        Some(match self.verdict() {
            "unknown" => return None,
            "reachable" => format!("The right answer: the error can be reached ({why})"),
            "unreachable" => format!("The right answer: the error cannot be reached ({why})"),
            _ => format!("The right answer is {expected}: {why}"),
        })
    }

    /// The scripts that run the targets without us, where these are libraries.
    pub fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.ways().filter_map(|way| way.script.as_ref())
    }

    /// How somebody without us runs the target and those who contradict it.
    fn ways(&self) -> impl Iterator<Item = &ByHand> {
        let others = self.against.iter().map(|opinion| &opinion.by_hand);
        [&self.by_hand].into_iter().chain(others).flatten()
    }

    /// The commands that show it again, each on a line of its own after two blanks.
    #[must_use]
    pub fn again(&self) -> String {
        let mut words = format!("Run it again, in this folder:\n  {}\n", self.campaign.replay("."));
        let lines: String =
            self.ways().flat_map(ByHand::lines).map(|line| format!("  {line}\n")).collect();
        if !lines.is_empty() {
            let how = match self.domain {
                Some(_) => "or on any target",
                None => "or without assay",
            };
            words += &format!("{how}:\n{lines}");
        }
        words
    }

    /// What runs of the program showed, as far as it was run; nothing of what is no program.
    #[must_use]
    pub fn runs(&self) -> Option<String> {
        // Smaller programs are always run on the inputs that reach their error.
        let ran = self.campaign.executions().max(u32::from(self.reduced));
        self.is_about_program().then(|| runs(&self.expected, ran))
    }

    /// The record of a finding's folder.
    ///
    /// # Errors
    /// Where there is none, or it is not ours.
    pub fn read(folder: &Path) -> io::Result<FindingRecord> {
        let text = fs::read_to_string(folder.join(FindingRecord::FILE))?;
        Ok(serde_json::from_str(&text)?)
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let json = serde_json::to_string_pretty(self).expect("a record is plain data");
        fs::write(folder.join(FindingRecord::FILE), json + "\n")
    }
}

pub(crate) fn record(
    header: &Header,
    (id, case): (CaseId, &TestCase),
    target: &dyn Target,
    settled: &Settled,
) -> FindingRecord {
    let (kind, severity, grade, evidence) = match &settled.judgement {
        Judgement::Finding(finding) => (
            finding.kind.name(),
            finding.severity().name(),
            finding.grade.name(),
            finding.evidence.to_string(),
        ),
        Judgement::OracleContradicted(how) => {
            ("oracle-contradicted", "none", "none", how.to_string())
        }
        Judgement::Correct => ("not-reproduced", "none", "none", "fresh runs are right".into()),
        Judgement::Inconclusive(doubt) => ("not-reproduced", "none", "none", doubt.to_string()),
    };
    let (expected, why, core) = match settled.truth.as_deref().unwrap_or(case).oracle() {
        Oracle::Sat(witness) => ("sat", witness.to_string(), None),
        Oracle::Unsat { why, core } => {
            ("unsat", why.to_string(), core.as_ref().map(|core| core.names.clone()))
        }
        Oracle::Optimum { why, optima, .. } => {
            let optima: Vec<String> = optima.iter().map(ToString::to_string).collect();
            ("sat", format!("optima {}, {why}", optima.join(" ")), None)
        }
        Oracle::Open => ("unknown", "no truth is known".to_owned(), None),
    };
    FindingRecord {
        kind: kind.to_owned(),
        severity: severity.to_owned(),
        grade: grade.to_owned(),
        stability: settled.stability,
        evidence,
        expected: expected.to_owned(),
        why,
        core,
        answer: settled.run.observation.answer.to_string(),
        seconds: settled.run.observation.elapsed.as_secs_f64(),
        target: target.name().to_owned(),
        by_hand: target.by_hand(case),
        options: target.options(case),
        against: settled.against.clone(),
        containment: settled.run.containment.to_string(),
        sandbox: settled.run.confinement.to_string(),
        case: case.name().to_owned(),
        id: id.to_string(),
        category: case.origin().category.clone(),
        rules: case.origin().rules.clone(),
        seeds: case.origin().seeds.clone(),
        trace: case.origin().trace.clone(),
        reduced: false,
        domain: None,
        campaign: header.clone(),
    }
}

fn witness(formula: &Formula, oracle: &Oracle) -> Option<String> {
    let (Oracle::Sat(witness) | Oracle::Optimum { witness: Some(witness), .. }) = oracle else {
        return None;
    };
    let Witness::Checked(model) = witness else { return None };
    let mut store = formula.store().clone();
    Some(print_model(&mut store, model, STANDARD))
}

/// What runs of a program showed, as far as it was run.
fn runs(expected: &str, executions: u32) -> String {
    const COMMAND: &str = "gcc program.c witness.c && ./a.out";
    match (expected, executions) {
        ("sat", 0) => format!("The program was not run; this should reach its error: {COMMAND}"),
        ("sat", _) => format!("A run reaches the error: {COMMAND}"),
        (_, 0) => "The program was not run".to_owned(),
        (_, 1) => "A run of the program did not reach its error".to_owned(),
        (_, many) => format!("{many} runs of the program did not reach its error"),
    }
}

fn words(record: &FindingRecord) -> String {
    let FindingRecord { kind, target, case, evidence, answer, .. } = record;
    let truth = record.truth().map_or(String::new(), |truth| format!("{truth}.\n"));
    let mut words = format!(
        "{kind} of {target} on {case} ({})\n\n\
         {truth}The answer was {answer}; {evidence}.\n",
        record.stability.name()
    );
    if let Some(core) = &record.core {
        words += &format!("The only minimal core is {}.\n", core.join(" "));
    }
    if !record.options.is_empty() {
        words += &format!("It ran with {}.\n", record.options.join(" "));
    }
    words.extend(record.runs().map(|runs| format!("{runs}\n")));
    if !record.seeds.is_empty() {
        words += &format!("\nIt was made from {} by\n", record.seeds.join(", "));
        words.extend(record.trace.iter().map(|step| format!("  {step}\n")));
    }
    words + "\n" + &record.again()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_as_they_were_made() {
        assert!(runs("sat", 2000).starts_with("A run reaches the error"));
        assert!(runs("sat", 0).starts_with("The program was not run; "));
        assert_eq!(runs("unsat", 7), "7 runs of the program did not reach its error");
        assert_eq!(runs("unsat", 0), "The program was not run");
    }
}
