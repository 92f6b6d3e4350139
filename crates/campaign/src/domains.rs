//! Campaigns on abstract domains: workers search, what they find is confirmed, reduced and written.
//!
//! A violation counts after two fresh processes showed it; so does a worker's death. Each law is
//! reported once for each target: what else breaks it is most likely the same mistake.

use crate::confirm::Stability;
use assay_lattice::protocol::{Plan, Reply, case_of};
use assay_lattice::{Case, Class, Law, Shape, reduce};
use assay_target::HarnessError;
use assay_target::domain::{Death, DomainWorker, Heard};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is wrong with a domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainFault {
    /// A law is violated: points are lost.
    Unsound,
    /// A law is violated: there is more than necessary.
    Imprecise,
    /// Widening or narrowing does not come to rest.
    Restless,
    /// The library said itself that it might be imprecise here.
    Soft,
    /// The worker died.
    Crash,
    /// The worker took too long.
    Hang,
    /// The worker wrote too much.
    Flood,
}

impl DomainFault {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DomainFault::Unsound => "unsound",
            DomainFault::Imprecise => "imprecise",
            DomainFault::Restless => "restless",
            DomainFault::Soft => "soft",
            DomainFault::Crash => "crash",
            DomainFault::Hang => "hang",
            DomainFault::Flood => "flood",
        }
    }

    fn of_law(law: &Law, hard: bool) -> DomainFault {
        match law.class {
            _ if !hard => DomainFault::Soft,
            Class::Soundness => DomainFault::Unsound,
            Class::Precision => DomainFault::Imprecise,
            Class::Convergence => DomainFault::Restless,
        }
    }

    fn of_death(death: &Death) -> DomainFault {
        match death {
            Death::Crash(_) => DomainFault::Crash,
            Death::Hang => DomainFault::Hang,
            Death::Flood => DomainFault::Flood,
        }
    }
}

/// Something to report about a domain.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DomainFinding {
    /// The target's name.
    pub target: String,
    /// What is wrong.
    pub fault: DomainFault,
    /// The law, for a violation.
    pub law: Option<String>,
    /// How firmly it stands.
    pub stability: Stability,
    /// The program, reduced.
    pub program: String,
    /// The program as it was found.
    pub original: String,
    /// What shows it.
    pub evidence: String,
    /// The elements of the program in words.
    pub elements: Vec<String>,
    /// The elements as a picture, where there are two variables; a file of its own.
    #[serde(skip)]
    pub picture: Option<String>,
    /// How long the search had lasted, in seconds.
    pub seconds: f64,
    /// The plan that found it.
    pub plan: Plan,
}

/// How a search on one target went.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DomainTally {
    /// Inputs tried.
    pub tried: u64,
    /// Laws tried with their premises satisfied.
    pub checked: u64,
    /// Workers that died.
    pub deaths: u64,
    /// How many laws were tried.
    pub laws: usize,
}

/// A search on one target.
pub struct DomainCampaign<'c> {
    /// How it is made.
    pub plan: Plan,
    /// How long it lasts.
    pub budget: Duration,
    /// Set by whoever wants it to end.
    pub stop: &'c AtomicBool,
}

/// How long a worker searches before it reports.
const SPAN: Duration = Duration::from_millis(500);

/// How many candidates a reduction tries: violations are tried quickly, deaths cost their time.
const TRIES: (usize, usize) = (600, 60);

/// After so many deaths a target is left alone.
const DEATHS: u64 = 8;

