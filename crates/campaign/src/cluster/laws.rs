//! Findings about abstract domains: each law that a target breaks, and each way to die, is a cluster.

use super::{Cluster, ClusterError, Known, Member, folder_of};
use crate::folder::FindingRecord;
use crate::store::{Results, TargetRecord};
use assay_target::{Catalog, TargetName};
use std::cmp::Reverse;
use std::path::Path;

/// The clusters of a campaign on domains: the worst first, for each target.
pub(super) fn clusters(
    campaign: &Path,
    results: &Results,
    targets: &[TargetRecord],
    catalog: &Catalog,
) -> Result<Vec<Cluster>, ClusterError> {
    let mut clusters = Vec::new();
    for finding in results.findings()? {
        let target = &targets[finding.target];
        let folder = folder_of(&finding, target);
        // A reduced program is beside the one that was found.
        let reduced = campaign.join(&folder).join("reduced");
        let place = if reduced.is_dir() { reduced } else { campaign.join(&folder) };
        let wrong = |file: &str| {
            let path = place.join(file);
            move |error: std::io::Error| ClusterError::Finding { path, what: error.to_string() }
        };
        let record = FindingRecord::read(&place).map_err(wrong(FindingRecord::FILE))?;
        let text = std::fs::read_to_string(place.join(record.case_file()));
        let text = text.map_err(wrong(record.case_file()))?;
        let assertion = text.lines().last().unwrap_or_default();
        let name: Option<TargetName> = target.name.parse().ok();
        let bugs = name.map(|name| catalog.known_bugs(&name, &target.reported)).unwrap_or_default();
        let symptom = record.domain.as_ref().map(|domain| &domain.symptom);
        let known = symptom.and_then(|symptom| symptom.known(&text, &bugs)).map(Known::of);
        let what = record.rules.first().map_or(finding.kind.name(), String::as_str);
        clusters.push(Cluster {
            id: format!("{}-{}-{what}", finding.target + 1, finding.kind.name()),
            target: target.name.clone(),
            kind: finding.kind,
            grade: finding.grade,
            sentence: match record.rules.is_empty() {
                true => record.evidence.clone(),
                false => format!("it breaks {}", record.why),
            },
            known,
            crash: None,
            operators: Vec::new(),
            rules: record.rules.clone(),
            arguments: Vec::new(),
            members: vec![Member {
                ordinal: finding.ordinal,
                id: finding.id.to_string(),
                case: record.case,
                kind: finding.kind,
                grade: finding.grade,
                stability: finding.stability,
                evidence: finding.detail.clone(),
                folder,
                size: text.len(),
                assertions: assertion.to_owned(),
            }],
        });
    }
    clusters.sort_by_key(|cluster| {
        let place = targets.iter().position(|target| target.name == cluster.target);
        (place, Reverse(cluster.kind.severity()), cluster.smallest().ordinal)
    });
    Ok(clusters)
}
