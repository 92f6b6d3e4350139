//! The requests and answers of a worker: one JSON value per line.
//!
//! A worker tests cases on one domain in a separate process. Before each input it writes the input's
//! bytes to a file, its heartbeat: if the process dies, hangs or floods its output, the file contains
//! the input that caused it. Findings are sent immediately, so none are lost.

use crate::check::{Firmness, Tally, Violation};
use crate::domain::{Profile, Shape};
use crate::engine::{Engine, Inputs, Search};
use crate::input::Input;
use crate::law::Law;
use crate::picture::picture;
use crate::pool::{TraceOptions, decode};
use crate::program::Trace;
use crate::tester::Tester;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// Ends every answer.
pub const MARKER: &str = "assay-domain-done";

/// The plan of a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// How cases are generated.
    #[serde(flatten)]
    pub config: TraceOptions,
    /// The engine.
    pub engine: Engine,
    /// Seed for random choices.
    pub seed: u64,
    /// Only these laws, if any are named.
    pub laws: Vec<String>,
    /// Number of first cases to skip.
    #[serde(default)]
    pub skipped: u32,
}

impl Plan {
    /// The plan of a configuration.
    #[must_use]
    pub fn new(config: &TraceOptions, engine: Engine, seed: u64, laws: Vec<String>) -> Plan {
        Plan { config: config.clone(), engine, seed, laws, skipped: 0 }
    }

    /// The selected laws.
    ///
    /// # Errors
    /// If there is no such law.
    pub fn named_laws(&self) -> Result<Vec<&'static Law>, String> {
        named(&self.laws)
    }
}

fn named(laws: &[String]) -> Result<Vec<&'static Law>, String> {
    let find = |name: &String| Law::find(name).ok_or_else(|| format!("there is no law `{name}`"));
    laws.iter().map(find).collect()
}

/// A request to a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Is the worker there?
    Greet,
    /// What does the domain offer, and which laws of a plan apply to it?
    Begin {
        /// The plan.
        plan: Plan,
        /// Inputs that showed new behavior to earlier workers.
        corpus: Vec<Input>,
    },
    /// Continue the search for this many milliseconds.
    Search {
        /// The time.
        milliseconds: u64,
        /// Laws to exclude from now on.
        retired: Vec<String>,
    },
    /// Test one program.
    Try {
        /// Its text.
        program: String,
    },
}

/// An answer of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The domain is there.
    Ready {
        /// Its shape's name.
        shape: String,
        /// The laws that will be tested.
        laws: Vec<String>,
        /// Whether joins take a loop head.
        hinted: bool,
    },
    /// A law is violated.
    Violated {
        /// The law.
        law: String,
        /// Whether the domain claimed to be exact.
        hard: bool,
        /// The evidence.
        evidence: String,
        /// The program.
        program: String,
        /// The whole input that the program comes from; none for a given program.
        input: Option<Input>,
    },
    /// The elements of the program that violated a law. They are sent separately, because a library may
    /// crash when it is asked for them.
    Shown {
        /// The elements of the program as text.
        elements: Vec<String>,
        /// The elements as a picture, if there are two variables.
        picture: Option<String>,
    },
    /// Inputs that showed new behavior.
    Learnt(Vec<Input>),
    /// The progress of the search.
    Progress {
        /// Number of inputs tested.
        tried: u64,
        /// The time of the slowest of them, in microseconds.
        slowest: u64,
        /// Number of laws tested with their premises satisfied.
        checked: u64,
        /// Laws whose premises did not hold.
        inapplicable: u64,
        /// The number of tests of each law with its premises satisfied.
        laws: BTreeMap<String, u64>,
    },
    /// The request is invalid.
    Refused(String),
}

/// Where the inputs of a plan come from.
pub type Source<'s> = &'s dyn Fn(&Plan) -> Result<Box<dyn Inputs>, String>;

/// The inputs of our own engines.
///
/// # Errors
/// If the plan's engine is another program.
pub fn own_inputs(plan: &Plan) -> Result<Box<dyn Inputs>, String> {
    let inputs = plan.engine.inputs(&plan.config, plan.seed);
    inputs.ok_or_else(|| format!("this worker has no engine `{}`", plan.engine.name()))
}

