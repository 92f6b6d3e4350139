//! Builds a cluster from a group of failing cases: its name, its sentence, the smallest case first.

use super::failure::Failure;
use super::group::{Group, Reason};
use super::sentence::sentence;
use super::words::{listed, slug, subject};
use super::{Cluster, Known};
use crate::store::TargetRecord;
use assay_target::TargetName;
use assay_target::spec::KnownBug;
use assay_term::Op;
use assay_term::theories::Theory;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The clusters of all targets: for each target the worst kinds first, then the largest.
pub(super) fn clusters(groups: &[(&TargetRecord, Vec<Group<'_>>)]) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    for (at, (target, own)) in groups.iter().enumerate() {
        let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<_> =
            others.map(|(_, other)| other).filter(|(o, _)| same_tool(o, target)).collect();
        let first = clusters.len();
        for group in own {
            let also: Vec<String> = others
                .iter()
                .filter(|(_, theirs)| theirs.iter().any(|theirs| theirs.reason == group.reason))
                .map(|(other, _)| other.name.clone())
                .collect();
            clusters.push(cluster(target, group, &also));
        }
        clusters[first..].sort_by_key(|cluster: &Cluster| {
            let Cluster { kind, grade, .. } = cluster;
            let size = Reverse(cluster.count());
            (Reverse(kind.severity()), Reverse(*grade), size, cluster.smallest().ordinal)
        });
    }
    distinguish(&mut clusters);
    clusters
}

/// Whether two targets are versions or variants of one tool.
fn same_tool(a: &TargetRecord, b: &TargetRecord) -> bool {
    let tool = |target: &TargetRecord| {
        target.name.parse::<TargetName>().map_or_else(|_| target.name.clone(), |name| name.name)
    };
    tool(a) == tool(b)
}

fn cluster(target: &TargetRecord, group: &Group<'_>, also: &[String]) -> Cluster {
    let mut failures: Vec<&Failure> = group.failures.iter().collect();
    failures.sort_by_key(|failure| (failure.member.size, failure.member.ordinal));
    let kinds = by_frequency(failures.iter().map(|failure| failure.member.kind));
    let kind = kinds[0];
    let grade = failures[0].member.grade;
    let (known, about, operators, arguments, slug) = match (&group.reason, &group.part) {
        (Reason::Known(bug), _) => {
            let known = Known::of(bug);
            let (operators, arguments) = of_bug(bug, &failures);
            (Some(known), bug.title.clone(), operators, arguments, bug.id.clone())
        }
        (Reason::Shared(_), Some(part)) => {
            let slug = format!("{}-{part}", kind.name());
            (None, format!("`{part}`"), Vec::new(), Vec::new(), slug)
        }
        (Reason::Shared(features), None) if features.is_empty() => {
            let shared = shared_operators(&failures);
            let names: Vec<String> = shared.iter().map(|name| format!("`{name}`")).collect();
            let about = match names[..] {
                [] => failures[0].member.case.clone(),
                _ => format!("formulas with {}", listed(&names)),
            };
            let slug = format!("{}-{}", kind.name(), shared.join("-"));
            (None, about, shared, Vec::new(), slug)
        }
        (Reason::Shared(features), None) => {
            let ops: BTreeSet<Op> = features.iter().filter_map(|feature| feature.op()).collect();
            let operators: Vec<String> = ops.iter().map(|op| op.name().to_owned()).collect();
            let classes: BTreeSet<_> =
                features.iter().filter_map(|feature| feature.class()).collect();
            let arguments = classes.into_iter().map(|class| class.name().to_owned()).collect();
            let special: Vec<String> = features.iter().map(|feature| slug(*feature)).collect();
            let slug = format!("{}-{}-{}", kind.name(), operators.join("-"), special.join("-"));
            (None, subject(features), operators, arguments, slug)
        }
    };
    Cluster {
        id: kebab(&format!("{}-{slug}", target.name)),
        target: target.name.clone(),
        kind,
        grade,
        sentence: sentence(&about, &kinds, also),
        known,
        crash: group.crash.clone(),
        operators,
        rules: by_frequency(failures.iter().flat_map(|failure| failure.rules.iter().cloned())),
        arguments,
        members: failures.into_iter().map(|failure| failure.member.clone()).collect(),
    }
}

/// Each item once, the commonest first.
fn by_frequency<T: Ord + Clone>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    let mut sorted: Vec<(T, usize)> = counts.into_iter().collect();
    sorted.sort_by_key(|(_, count)| Reverse(*count));
    sorted.into_iter().map(|(item, _)| item).collect()
}

/// The operators and argument classes that a bug's description names and the cases have.
fn of_bug(bug: &KnownBug, failures: &[&Failure]) -> (Vec<String>, Vec<String>) {
    let has =
        |op: Op| failures.iter().any(|failure| failure.traits.applications().any(|a| a.op == op));
    let symptom = &bug.symptom;
    let patterns = symptom.applications.iter();
    let operators: BTreeSet<Op> = symptom
        .operators
        .iter()
        .chain(&symptom.one_of)
        .copied()
        .chain(patterns.clone().map(|pattern| pattern.operator))
        .filter(|op| has(*op))
        .collect();
    let classes: BTreeSet<_> = patterns
        .filter(|pattern| has(pattern.operator))
        .flat_map(|pattern| pattern.arguments.iter().chain(&pattern.is))
        .filter_map(|wanted| wanted.0)
        .collect();
    (
        operators.into_iter().map(|op| op.name().to_owned()).collect(),
        classes.into_iter().map(|class| class.name().to_owned()).collect(),
    )
}

/// The operators that all cases have, except connectives and equality.
fn shared_operators(failures: &[&Failure]) -> Vec<String> {
    let operators = |failure: &Failure| -> BTreeSet<Op> {
        failure.traits.applications().map(|application| application.op).collect()
    };
    let mut sets = failures.iter().map(|failure| operators(failure));
    let first = sets.next().unwrap_or_default();
    let shared = sets.fold(first, |shared, set| shared.intersection(&set).copied().collect());
    let telling = shared.into_iter().filter(|op| op.theory() != Theory::Core);
    telling.map(|op| op.name().to_owned()).collect()
}

/// Words in kebab case.
fn kebab(words: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let spaced: String = words.chars().map(plain).collect();
    spaced.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Appends a number to names that an earlier cluster has.
fn distinguish(clusters: &mut [Cluster]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for cluster in clusters {
        let count = seen.entry(cluster.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            cluster.id = format!("{}-{count}", cluster.id);
        }
    }
}
