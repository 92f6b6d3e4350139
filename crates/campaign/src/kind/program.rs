//! C programs, for analyzers.

use super::formula::{claim, evidence, read_test, witness_file as model_file};
use super::{Exhibits, Handling, Language, Profile};
use crate::cluster::{Detail, Feature, Traits};
use crate::export::Written;
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch, reduce_program};
use crate::replay::{File, ReplayError};
use assay_case::{
    Answer, Expected, Grade, Judgement, Program, ProgramTest, Reach, Reading, Subject, TestCase,
    Why,
};
use assay_program::svcomp;
use assay_smtlib::{Dialect, STANDARD, bytes_of};
use assay_target::process::Launcher;
use assay_target::{Native, NativeError, spec, witness_file};
use serde_json::json;
use std::path::Path;

pub(super) struct Programs;

/// The file with the formula that a program was made from.
const SOURCE: &str = "source.smt2";

/// The file with the inputs on which a program reaches its error.
const INPUTS: &str = "witness.c";

impl Handling for Programs {
    fn profile(&self) -> &'static Profile {
        &Profile {
            default_target: Some("cbmc"),
            example: "cbmc",
            tool: "an analyzer",
            tools: spec::Kind::Analyzer,
            input_file: "input.c",
            language: Language::C,
            columns: &[
                Outcome::Sat,
                Outcome::Unsat,
                Outcome::Unknown,
                Outcome::Timeout,
                Outcome::Error,
                Outcome::Rejected,
                Outcome::Skipped,
            ],
            renamed: &[(Outcome::Sat, "alarm", "A"), (Outcome::Unsat, "silent", "N")],
            legend: "A reports the error, N reports none, K unknown, T timeout, E error",
            clusters_reduced: true,
            numbered: true,
            exhibits: Exhibits { inputs: Some(INPUTS), witness: None, picture: None },
            truth_hint: "a program needs its task (.yml) beside it",
            output: "Output of the target",
            by_hand: "or without assay",
        }
    }

    fn is_in(&self, path: &Path, _text: &str) -> bool {
        path.extension().is_some_and(|extension| extension == "c")
    }

    /// A C program with the truth that its task file declares.
    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError> {
        let beside = file.path.with_extension("yml");
        let expected = match std::fs::read_to_string(&beside) {
            Ok(task) => svcomp::expected(&task).map_err(|error| FileError::new(beside, error))?,
            Err(_) => None,
        };
        let why = || Why::Declared("the task file".into());
        let truth = match expected {
            Some(true) => Reach::Reachable(why()),
            Some(false) => Reach::Unreachable(why()),
            None => Reach::Open,
        };
        let program = Program { text: file.text.clone(), inputs: None };
        Ok(ProgramTest { program, truth, source: None }.into())
    }

    /// The file is bad input if gcc rejects it too. Without a compiler that is unknown, and the
    /// rejection counts against the target.
    fn bad_input(&self, text: &str, _rejected: &str, launcher: &Launcher) -> Option<String> {
        match Native::new(launcher).and_then(|mut compiler| compiler.accepts(text)) {
            Err(NativeError::Compile(words)) => {
                let words = words.strip_prefix("<stdin>:").unwrap_or(&words);
                Some(format!("{words}: gcc does not compile it either"))
            }
            _ => None,
        }
    }

    fn files(&self, case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        let Some(test) = case.as_program() else { return Vec::new() };
        let mut files = Vec::new();
        if let Some(source) = &test.source {
            files.push((SOURCE, bytes_of(source.formula().text()).into_owned()));
            files.extend(model_file(source));
        }
        if let Some(inputs) = &test.program.inputs {
            files.push((INPUTS, witness_file(inputs).into_bytes()));
        }
        files
    }

    /// A program with its task file for the competition of verifiers.
    fn written(&self, case: &TestCase, _dialect: Dialect) -> Result<Written, String> {
        let test = case.as_program().ok_or("it is not a program")?;
        let ProgramTest { program, truth, source } = test;
        let name = case.name().replace('/', "-");
        let file = format!("{name}.c");
        let task = svcomp::task(&file, matches!(truth, Reach::Reachable(_)));
        let inputs = program.inputs.as_ref().map(|inputs| {
            let pair = |reading: &Reading| json!([reading.source, reading.value.to_string()]);
            inputs.iter().map(pair).collect::<Vec<_>>()
        });
        // Both are about the formula that the program was made from.
        let (model, core) =
            source.as_ref().map_or((None, None), |source| evidence(source, STANDARD));
        let record = json!({
            "grade": case.grade().map(Grade::name), "model": model, "core": core, "inputs": inputs,
        });
        let beside = vec![(format!("{name}.yml"), task)];
        Ok(Written { file, text: program.text.clone(), beside, record })
    }

    fn shared_files(&self) -> &'static [(&'static str, &'static str)] {
        &[(svcomp::PROPERTY_FILE, svcomp::PROPERTY)]
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError> {
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
        Ok(ProgramTest { program, truth, source }.into())
    }

    fn essence(&self, text: &str) -> String {
        crux(text).trim().to_owned()
    }

    fn runs(&self, record: &FindingRecord) -> Option<String> {
        // Reduced programs are always executed on the inputs that reach their error.
        let ran = record.campaign.executions().max(u32::from(record.reduced));
        Some(runs(record.expected, ran))
    }

    fn outcome(&self, answer: &Answer, _judgement: &Judgement) -> Option<Outcome> {
        match answer {
            Answer::Reachable | Answer::Alarm => Some(Outcome::Sat),
            Answer::Unreachable | Answer::Silent => Some(Outcome::Unsat),
            _ => None,
        }
    }

    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError> {
        reduce_program(job, watch)
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        Ok(traits(&read_file(folder, record.case_file())?))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        case.as_program().map_or_else(Traits::default, |test| traits(&test.program.text))
    }
}