impl DomainCampaign<'_> {
    /// Searches, and tells each finding as soon as it is confirmed and reduced, for which another
    /// worker of the same target is needed: the search goes on where it was.
    ///
    /// # Errors
    /// A failure of ours.
    pub fn run(
        &self,
        worker: &mut DomainWorker,
        assistant: &mut DomainWorker,
        tell: &mut dyn FnMut(DomainFinding),
    ) -> Result<DomainTally, DomainError> {
        let mut plan = self.plan.clone();
        let mut tally = DomainTally::default();
        let (mut told, mut softly) = (Vec::<String>::new(), Vec::<String>::new());
        let mut spent = Duration::ZERO;
        let (mut shape, mut laws) = self.begin(worker, &plan)?;
        tally.laws = laws.len();
        let mut before = (0, 0);
        while spent < self.budget && !self.stop.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let heard = worker.search(SPAN.min(self.budget - spent), &told)?;
            spent += begun.elapsed();
            match heard {
                Heard::Replies(replies) => {
                    let mut idle = false;
                    for reply in replies {
                        match reply {
                            Reply::Violated { ref law, hard, .. } => {
                                let known = if hard { &mut told } else { &mut softly };
                                if known.contains(law) {
                                    continue;
                                }
                                known.push(law.clone());
                                let found = self.violation(assistant, &plan, &reply, spent)?;
                                found.into_iter().for_each(&mut *tell);
                            }
                            Reply::Progress { tried, checked, .. } => {
                                idle = tried == before.0;
                                tally.tried += tried - before.0;
                                tally.checked += checked - before.1;
                                before = (tried, checked);
                            }
                            Reply::Ready { .. } | Reply::Refused(_) => {}
                        }
                    }
                    if idle {
                        break;
                    }
                }
                Heard::Died { death, input, words } => {
                    tally.deaths += 1;
                    if let Some(input) = input {
                        let case = case_of(&plan, shape, &laws, &input);
                        let found =
                            self.death(assistant, (&plan, &case), &death, (words, spent))?;
                        let fault = found.fault;
                        let known = told.iter().any(|name| name == fault.name());
                        if !known {
                            told.push(fault.name().to_owned());
                            tell(found);
                        }
                    }
                    if tally.deaths >= DEATHS {
                        break;
                    }
                    plan.seed = plan.seed.wrapping_add(1);
                    before = (0, 0);
                    (shape, laws) = self.begin(worker, &plan)?;
                }
            }
        }
        Ok(tally)
    }

    fn begin(
        &self,
        worker: &mut DomainWorker,
        plan: &Plan,
    ) -> Result<(Shape, Vec<String>), DomainError> {
        let name = worker.name().to_string();
        match worker.begin(plan)? {
            Heard::Replies(replies) => match replies.into_iter().next() {
                Some(Reply::Ready { shape, laws }) => match Shape::by_name(&shape) {
                    Some(shape) => Ok((shape, laws)),
                    None => Err(DomainError::Start { name, why: format!("shape `{shape}`") }),
                },
                other => Err(DomainError::Start { name, why: format!("it said {other:?}") }),
            },
            Heard::Died { words, death, .. } => {
                let why = if words.is_empty() { death.to_string() } else { words };
                Err(DomainError::Start { name, why })
            }
        }
    }

    /// Confirms and reduces a violation.
    fn violation(
        &self,
        worker: &mut DomainWorker,
        plan: &Plan,
        reply: &Reply,
        spent: Duration,
    ) -> Result<Option<DomainFinding>, DomainError> {
        let Reply::Violated { law, hard, evidence, program, elements, picture } = reply else {
            return Ok(None);
        };
        let Some(rule) = Law::find(law) else { return Ok(None) };
        let mut shown = 0;
        for _ in 0..crate::confirm::ROUNDS {
            shown += usize::from(breaks(&worker.attempt(program, true)?, law, *hard).is_some());
        }
        let stability = Stability::of(shown);
        let mut finding = DomainFinding {
            target: worker.name().to_string(),
            fault: DomainFault::of_law(rule, *hard),
            law: Some(law.clone()),
            stability,
            program: program.clone(),
            original: program.clone(),
            evidence: evidence.clone(),
            elements: elements.clone(),
            picture: picture.clone(),
            seconds: spent.as_secs_f64(),
            plan: plan.clone(),
        };
        let Ok(case) = Case::read(program) else { return Ok(Some(finding)) };
        if stability == Stability::Confirmed {
            let mut failure = None;
            let small = reduce(&case, TRIES.0, &mut |candidate| match worker
                .attempt(&candidate.to_string(), false)
            {
                Ok(heard) => breaks(&heard, law, *hard).is_some(),
                Err(error) => {
                    failure.get_or_insert(error);
                    false
                }
            });
            failure.map_or(Ok(()), Err)?;
            let text = small.to_string();
            let last = worker.attempt(&text, true)?;
            if let Some(Reply::Violated { evidence, elements, picture, .. }) =
                breaks(&last, law, *hard)
            {
                finding.program = text;
                finding.evidence.clone_from(evidence);
                finding.elements.clone_from(elements);
                finding.picture.clone_from(picture);
            }
        }
        Ok(Some(finding))
    }

    /// Finds out which assertion a worker died of, and reduces it.
    fn death(
        &self,
        worker: &mut DomainWorker,
        (plan, case): (&Plan, &Case),
        death: &Death,
        (words, spent): (String, Duration),
    ) -> Result<DomainFinding, DomainError> {
        let fault = DomainFault::of_death(death);
        let dies = |heard: &Heard| matches!(heard, Heard::Died { death, .. } if DomainFault::of_death(death) == fault);
        let evidence =
            if words.is_empty() { death.to_string() } else { format!("{death}: {words}") };
        let mut finding = DomainFinding {
            target: worker.name().to_string(),
            fault,
            law: None,
            stability: Stability::SessionOnly,
            program: case.to_string(),
            original: case.to_string(),
            evidence,
            elements: Vec::new(),
            picture: None,
            seconds: spent.as_secs_f64(),
            plan: plan.clone(),
        };
        for check in 0..case.checks.len() {
            let slice = case.slice(check);
            if !dies(&worker.attempt(&slice.to_string(), true)?) {
                continue;
            }
            let mut failure = None;
            let small = reduce(&slice, TRIES.1, &mut |candidate| match worker
                .attempt(&candidate.to_string(), false)
            {
                Ok(heard) => dies(&heard),
                Err(error) => {
                    failure.get_or_insert(error);
                    false
                }
            });
            failure.map_or(Ok(()), Err)?;
            let again = dies(&worker.attempt(&small.to_string(), true)?);
            finding.stability = if again { Stability::Confirmed } else { Stability::Unstable };
            (finding.program, finding.original) = (small.to_string(), slice.to_string());
            break;
        }
        Ok(finding)
    }
}