/// Answers requests until there are no more.
///
/// # Errors
/// If the channel or the heartbeat's file cannot be used.
pub fn serve(
    tester: &dyn Tester,
    source: Source<'_>,
    heartbeat: &File,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut search: Option<Search<'_>> = None;
    for line in input.lines() {
        let request: Result<Request, _> = serde_json::from_str(&line?);
        match request {
            Ok(Request::Greet) => {}
            Ok(Request::Begin { plan, corpus }) => match begin(tester, source, &plan, corpus) {
                Ok(begun) => {
                    let laws = begun.open_laws().iter().map(|law| law.name.to_owned()).collect();
                    let shape = tester.profile().shape.name().to_owned();
                    search = Some(begun);
                    let hinted = tester.profile().hinted;
                    say(&mut output, &Reply::Ready { shape, laws, hinted })?;
                }
                Err(why) => say(&mut output, &Reply::Refused(why))?,
            },
            Ok(Request::Search { milliseconds, retired }) => match &mut search {
                Some(search) => {
                    retired
                        .iter()
                        .filter_map(|name| Law::find(name))
                        .for_each(|l| search.retire(l));
                    go_on(search, heartbeat, Duration::from_millis(milliseconds), &mut output)?;
                }
                None => say(&mut output, &Reply::Refused("no search was started".to_owned()))?,
            },
            Ok(Request::Try { program }) => attempt(tester, &program, &mut output)?,
            Err(error) => say(&mut output, &Reply::Refused(error.to_string()))?,
        }
        writeln!(output, "{MARKER}")?;
        output.flush()?;
    }
    Ok(())
}

/// Sends it immediately: the worker may die next.
fn say(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    writeln!(output, "{}", serde_json::to_string(reply)?)?;
    output.flush()
}

fn begin<'t>(
    tester: &'t dyn Tester,
    source: Source<'_>,
    plan: &Plan,
    corpus: Vec<Input>,
) -> Result<Search<'t>, String> {
    let mut inputs = source(plan)?;
    inputs.recall(corpus.into_iter().map(|input| input.0).collect());
    let mut search = Search::new(tester, plan.config.clone(), inputs, &plan.named_laws()?);
    search.skip_first(plan.skipped);
    Ok(search)
}

/// How many counts a crash may lose.
const COUNTED_EVERY: Duration = Duration::from_millis(10);

/// Searches for a while. Reading the clock after every input is comparatively cheap.
fn go_on(
    search: &mut Search<'_>,
    heartbeat: &File,
    limit: Duration,
    output: &mut impl Write,
) -> io::Result<()> {
    let begun = Instant::now();
    let (mut now, mut counted, mut slowest) = (begun, begun, Duration::ZERO);
    while !search.open_laws().is_empty() && now - begun < limit {
        let hit = search.step_after(|input| beat(heartbeat, input))?;
        let before = std::mem::replace(&mut now, Instant::now());
        slowest = slowest.max(now - before);
        if let Some(hit) = hit {
            // One violation of each law is enough until it has been examined.
            match hit.violation.firmness {
                Firmness::Hard => search.retire(hit.violation.law),
                Firmness::Soft => search.hush(hit.violation.law),
            }
            say(output, &violated(&hit.violation, &hit.case, Some(Input(hit.input))))?;
        }
        // The first ones are counted too if workers die early.
        if search.tried.is_power_of_two() || now - counted >= COUNTED_EVERY {
            counted = now;
            say(output, &progress(search.tried, slowest, &search.tally))?;
        }
    }
    let learnt = search.learnt();
    if !learnt.is_empty() {
        say(output, &Reply::Learnt(learnt.into_iter().map(Input).collect()))?;
    }
    say(output, &progress(search.tried, slowest, &search.tally))
}

fn progress(tried: u64, slowest: Duration, tally: &Tally) -> Reply {
    let Tally { checked, inapplicable, laws } = tally;
    let laws = laws.iter().map(|(law, count)| ((*law).to_owned(), *count)).collect();
    let slowest = u64::try_from(slowest.as_micros()).unwrap_or(u64::MAX);
    Reply::Progress { tried, slowest, checked: *checked, inapplicable: *inapplicable, laws }
}

/// Writes the next input, preceded by its length.
fn beat(heartbeat: &File, input: &[u8]) -> io::Result<()> {
    let length = u32::try_from(input.len()).unwrap_or(u32::MAX).to_le_bytes();
    heartbeat.write_all_at(&[&length, input].concat(), 0)
}

