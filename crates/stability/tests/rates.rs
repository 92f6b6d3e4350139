//! The sequential test on queries whose rates are known, beside 60 mutants of each class: errors and
//! runs. `-- --nocapture` prints the table of docs/stability.md.

use assay_mutate::Draw;
use assay_stability::{
    Category, Class, Design, Engine, FIXED, Meter, Next, Run, Settings, Tally, examine, next,
    queries,
};
use assay_trigger::{RunEnd, Said};
use std::time::Duration;

const TRIALS: u64 = 1_000;

/// The rates of success of the five classes, in percent, and what a query with them is.
const KNOWN: [([usize; 5], Category); 14] = [
    ([100; 5], Category::Stable),
    ([99; 5], Category::Stable),
    ([98; 5], Category::Stable),
    ([90; 5], Category::Unstable),
    ([80; 5], Category::Unstable),
    ([50; 5], Category::Unstable),
    ([20; 5], Category::Unstable),
    ([2; 5], Category::Unsolvable),
    ([1; 5], Category::Unsolvable),
    ([0; 5], Category::Unsolvable),
    ([90, 100, 100, 100, 100], Category::Unstable),
    ([80, 100, 100, 100, 100], Category::Unstable),
    ([50, 100, 100, 100, 100], Category::Unstable),
    ([0, 100, 100, 100, 100], Category::Unstable),
];

/// The outcome of many trials.
struct Measured {
    wrong: f64,
    open: f64,
    runs: f64,
}

fn measured(rates: [usize; 5], truth: Category, design: Design) -> Measured {
    let (mut wrong, mut open, mut runs) = (0u32, 0u32, 0u32);
    for trial in 0..TRIALS {
        let mut draw = Draw::new(&[trial, rates[0] as u64, rates[1] as u64, 17]);
        let mut tallies = [Tally::default(); 5];
        // What is hardly ever solved is not solved as written.
        let solved = rates[4] > 5 && draw.below(100) < rates[draw.clone().below(5)];
        let category = loop {
            match next(&tallies, solved, design) {
                Next::Run(at) => tallies[at].add(draw.below(100) < rates[at]),
                Next::Decided(category) => break category,
            }
        };
        wrong += u32::from(category != truth && category != Category::Inconclusive);
        open += u32::from(category == Category::Inconclusive);
        runs += tallies.iter().map(|tally| tally.runs()).sum::<u32>();
    }
    let share = |count: u32| f64::from(count) / TRIALS as f64;
    Measured { wrong: share(wrong), open: share(open), runs: share(runs) }
}

