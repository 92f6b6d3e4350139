//! What a worker is asked and what it answers: one JSON value on each line.
//!
//! A worker tries cases on one domain in a process of its own. Before each input it writes the
//! input's bytes to a file, its heartbeat: where the process dies, hangs or floods its output, the
//! file holds what it died of.

use crate::check::{Firmness, Tally};
use crate::domain::{Profile, Shape};
use crate::engine::{Engine, Hit, Search};
use crate::law::Law;
use crate::picture::picture;
use crate::pool::{Boundaries, Config, decode};
use crate::program::Case;
use crate::tester::Tester;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// Ends every answer.
pub const MARKER: &str = "assay-domain-done";

/// How a search is to be made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// How many elements the initial pool has.
    pub pool: usize,
    /// How many operations make it grow.
    pub operations: usize,
    /// Which boundaries: `none`, `int` or `long`.
    pub boundaries: String,
    /// How many variables.
    pub dimensions: usize,
    /// How many laws are tried on one pool.
    pub checks: usize,
    /// The engine's name.
    pub engine: String,
    /// Decides what is drawn.
    pub seed: u64,
    /// Only these laws, where any are named.
    pub laws: Vec<String>,
}

impl Plan {
    /// The plan of a configuration.
    #[must_use]
    pub fn new(config: &Config, engine: Engine, seed: u64, laws: Vec<String>) -> Plan {
        let boundaries = match config.boundaries {
            Boundaries::None => "none",
            Boundaries::Int => "int",
            Boundaries::Long => "long",
        };
        Plan {
            pool: config.pool,
            operations: config.operations,
            boundaries: boundaries.to_owned(),
            dimensions: config.dimensions,
            checks: config.checks,
            engine: engine.name().to_owned(),
            seed,
            laws,
        }
    }

    /// The configuration again.
    #[must_use]
    pub fn config(&self) -> Config {
        let boundaries = match self.boundaries.as_str() {
            "none" => Boundaries::None,
            "int" => Boundaries::Int,
            _ => Boundaries::Long,
        };
        let Plan { pool, operations, dimensions, checks, .. } = *self;
        Config { pool, operations, boundaries, dimensions, checks }
    }

    fn engine(&self) -> Engine {
        Engine::by_name(&self.engine).unwrap_or(Engine::Random)
    }

    /// The laws that it names.
    #[must_use]
    pub fn named_laws(&self) -> Vec<&'static Law> {
        self.laws.iter().filter_map(|name| Law::find(name)).collect()
    }
}

/// What a worker is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// What the domain offers, and which laws of a plan apply to it.
    Begin(Plan),
    /// To go on with the search for so many milliseconds.
    Search {
        /// How long.
        milliseconds: u64,
        /// Laws to be tried no more.
        retired: Vec<String>,
    },
    /// To try one program.
    Try {
        /// Its text.
        program: String,
    },
}

/// What a worker answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The domain is there.
    Ready {
        /// Its shape's name.
        shape: String,
        /// The laws that will be tried.
        laws: Vec<String>,
    },
    /// A law is violated.
    Violated {
        /// Which.
        law: String,
        /// Whether the domain claimed to be exact.
        hard: bool,
        /// What shows it.
        evidence: String,
        /// The program.
        program: String,
        /// The elements of the program in words.
        elements: Vec<String>,
        /// The elements as a picture, where there are two variables.
        picture: Option<String>,
    },
    /// How far the search has come.
    Progress {
        /// Inputs tried.
        tried: u64,
        /// Laws tried with their premises satisfied.
        checked: u64,
        /// Laws whose premises did not hold.
        inapplicable: u64,
        /// How often each law was tried with its premises satisfied.
        laws: BTreeMap<String, u64>,
    },
    /// The request makes no sense.
    Refused(String),
}

