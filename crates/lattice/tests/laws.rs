//! The built-in domains obey their laws, and every seeded bug is found and reduced.

use assay_lattice::{
    BUGS, Boundaries, Bug, Config, Engine, Firmness, Hit, Law, Search, Tester, Violation, reduce,
    reference,
};
use std::time::{Duration, Instant};

fn config(preset: &str) -> Config {
    Config::preset(preset).expect("it is a preset")
}

fn search<'s>(tester: &'s dyn Tester, preset: &str, engine: Engine, seed: u64) -> Search<'s> {
    let config = config(preset);
    let inputs = engine.inputs(&config, seed);
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
        for (preset, (engine, _)) in
            ["C2", "C1", "C4", "C6", "C5"].into_iter().zip(Engine::ALL.iter().cycle())
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

/// The first violation of a domain with a bug. A count and not a time bounds the search, so that
/// every machine finds the same.
fn hunt(bug: Bug) -> Option<Hit> {
    let tester = reference::seeded(bug);
    let mut searches: Vec<Search<'_>> = ["C4", "C2"]
        .into_iter()
        .map(|preset| search(&*tester, preset, Engine::Random, 7))
        .collect();
    for _ in 0..6_000 {
        for search in &mut searches {
            let hit = search.step().filter(|hit| hit.violation.firmness == Firmness::Hard);
            if hit.is_some() {
                return hit;
            }
        }
    }
    None
}

#[test]
#[ignore = "takes minutes of processor time, and not all of the bugs are found within it yet"]
fn every_seeded_bug_is_found_and_reduced() {
    assert!(BUGS.len() >= 30);
    let mut missed = Vec::new();
    for row in BUGS {
        let Some(hit) = hunt(row.bug) else {
            missed.push(row.name);
            continue;
        };
        let tester = reference::seeded(row.bug);
        let law = hit.violation.law;
        let mut shows = |case: &assay_lattice::Case| {
            let failed = tester.run(case, &mut Default::default());
            failed
                .iter()
                .any(|(_, violation)| violation.law == law && violation.firmness == Firmness::Hard)
        };
        assert!(shows(&hit.case), "{}: the case alone shows nothing", row.name);
        let small = reduce(&hit.case, 400, &mut shows);
        assert!(shows(&small), "{}", row.name);
        let read = assay_lattice::Case::read(&small.to_string()).expect("it prints as a program");
        assert!(shows(&read), "{}: the text shows nothing\n{small}", row.name);
        println!("{}\n{small}", row.name);
        // What the bug is not to blame for would be found without it.
        let clean = reference::by_name(
            tester.profile().name.strip_prefix("builtin/").expect("it is built in"),
            None,
        );
        let clean = clean.expect("it is built in");
        let mut innocent = clean.run(&small, &mut Default::default());
        innocent.retain(|(_, violation)| violation.firmness == Firmness::Hard);
        assert!(innocent.is_empty(), "{}\n{small}", row.name);
    }
    assert!(missed.is_empty(), "not found: {}", missed.join(", "));
}

/// The table of the time to find, for each configuration: `cargo test -- --ignored table`.
#[test]
#[ignore = "takes minutes; prints a table"]
fn table() {
    for row in BUGS {
        let mut cells = Vec::new();
        for preset in Config::PRESETS {
            let tester = reference::seeded(row.bug);
            let mut search = search(&*tester, preset, Engine::Random, 7);
            let begun = Instant::now();
            let mut found: Vec<(&'static Law, Duration)> = Vec::new();
            while begun.elapsed() < Duration::from_secs(5) && !search.open_laws().is_empty() {
                if let Some(hit) = search.step() {
                    found.push((hit.violation.law, begun.elapsed()));
                    search.retire(hit.violation.law);
                }
            }
            let first = found.first().map_or("-".to_owned(), |(law, time)| {
                format!("{} {:.3}", law.name, time.as_secs_f64())
            });
            cells.push(format!("{first} ({})", found.len()));
        }
        println!("{} | {}", row.name, cells.join(" | "));
    }
}

#[test]
fn boundaries_are_needed_for_overflow() {
    let tester = reference::seeded(Bug::IntervalOverflow);
    let mut config = config("C4");
    config.boundaries = Boundaries::Long;
    let inputs = Engine::Random.inputs(&config, 3);
    let mut search = Search::new(&*tester, config, inputs, &[]);
    assert!((0..4_000).any(|_| search.step().is_some()));
}
