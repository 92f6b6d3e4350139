//! `assay run domains`.

use crate::baseline::VerdictArgs;
use crate::conclusion::{self, End, Ended};
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::settings::{CaseLimits, Domains};
use assay_campaign::tool::{Domain, Tool};
use assay_campaign::{
    DomainCampaign, DomainFinding, DomainTally, FINDINGS, Header, Ledger, Lock, RESULTS, Results,
    Shows, Stored, TargetRecord, Told, begin, command_line, domain_categories, folder_name,
    keep_corpus,
};
use assay_case::Kind;
use assay_lattice::Law;
use assay_target::domain::{DomainLimits, Until};
use assay_target::spec::KnownBug;
use assay_target::{Library, TargetName};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What `assay run domains` is told beside how cases are made.
pub(crate) struct RunArgs<'r> {
    /// What to test.
    pub targets: &'r [TargetName],
    /// What the campaign is.
    pub header: Header,
    /// How long, for each target.
    pub budget: Duration,
    /// Where results and findings go.
    pub folder: &'r Path,
    /// Which targets there are.
    pub catalog: &'r TargetArgs,
    /// Which findings make the command fail.
    pub verdict: &'r VerdictArgs,
    /// Whether to print JSON Lines.
    pub json: bool,
}

/// Searches every target, one after the other.
pub(crate) fn run(
    settings: &Domains,
    run: &RunArgs<'_>,
    stop: &AtomicBool,
) -> Result<Outcome, Box<dyn Error>> {
    let plan = super::plan(settings, run.header.draw.rng)?;
    let CaseLimits { timeout, memory } = run.header.limits;
    let limits = DomainLimits { memory: memory.0, patience: timeout.0 };
    let launcher = run.catalog.launcher()?;
    let mut places: Vec<Domain> = Vec::new();
    for name in run.targets {
        if let Tool::Domain(domain) = run.catalog.tool(Kind::Trace, name)? {
            places.push(domain);
        }
    }
    // Nothing is begun before every target is known to start.
    for place in &places {
        let until = Until { deadline: None, stop: Some(stop) };
        let begun = begin(&mut place.worker(&launcher, limits), &plan, &[], &until)?;
        if begun.is_some_and(|begun| begun.laws.is_empty()) {
            return Err(format!(
                "no law is left for {}: it does not promise what those need that are asked for",
                place.name
            )
            .into());
        }
    }
    let file = run.folder.join(RESULTS);
    if file.exists() {
        return Err(
            format!("{} holds a campaign already; name another --out", file.display()).into()
        );
    }
    std::fs::create_dir_all(run.folder)
        .map_err(|error| format!("{}: {error}", run.folder.display()))?;
    let _lock = Lock::take(run.folder)?;
    let record = |place: &Domain| TargetRecord {
        name: place.name.to_string(),
        reported: place.reported.clone(),
    };
    let records: Vec<TargetRecord> = places.iter().map(record).collect();
    let mut results = Results::create(&file, &run.header, &domain_categories(), &records)?;
    let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    let words = command_line(&run.header.case_words());
    output::note(&format!(
        "{} {words} on {}; results in {}\n",
        run.header.suite,
        names.join(", "),
        run.folder.display()
    ));
    let catalog = &run.catalog.catalog()?;
    let mut stuck = false;
    for (at, place) in places.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let campaign = DomainCampaign { plan: plan.clone(), budget: run.budget, stop };
        let worker = || place.worker(&launcher, limits);
        let library = Library::new(worker(), Until::ANSWERED);
        let name = &records[at].name;
        let bugs = catalog.known_bugs(&place.name, &place.reported);
        let mut ledger = Ledger::new(&mut results, &run.folder.join(FINDINGS), (at, name), bugs)?;
        let tally = campaign.run(&mut worker(), worker(), &mut |told| match told {
            Told::Found(finding) => ledger.keep(&finding, &library),
            Told::Settled(finding) => {
                if !run.json {
                    output::result(&shown(&finding, ledger.known(&finding)));
                }
                ledger.keep(&finding, &library)
            }
        })?;
        let rows = ledger.close(&tally)?;
        if tally.stuck {
            stuck = true;
            output::note(&format!(
                "{name}: the last input had not ended when the time was over; a longer --budget \
                 or a shorter --timeout ({} now) decides whether it hangs\n",
                run.header.limits.timeout
            ));
        }
        if !tally.corpus.is_empty() {
            keep_corpus(run.folder, (at, name), &tally.corpus)?;
        }
        if run.json {
            rows.iter()
                .for_each(|row| output::result(&format!("{}\n", judged(row, name, run.folder))));
            output::result(&format!("{}\n", counted(name, &tally)));
        } else {
            output::result(&in_words(name, &tally));
        }
    }
    let ended = if stop.load(Ordering::Relaxed) { End::Interrupted } else { End::Budget };
    if ended == End::Interrupted {
        output::note("interrupted: the search is not complete\n");
    }
    let ended = Ended { results: &results, folder: run.folder, ended, catalog };
    // Something that does not end is wrong, even if there was no time to confirm it.
    Ok(match conclusion::show(&ended, run.verdict, run.json)? {
        Outcome::Clean if stuck => Outcome::Findings,
        outcome => outcome,
    })
}