#[test]
fn errors_and_runs_at_known_rates() {
    println!(
        "| rates of the classes | is | wrong | open | runs | wrong, fixed | open, fixed | runs, fixed |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let (mut runs, mut fixed_runs) = (0.0, 0.0);
    for (rates, truth) in KNOWN {
        let one = measured(rates, truth, Design::Sequential(FIXED));
        let fixed = measured(rates, truth, Design::Fixed(FIXED));
        let same = rates.iter().all(|&rate| rate == rates[0]);
        let shown = if same {
            format!("all {} %", rates[0])
        } else {
            format!("one {} %, four 100 %", rates[0])
        };
        println!(
            "| {shown} | {} | {:.1} % | {:.1} % | {:.0} | {:.1} % | {:.1} % | {:.0} |",
            truth.name(),
            one.wrong * 100.0,
            one.open * 100.0,
            one.runs,
            fixed.wrong * 100.0,
            fixed.open * 100.0,
            fixed.runs
        );
        // A third of the fixed design wherever the rate is not close to a threshold.
        if [0, 20, 50, 80, 100].contains(&rates[0]) && (same || rates[0] <= 50) {
            assert!(one.runs <= fixed.runs / 3.0, "{shown}: {} runs", one.runs);
            runs += one.runs;
            fixed_runs += fixed.runs;
        }
        if same {
            assert!(one.wrong <= 0.05, "{shown}: {} wrong", one.wrong);
        }
    }
    assert!(runs <= fixed_runs / 3.0);
}

/// A solver that solves this share of the scripts, decided by their text.
struct Fake {
    percent: u64,
    asked: Vec<String>,
}

impl Engine for Fake {
    fn name(&self) -> &str {
        "fake"
    }

    fn meter(&self) -> Meter {
        Meter::Z3
    }

    fn run(&mut self, script: &str, _: Duration) -> Said {
        if !script.contains("(check-sat)") {
            return Said { text: String::new(), log: String::new(), end: RunEnd::Finished };
        }
        self.asked.push(script.to_owned());
        let hash = script.bytes().fold(0u64, |all, byte| {
            (all ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
        });
        let text = match (hash >> 20) % 100 < self.percent {
            true => "(:rlimit 10)\nunsat\n(:reason-unknown \"\")\n(:rlimit 1010)\n",
            false => {
                "(:rlimit 10)\nunknown\n(:reason-unknown \"max. resource limit exceeded\")\n(:rlimit 200010)\n"
            }
        };
        Said { text: text.to_owned(), log: String::new(), end: RunEnd::Finished }
    }
}

const QUERY: &str = "(set-option :timeout 3)
(declare-fun f (Int) Int)
(declare-const a Int)
(assert (forall ((x Int)) (! (= (f (+ x 1)) x) :pattern ((f (+ x 1))) :qid q)))
(assert (= (f a) 3))
(assert (distinct (f 2) a))
(push 1)
(assert (and (< a 2) (> a 0)))
(check-sat)";

#[test]
fn a_fake_solver_is_classified_reproducibly_by_its_rate() {
    let query = queries(QUERY).expect("it reads").remove(0);
    let settings = Settings { cause: false, ..Settings::default() };
    for (percent, expected) in [
        (100, Category::Stable),
        (60, Category::Unstable),
        (30, Category::Unstable),
        (0, Category::Unsolvable),
    ] {
        let mut engine = Fake { percent, asked: Vec::new() };
        let one = examine(&query, &mut engine, &settings);
        assert_eq!(one.category, expected, "{percent}: {one:?}");
        assert_eq!(one.classes.len(), Class::ALL.len());
        let again = examine(&query, &mut Fake { percent, asked: Vec::new() }, &settings);
        assert_eq!(one, again);
        assert!(engine.asked.iter().all(|script| !script.contains(":timeout")));
        if percent == 100 {
            assert_eq!(one.samples.len(), 60);
            assert_eq!(one.limit, 200_000);
        }
    }
}

#[test]
fn suggestions_that_repair_nothing_are_omitted() {
    let query = queries(QUERY).expect("it reads").remove(0);
    let mut engine = Fake { percent: 60, asked: Vec::new() };
    let one = examine(&query, &mut engine, &Settings::default());
    let cause = one.cause.expect("it is unstable");
    assert_eq!(cause.suggestions, Vec::new());
}

/// A solver that contradicts itself.
struct Fickle(bool);

impl Engine for Fickle {
    fn name(&self) -> &str {
        "fickle"
    }

    fn meter(&self) -> Meter {
        Meter::Z3
    }

    fn run(&mut self, script: &str, _: Duration) -> Said {
        let mut text = String::new();
        if script.contains("(check-sat)") {
            self.0 = !self.0;
            let answer = if self.0 { "unsat" } else { "sat" };
            text = format!("(:rlimit 1)\n{answer}\n(:rlimit 2)\n");
        }
        Said { text, log: String::new(), end: RunEnd::Finished }
    }
}

#[test]
fn contradicting_answers_are_reported() {
    let query = queries(QUERY).expect("it reads").remove(0);
    let one = examine(&query, &mut Fickle(false), &Settings::default());
    assert_eq!(one.category, Category::Unstable);
    let [(first, _), (second, _)] = one.contradiction.expect("both answers were given");
    assert_eq!((first, second), (None, Some((Class::Order, 0))));
}

/// A solver that never ends.
struct Slow;

impl Engine for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn meter(&self) -> Meter {
        Meter::Z3
    }

    fn run(&mut self, script: &str, _: Duration) -> Said {
        let end = if script.contains("(check-sat)") { RunEnd::TimedOut } else { RunEnd::Finished };
        Said { text: String::new(), log: String::new(), end }
    }
}

#[test]
fn a_time_limit_leaves_the_category_inconclusive() {
    let query = queries(QUERY).expect("it reads").remove(0);
    let one = examine(&query, &mut Slow, &Settings::default());
    assert_eq!((one.category, one.original), (Category::Inconclusive, Run::OutOfTime));
    assert!(one.notes[0].contains("time limit"), "{:?}", one.notes);
}
