//! The end of a campaign on the screen: the table, the findings, and whether they make the command
//! fail. Shared by `run` and `merge`.

use crate::{Outcome, clusters, output};
use assay_campaign::kind::handling;
use assay_campaign::units::counted;
use assay_campaign::{
    Dossier, FAULTS, FINDINGS, Gate, Gated, Results, Sighting, TargetRecord, shortened,
};
use assay_target::{Catalog, shell_word};
use serde_json::json;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

/// More findings than this are grouped into clusters.
const FEW: usize = 5;

/// The number of findings of a kind that are listed before the rest is counted.
const LISTED: usize = 3;

/// A campaign that has ended.
pub(crate) struct Ended<'e> {
    pub(crate) results: &'e Results,
    pub(crate) folder: &'e Path,
    /// Why it ended.
    pub(crate) ended: End,
    /// Which bugs are known.
    pub(crate) catalog: &'e Catalog,
}

/// Why a campaign ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Every case is done.
    Finished,
    /// The budget was used up.
    Budget,
    /// A signal ended it.
    Interrupted,
    /// It was joined from parts, and some are missing.
    Incomplete,
}

impl End {
    fn name(self) -> &'static str {
        match self {
            End::Finished => "finished",
            End::Budget => "budget",
            End::Interrupted => "interrupted",
            End::Incomplete => "incomplete",
        }
    }
}

/// Prints the results of a campaign, and returns how the command ends.
pub(crate) fn show(
    campaign: &Ended<'_>,
    verdict: &Gate,
    as_json: bool,
) -> Result<Outcome, Box<dyn Error>> {
    let Ended { results, folder, ended, .. } = campaign;
    let summary = results.summary()?;
    let verdict = verdict.assess(results, folder)?;
    if as_json {
        let mut record =
            json!({ "stopped": ended.name(), "targets": assay_report::summary_record(&summary) });
        if let Some(baseline) = assay_report::baseline_record(&verdict) {
            record["baseline"] = baseline;
        }
        output::result(&format!("{}\n", json!({ "summary": record })));
    } else {
        let targets = results.targets()?;
        output::result(&assay_report::table(&summary));
        output::result(&assay_report::evolution(&summary));
        output::result(&match verdict.standing.new.len() {
            0..=FEW if results.header()?.reducing() == 0 => listing(&verdict, &targets)?,
            _ => clustered(campaign, &verdict, &targets)?,
        });
        output::result(&assay_report::baseline_words(&verdict));
        output::result(&reasons("inconclusive answers of", &results.doubts()?, &targets));
        output::result(&reasons("unknown answers of", &results.unknowns()?, &targets));
        output::result(&reasons("errors of", &results.errors()?, &targets));
        output::result(&reasons("rejections of", &results.rejections()?, &targets));
        output::result(&reasons("cases not run on", &results.skips()?, &targets));
        let header = results.header()?;
        if let Some(extent) = header.extent()? {
            output::result(&format!("\n{}", assay_report::guarantee(&summary, &extent, &header)));
        }
    }
    if !as_json && !verdict.standing.new.is_empty() {
        let folder = folder.display().to_string();
        let page = format!("{folder}/report.html");
        output::note(&format!(
            "a page with every finding: assay report {} --html {}\n",
            shell_word(&folder),
            shell_word(&page)
        ));
    }
    let spent = results.spent()?;
    if !spent.total().is_zero() {
        output::note(&format!("time: {spent}\n"));
    }
    if summary.contradicted() > 0 {
        output::note(&format!(
            "{} caused by a bug in assay, not in a target (a truth that is wrong, or a case that could \
             not be made): please report the folders in {} and {}\n",
            counted(summary.contradicted(), "result"),
            folder.join(FINDINGS).display(),
            folder.join(FAULTS).display()
        ));
        return Ok(Outcome::Failed);
    }
    Ok(match ended {
        _ if verdict.fails() => Outcome::Findings,
        End::Interrupted => Outcome::Interrupted,
        End::Finished | End::Budget | End::Incomplete => Outcome::Clean,
    })
}

/// The essence of a finding, shortened to one line.
fn essence(folder: &Path) -> Result<String, Box<dyn Error>> {
    let Dossier { record, case, .. } = Dossier::read(folder)?;
    Ok(shortened(&handling(record.subject).essence(&case)))
}

/// The reasons for results of one sort, the most common first: rejections and errors of targets,
/// which may be the fault of assay as well as theirs, and cases that were not run.
fn reasons(what: &str, reasons: &[(usize, String, u64)], targets: &[TargetRecord]) -> String {
    let mut out = String::new();
    for (target, words, count) in reasons {
        out += &format!("\n{count} {what} {}: {words}\n", targets[*target].name);
    }
    out
}

/// The findings that are not known yet, by what explains them.
fn clustered(
    campaign: &Ended<'_>,
    verdict: &Gated,
    targets: &[TargetRecord],
) -> Result<String, Box<dyn Error>> {
    let name = |seen: &Sighting| targets[seen.listed.target].name.clone();
    let new: BTreeSet<(String, u64)> =
        verdict.standing.new.iter().map(|seen| (name(seen), seen.listed.ordinal)).collect();
    let mut clusters = clusters::of(campaign.results, campaign.folder, campaign.catalog)?;
    for cluster in &mut clusters {
        let target = cluster.target.clone();
        cluster.members.retain(|member| new.contains(&(target.clone(), member.ordinal)));
    }
    clusters.retain(|cluster| cluster.count() > 0);
    Ok(assay_report::cluster_listing(&clusters, campaign.folder))
}

/// The findings that are not known yet, in words, the worst first, a few of each kind.
fn listing(verdict: &Gated, targets: &[TargetRecord]) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let mut groups: Vec<(String, Vec<&Sighting>)> = Vec::new();
    for seen in &verdict.standing.new {
        let listed = &seen.listed;
        let target = &targets[listed.target].name;
        let (kind, grade) = (listed.kind.name(), listed.grade.name());
        let title = format!("{kind} of {target} ({grade}, {})", listed.stability.name());
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, group)) => group.push(seen),
            None => groups.push((title, vec![seen])),
        }
    }
    for (title, group) in groups {
        out += &format!("\n{title}: {}\n", group.len());
        for seen in group.iter().take(LISTED) {
            out += &format!("  {}: {}\n", seen.case.case, seen.listed.detail);
            out += &format!("    {}\n    {}\n", essence(&seen.folder)?, seen.folder.display());
        }
        if group.len() > LISTED {
            out += &format!("  and {} more\n", group.len() - LISTED);
        }
    }
    Ok(out)
}