/// Answers requests until there are no more.
///
/// # Errors
/// Where the channel or the heartbeat's file cannot be used.
pub fn serve(
    tester: &dyn Tester,
    heartbeat: &File,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut search = None;
    for line in input.lines() {
        let request: Result<Request, _> = serde_json::from_str(&line?);
        let replies = match request {
            Ok(Request::Begin(plan)) => {
                let begun = begin(tester, &plan);
                let laws = begun.open_laws().iter().map(|law| law.name.to_owned()).collect();
                let shape = tester.profile().shape.name().to_owned();
                search = Some(begun);
                vec![Reply::Ready { shape, laws }]
            }
            Ok(Request::Search { milliseconds, retired }) => match &mut search {
                Some(search) => go_on(search, tester, heartbeat, milliseconds, &retired)?,
                None => vec![Reply::Refused("no search was begun".to_owned())],
            },
            Ok(Request::Try { program }) => attempt(tester, &program),
            Err(error) => vec![Reply::Refused(error.to_string())],
        };
        for reply in replies {
            writeln!(output, "{}", serde_json::to_string(&reply)?)?;
        }
        writeln!(output, "{MARKER}")?;
        output.flush()?;
    }
    Ok(())
}

fn begin<'t>(tester: &'t dyn Tester, plan: &Plan) -> Search<'t> {
    let config = plan.config();
    let inputs = plan.engine().inputs(&config, plan.seed);
    Search::new(tester, config, inputs, &plan.named_laws())
}

/// The clock is looked at once in so many inputs.
const LOOK_EVERY: u64 = 16;

fn go_on(
    search: &mut Search<'_>,
    tester: &dyn Tester,
    heartbeat: &File,
    milliseconds: u64,
    retired: &[String],
) -> io::Result<Vec<Reply>> {
    retired.iter().filter_map(|name| Law::find(name)).for_each(|law| search.retire(law));
    let begun = Instant::now();
    let limit = Duration::from_millis(milliseconds);
    let mut replies = Vec::new();
    while !search.open_laws().is_empty() {
        if search.tried % LOOK_EVERY == 0 && begun.elapsed() >= limit {
            break;
        }
        let hit = search.step_after(|input| beat(heartbeat, input))?;
        if let Some(hit) = hit {
            // One of each law is enough until somebody has looked at it.
            match hit.violation.firmness {
                Firmness::Hard => search.retire(hit.violation.law),
                Firmness::Soft => search.hush(hit.violation.law),
            }
            replies.push(violated(tester, &hit));
        }
    }
    replies.push(progress(search.tried, &search.tally));
    Ok(replies)
}

fn progress(tried: u64, tally: &Tally) -> Reply {
    let Tally { checked, inapplicable, laws } = tally;
    let laws = laws.iter().map(|(law, count)| ((*law).to_owned(), *count)).collect();
    Reply::Progress { tried, checked: *checked, inapplicable: *inapplicable, laws }
}

/// Writes what is about to be tried, with its length before it.
fn beat(heartbeat: &File, input: &[u8]) -> io::Result<()> {
    let length = u32::try_from(input.len()).unwrap_or(u32::MAX).to_le_bytes();
    heartbeat.write_all_at(&[&length, input].concat(), 0)
}

/// What a heartbeat's file says was tried last.
///
/// # Errors
/// Where the file cannot be read.
pub fn last_input(heartbeat: &File) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    if heartbeat.read_at(&mut length, 0)? < length.len() {
        return Ok(None);
    }
    let mut input = vec![0; u32::from_le_bytes(length) as usize];
    heartbeat.read_exact_at(&mut input, length.len() as u64)?;
    Ok(Some(input))
}

fn violated(tester: &dyn Tester, hit: &Hit) -> Reply {
    Reply::Violated {
        law: hit.violation.law.name.to_owned(),
        hard: hit.violation.firmness == Firmness::Hard,
        evidence: hit.violation.evidence.clone(),
        program: hit.case.to_string(),
        elements: (0..hit.case.steps.len()).map(|step| tester.show(&hit.case, step)).collect(),
        picture: picture(tester, &hit.case),
    }
}

