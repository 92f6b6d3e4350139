//! The built-in domains obey their laws, and every seeded bug is found and reduced.

use assay_lattice::{
    BUGS, Boundaries, Bug, BugRow, Class, Engine, Firmness, Hit, Inputs, Search, Tester, Trace,
    TraceOptions, Violation, reduce, reference,
};
use std::time::{Duration, Instant};

fn config(preset: &str) -> TraceOptions {
    TraceOptions::preset(preset).expect("it is a preset")
}

fn search<'s>(tester: &'s dyn Tester, preset: &str, engine: Engine, seed: u64) -> Search<'s> {
    let config = config(preset);
    let inputs = engine.inputs(&config, seed).expect("it is our own");
    Search::new(tester, config, inputs, &[])
}

fn told(name: &str, hit: &Hit) -> String {
    let Violation { law, evidence, .. } = &hit.violation;
    format!("{name} breaks {}\n{}{evidence}", law.title(), hit.case)
}

#[test]
fn domains_without_bugs_obey_their_laws() {
    for name in reference::NAMES {
        let tester = reference::by_name(name, None).expect("it is built in");
        for (preset, engine) in
            ["C2", "C1", "C4", "C6", "C5"].into_iter().zip(Engine::OWN.iter().cycle())
        {
            let mut search = search(&*tester, preset, *engine, 1);
            let part = Instant::now();
            // A count, so that every machine tries the same; very slow ones try less.
            while search.tried < 300 && part.elapsed() < Duration::from_secs(2) {
                let hit = search.step().filter(|hit| hit.violation.firmness == Firmness::Hard);
                if let Some(hit) = hit {
                    panic!("{preset} {}: {}", engine.name(), told(name, &hit));
                }
            }
            assert!(search.tally.checked > 100, "{name} {preset}: {:?}", search.tally);
        }
    }
}

/// Where each seeded bug was found: its name, a configuration, a seed, and the number of the input
/// that shows it among those that the random engine draws. With `ASSAY_BLESS=1` the list is written
/// anew, by searching.
const SEEDED: &str = include_str!("seeded.txt");

/// An input of the random engine as a search of its own.
struct Only(Option<Vec<u8>>);

impl Inputs for Only {
    fn next(&mut self) -> Vec<u8> {
        self.0.take().unwrap_or_default()
    }
}

fn hard(hit: Option<Hit>) -> Option<Hit> {
    hit.filter(|hit| hit.violation.firmness == Firmness::Hard)
}

/// The violation that a line of the list tells of.
fn recalled(bug: Bug, preset: &str, seed: u64, number: usize) -> Option<Hit> {
    let tester = reference::seeded(bug);
    let config = config(preset);
    let mut inputs = Engine::Random.inputs(&config, seed).expect("it is our own");
    let input = std::iter::repeat_with(|| inputs.next()).nth(number)?;
    hard(Search::new(&*tester, config, Box::new(Only(Some(input))), &[]).step())
}

/// The first violation that a search finds, as a line of the list.
fn hunted(bug: Bug) -> Option<String> {
    let tester = reference::seeded(bug);
    let begun = Instant::now();
    let presets = ["C4", "C2", "C5"];
    let mut searches = presets.map(|preset| search(&*tester, preset, Engine::Random, 7));
    for number in 0.. {
        for (preset, search) in presets.iter().zip(&mut searches) {
            if hard(search.step()).is_some() {
                return Some(format!("{} {preset} 7 {number}\n", bug.row().name));
            }
        }
        if begun.elapsed() > Duration::from_secs(180) {
            break;
        }
    }
    None
}

#[test]
fn every_seeded_bug_is_found_and_reduced() {
    assert!(BUGS.len() >= 30);
    if std::env::var_os("ASSAY_BLESS").is_some() {
        let found = BUGS.iter().map(|row| hunted(row.bug).ok_or(row.name));
        let found = found.collect::<Result<String, _>>();
        let lines = found.unwrap_or_else(|name| panic!("{name} is not found"));
        std::fs::write("tests/seeded.txt", lines).expect("the list can be written");
        return;
    }
    let lines: Vec<Vec<&str>> =
        SEEDED.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in BUGS {
        let line = lines.iter().find(|words| words.first() == Some(&row.name));
        let words = line.unwrap_or_else(|| panic!("{} is not in the list", row.name));
        let [_, preset, seed, number] = words[..] else { panic!("{words:?} is no line") };
        let (seed, number) = (seed.parse().expect("a number"), number.parse().expect("a number"));
        let hit = recalled(row.bug, preset, seed, number);
        let hit = hit.unwrap_or_else(|| panic!("{}: ASSAY_BLESS=1 finds it anew", row.name));
        shows_what_it_should(row, &hit);
    }
}

/// The violation reduces to a short program, which shows it as text too, and only with the bug.
fn shows_what_it_should(row: &BugRow, hit: &Hit) {
    let tester = reference::seeded(row.bug);
    let law = hit.violation.law;
    let mut shows = |case: &Trace| {
        let failed = tester.run(case, &mut Default::default());
        failed
            .iter()
            .any(|(_, violation)| violation.law == law && violation.firmness == Firmness::Hard)
    };
    assert!(shows(&hit.case), "{}: the case alone shows nothing", row.name);
    let small = reduce(&hit.case, 400, &mut shows);
    let read = Trace::read(&small.to_string()).expect("it prints as a program");
    assert!(shows(&read), "{}: the text shows nothing\n{small}", row.name);
    assert!(small.to_string().lines().count() <= 8, "{} is long\n{small}", row.name);
    // What the bug is not to blame for would be found without it.
    let name = tester.profile().name.clone();
    let name = name.strip_prefix("builtin/").expect("it is built in");
    let clean = reference::by_name(name, None).expect("it is built in");
    let mut innocent = clean.run(&small, &mut Default::default());
    innocent.retain(|(_, violation)| violation.firmness == Firmness::Hard);
    assert!(innocent.is_empty(), "{}\n{small}", row.name);
}

#[test]
fn imprecise_guards_violate_only_precision_laws() {
    for bug in [Bug::OctagonGuardHalf, Bug::PolyhedronGuardHalf] {
        let tester = reference::seeded(bug);
        let mut search = search(&*tester, "C2", Engine::Random, 7);
        let hits: Vec<Hit> = (0..200).filter_map(|_| hard(search.step())).collect();
        assert!(!hits.is_empty(), "{}", bug.row().name);
        for hit in hits {
            assert_eq!(hit.violation.law.class, Class::Precision, "{}", told(bug.row().name, &hit));
        }
    }
}

#[test]
fn boundary_constants_reveal_overflow() {
    let tester = reference::seeded(Bug::IntervalOverflow);
    let mut config = config("C4");
    config.boundaries = Boundaries::Long;
    let inputs = Engine::Random.inputs(&config, 3).expect("it is our own");
    let mut search = Search::new(&*tester, config, inputs, &[]);
    assert!((0..4_000).any(|_| search.step().is_some()));
}