/// The last input according to a heartbeat's file.
///
/// # Errors
/// If the file cannot be read.
pub fn last_input(heartbeat: &File) -> io::Result<Option<Input>> {
    let mut length = [0; 4];
    if heartbeat.read_at(&mut length, 0)? < length.len() {
        return Ok(None);
    }
    let mut input = vec![0; u32::from_le_bytes(length) as usize];
    heartbeat.read_exact_at(&mut input, length.len() as u64)?;
    Ok(Some(Input(input)))
}

fn violated(violation: &Violation, case: &Trace, input: Option<Input>) -> Reply {
    Reply::Violated {
        law: violation.law.name.to_owned(),
        hard: violation.firmness == Firmness::Hard,
        evidence: violation.evidence.clone(),
        program: case.to_string(),
        input,
    }
}

fn attempt(tester: &dyn Tester, program: &str, output: &mut impl Write) -> io::Result<()> {
    let read = Trace::read(program).map_err(|error| error.to_string());
    let case = match read.and_then(|case| suitable(case, tester.profile())) {
        Ok(case) => case,
        Err(why) => return say(output, &Reply::Refused(why)),
    };
    let mut tally = Tally::default();
    let begun = Instant::now();
    let found = tester.run(&case, &mut tally);
    let slices = found.iter().map(|(check, _)| case.slice(*check)).collect::<Vec<_>>();
    for ((_, violation), slice) in found.iter().zip(&slices) {
        say(output, &violated(violation, slice, None))?;
    }
    say(output, &progress(1, begun.elapsed(), &tally))?;
    match slices.first() {
        Some(slice) => say(output, &shown(tester, slice)),
        None => Ok(()),
    }
}

/// The case, if the domain claims to obey its laws: breaking an unclaimed law is not a violation.
fn suitable(case: Trace, profile: &Profile) -> Result<Trace, String> {
    if case.shape != profile.shape {
        let (own, other) = (profile.shape.name(), case.shape.name());
        return Err(format!(
            "{} is a domain of {own}, but the program is about {other}",
            profile.name
        ));
    }
    match case.checks.iter().find_map(|check| check.law.obstacle(profile)) {
        Some(why) => Err(why),
        None => Ok(case),
    }
}

fn shown(tester: &dyn Tester, case: &Trace) -> Reply {
    Reply::Shown {
        elements: (0..case.steps.len()).map(|step| tester.show(case, step)).collect(),
        picture: picture(tester, case),
    }
}