fn attempt(tester: &dyn Tester, program: &str) -> Vec<Reply> {
    let read = Case::read(program).map_err(|error| error.to_string());
    let case = match read.and_then(|case| suitable(case, tester.profile())) {
        Ok(case) => case,
        Err(why) => return vec![Reply::Refused(why)],
    };
    let mut tally = Tally::default();
    let found = tester.run(&case, &mut tally);
    let mut replies = Vec::new();
    for (check, violation) in found {
        let hit = Hit { case: case.slice(check), violation, input: Vec::new() };
        replies.push(violated(tester, &hit));
    }
    replies.push(progress(1, &tally));
    replies
}

/// The case, where the domain claims to obey its laws: what was never promised is no violation.
fn suitable(case: Case, profile: &Profile) -> Result<Case, String> {
    if case.shape != profile.shape {
        let (own, other) = (profile.shape.name(), case.shape.name());
        return Err(format!(
            "{} is a domain of {own}, and the program is about {other}",
            profile.name
        ));
    }
    match case.checks.iter().find_map(|check| check.law.obstacle(profile)) {
        Some(why) => Err(why),
        None => Ok(case),
    }
}

/// The case that an input stands for, with the shape and the laws that a worker named.
#[must_use]
pub fn case_of(plan: &Plan, shape: Shape, laws: &[String], input: &[u8]) -> Case {
    let laws: Vec<&'static Law> = laws.iter().filter_map(|name| Law::find(name)).collect();
    decode(input, shape, &plan.config(), &laws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bug;
    use crate::reference;

    fn plan() -> Plan {
        let config = Config::preset("C2").expect("it is a preset");
        Plan::new(&config, Engine::Random, 5, Vec::new())
    }

    fn answers(tester: &dyn Tester, requests: &[Request]) -> Vec<Reply> {
        let lines: Vec<String> = requests
            .iter()
            .map(|request| serde_json::to_string(request).expect("it is plain data"))
            .collect();
        let heartbeat = tempfile::tempfile().expect("there is room for a file");
        let mut output = Vec::new();
        serve(tester, &heartbeat, lines.join("\n").as_bytes(), &mut output).expect("it serves");
        let text = String::from_utf8(output).expect("it is text");
        let lines = text.lines().filter(|line| *line != MARKER);
        lines.map(|line| serde_json::from_str(line).expect("it is a reply")).collect()
    }

    #[test]
    fn a_worker_finds_and_tries_again() {
        let tester = reference::seeded(Bug::IntervalJoinLower);
        let search = Request::Search { milliseconds: 3_000, retired: Vec::new() };
        let found = answers(&*tester, &[Request::Begin(plan()), search]);
        assert!(
            matches!(&found[0], Reply::Ready { shape, .. } if *shape == Shape::Intervals.name())
        );
        let hit = found.iter().find_map(|reply| match reply {
            Reply::Violated { law, program, hard: true, .. } => Some((law, program)),
            _ => None,
        });
        let (law, program) = hit.expect("the bug is found");
        let again = answers(&*tester, &[Request::Try { program: program.clone() }]);
        assert!(matches!(&again[0], Reply::Violated { law: same, .. } if same == law));
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
            assert_eq!(last_input(&heartbeat).expect("it is a file"), Some(input.to_vec()));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let tester = reference::by_name("octagon", None).expect("it is built in");
        let search = Request::Search { milliseconds: 1, retired: Vec::new() };
        let program = "nonsense".to_owned();
        let said = answers(&*tester, &[search, Request::Try { program }]);
        assert!(said.iter().all(|reply| matches!(reply, Reply::Refused(_))), "{said:?}");
    }

    #[test]
    fn what_a_domain_never_promised_is_refused() {
        let loops = "poly1 <- poly(x0 >= 0)\nassert loop-narrows(poly1, x0, x0 + 1)\n";
        for (domain, program, why) in [
            ("polyhedron", format!("polyhedra, 1 variables\n{loops}"), "it has no narrowing"),
            (
                "interval",
                "octagons, 1 variables\noct1 <- oct(x0 >= 0)\nassert top-meet(oct1)\n".to_owned(),
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
