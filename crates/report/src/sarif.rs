//! The findings in the static analysis results interchange format, version 2.1.0.

use crate::data::{Report, describe, finding};
use assay_campaign::kind::{Language, profile};
use assay_campaign::{Shows, Stored, shown};
use assay_case::{FindingKind, Grade, Severity};
use serde_json::{Value, json};

pub(crate) const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The base of relative paths.
const BASE: &str = "CAMPAIGN";

/// One result for each finding, one rule for each kind.
#[must_use]
pub fn sarif(report: &Report) -> String {
    let found = || report.rows.iter().filter_map(|row| Some((row, finding(row)?)));
    let mut kinds: Vec<FindingKind> = found().map(|(_, kind)| kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let results: Vec<Value> =
        found().map(|(row, kind)| result(report, row, kind, &kinds)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "assay",
                "version": report.header.assay,
                "rules": kinds.iter().map(|kind| rule(*kind)).collect::<Vec<_>>(),
            } },
            "originalUriBaseIds": { BASE: { "description": { "text": "the campaign's folder" } } },
            "properties": { "command": report.command() },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let text = serde_json::to_string_pretty(&log).expect("a log is plain data");
    shown(&text) + "\n"
}

fn rule(kind: FindingKind) -> Value {
    json!({
        "id": kind.name(),
        "shortDescription": { "text": describe(kind) },
        "defaultConfiguration": { "level": level(kind, Grade::Certified) },
        "properties": { "severity": kind.severity().name() },
    })
}

/// The level of a finding; one that rests on a declared truth is not a certain error.
fn level(kind: FindingKind, grade: Grade) -> &'static str {
    match kind.severity() {
        Severity::Soundness | Severity::Crash if grade == Grade::Declared => "warning",
        Severity::Soundness | Severity::Crash => "error",
        Severity::Format | Severity::Imprecision | Severity::Performance => "warning",
        Severity::Note => "note",
    }
}

fn result(report: &Report, row: &Stored, kind: FindingKind, kinds: &[FindingKind]) -> Value {
    let target = &report.targets[row.target];
    let folder = report.folder(row);
    let dossier = report.dossiers.get(&folder);
    let subject = report.header.kind();
    let text = dossier.map_or("", |dossier| dossier.smallest().case.as_str());
    let file = subject.file();
    let program = match profile(subject).language {
        Language::Smt2 => None,
        Language::C | Language::Plain => dossier,
    };
    let file = match dossier.is_some_and(|dossier| dossier.reduced.is_some()) {
        true => format!("reduced/{file}"),
        false => file.to_owned(),
    };
    let detail = row.detail.as_deref().unwrap_or_default();
    let cluster = report.cluster_of().get(&(target.name.as_str(), row.ordinal)).copied();
    let cluster = cluster.map(|at| &report.clusters[at]);
    let known = cluster.and_then(|cluster| cluster.known.as_ref());
    let grade = match row.shows {
        Shows::Finding(_, grade, _) => grade,
        _ => Grade::Declared,
    };
    let mut message = format!("{} ({}) on {}: {detail}", kind.name(), grade.name(), target.name);
    if let Some(known) = known {
        message += &format!(" (known as {})", known.id);
    }
    if program.is_some() {
        message += &format!("\n\n{}", head(text));
    }
    let line = match program {
        Some(_) => crux(text),
        None => dossier.and_then(|dossier| dossier.smallest().record.line).unwrap_or(1),
    };
    let uri = uri(&folder.join(file).display().to_string());
    json!({
        "ruleId": kind.name(),
        "ruleIndex": kinds.iter().position(|known| *known == kind),
        "level": level(kind, grade),
        "kind": "fail",
        "message": { "text": message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri, "uriBaseId": BASE },
                "region": { "startLine": line },
            },
            "logicalLocations": [{ "fullyQualifiedName": report.case_name(row), "kind": "resource" }],
        }],
        // The same case on the same tool is the same finding in every campaign.
        "partialFingerprints": {
            "assayFinding/v1": format!("{}/{}/{}", target.name, kind.name(), report.case_name(row)),
        },
        "properties": {
            "target": target.name,
            "reported-version": target.reported,
            "case": row.id.to_string(),
            "cluster": cluster.map(|cluster| &cluster.id),
            "known": known.map(|known| &known.id),
            "grade": grade.name(),
            "stability": dossier.map(|dossier| dossier.record.stability.name()),
            "command": dossier
                .and_then(|dossier| dossier.record.by_hand.as_ref())
                .map(|by_hand| by_hand.lines().collect::<Vec<_>>().join("\n")),
        },
    })
}

/// The relevant line of a program: where it reaches its error or asserts a law; or the first line.
fn crux(program: &str) -> usize {
    let lines = || program.lines().map(str::trim);
    let is_call = |line: &str| line.contains("reach_error();");
    let at = lines()
        .position(|line| is_call(line) || line.starts_with("assert "))
        .or_else(|| lines().position(|line| line.contains(" main(")));
    at.map_or(1, |at| at + 1)
}

/// A program, truncated.
fn head(program: &str) -> String {
    const LINES: usize = 60;
    let mut lines: Vec<&str> = program.trim_end().lines().collect();
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…");
    }
    shown(&lines.join("\n"))
}

/// A path as a relative reference.
pub(crate) fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let byte = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    path.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_references() {
        assert_eq!(uri("findings/0 é/case.smt2"), "findings/0%20%C3%A9/case.smt2");
    }

    #[test]
    fn locations_point_at_the_relevant_line() {
        let program =
            "void reach_error(void);\nint main(void) {\n  if (1)\n    reach_error();\n}\n";
        assert_eq!(crux(program), 4);
        assert_eq!(crux(&program.replace("reach_error();", "return 0;")), 2);
        assert_eq!(crux("octagons, 1 variables\nassert top-is-top(top)  # is_top(top)\n"), 2);
        assert_eq!(crux(""), 1);
        assert_eq!(head("a\nb\n"), "a\nb");
        assert!(head(&"x\n".repeat(61)).ends_with("x\n…"));
    }
}
