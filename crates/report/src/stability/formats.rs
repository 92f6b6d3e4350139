//! The stability of queries as JSON, Markdown, JUnit and SARIF.

use super::words::{details, difference_words, mutant, run_words, suggestion};
use super::{Gating, Robustness, Subject, spread};
use crate::junit::escaped;
use crate::sarif::{SCHEMA, uri};
use crate::words::thousands;
use assay_campaign::shown;
use assay_stability::{Category, Cause, Change, Examined, Suggestion};
use serde_json::{Value, json};
use std::fmt::Write;

impl Robustness {
    /// One record for each query and target, and one for each file that cannot be used.
    #[must_use]
    pub fn records(&self) -> Vec<Value> {
        let results = self.subjects.iter().flat_map(|subject| {
            subject.results.iter().enumerate().map(|(at, one)| record(subject, at, one))
        });
        let errors = self.errors.iter().map(|(file, words)| json!({"file": file, "error": words}));
        results.chain(errors).collect()
    }

    /// A table of all queries, and the details of those that are not stable.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::from("# Stability\n\n");
        let _ = writeln!(out, "`{}`\n", self.command);
        let _ = writeln!(out, "| query | {} |", self.targets.join(" | "));
        let _ = writeln!(out, "|---|{}", "---|".repeat(self.targets.len()));
        for subject in &self.subjects {
            let cells = subject.results.iter().map(|one| {
                let cost = one.original.cost().map_or(String::new(), thousands);
                format!("{}, {} {cost}", one.category.name(), one.original.name())
            });
            let cells: Vec<String> = cells.collect();
            let _ = writeln!(out, "| {} | {} |", cell(&subject.place()), cells.join(" | "));
        }
        for (file, words) in &self.errors {
            let _ = writeln!(out, "\n{}: {words}", file.display());
        }
        for subject in &self.subjects {
            for one in subject.results.iter().filter(|one| one.category != Category::Stable) {
                let lines = details(one);
                if lines.is_empty() {
                    continue;
                }
                let _ = writeln!(out, "\n## {} on {}\n", subject.place(), one.target);
                for line in lines {
                    let _ = writeln!(out, "- {line}");
                }
            }
        }
        let upgrades = self.upgrades();
        if !upgrades.is_empty() {
            let _ = writeln!(out, "\n## Versions\n\n```{upgrades}```");
        }
        shown(&out)
    }

    /// JUnit XML: a suite for each target, a case for each query.
    #[must_use]
    pub fn junit(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let failing =
            |at: usize| self.subjects.iter().filter(|one| one.gating[at] == Gating::Fails).count();
        let failures: usize = (0..self.targets.len()).map(failing).sum();
        let (errors, queries) = (self.errors.len(), self.subjects.len());
        let tests = queries * self.targets.len() + errors;
        let _ = writeln!(
            out,
            "<testsuites name=\"assay stability\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
        );
        for (at, target) in self.targets.iter().enumerate() {
            let _ = writeln!(
                out,
                "  <testsuite name=\"{}\" tests=\"{queries}\" failures=\"{}\">",
                escaped(target),
                failing(at)
            );
            self.subjects.iter().for_each(|subject| case(subject, at, &mut out));
            out.push_str("  </testsuite>\n");
        }
        if errors > 0 {
            let _ = writeln!(
                out,
                "  <testsuite name=\"files\" tests=\"{errors}\" errors=\"{errors}\">"
            );
            for (file, words) in &self.errors {
                let (name, words) = (escaped(&file.display().to_string()), escaped(words));
                let _ = writeln!(
                    out,
                    "    <testcase classname=\"stability\" name=\"{name}\"><error message=\"{words}\"/></testcase>"
                );
            }
            out.push_str("  </testsuite>\n");
        }
        out + "</testsuites>\n"
    }

    /// The static analysis results interchange format: one result for each query that is not
    /// stable.
    #[must_use]
    pub fn sarif(&self) -> String {
        let rules = [
            (
                Category::Unstable,
                "Changes that keep the meaning decide whether the query is solved",
            ),
            (Category::Unsolvable, "The query and its mutants are not solved"),
            (Category::Inconclusive, "The runs do not decide whether the query is stable"),
        ];
        let mut results = Vec::new();
        for subject in &self.subjects {
            for (at, one) in subject.results.iter().enumerate() {
                let Some(rule) = rules.iter().position(|(category, _)| *category == one.category)
                else {
                    continue;
                };
                let mut message = format!("{} on {}", one.category.name(), one.target);
                for line in details(one) {
                    let _ = write!(message, "\n{line}");
                }
                let level = match subject.gating[at] {
                    Gating::Fails => "error",
                    Gating::Known | Gating::Passes => "note",
                };
                results.push(json!({
                    "ruleId": one.category.name(),
                    "ruleIndex": rule,
                    "level": level,
                    "message": { "text": message },
                    "locations": [{ "physicalLocation": {
                        "artifactLocation": { "uri": uri(&subject.file.display().to_string()) },
                        "region": { "startLine": subject.line },
                    }}],
                    "partialFingerprints": {
                        "assayStability/v1":
                            format!("{}#{}/{}", subject.file.display(), subject.check, one.target),
                    },
                }));
            }
        }
        let rules: Vec<Value> = rules
            .iter()
            .map(|(category, words)| {
                json!({"id": category.name(), "shortDescription": { "text": words }})
            })
            .collect();
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "assay", "rules": rules } },
                "properties": { "command": self.command },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        shown(&serde_json::to_string_pretty(&log).expect("a log is plain data")) + "\n"
    }
}

