//! What a mutant costs: each seed of a folder is read once and mutated many times.
//!
//! usage: mutate DIR [MUTANTS]
//! Prints, for each suite, the median and the 90th percentile over the seeds of the mean time of a
//! mutant, printing included; then, by logic, how many seeds gave mutants, and why others did not.

use assay_case::{CaseId, MakeError, Selection, Suite};
use assay_mutate::{MutantOptions, SUITES, suite};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: mutate DIR [MUTANTS]";
    let folder = PathBuf::from(arguments.next().ok_or(usage)?);
    let mutants: u32 = arguments.next().map_or(Ok(100), |count| count.parse())?;
    for name in SUITES {
        let config = MutantOptions { seeds: vec![folder.clone()], mutants, ..MutantOptions::default() };
        let suite = suite(name, config, None)?;
        report(name, &measure(&*suite));
    }
    Ok(())
}

/// What the seeds of a logic gave.
#[derive(Default)]
struct Tally {
    seeds: usize,
    mutants: usize,
    bytes: usize,
    /// The mean time of a mutant, for each seed that gave some.
    means: Vec<Duration>,
    rules: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
}

fn measure(suite: &dyn Suite) -> BTreeMap<String, Tally> {
    let categories = suite.categories();
    let mut by_seed: BTreeMap<u128, Vec<CaseId>> = BTreeMap::new();
    for id in suite.cases(&Selection::default()) {
        if categories[id.category as usize].name == suite.name() {
            by_seed.entry(id.index >> 32).or_default().push(id);
        }
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for ids in by_seed.values() {
        let logic = &categories[ids[0].category as usize].group;
        let tally = tallies.entry(logic.clone()).or_default();
        tally.seeds += 1;
        // The first mutants read the seed and bring it into its forms.
        for &id in ids.iter().take(3) {
            let _ = suite.make(id);
        }
        let begun = Instant::now();
        let mut made = 0;
        for &id in ids {
            match suite.make(id) {
                Ok(case) => {
                    made += 1;
                    let formula = case.as_formula().expect("a formula").formula();
                    tally.bytes += formula.text().len();
                    for rule in &case.origin().rules {
                        *tally.rules.entry(rule.clone()).or_default() += 1;
                    }
                }
                Err(MakeError::Unsuitable(reason)) => {
                    *tally.reasons.entry(reason).or_default() += 1;
                    break;
                }
                Err(fault) => panic!("{id}: {fault}"),
            }
        }
        if made > 0 {
            tally.mutants += made as usize;
            tally.means.push(begun.elapsed() / made);
        }
    }
    tallies
}

fn report(name: &str, tallies: &BTreeMap<String, Tally>) {
    let mut means: Vec<Duration> = tallies.values().flat_map(|tally| tally.means.clone()).collect();
    means.sort_unstable();
    let at = |part: usize| means.get(means.len() * part / 100).copied().unwrap_or_default();
    let seeds: usize = tallies.values().map(|tally| tally.seeds).sum();
    println!(
        "{name}: {} of {seeds} seeds; a mutant takes {:.1} us at the median, {:.1} us at the 90th \
         percentile",
        means.len(),
        at(50).as_secs_f64() * 1e6,
        at(90).as_secs_f64() * 1e6,
    );
    println!("| logic | seeds | with mutants | mutants | bytes each | rules fired | skipped because |");
    println!("|---|--:|--:|--:|--:|--:|---|");
    for (logic, tally) in tallies {
        let bytes = tally.bytes.checked_div(tally.mutants).unwrap_or_default();
        let reasons: Vec<String> =
            tally.reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        println!(
            "| {logic} | {} | {} | {} | {bytes} | {} | {} |",
            tally.seeds,
            tally.means.len(),
            tally.mutants,
            tally.rules.len(),
            reasons.join("; "),
        );
    }
    println!();
}
