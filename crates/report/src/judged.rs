//! A judged case, as text and as JSON.

use assay_campaign::{Judged, Verdict, given_up};
use assay_case::{Judgement, TestCase};
use assay_target::spec::KnownBug;
use assay_target::{Run, Target};
use serde_json::{Value, json};

/// A judged case as a JSON record.
#[must_use]
pub fn judged_record(judged: &Judged, target: &str) -> Value {
    let mut record = json!({ "case": judged.case, "id": judged.id.to_string(), "target": target });
    match &judged.verdict {
        Verdict::Skipped(reason) => {
            record["answer"] = "skipped".into();
            record["judgement"] = "skipped".into();
            record["reason"] = reason.as_str().into();
            record["seconds"] = 0.into();
        }
        Verdict::Waiting { elapsed, .. } => {
            record["answer"] = "timeout".into();
            record["judgement"] = "waiting".into();
            record["reason"] = given_up(*elapsed).into();
            record["seconds"] = elapsed.as_secs_f64().into();
        }
        Verdict::Fault { words, folder } => {
            record["answer"] = "skipped".into();
            record["judgement"] = "fault-of-ours".into();
            record["reason"] = words.as_str().into();
            record["folder"] = folder.display().to_string().into();
            record["seconds"] = 0.into();
        }
        Verdict::Ran { answer, judgement, stability, elapsed, folder, .. } => {
            let (word, detail) = judgement_words(judgement);
            record["answer"] = answer.name().into();
            if let Some(words) = answer.words() {
                record["words"] = words.into();
            }
            record["judgement"] = word.into();
            match (judgement, detail) {
                (Judgement::Finding(finding), _) => {
                    record["finding"] = json!({
                        "kind": finding.kind.name(),
                        "severity": finding.severity().name(),
                        "grade": finding.grade.name(),
                        "evidence": finding.evidence.to_string(),
                        "stability": stability.name(),
                        "folder": folder.as_ref().map(|path| path.display().to_string()),
                    });
                }
                (_, Some(detail)) => record["reason"] = detail.into(),
                (_, None) => {}
            }
            record["seconds"] = elapsed.as_secs_f64().into();
        }
    }
    record
}

/// A run of a replayed case, with its judgement.
pub struct Replay<'r> {
    /// The target that was run.
    pub target: &'r dyn Target,
    /// The case.
    pub case: &'r TestCase,
    /// The run.
    pub run: &'r Run,
    /// The judgement of its answer.
    pub judgement: &'r Judgement,
    /// A known bug that may explain a finding.
    pub known: Option<&'r KnownBug>,
}

impl Replay<'_> {
    /// The run as a JSON record.
    #[must_use]
    pub fn record(&self) -> Value {
        let Replay { target, case, run, judgement, known } = self;
        let (word, detail) = judgement_words(judgement);
        let by_hand = target.by_hand(case);
        json!({
            "case": case.name(), "target": target.name(),
            "answer": run.observation.answer.name(), "judgement": word,
            "detail": detail.unwrap_or_default(),
            "seconds": run.observation.elapsed.as_secs_f64(), "known": known.map(|bug| &bug.id),
            "command": by_hand.as_ref().map(|by_hand| &by_hand.command),
            "script": by_hand.as_ref().and_then(|by_hand| by_hand.script.as_ref()),
            "get": by_hand.as_ref().map(|by_hand| &by_hand.get),
            "containment": run.containment.to_string(), "sandbox": run.confinement.to_string(),
            "stdout": run.stdout, "stderr": run.stderr,
        })
    }

    /// The run in words, with the output of the target.
    #[must_use]
    pub fn words(&self) -> String {
        let observation = &self.run.observation;
        let seconds = observation.elapsed.as_secs_f64();
        let mut text = format!("{}: {} ({seconds:.2} s)\n", self.target.name(), observation.answer);
        text += &match judgement_words(self.judgement) {
            (word, None) => format!("  {word}\n"),
            (word, Some(detail)) => format!("  {word}: {detail}\n"),
        };
        text += &self.known.map_or(String::new(), known_words);
        for line in self.run.stdout.lines().chain(self.run.stderr.lines()) {
            text += &format!("  | {line}\n");
        }
        text
    }
}

/// The word for a judgement, and its reason.
fn judgement_words(judgement: &Judgement) -> (&'static str, Option<String>) {
    match judgement {
        Judgement::Correct => ("correct", None),
        Judgement::Inconclusive(doubt) => ("inconclusive", Some(doubt.to_string())),
        Judgement::Finding(finding) => ("finding", Some(finding.to_string())),
        Judgement::OracleContradicted(how) => ("oracle-contradicted", Some(how.to_string())),
    }
}

/// A known bug that may explain a finding, as a line below it.
pub(crate) fn known_words(bug: &KnownBug) -> String {
    let link = bug.link.as_ref().map_or(String::new(), |link| format!(", {link}"));
    format!("  known: {}{link} ({})\n", bug.id, bug.title)
}
