//! Laws of abstract domains, with libFuzzer as the engine.
//!
//! `ASSAY_DOMAIN` names the domain: `builtin/octagon`, `builtin/octagon:octagon-empty`, `apron/octD`
//! (with `ASSAY_LIBRARIES`, the folder of its libraries), `plugin` (its file). Built-in domains are
//! instrumented, so that their coverage guides the search; of libraries that are not, the features of
//! their results do. `ASSAY_CONFIGURATION` is one of C1 to C6.
//!
//! A violation ends the search. Where `ASSAY_FOUND` names a file, it is written there instead, with
//! the seconds since the start, and the search goes on with the other laws.

#![no_main]

use assay_lattice::{TraceOptions, Firmness, Law, Tally, Tester, decode, laws_for};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// What libFuzzer takes for coverage beside that of instrumented code.
const COUNTERS: usize = 1 << 16;

#[unsafe(link_section = "__libfuzzer_extra_counters")]
static mut EXTRA: [u8; COUNTERS] = [0; COUNTERS];

struct Fuzzed {
    tester: Box<dyn Tester>,
    config: TraceOptions,
    laws: Vec<&'static Law>,
    retired: Vec<&'static str>,
    found: Option<PathBuf>,
    features: Vec<u64>,
    begun: Instant,
}

thread_local! {
    static FUZZED: RefCell<Fuzzed> = RefCell::new(begin());
}

fn begin() -> Fuzzed {
    let variable = |name: &str| std::env::var(name).ok();
    let domain = variable("ASSAY_DOMAIN").unwrap_or_else(|| "builtin/octagon".to_owned());
    let (name, variant) = match domain.split_once(':') {
        Some((name, variant)) => (name, Some(variant)),
        None => (domain.as_str(), None),
    };
    let folder = variable("ASSAY_LIBRARIES").map(PathBuf::from);
    let tester = assay_plugin::load(name, variant, folder.as_deref()).unwrap_or_else(|e| panic!("{e}"));
    let preset = variable("ASSAY_CONFIGURATION").unwrap_or_else(|| "C2".to_owned());
    let config = TraceOptions::preset(&preset).unwrap_or_else(|| panic!("there is no `{preset}`"));
    let laws = laws_for(&*tester, &[]);
    let found = variable("ASSAY_FOUND").map(PathBuf::from);
    let (retired, features) = (Vec::new(), Vec::new());
    Fuzzed { tester, config, laws, retired, found, features, begun: Instant::now() }
}

fuzz_target!(|bytes: &[u8]| FUZZED.with_borrow_mut(|fuzzed| fuzzed.step(bytes)));

impl Fuzzed {
    fn step(&mut self, bytes: &[u8]) {
        let mut case = decode(bytes, self.tester.profile().shape, &self.config, &self.laws);
        case.checks.retain(|check| !self.retired.contains(&check.law.name));
        self.features.clear();
        let failed = self.tester.explore(&case, &mut Tally::default(), &mut self.features);
        for feature in &self.features {
            let place = (*feature as usize) % COUNTERS;
            // SAFETY: libFuzzer looks at the counters between inputs only, on this thread.
            unsafe { EXTRA[place] = 1 };
        }
        for (at, violation) in failed {
            if violation.firmness != Firmness::Hard || self.retired.contains(&violation.law.name) {
                continue;
            }
            let case = case.slice(at);
            let Some(file) = &self.found else {
                panic!("{} is violated:\n{case}{}", violation.law.title(), violation.evidence);
            };
            self.retired.push(violation.law.name);
            let seconds = self.begun.elapsed().as_secs_f64();
            let mut file = OpenOptions::new().create(true).append(true).open(file).expect("it opens");
            writeln!(file, "{seconds:.3} {}\n{case}", violation.law.title()).expect("it is written");
        }
    }
}