/// A finding with its smallest program, and the known bug that may explain it.
fn shown(finding: &DomainFinding, known: Option<&KnownBug>) -> String {
    let DomainFinding { target, symptom, after, .. } = finding;
    let law = symptom.law.as_deref().and_then(Law::find);
    let law = law.map_or(String::new(), |law| format!(" by law {}", law.title()));
    let program: String =
        finding.smallest().trace.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "{}{law}: {target} ({}, after {:.1} s)\n{}{program}\n",
        symptom.word(),
        finding.stability().name(),
        after.as_secs_f64(),
        known.map_or(String::new(), crate::replay::known_words),
    )
}

fn in_words(name: &str, tally: &DomainTally) -> String {
    let DomainTally { tried, checked, deaths, laws, spent, given_up, .. } = tally;
    let given_up = given_up.as_ref().map_or(String::new(), |why| format!("; given up: {why}"));
    format!(
        "{name}: {} laws, {tried} inputs, {checked} checks in {:.1} s; {deaths} workers \
         died{given_up}\n\n",
        laws.len(),
        spent.as_secs_f64()
    )
}

fn counted(name: &str, tally: &DomainTally) -> Value {
    let DomainTally { tried, checked, deaths, laws, spent, given_up, .. } = tally;
    json!({ "searched": {
        "target": name, "laws": laws.len(), "inputs": tried, "checks": checked, "deaths": deaths,
        "seconds": spent.as_secs_f64(), "stuck": tally.stuck, "given-up": given_up,
    } })
}

/// A row as the record of a judged case.
fn judged(row: &Stored, target: &str, folder: &Path) -> Value {
    let category = &domain_categories()[row.id.category as usize];
    let mut record = json!({
        "case": format!("{}/{}/{}", category.name, category.group, row.id.index),
        "id": row.id.to_string(), "target": target, "answer": row.outcome.name(),
        "seconds": row.elapsed.as_secs_f64(),
    });
    let place = || {
        let place = folder.join(FINDINGS).join(folder_name(row.ordinal, target));
        let reduced = place.join("reduced");
        let place = if reduced.is_dir() { reduced } else { place };
        place.display().to_string()
    };
    let judgement = match row.shows {
        Shows::Finding(kind, grade, stability) => {
            record["finding"] = json!({
                "kind": kind.name(), "severity": kind.severity().name(), "grade": grade.name(),
                "stability": stability.name(), "evidence": row.detail, "folder": place(),
            });
            "finding"
        }
        Shows::Doubt => {
            record["folder"] = place().into();
            "inconclusive"
        }
        Shows::Contradiction => "oracle-contradicted",
        Shows::Waiting => "waiting",
        Shows::Nothing if row.outcome == assay_campaign::Outcome::Skipped => "skipped",
        Shows::Nothing => "correct",
    };
    record["judgement"] = judgement.into();
    if let (Some(detail), true) = (&row.detail, record["finding"].is_null()) {
        record["reason"] = detail.as_str().into();
    }
    record
}
