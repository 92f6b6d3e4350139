//! C programs, for analyzers.

use super::Handling;
use super::formula::{claim, read_test, witness_file as model_file};
use crate::cluster::{Detail, Feature, Traits};
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use assay_case::{Expected, Kind, Origin, Program, ProgramTest, Reach, TestCase, Why};
use assay_smtlib::bytes_of;
use assay_target::{spec, witness_file};
use std::path::Path;

pub(super) struct Programs;

/// The file with the formula that a program was made from.
const SOURCE: &str = "source.smt2";

impl Handling for Programs {
    fn kind(&self) -> Kind {
        Kind::Program
    }

    fn default_target(&self) -> Option<&'static str> {
        Some("cbmc")
    }

    fn tool(&self) -> &'static str {
        "an analyzer"
    }

    fn tools(&self) -> spec::Kind {
        spec::Kind::Analyzer
    }

    fn input_file(&self) -> &'static str {
        "input.c"
    }

    fn language(&self) -> &'static str {
        "c"
    }

    fn files(&self, case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        let Some(test) = case.as_program() else { return Vec::new() };
        let mut files = Vec::new();
        if let Some(source) = &test.source {
            files.push((SOURCE, bytes_of(source.formula().text()).into_owned()));
            files.extend(model_file(source));
        }
        if let Some(inputs) = &test.program.inputs {
            files.push(("witness.c", witness_file(inputs).into_bytes()));
        }
        files
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<TestCase, FolderError> {
        let text = read_file(folder, record.case_file())?;
        let source = match folder.join(SOURCE).exists() {
            true => Some(read_test(folder, SOURCE, record)?),
            false => None,
        };
        let declared = || Why::Declared(claim(record));
        let truth = match (&source, record.expected) {
            (Some(source), _) => Reach::of(source.oracle()),
            (None, Expected::Reachable) => Reach::Reachable(declared()),
            (None, Expected::Unreachable) => Reach::Unreachable(declared()),
            (None, _) => Reach::Open,
        };
        let program = Program { text, inputs: None };
        let test = ProgramTest { program, truth, source };
        Ok(TestCase::program(&record.case, test, Origin::default()))
    }

    fn essence(&self, text: &str) -> String {
        crux(text).trim().to_owned()
    }

    fn columns(&self) -> &'static [Outcome] {
        &[
            Outcome::Sat,
            Outcome::Unsat,
            Outcome::Unknown,
            Outcome::Timeout,
            Outcome::Error,
            Outcome::Skipped,
        ]
    }

    fn legend(&self) -> &'static str {
        "S reports the error, U reports none, K unknown, T timeout, E error"
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        Ok(traits(&read_file(folder, record.case_file())?))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        case.as_program().map_or_else(Traits::default, |test| traits(&test.program.text))
    }

    fn clusters_reduced(&self) -> bool {
        true
    }
}

fn traits(text: &str) -> Traits {
    let features = CONSTRUCTS.iter().filter(|(_, marks)| has_any(text, marks));
    Traits {
        features: features.map(|(name, _)| Feature::Construct(name)).collect(),
        essence: crux(text).trim().to_owned(),
        detail: Detail::Plain,
    }
}

/// Constructs of C that analyzers get wrong, with what gives them away in the text. The text is ours, so
/// that blanks are where the printer puts them.
const CONSTRUCTS: &[(&str, &[&str])] = &[
    (
        "a cast to a narrower type",
        &["(unsigned char)", "(signed char)", "(unsigned short)", "(short)"],
    ),
    ("a signed cast", &["(int)", "(long)", "(signed char)", "(short)"]),
    ("`!=`", &[" != "]),
    ("division", &[" / ", " % "]),
    ("shifts", &[" << ", " >> "]),
    ("bitwise operators", &[" & ", " | ", " ^ "]),
    ("multiplication", &[" * "]),
    ("a conditional expression", &[" ? "]),
    ("a loop", &["while (", "for (", "do {"]),
    ("`switch`", &["switch ("]),
    ("an array", &["["]),
    ("a pointer", &["->", "= &", "(*"]),
    ("wide integers", &["ULL", "long long"]),
];

fn has_any(text: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| text.contains(mark))
}

/// The line on which the error is called from the program's own code, or guarded: the last condition
/// before the call.
fn crux(text: &str) -> &str {
    let lines: Vec<&str> = text.lines().collect();
    let called = lines
        .iter()
        .rposition(|line| line.contains("reach_error()") && !line.contains("void reach_error"));
    let Some(called) = called else { return lines.last().copied().unwrap_or_default() };
    let guards = lines[..=called].iter().rev().take(4);
    guards.copied().find(|line| line.contains("if (")).unwrap_or(lines[called])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_about_the_condition_of_its_error() {
        let text = "void reach_error(void) { }\nint main(void) {\n  int x = f();\n  if (x != 3) {\n    reach_error();\n  }\n}\n";
        assert_eq!(Programs.essence(text), "if (x != 3) {");
        assert_eq!(traits(text).features.len(), 1);
    }
}
