//! A ground example of a file's contradiction, as text and as JSON.

use crate::diagnosis::{MORE_TIME, artefact_words, valued, verdict_words};
use assay_trigger::{Diagnosis, Example, ExampleFormula, Explanation, Origin, Report, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The explanation of a file's contradiction, or why no explanation was found, as text.
#[must_use]
pub fn explained(file: &Path, explanation: &Explanation) -> String {
    let Explanation { report, example } = explanation;
    let (file, diagnosis) = (file.display(), &report.diagnosis);
    match example {
        Some(example) => words(&file.to_string(), example, report),
        None => {
            let more = match diagnosis {
                Diagnosis::Timeout(_) => format!("; {MORE_TIME}"),
                _ => String::new(),
            };
            format!("{file}: {}\n  {}{more}\n", diagnosis.name(), why(diagnosis))
        }
    }
}

/// The same as a JSON record.
#[must_use]
pub fn explained_record(file: &Path, explanation: &Explanation, seconds: f64) -> Value {
    let Explanation { report, example } = explanation;
    let diagnosis = &report.diagnosis;
    match example {
        Some(example) => record(file, example, report, seconds),
        None => json!({
            "file": file, "outcome": diagnosis.name(), "detail": why(diagnosis),
            "seconds": seconds,
        }),
    }
}

/// Why there is no example.
fn why(diagnosis: &Diagnosis) -> &str {
    match diagnosis {
        Diagnosis::Sat(evidence) => &evidence.why,
        Diagnosis::GaveUp(why) | Diagnosis::Timeout(why) => why,
        Diagnosis::Refuted(_) | Diagnosis::AlreadyRefuted => {
            "it has a contradiction, but no example of it was found"
        }
    }
}

fn record(file: &Path, example: &Example, report: &Report, seconds: f64) -> Value {
    let steps: Vec<_> = example
        .formulas
        .iter()
        .map(|ground| {
            let matched = ground.matched.iter().map(|(term, origin)| {
                let (from, step) = match origin {
                    Origin::Added => ("added", None),
                    Origin::File => ("file", None),
                    Origin::Formula(at) => ("step", Some(at + 1)),
                    Origin::Elsewhere => ("equal", None),
                };
                json!({"term": term, "from": from, "step": step})
            });
            json!({
                "axiom": ground.axiom, "line": ground.line, "values": valued(&ground.values),
                "formula": ground.formula, "pattern": ground.pattern,
                "matched": matched.collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "file": file, "outcome": "contradiction", "axioms": example.axioms(), "steps": steps,
        "terms": example.added, "verdict": verdict(report, example).name(), "seconds": seconds,
    })
}

/// What the contradiction of the example means.
fn verdict(report: &Report, example: &Example) -> Verdict {
    report.verdict().unwrap_or_else(|| {
        match example.formulas.iter().all(|formula| formula.pattern.is_some()) {
            true => Verdict::Inconsistent,
            false => Verdict::WithFacts,
        }
    })
}

fn words(file: &str, example: &Example, report: &Report) -> String {
    let mut short = Abbreviations::of(example);
    let mut text = format!("{file}: {}\n", verdict_words(verdict(report, example)));
    text += &format!("assertions: {}\n", example.axioms().join(", "));
    if !example.added.is_empty() {
        let added: Vec<String> = example.added.iter().map(|term| short.of_text(term)).collect();
        text += &format!("added terms: {}\n", added.join(", "));
    }
    text.push('\n');
    let mut steps = String::new();
    for (at, ground) in example.formulas.iter().enumerate() {
        steps += &step(at + 1, ground, &mut short);
    }
    text += &short.legend();
    text += &steps;
    let count = example.formulas.len();
    text += &match count {
        1 => "\nStep 1 contradicts itself".to_owned(),
        _ => format!("\nSteps 1 to {count} contradict each other"),
    };
    text += " (checked by the solver without any quantifier).\n";
    text += &fault(example, report);
    text + &artefact_words(report)
}

/// An instance: of what, with which values, why it is made, and what it says.
fn step(number: usize, ground: &ExampleFormula, short: &mut Abbreviations) -> String {
    let mut text = format!("{number}. {} (line {})", ground.axiom, ground.line);
    if ground.pattern.is_none() {
        text += ", a fact:\n";
    } else {
        let values: Vec<String> = ground
            .values
            .iter()
            .map(|(var, term)| format!("{var} = {}", short.of_text(term)))
            .collect();
        text += &format!(" with {}", values.join(", "));
        let reasons: Vec<String> = ground
            .matched
            .iter()
            .map(|(term, origin)| {
                let term = short.of_text(term);
                match origin {
                    Origin::Added => format!("{term} is added"),
                    Origin::File => format!("{term} is in the file"),
                    Origin::Formula(at) => format!("{term} is in step {}", at + 1),
                    Origin::Elsewhere => format!("{term} is equal to a known term"),
                }
            })
            .collect();
        if !reasons.is_empty() {
            text += &format!("\n   triggered, because {}", reasons.join(" and "));
        }
        text += ":\n";
    }
    text + &format!("     {}\n", short.of_text(&ground.formula))
}

/// Whether an axiom or a pattern is to be changed.
fn fault(example: &Example, report: &Report) -> String {
    let missing = example
        .formulas
        .iter()
        .find(|formula| formula.matched.iter().any(|(_, origin)| *origin == Origin::Added));
    let hidden = match missing {
        Some(formula) => format!(
            "E-matching misses it because no term of the file matches the pattern {} of {} (line {}).\n",
            formula.pattern.as_deref().unwrap_or_default(),
            formula.axiom,
            formula.line
        ),
        None => String::new(),
    };
    let fault = match verdict(report, example) {
        Verdict::Inconsistent => "At fault: an axiom. No pattern makes these axioms consistent.\n",
        Verdict::WithFacts if missing.is_some() => {
            "At fault: the pattern, if a fact is a negated goal that should be proved; otherwise a fact or an axiom.\n"
        }
        Verdict::WithFacts => "At fault: a fact or an axiom.\n",
        Verdict::ModuloPatterns => {
            "At fault: the encoding, if instantiation without patterns is to be sound; with its patterns, nothing.\n"
        }
    };
    hidden + fault
}

/// Long terms that occur several times, under short names.
struct Abbreviations {
    /// Terms by length, the longest first, with their names.
    known: Vec<(String, String)>,
    used: BTreeMap<String, String>,
}

/// Shorter terms are written out.
const LONG: usize = 24;

/// No more abbreviations than this.
const MOST: usize = 12;

impl Abbreviations {
    fn of(example: &Example) -> Abbreviations {
        let formulas = example.formulas.iter();
        let texts: Vec<&str> = formulas
            .flat_map(|one| one.values.iter().map(|(_, term)| term).chain([&one.formula]))
            .chain(&example.added)
            .map(String::as_str)
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in &texts {
            for list in lists(text) {
                if list.len() >= LONG && list.len() < text.len().max(LONG + 1) {
                    *counts.entry(list).or_default() += 1;
                }
            }
        }
        let mut repeated: Vec<(&str, usize)> =
            counts.into_iter().filter(|&(_, count)| count > 1).collect();
        repeated.sort_by_key(|&(text, count)| (std::cmp::Reverse(text.len() * count), text));
        repeated.truncate(MOST);
        repeated.sort_by_key(|&(text, _)| (text.len(), text));
        let taken = |name: &str| {
            let edge = |c: char| c.is_whitespace() || "()|".contains(c);
            texts.iter().any(|text| text.split(edge).any(|word| word == name))
        };
        let mut names = (1..).map(|at| format!("t{at}")).filter(|name| !taken(name));
        let mut known: Vec<(String, String)> = repeated
            .into_iter()
            .map(|(text, _)| (text.to_owned(), names.next().unwrap_or_default()))
            .collect();
        known.reverse();
        Abbreviations { known, used: BTreeMap::new() }
    }

    fn of_text(&mut self, text: &str) -> String {
        self.shortened(text, 0)
    }

    /// A text with the abbreviations from a position of the list on.
    fn shortened(&mut self, text: &str, from: usize) -> String {
        let mut text = text.to_owned();
        for at in from..self.known.len() {
            let (long, name) = self.known[at].clone();
            if !text.contains(&long) {
                continue;
            }
            text = text.replace(&long, &name);
            if !self.used.contains_key(&name) {
                let meaning = self.shortened(&long, at + 1);
                self.used.insert(name, meaning);
            }
        }
        text
    }

    fn legend(&self) -> String {
        if self.used.is_empty() {
            return String::new();
        }
        let mut lines: Vec<(usize, String)> = self
            .used
            .iter()
            .map(|(name, meaning)| {
                let place = self.known.iter().position(|(_, known)| known == name).unwrap_or(0);
                (self.known.len() - place, format!("  {name} = {meaning}\n"))
            })
            .collect();
        lines.sort();
        let lines: String = lines.into_iter().map(|(_, line)| line).collect();
        format!("where\n{lines}\n")
    }
}

/// The lists in a term as text, each as often as it occurs.
fn lists(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    let mut quoted = None;
    for (at, c) in text.char_indices() {
        match (c, quoted) {
            (_, Some(quote)) if c == quote => quoted = None,
            (_, Some(_)) => {}
            ('|' | '"', None) => quoted = Some(c),
            ('(', None) => open.push(at),
            (')', None) => {
                if let Some(start) = open.pop() {
                    found.push(&text[start..=at]);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_terms_get_names_that_nothing_else_has() {
        let long = "(select memory-of-the-heap address-of-the-object)";
        let one = ExampleFormula {
            fact: 0,
            axiom: "a".into(),
            line: 1,
            values: vec![("x".into(), format!("(f {long})"))],
            formula: format!("(= {long} (f {long}) t1)"),
            matched: Vec::new(),
            pattern: None,
        };
        let example =
            Example { formulas: vec![one.clone()], added: Vec::new(), script: String::new() };
        let mut short = Abbreviations::of(&example);
        let shown = short.of_text(&one.formula);
        assert!(shown.len() < one.formula.len() && shown.contains(" t1)"), "{shown}");
        let legend = short.legend();
        assert!(legend.contains(long) && !legend.contains(" t1 = "), "{legend}");
        let mut back = shown;
        for (long, name) in &short.known {
            back = back.replace(name.as_str(), long);
        }
        assert_eq!(back, one.formula);
    }
}
