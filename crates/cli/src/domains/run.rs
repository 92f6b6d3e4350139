//! `assay run domains`.

use crate::conclusion::{self, End, Ended};
use crate::run::Args;
use crate::{Outcome, output};
use assay_campaign::settings::{CaseLimits, Domains, Search};
use assay_campaign::tool::{Domain, Tool};
use assay_campaign::{
    DomainCampaign, FINDINGS, Header, Ledger, Lock, RESULTS, Results, TargetRecord, Told, begin,
    domain_categories, keep_corpus, names, plan,
};
use assay_case::Kind;
use assay_lattice::Engine;
use assay_target::domain::{DomainLimits, DomainWorker, Until};
use assay_target::{Library, libfuzzer};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Searches every target, one after the other.
pub(crate) fn run(
    args: &Args,
    settings: &Domains,
    search: Search,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<Outcome, Box<dyn Error>> {
    let (tools, json) = (&args.work.tools, args.output.json);
    let header = Header { search: Some(search), ..args.work.header(&args.suite) };
    let plan = plan(settings, header.draw.rng)?;
    let CaseLimits { timeout, memory } = header.limits;
    let limits = DomainLimits { memory: memory.0, patience: timeout.0 };
    let launcher = tools.catalog.launcher()?;
    let engine = if plan.engine == Engine::Libfuzzer { Some(libfuzzer()?) } else { None };
    let searcher = |place: &Domain| -> DomainWorker {
        let worker = place.worker(&launcher, limits);
        match &engine {
            Some(engine) => worker.driven_by(engine.clone()),
            None => worker,
        }
    };
    let found = tools.targets.iter().map(|name| tools.catalog.tool(Kind::Trace, name));
    let found = found.collect::<Result<Vec<Tool>, _>>()?;
    let records: Vec<TargetRecord> = found.iter().map(Tool::record).collect();
    let domain = |tool: &Tool| match tool {
        Tool::Domain(domain) => Some(domain.clone()),
        Tool::Solver(_) | Tool::Analyzer(_) => None,
    };
    let places: Vec<Domain> = found.iter().filter_map(domain).collect();
    // Nothing is begun before every target is known to start.
    for place in &places {
        let until = Until { deadline: None, stop: Some(stop) };
        let begun = begin(&mut searcher(place), &plan, &[], &until)?;
        if begun.is_some_and(|begun| begun.laws.is_empty()) {
            return Err(format!(
                "no law is left for {}: it does not promise what the chosen laws need",
                place.name
            )
            .into());
        }
    }
    let file = folder.join(RESULTS);
    if file.exists() {
        return Err(
            format!("{} already holds a campaign (choose another --out)", file.display()).into()
        );
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let _lock = Lock::take(folder)?;
    let mut results = Results::create(&file, &header, &domain_categories(), &records)?;
    output::note(&format!(
        "{} on {}; results in {}\n",
        header.case_line(),
        names(&records),
        folder.display()
    ));
    let catalog = &tools.catalog.catalog()?;
    let mut stuck = false;
    for (at, place) in places.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let campaign = DomainCampaign { plan: plan.clone(), budget: search.budget.0, stop };
        let worker = || place.worker(&launcher, limits);
        let library = Library::new(worker(), Until::ANSWERED);
        let name = &records[at].name;
        let bugs = catalog.known_bugs(&place.name, &place.reported);
        let mut ledger = Ledger::new(&mut results, &folder.join(FINDINGS), (at, name), bugs)?;
        let tally = campaign.run(&mut searcher(place), worker(), &mut |told| match told {
            Told::Found(finding) => ledger.keep(&finding, &library),
            Told::Settled(finding) => {
                if !json {
                    output::result(&assay_report::violation(&finding, ledger.known(&finding)));
                }
                ledger.keep(&finding, &library)
            }
        })?;
        let rows = ledger.close(&tally)?;
        if tally.stuck {
            stuck = true;
            output::note(&format!(
                "{name}: the last input was still running when the budget ran out; a longer --budget \
                 or a shorter --timeout (now {}) would decide whether it hangs\n",
                header.limits.timeout
            ));
        }
        if !tally.corpus.is_empty() {
            keep_corpus(folder, (at, name), &tally.corpus)?;
        }
        if json {
            for row in &rows {
                let record = assay_report::stored_record(row, name, folder);
                output::result(&format!("{record}\n"));
            }
            output::result(&format!("{}\n", assay_report::searched_record(name, &tally)));
        } else {
            output::result(&assay_report::searched(name, &tally));
        }
    }
    let ended = if stop.load(Ordering::Relaxed) { End::Interrupted } else { End::Budget };
    if ended == End::Interrupted {
        output::note("interrupted: the search is not complete\n");
    }
    let ended = Ended { results: &results, folder, ended, catalog };
    // Something that does not end is wrong, even if there was no time to confirm it.
    Ok(match conclusion::show(&ended, &args.output.verdict, json)? {
        Outcome::Clean if stuck => Outcome::Findings,
        outcome => outcome,
    })
}
