//! Programs about abstract domains once more: `assay replay` and `assay reduce`.

use super::place::{Place, is_domain};
use crate::reduce::Done;
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::reduce::reduce_domain;
use assay_campaign::{FindingRecord, Symptom, keep_reduced};
use assay_lattice::Case;
use assay_lattice::protocol::{Reply, case_of};
use assay_target::TargetName;
use assay_target::domain::{End, Until};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Whether a path is a program about elements, or the folder of a finding about one; a file that may
/// be one by mistake is, where it is to be tried on domains.
pub(crate) fn is_program(path: &Path, targets: &[TargetName]) -> bool {
    if path.is_dir() {
        return FindingRecord::read(path).is_ok_and(|record| record.domain.is_some());
    }
    let on_domains = targets.iter().any(is_domain);
    std::fs::read_to_string(path).is_ok_and(|text| {
        // The first line names the kind of elements: `octagons, 8 variables`.
        let head = text.lines().next().and_then(|line| line.split_once(','));
        on_domains || head.is_some_and(|(_, rest)| counts_variables(rest))
    })
}

fn counts_variables(words: &str) -> bool {
    let mut words = words.split_whitespace();
    words.next().is_some_and(|count| count.parse::<usize>().is_ok())
        && words.next().is_some_and(|word| word.starts_with("variable"))
}

/// A program, and the record of the finding that it belongs to.
struct Subject {
    case: Case,
    record: Option<FindingRecord>,
}

fn read(path: &Path) -> Result<Subject, Box<dyn Error>> {
    let record = if path.is_dir() { Some(FindingRecord::read(path)?) } else { None };
    let file = record.as_ref().map_or(path.to_owned(), |record| path.join(record.case_file()));
    let text =
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let case = Case::read(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    if case.checks.is_empty() {
        let last = text.lines().count();
        return Err(format!(
            "{}: nothing is asserted; after line {last} add one such as `assert \
             order-reflexive(top)`",
            file.display()
        )
        .into());
    }
    Ok(Subject { case, record })
}

/// The targets that were named, or the finding's.
fn targets(
    given: &[TargetName],
    record: Option<&FindingRecord>,
) -> Result<Vec<TargetName>, Box<dyn Error>> {
    match (given, record) {
        ([], Some(record)) => Ok(vec![record.target.parse()?]),
        ([], None) => {
            Err("a program needs a --target, for example builtin/octagon or apron/octD".into())
        }
        (given, _) => Ok(given.to_vec()),
    }
}

fn refused(what: &Path, why: &str) -> Box<dyn Error> {
    format!("{}: {why}", what.display()).into()
}

/// Tries a program again, in a fresh process of each target.
pub(crate) fn replay(
    what: &Path,
    given: &[TargetName],
    catalog: &TargetArgs,
    limits: (u64, Duration),
    (from_bytes, as_json): (bool, bool),
) -> Result<Outcome, Box<dyn Error>> {
    let Subject { mut case, record } = read(what)?;
    if from_bytes {
        let known = record.as_ref().and_then(|record| record.domain.as_ref());
        let (plan, input) =
            known
                .and_then(|domain| Some((&domain.plan, domain.input.as_ref()?)))
                .ok_or_else(|| format!("{}: no bytes are kept with it", what.display()))?;
        case = case_of(plan, case.shape, input)?;
    }
    let launcher = catalog.launcher()?;
    let mut outcome = Outcome::Clean;
    for name in targets(given, record.as_ref())? {
        let place = Place::of(&name, catalog)?;
        let mut worker = place.worker(&launcher, limits);
        let program = case.to_string();
        let heard = worker.attempt(&program, &Until::ANSWERED)?;
        let known_bugs = catalog.catalog()?;
        let bugs = known_bugs.known_bugs(&place.name, &place.reported);
        let known = Symptom::of(&heard).and_then(|symptom| symptom.known(&program, &bugs));
        let (judgement, detail) = match (heard.replies.first(), &heard.end) {
            (Some(Reply::Violated { law, hard: true, evidence, .. }), _) => {
                ("finding", format!("violates {law}: {evidence}"))
            }
            (Some(Reply::Violated { law, evidence, .. }), _) => {
                ("inconclusive", format!("softly violates {law}: {evidence}"))
            }
            (_, End::Died { death, words, .. }) => {
                ("finding", format!("{death} {words}").trim().to_owned())
            }
            (Some(Reply::Progress { checked: 0, .. }), _) => {
                ("inconclusive", "a premise does not hold: the program says nothing".to_owned())
            }
            (Some(Reply::Progress { .. }), _) => ("correct", "all laws hold".to_owned()),
            (Some(Reply::Refused(why)), _) => return Err(refused(what, why)),
            (other, _) => return Err(format!("{name} said {other:?}").into()),
        };
        let elements = heard.replies.into_iter().find_map(|reply| match reply {
            Reply::Shown { elements, .. } => Some(elements),
            _ => None,
        });
        let elements = elements.unwrap_or_default();
        if judgement == "finding" {
            outcome = outcome.max(Outcome::Findings);
        }
        output::result(&if as_json {
            let record = json!({
                "target": worker.name().to_string(), "judgement": judgement, "detail": detail,
                "elements": elements, "known": known.map(|bug| &bug.id),
            });
            format!("{record}\n")
        } else {
            let elements: String =
                elements.iter().map(|element| format!("  {element}\n")).collect();
            let known = known.map_or(String::new(), super::known_words);
            format!("{}: {detail}\n{known}{elements}", worker.name())
        });
    }
    Ok(outcome)
}

/// How a program is reduced.
pub(crate) struct ReduceArgs<'r> {
    /// A program, or a finding's folder.
    pub what: &'r Path,
    /// What shows it.
    pub target: Option<&'r TargetName>,
    /// Which targets there are.
    pub catalog: &'r TargetArgs,
    /// Memory, and time for one test.
    pub limits: (u64, Duration),
    /// When no more candidates are tried.
    pub end: Instant,
    /// Where the program goes, if not beside the other.
    pub out: Option<&'r PathBuf>,
}