/// The results of a program's executions, if there were any.
fn runs(expected: Expected, executions: u32) -> String {
    const COMMAND: &str = "gcc program.c witness.c && ./a.out";
    match (expected, executions) {
        (Expected::Reachable, 0) => {
            format!("The program was not run; this should reach its error: {COMMAND}")
        }
        (Expected::Reachable, _) => format!("A run reaches the error: {COMMAND}"),
        (_, 0) => "The program was not run".to_owned(),
        (_, 1) => "A run of the program did not reach its error".to_owned(),
        (_, many) => format!("{many} runs of the program did not reach its error"),
    }
}

fn traits(text: &str) -> Traits {
    let features = CONSTRUCTS.iter().filter(|(_, marks)| has_any(text, marks));
    Traits {
        features: features.map(|(name, _)| Feature::Construct(name)).collect(),
        essence: crux(text).trim().to_owned(),
        part: None,
        detail: Detail::Plain,
    }
}

/// Constructs of C that analyzers get wrong, with strings that identify them in the text. Our
/// printer writes the text, so its spacing is known.
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

/// The line in which the program's own code calls or guards the error: the last condition before
/// the call.
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
    fn reports_count_only_runs_that_were_made() {
        let reachable = |runs_made| runs(Expected::Reachable, runs_made);
        assert!(reachable(2000).starts_with("A run reaches the error"));
        assert!(reachable(0).starts_with("The program was not run; "));
        let unreachable = |runs_made| runs(Expected::Unreachable, runs_made);
        assert_eq!(unreachable(7), "7 runs of the program did not reach its error");
        assert_eq!(unreachable(0), "The program was not run");
    }

    #[test]
    fn the_essence_of_a_program_is_the_condition_of_its_error() {
        let text = "void reach_error(void) { }\nint main(void) {\n  int x = f();\n  if (x != 3) {\n    reach_error();\n  }\n}\n";
        assert_eq!(Programs.essence(text), "if (x != 3) {");
        assert_eq!(traits(text).features.len(), 1);
    }
}