/// Decodes the case of an input, with the shape that a worker named and the laws of the plan.
///
/// # Errors
/// If the plan names an unknown law.
pub fn trace_of(plan: &Plan, shape: Shape, input: &Input) -> Result<Trace, String> {
    Ok(decode(&input.0, shape, &plan.config, &plan.named_laws()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bug;
    use crate::reference;

    fn plan() -> Plan {
        let config = TraceOptions::preset("C2").expect("it is a preset");
        Plan::new(&config, Engine::Random, 5, Vec::new())
    }

    fn answers(tester: &dyn Tester, requests: &[Request]) -> Vec<Reply> {
        let lines: Vec<String> = requests
            .iter()
            .map(|request| serde_json::to_string(request).expect("it is plain data"))
            .collect();
        let heartbeat = tempfile::tempfile().expect("there is room for a file");
        let mut output = Vec::new();
        serve(tester, &own_inputs, &heartbeat, lines.join("\n").as_bytes(), &mut output)
            .expect("it serves");
        let text = String::from_utf8(output).expect("it is text");
        let lines = text.lines().filter(|line| *line != MARKER);
        lines.map(|line| serde_json::from_str(line).expect("it is a reply")).collect()
    }

    #[test]
    fn a_worker_finds_a_bug_and_reproduces_it() {
        let tester = reference::seeded(Bug::IntervalJoinLower);
        let search = Request::Search { milliseconds: 3_000, retired: Vec::new() };
        let begin = Request::Begin { plan: plan(), corpus: Vec::new() };
        let found = answers(&*tester, &[begin, search]);
        assert!(
            matches!(&found[0], Reply::Ready { shape, .. } if *shape == Shape::Intervals.name())
        );
        let hit = found.iter().find_map(|reply| match reply {
            Reply::Violated { law, program, hard: true, input: Some(input), .. } => {
                Some((law, program, input))
            }
            _ => None,
        });
        let (law, program, input) = hit.expect("the bug is found");
        // The bytes alone make the program again, among others.
        let Reply::Ready { laws, .. } = &found[0] else { panic!("it is ready first") };
        let plan = Plan { laws: laws.clone(), ..plan() };
        let case = trace_of(&plan, Shape::Intervals, input).expect("the laws are known");
        assert!((0..case.checks.len()).any(|check| case.slice(check).to_string() == *program));
        let again = answers(&*tester, &[Request::Try { program: program.clone() }]);
        assert!(matches!(&again[0], Reply::Violated { law: same, .. } if same == law));
        assert!(matches!(again.last(), Some(Reply::Shown { .. })), "{again:?}");
        let clean = reference::by_name("interval-int", None).expect("it is built in");
        let fine = answers(&*clean, &[Request::Try { program: program.clone() }]);
        assert!(matches!(fine[..], [Reply::Progress { .. }]));
    }

    #[test]
    fn the_heartbeat_holds_the_last_input() {
        let heartbeat = tempfile::tempfile().expect("there is room for a file");
        assert_eq!(last_input(&heartbeat).expect("it is a file"), None);
        for input in [&[1u8, 2, 3][..], &[9]] {
            beat(&heartbeat, input).expect("it is a file");
            let said = last_input(&heartbeat).expect("it is a file");
            assert_eq!(said, Some(Input(input.to_vec())));
        }
    }

    /// A channel that is closed once a violation went through it, as by the worker's death.
    struct Grave(Vec<u8>);

    impl Write for Grave {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if String::from_utf8_lossy(&self.0).contains("violated") {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.0.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn progress_before_a_death_is_reported() {
        // One law shows it, so that other inputs come first; the span is longer than anyone waits.
        let tester = reference::seeded(Bug::IntervalGuardFirst);
        let requests = [
            Request::Begin { plan: plan(), corpus: Vec::new() },
            Request::Search { milliseconds: 3_600_000, retired: Vec::new() },
        ];
        let lines = requests.map(|r| serde_json::to_string(&r).expect("it is plain data"));
        let heartbeat = tempfile::tempfile().expect("there is room for a file");
        let mut grave = Grave(Vec::new());
        serve(&*tester, &own_inputs, &heartbeat, lines.join("\n").as_bytes(), &mut grave)
            .expect_err("the channel is closed");
        let said = String::from_utf8(grave.0).expect("it is text");
        assert!(said.contains("progress"), "what was tried before is counted: {said}");
    }

    #[test]
    fn unknown_words_in_a_plan_are_refused() {
        let tester = reference::by_name("octagon", None).expect("it is built in");
        let heartbeat = tempfile::tempfile().expect("there is room for a file");
        let good = Request::Begin { plan: plan(), corpus: Vec::new() };
        let good = serde_json::to_string(&good).expect("it is plain data");
        let bad = [
            good.replace("\"random\"", "\"magic\""),
            good.replace("\"random\"", "\"libfuzzer\""),
            good.replace("\"long\"", "\"wide\""),
            good.replace("\"laws\":[]", "\"laws\":[\"no-such-law\"]"),
        ];
        for bad in bad {
            assert_ne!(bad, good);
            let mut output = Vec::new();
            serve(&*tester, &own_inputs, &heartbeat, bad.as_bytes(), &mut output)
                .expect("it serves");
            let said = String::from_utf8(output).expect("it is text");
            assert!(said.starts_with("{\"refused\""), "{said}");
        }
    }

    #[test]
    fn requests_without_a_plan_or_a_program_are_refused() {
        let tester = reference::by_name("octagon", None).expect("it is built in");
        let search = Request::Search { milliseconds: 1, retired: Vec::new() };
        let program = "nonsense".to_owned();
        let said = answers(&*tester, &[search, Request::Try { program }]);
        assert!(said.iter().all(|reply| matches!(reply, Reply::Refused(_))), "{said:?}");
    }

    #[test]
    fn unsupported_traces_are_refused_with_a_reason() {
        let loops = "poly1 <- poly(x0 >= 0)\nassert loop-narrows(poly1, x0, x0 + 1)\n";
        for (domain, program, why) in [
            ("polyhedron", format!("polyhedra, 1 variable\n{loops}"), "it has no narrowing"),
            (
                "interval",
                "octagons, 1 variable\noct1 <- oct(x0 >= 0)\nassert top-meet(oct1)\n".to_owned(),
                "a domain of intervals",
            ),
        ] {
            let tester = reference::by_name(domain, None).expect("it is built in");
            let said = answers(&*tester, &[Request::Try { program }]);
            assert!(
                matches!(&said[..], [Reply::Refused(words)] if words.contains(why)),
                "{domain}: {said:?}"
            );
        }
    }
}