/// A text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn case(subject: &Subject, at: usize, out: &mut String) {
    let one = &subject.results[at];
    let name = escaped(&subject.place());
    let begin = format!("    <testcase classname=\"stability\" name=\"{name}\"");
    let text = escaped(&details(one).join("\n"));
    let (category, words) = (one.category.name(), escaped(&run_words(&one.original)));
    let _ = match (subject.gating[at], one.category) {
        (Gating::Fails, _) => writeln!(
            out,
            "{begin}><failure type=\"{category}\" message=\"{category}; as written: {words}\">{text}</failure></testcase>"
        ),
        (_, Category::Inconclusive) => {
            writeln!(out, "{begin}><skipped message=\"{category}\"/></testcase>")
        }
        _ => writeln!(out, "{begin}/>"),
    };
}

fn record(subject: &Subject, at: usize, one: &Examined) -> Value {
    let classes = one.classes.iter().map(|class| {
        json!({
            "class": class.class.name(),
            "successes": class.tally.successes,
            "failures": class.tally.failures,
        })
    });
    let samples = one.samples.iter().map(|sample| {
        json!({
            "class": sample.class.name(), "number": sample.number, "result": sample.run.name(),
            "cost": sample.run.cost(), "success": sample.success,
        })
    });
    let costs = one.costs();
    let mut record = json!({
        "file": subject.file, "check": subject.check, "line": subject.line, "target": one.target,
        "category": one.category.name(), "result": one.original.name(), "cost": one.original.cost(),
        "limit": one.limit, "median": spread(&costs).map(|(median, _)| median),
        "most": spread(&costs).map(|(_, most)| most), "runs": one.runs,
        "classes": classes.collect::<Vec<_>>(), "mutants": samples.collect::<Vec<_>>(),
        "notes": one.notes, "cause": one.cause.as_ref().map(cause),
        "gate": subject.gating[at].name(),
    });
    if let Some(pair) = one.contradiction {
        record["contradiction"] = pair
            .iter()
            .map(|(which, answer)| json!({"mutant": mutant(*which), "answer": answer.name()}))
            .collect();
    }
    let difference = at.checked_sub(1).and_then(|at| subject.differences[at].as_ref());
    if let Some(found) = difference {
        record["difference"] = json!({
            "mutant": mutant(found.mutant), "assertions": found.assertions.0,
            "of": found.assertions.1, "cost": found.cost, "limit": found.limit,
            "script": found.script, "words": difference_words(found),
        });
    }
    record
}

fn cause(cause: &Cause) -> Value {
    let exploding = cause.exploding.iter().map(|one| {
        json!({
            "quantifier": one.name, "line": one.line, "failing": one.failing,
            "succeeding": one.succeeding,
        })
    });
    let suggestions = cause.suggestions.iter().map(|one| {
        let Suggestion { change, successes, runs, cost } = one;
        let change = match change {
            Change::Drop(all) => json!({ "drop": all
                .iter()
                .map(|(name, line)| json!({"axiom": name, "line": line}))
                .collect::<Vec<_>>() }),
            Change::Pattern { name, line, old, new } => {
                json!({ "pattern": new, "instead-of": old, "quantifier": name, "line": line })
            }
        };
        // Nothing is suggested that was not verified.
        json!({
            "change": change, "verified": true, "successes": successes, "runs": runs,
            "cost": cost, "words": suggestion(one),
        })
    });
    json!({
        "exploding": exploding.collect::<Vec<_>>(),
        "suggestions": suggestions.collect::<Vec<_>>(),
        "refused": cause.refused,
    })
}