/// The reply that says that a law is broken as firmly.
fn breaks<'h>(heard: &'h Heard, wanted: &str, firmly: bool) -> Option<&'h Reply> {
    let Heard::Replies(replies) = heard else { return None };
    replies.iter().find(|reply| {
        matches!(reply, Reply::Violated { law, hard, .. } if law == wanted && (*hard || !firmly))
    })
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum DomainError {
    /// The domain cannot be loaded.
    #[error("{name} cannot be started: {why}")]
    Start {
        /// Which.
        name: String,
        /// Why.
        why: String,
    },
    /// A failure of ours.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// A finding cannot be written.
    #[error("{path}: {source}")]
    Finding {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Writes a finding's folder: `finding.json`, `program.txt`, `original.txt`, `README.txt`, and
/// `picture.svg` where there are two variables.
///
/// # Errors
/// Where it cannot be written.
pub fn write_domain_finding(
    findings: &Path,
    number: usize,
    finding: &DomainFinding,
) -> Result<PathBuf, DomainError> {
    let what = finding.law.as_deref().unwrap_or(finding.fault.name());
    let target = finding.target.replace(['/', ':', '@'], "-");
    let path = findings.join(format!("{number:04}-{target}-{what}"));
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(&path)?;
        std::fs::write(path.join("program.txt"), &finding.program)?;
        std::fs::write(path.join("original.txt"), &finding.original)?;
        std::fs::write(path.join("README.txt"), words(finding))?;
        if let Some(picture) = &finding.picture {
            std::fs::write(path.join("picture.svg"), picture)?;
        }
        let json = serde_json::to_string_pretty(finding).expect("a finding is plain data");
        std::fs::write(path.join("finding.json"), json + "\n")
    };
    write().map_err(|source| DomainError::Finding { path: path.clone(), source })?;
    Ok(path)
}

fn words(finding: &DomainFinding) -> String {
    let DomainFinding { target, fault, stability, program, evidence, .. } = finding;
    let law = finding.law.as_deref().and_then(Law::find);
    let law = law.map_or(String::new(), |law| format!("It breaks {}: {law}\n", law.title()));
    let mut words = format!(
        "{} of {target} ({})\n\n{law}\n{program}\n{evidence}\n",
        fault.name(),
        stability.name()
    );
    if !finding.elements.is_empty() {
        words += "\nThe elements, in the order of the program:\n";
        words.extend(finding.elements.iter().map(|element| format!("  {element}\n")));
    }
    words + &format!("\nAgain, in this folder:\n  assay replay program.txt --target {target}\n")
}
