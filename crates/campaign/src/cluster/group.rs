//! Which failing cases belong together.

use super::failure::Failure;
use super::{Cluster, Known, sentence};
use crate::store::TargetRecord;
use assay_case::FindingKind;
use assay_target::spec::KnownBug;
use assay_target::{Catalog, TargetName};
use assay_term::Op;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What the failing cases of a cluster share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shared {
    kind: FindingKind,
    known: Option<String>,
    crash: Option<String>,
    operators: BTreeSet<Op>,
}

/// The clusters of one target's failing cases.
pub(super) fn group(
    target: &TargetRecord,
    failures: Vec<Failure>,
    catalog: &Catalog,
) -> Vec<Cluster> {
    let name: Option<TargetName> = target.name.parse().ok();
    let bugs = name.map(|name| catalog.known_bugs(&name, &target.reported)).unwrap_or_default();
    let mut groups: BTreeMap<Shared, Vec<Failure>> = BTreeMap::new();
    for failure in failures {
        groups.entry(shared(&failure, &bugs)).or_default().push(failure);
    }
    let mut clusters: Vec<Cluster> = groups
        .into_iter()
        .map(|(shared, failures)| cluster(target, shared, failures, &bugs))
        .collect();
    clusters.sort_by_key(|cluster| (Reverse(cluster.kind.severity()), Reverse(cluster.count())));
    clusters
}

fn shared(failure: &Failure, bugs: &[&KnownBug]) -> Shared {
    let kind = failure.member.kind;
    let crash = (kind == FindingKind::Crash).then(|| failure.member.evidence.clone());
    let explains =
        |bug: &&&KnownBug| bug.may_explain(kind, &failure.applications, crash.as_deref());
    match bugs.iter().find(explains) {
        Some(bug) => {
            let known = Some(bug.id.clone());
            Shared { kind, known, crash, operators: bug.symptom.operators.clone() }
        }
        None => Shared {
            kind,
            known: None,
            crash,
            operators: failure.applications.iter().map(|a| a.op).collect(),
        },
    }
}

fn cluster(
    target: &TargetRecord,
    shared: Shared,
    mut failures: Vec<Failure>,
    bugs: &[&KnownBug],
) -> Cluster {
    failures.sort_by_key(|failure| (failure.member.size, failure.member.ordinal));
    let known = shared.known.as_ref().and_then(|id| bugs.iter().find(|bug| bug.id == *id));
    let known = known.map(|bug| Known {
        id: bug.id.clone(),
        title: bug.title.clone(),
        link: bug.link.clone(),
    });
    let operators: Vec<String> = shared.operators.iter().map(|op| op.name().to_owned()).collect();
    let mut rules: Vec<String> =
        failures.iter().flat_map(|failure| failure.rules.iter().cloned()).collect();
    rules.sort();
    rules.dedup();
    let words: Vec<&str> = [target.name.as_str(), shared.kind.name()]
        .into_iter()
        .chain(known.iter().map(|known| known.id.as_str()))
        .chain(operators.iter().filter(|_| known.is_none()).map(String::as_str))
        .collect();
    Cluster {
        id: kebab(&words.join("-")),
        target: target.name.clone(),
        kind: shared.kind,
        sentence: sentence::sentence(shared.kind, &operators, known.as_ref(), failures.len()),
        known,
        crash: shared.crash,
        operators,
        rules,
        arguments: Vec::new(),
        members: failures.into_iter().map(|failure| failure.member).collect(),
    }
}

/// Words in kebab case.
fn kebab(words: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let spaced: String = words.chars().map(plain).collect();
    spaced.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
