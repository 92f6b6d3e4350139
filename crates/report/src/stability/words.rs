//! The stability of queries as plain text.

use super::{Gating, Robustness, Subject, spread};
use crate::words::thousands;
use assay_campaign::shortened;
use assay_stability::{
    Answer, Category, Cause, Change, Class, Difference, Examined, Run, Suggestion,
};
use std::fmt::Write;

impl Robustness {
    /// All results: each query that is not stable, what an upgrade breaks, and the counts.
    #[must_use]
    pub fn words(&self) -> String {
        let mut text = String::new();
        let single = self.subjects.len() == 1;
        for subject in &self.subjects {
            for (at, examined) in subject.results.iter().enumerate() {
                if single || examined.category != Category::Stable {
                    text += &result(subject, at, examined);
                }
            }
        }
        text += &self.upgrades();
        text += "\n";
        for (at, target) in self.targets.iter().enumerate() {
            let counts: Vec<String> = Category::ALL
                .into_iter()
                .map(|category| (self.count(at, category), category.name()))
                .filter(|(count, _)| *count > 0)
                .map(|(count, name)| format!("{count} {name}"))
                .collect();
            let _ = writeln!(text, "{target}: {}", counts.join(", "));
        }
        let (runs, fixed) = self.runs();
        let _ =
            writeln!(text, "{runs} mutants were run; 60 for each class would have been {fixed}");
        text
    }

    /// What targets after the first break, by query and class.
    pub(super) fn upgrades(&self) -> String {
        let mut text = String::new();
        for (at, target) in self.targets.iter().enumerate().skip(1) {
            let broken: Vec<&Subject> =
                self.subjects.iter().filter(|one| one.regressed(at)).collect();
            let fixed = self.subjects.iter().filter(|one| {
                let (before, after) = (one.results[0].category, one.results[at].category);
                after < before && before != Category::Inconclusive
            });
            let (first, better) = (&self.targets[0], fixed.count());
            let _ = writeln!(
                text,
                "\nwhat {target} breaks that {first} does not: {} of {} queries ({better} get better)",
                broken.len(),
                self.subjects.len()
            );
            for subject in broken {
                let (before, after) = (&subject.results[0], &subject.results[at]);
                let classes: Vec<String> = rates(before)
                    .into_iter()
                    .filter_map(|(class, old)| {
                        let (_, new) = rates(after).into_iter().find(|(one, _)| *one == class)?;
                        Some(format!("{} {old} -> {new}", class.name()))
                    })
                    .collect();
                let _ = writeln!(
                    text,
                    "  {}: {} -> {}; {}",
                    subject.place(),
                    before.category.name(),
                    after.category.name(),
                    classes.join(", ")
                );
                if let Some(one) = &subject.differences[at - 1] {
                    let _ = writeln!(text, "    smallest: {}", difference_words(one));
                }
            }
        }
        text
    }
}

/// How many mutants of each class succeeded.
fn rates(examined: &Examined) -> Vec<(Class, String)> {
    let rate = |one: &assay_stability::ClassResult| {
        (one.class, format!("{}/{}", one.tally.successes, one.tally.runs()))
    };
    examined.classes.iter().map(rate).collect()
}

/// A mutant by its class and number.
pub(super) fn mutant(which: Option<(Class, u32)>) -> String {
    match which {
        None => "the query as written".to_owned(),
        Some((class, number)) => format!("mutant {} {number}", class.name()),
    }
}

pub(super) fn difference_words(one: &Difference) -> String {
    format!(
        "{} with {} of {} assertions costs the first {} steps; the second has no answer within {}",
        mutant(one.mutant),
        one.assertions.0,
        one.assertions.1,
        thousands(one.cost),
        thousands(one.limit)
    )
}

/// A run in words.
pub(super) fn run_words(run: &Run) -> String {
    match (run, run.cost()) {
        (Run::Failed(why), _) => format!("failed: {}", shortened(why)),
        (_, Some(cost)) => format!("{}, {} steps", run.name(), thousands(cost)),
        (_, None) => run.name().to_owned(),
    }
}

/// A result on a target.
fn result(subject: &Subject, at: usize, examined: &Examined) -> String {
    let known = match subject.gating[at] {
        Gating::Known => " (in the baseline)",
        _ => "",
    };
    let mut text = format!(
        "{} on {}: {}{known}\n",
        subject.place(),
        examined.target,
        examined.category.name()
    );
    let limit = thousands(examined.limit);
    let _ = writeln!(
        text,
        "  as written: {}; limit of a mutant: {limit}",
        run_words(&examined.original)
    );
    for class in &examined.classes {
        let of_class = examined.samples.iter().filter(|one| one.class == class.class);
        let mut costs: Vec<u64> =
            of_class.filter(|one| one.success).filter_map(|one| one.run.cost()).collect();
        costs.sort_unstable();
        let cost = spread(&costs).map_or(String::new(), |(median, most)| {
            format!("; steps: median {}, most {}", thousands(median), thousands(most))
        });
        let _ = writeln!(
            text,
            "  {:<9} {} of {} succeed{cost}",
            class.class.name(),
            class.tally.successes,
            class.tally.runs()
        );
    }
    for line in details(examined) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// Contradictions, notes, the cause and suggestions, one per line.
pub(super) fn details(examined: &Examined) -> Vec<String> {
    let mut lines: Vec<String> =
        examined.notes.iter().map(|note| format!("note: {note}")).collect();
    if let Some([(first, one), (second, other)]) = examined.contradiction {
        let answer = |answer: Answer| answer.name();
        lines.push(format!(
            "contradiction: {} is {}, {} is {}; they mean the same, so the solver is wrong about one",
            mutant(first),
            answer(one),
            mutant(second),
            answer(other)
        ));
    }
    if let Some(cause) = &examined.cause {
        lines.extend(cause_words(cause));
    }
    lines
}

fn cause_words(cause: &Cause) -> Vec<String> {
    let mut lines = Vec::new();
    for one in &cause.exploding {
        let before = one.succeeding.map_or(String::new(), |count| {
            format!(", {} in a run that succeeds", thousands(count))
        });
        let count = thousands(one.failing);
        lines.push(format!(
            "explodes: {} (line {}), {count} instances in a run that fails{before}",
            one.name, one.line
        ));
    }
    lines.extend(cause.suggestions.iter().map(suggestion));
    if cause.suggestions.is_empty() {
        lines.push(format!("no change makes it stable; {} were tried to the end", cause.refused));
    }
    lines
}

/// A suggestion with its evidence.
pub(super) fn suggestion(one: &Suggestion) -> String {
    let what = match &one.change {
        Change::Drop(all) => {
            let names: Vec<String> =
                all.iter().map(|(name, line)| format!("{name} (line {line})")).collect();
            format!("leave out {}", names.join(", "))
        }
        Change::Pattern { name, line, old, new } if old.is_empty() => {
            format!("give {name} (line {line}) the pattern {new}")
        }
        Change::Pattern { name, line, old, new } => {
            format!("replace the pattern {} of {name} (line {line}) by {new}", old.join(", "))
        }
    };
    format!(
        "suggestion: {what}: stable (verified: {} of {} mutants succeed, {} steps)",
        one.successes,
        one.runs,
        thousands(one.cost)
    )
}
