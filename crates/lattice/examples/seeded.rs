//! The benchmark of the tester: how long each configuration takes to find each seeded bug, by law.
//!
//! ```text
//! cargo run --release -p assay-lattice --example seeded -- [--seconds 60] [--engine random] [BUG...]
//! ```
//!
//! With `--clean` the domains without a bug are searched instead, so long each: nothing may be found.
//!
//! One line for each bug and law that it breaks, with the seconds of one core until each of the
//! configurations C1 to C6 showed it. A search ends after a second in which the bug is known, or
//! after the limit where it is not. Times are those of the clock, on a core of its own.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use assay_lattice::{BUGS, BugRow, Engine, Firmness, Law, Search, TraceOptions, reference};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a search goes on once the bug is known, to see which other laws show it.
const MORE: Duration = Duration::from_secs(1);

struct Options {
    limit: Duration,
    engine: Engine,
    clean: bool,
    bugs: Vec<String>,
}

fn options() -> Result<Options, String> {
    let (limit, engine, clean) = (Duration::from_secs(60), Engine::Random, false);
    let mut options = Options { limit, engine, clean, bugs: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--seconds" => {
                let seconds = value()?.parse().map_err(|_| "--seconds takes a number")?;
                options.limit = Duration::from_secs(seconds);
            }
            "--clean" => options.clean = true,
            "--engine" => {
                let name = value()?;
                let own = Engine::by_name(&name).filter(|engine| Engine::OWN.contains(engine));
                options.engine = own.ok_or(format!("there is no engine `{name}`"))?;
            }
            bug => options.bugs.push(bug.to_owned()),
        }
    }
    Ok(options)
}

/// The seconds until each law was broken.
fn search(row: &BugRow, preset: &str, options: &Options) -> BTreeMap<&'static str, f64> {
    let tester = reference::seeded(row.bug);
    let config = TraceOptions::preset(preset).expect("it is a preset");
    let inputs = options.engine.inputs(&config, 7).expect("it is our own");
    let mut search = Search::new(&*tester, config, inputs, &[]);
    let begun = Instant::now();
    let mut found = BTreeMap::new();
    let mut end = options.limit;
    while begun.elapsed() < end && !search.open_laws().is_empty() {
        let Some(hit) = search.step() else { continue };
        if hit.violation.firmness != Firmness::Hard {
            continue;
        }
        let law: &'static Law = hit.violation.law;
        search.retire(law);
        if found.is_empty() {
            end = end.min(begun.elapsed() + MORE);
        }
        found.insert(law.name, begun.elapsed().as_secs_f64());
    }
    found
}

/// Searches a domain without a bug, with one configuration after the other.
fn clean(name: &str, options: &Options) -> Result<(), String> {
    let tester = reference::by_name(name, None).expect("it is built in");
    let (mut tried, mut checks) = (0, 0);
    for (preset, engine) in TraceOptions::PRESETS.iter().zip(Engine::OWN.iter().cycle()) {
        let config = TraceOptions::preset(preset).expect("it is a preset");
        let inputs = engine.inputs(&config, 11).expect("it is our own");
        let mut search = Search::new(&*tester, config, inputs, &[]);
        let begun = Instant::now();
        while begun.elapsed() < options.limit / TraceOptions::PRESETS.len() as u32 {
            let hit = search.step().filter(|hit| hit.violation.firmness == Firmness::Hard);
            if let Some(hit) = hit {
                return Err(format!("{name} breaks {}:\n{}", hit.violation.law.title(), hit.case));
            }
        }
        (tried, checks) = (tried + search.tried, checks + search.tally.checked);
    }
    println!("| {name} | {tried} | {checks} | none |");
    Ok(())
}

fn main() -> Result<(), String> {
    let options = options()?;
    if options.clean {
        println!("| domain | inputs | checks | violations |\n|---|--:|--:|--:|");
        return reference::NAMES.iter().try_for_each(|name| clean(name, &options));
    }
    println!("| bug | law | {} |", TraceOptions::PRESETS.join(" | "));
    println!("|---|---|{}", "--:|".repeat(TraceOptions::PRESETS.len()));
    let mut best: Vec<f64> = Vec::new();
    let mut missed = Vec::new();
    let mut sums = [(0, 0); TraceOptions::PRESETS.len()];
    let wanted =
        |row: &&BugRow| options.bugs.is_empty() || options.bugs.iter().any(|b| b == row.name);
    for row in BUGS.iter().filter(wanted) {
        let found = TraceOptions::PRESETS.map(|preset| search(row, preset, &options));
        let mut laws: Vec<&str> = found.iter().flat_map(|times| times.keys().copied()).collect();
        laws.sort_by_key(|name| assay_lattice::LAWS.iter().position(|law| law.name == *name));
        laws.dedup();
        for name in &laws {
            let title = Law::find(name).map_or(String::new(), Law::title);
            let cell = |times: &BTreeMap<&str, f64>| {
                times.get(name).map_or("–".to_owned(), |seconds| format!("{seconds:.3}"))
            };
            let cells: Vec<String> = found.iter().map(cell).collect();
            println!("| {} | {title} | {} |", row.name, cells.join(" | "));
        }
        for (sum, times) in sums.iter_mut().zip(&found) {
            *sum = (sum.0 + usize::from(!times.is_empty()), sum.1 + times.len());
        }
        let first = found.iter().flat_map(|times| times.values().copied()).reduce(f64::min);
        match first {
            Some(seconds) => best.push(seconds),
            None => missed.push(row.name),
        }
    }
    let cells: Vec<String> = sums.iter().map(|(bugs, laws)| format!("{bugs} / {laws}")).collect();
    println!("| bugs found / laws broken | | {} |", cells.join(" | "));
    best.sort_by(f64::total_cmp);
    let slowest = best.last().copied().unwrap_or_default();
    println!(
        "\nfound {}, the slowest after {slowest:.2} s; missed: {}",
        best.len(),
        missed.join(", ")
    );
    Ok(())
}