/// The smallest program that still breaks the same law, or that the target still dies of.
pub(crate) fn reduce(args: &ReduceArgs<'_>) -> Result<Done, Box<dyn Error>> {
    let Subject { case, record } = read(args.what)?;
    let given: Vec<TargetName> = args.target.into_iter().cloned().collect();
    let name = &targets(&given, record.as_ref())?[0];
    let launcher = args.catalog.launcher()?;
    let mut worker = Place::of(name, args.catalog)?.worker(&launcher, args.limits);
    let known = record.as_ref().and_then(|record| record.domain.as_ref());
    let symptom = match known {
        Some(domain) => domain.symptom.clone(),
        None => {
            let heard = worker.attempt(&case.to_string(), &Until::ANSWERED)?;
            if let Some(Reply::Refused(why)) = heard.replies.first() {
                return Err(refused(args.what, why));
            }
            Symptom::of(&heard)
                .ok_or_else(|| format!("{name} shows nothing on it: there is nothing to reduce"))?
        }
    };
    let reduced = reduce_domain(&mut worker, &case, &symptom, args.end)?;
    let (reduction, exhibit) = reduced.ok_or_else(|| {
        format!("{}: {name} does not show `{}` on it", args.what.display(), symptom.name())
    })?;
    let out = match (&record, args.out) {
        (Some(record), None) => keep_reduced(args.what, record, &exhibit)?,
        (_, out) => {
            let out = out.cloned().unwrap_or_else(|| args.what.with_extension("reduced.txt"));
            std::fs::write(&out, &reduction.text)
                .map_err(|error| format!("{}: {error}", out.display()))?;
            out
        }
    };
    let truth = format!("{}: {}", symptom.name(), exhibit.evidence);
    let more = json!({
        "target": name.to_string(), "symptom": symptom, "evidence": exhibit.evidence,
    });
    Ok(Done { reduction, out, truth, more })
}
