//! Groups the failing cases of a target that belong together.

use super::cover::{Explanation, cover};
use super::failure::Failure;
use super::feature::{Feature, Features};
use assay_case::{FindingKind, Grade, Severity};
use assay_target::spec::KnownBug;
use assay_term::Op;
use std::collections::{BTreeMap, BTreeSet};

/// Failing cases that belong together, and why.
pub(super) struct Group<'b> {
    pub reason: Reason<'b>,
    /// The crash signature, if they are crashes.
    pub crash: Option<String>,
    /// The part of the tool that crashes, if the cases name it.
    pub part: Option<String>,
    pub failures: Vec<Failure>,
}

/// Why failing cases belong together.
#[derive(Clone, PartialEq)]
pub(super) enum Reason<'b> {
    /// A known bug may explain them.
    Known(&'b KnownBug),
    /// They share these features, which few passing cases have; empty if they share nothing.
    Shared(Explanation),
}

/// The groups of one target's failing cases; certified and declared findings are never mixed.
pub(super) fn groups<'b>(
    failures: Vec<Failure>,
    bugs: &[&'b KnownBug],
    passing: &[Features],
) -> Vec<Group<'b>> {
    let is_certain = |failure: &Failure| failure.member.grade == Grade::Certified;
    let (certified, declared) = failures.into_iter().partition(is_certain);
    let mut groups = of_one_grade(certified, bugs, passing);
    groups.extend(of_one_grade(declared, bugs, passing));
    groups.into_iter().flat_map(by_timeline).collect()
}

/// Splits a group whose findings are in different versions of the tool: no bug is in a version and not in
/// it. Findings that were not bisected stay with those that have most in common with them.
fn by_timeline(group: Group<'_>) -> Vec<Group<'_>> {
    let Group { reason, crash, part, failures } = group;
    let (bisected, others): (Vec<Failure>, Vec<Failure>) =
        failures.into_iter().partition(|failure| failure.timeline.is_some());
    let mut parts: Vec<Vec<Failure>> = Vec::new();
    for failure in bisected {
        let contradicts = |other: &Failure| match (&failure.timeline, &other.timeline) {
            (Some(one), Some(other)) => one.contradicts(other),
            _ => false,
        };
        match parts.iter_mut().find(|part| !part.iter().any(contradicts)) {
            Some(part) => part.push(failure),
            None => parts.push(vec![failure]),
        }
    }
    if parts.is_empty() {
        parts.push(Vec::new());
    }
    let heads: Vec<Features> = parts
        .iter()
        .map(|part| part.iter().flat_map(|failure| failure.traits.features.clone()).collect())
        .collect();
    for failure in others {
        let common = |at: &usize| failure.traits.features.intersection(&heads[*at]).count();
        // The first of equal ones.
        let at = (0..heads.len()).rev().max_by_key(common).unwrap_or(0);
        parts[at].push(failure);
    }
    let group = |failures| {
        let (reason, crash, part) = (reason.clone(), crash.clone(), part.clone());
        Group { reason, crash, part, failures }
    };
    parts.into_iter().map(group).collect()
}

fn of_one_grade<'b>(
    failures: Vec<Failure>,
    bugs: &[&'b KnownBug],
    passing: &[Features],
) -> Vec<Group<'b>> {
    let (mut groups, rest) = known(failures, bugs);
    let mut alike: BTreeMap<_, Vec<Failure>> = BTreeMap::new();
    for failure in rest {
        let crash = failure.crash().map(str::to_owned);
        // A message names the place of a crash. Without one, the part that was asked does, and
        // without that only the input distinguishes crashes.
        let placed = failure.placed;
        let part = failure.traits.part.clone().filter(|_| crash.is_some() && !placed);
        let key = (like(failure.member.kind), crash, part, placed);
        alike.entry(key).or_default().push(failure);
    }
    for ((kind, crash, part, placed), failures) in alike {
        let told_by_features = match kind {
            FindingKind::Crash => !placed && part.is_none(),
            kind => kind.severity() == Severity::Soundness,
        };
        for (explanation, failures) in explained(failures, passing, told_by_features) {
            let reason = Reason::Shared(explanation);
            groups.push(Group { reason, crash: crash.clone(), part: part.clone(), failures });
        }
    }
    groups
}

/// Maps all kinds that one mistake in a theory can cause to one of them.
fn like(kind: FindingKind) -> FindingKind {
    match kind {
        FindingKind::WrongSat | FindingKind::InvalidModel => FindingKind::WrongUnsat,
        // One mistake in an operation of a domain breaks laws of several classes.
        FindingKind::Imprecise | FindingKind::Divergent => FindingKind::Unsound,
        kind => kind,
    }
}

/// Splits off the cases that known bugs explain. A case with several explanations goes to the bug
/// that explains most cases: the fewest bugs are the most likely.
fn known<'b>(failures: Vec<Failure>, bugs: &[&'b KnownBug]) -> (Vec<Group<'b>>, Vec<Failure>) {
    let mut groups = Vec::new();
    let mut rest = failures;
    let mut bugs = bugs.to_vec();
    let explains = |bug: &KnownBug, failure: &Failure| {
        failure.traits.explained_by(bug, Some(failure.member.kind), failure.crash())
    };
    loop {
        let count = |bug: &KnownBug| rest.iter().filter(|failure| explains(bug, failure)).count();
        // The first of equally good bugs wins.
        let best =
            bugs.iter().map(|bug| count(bug)).enumerate().rev().max_by_key(|(_, count)| *count);
        let Some((at, 1..)) = best else { return (groups, rest) };
        let bug = bugs.remove(at);
        let (own, others) = rest.into_iter().partition(|failure| explains(bug, failure));
        let own: Vec<Failure> = own;
        let crash = own.first().and_then(Failure::crash).map(str::to_owned);
        groups.push(Group { reason: Reason::Known(bug), crash, part: None, failures: own });
        rest = others;
    }
}

/// Groups failing cases by their explanation; one group if features are not to distinguish them.
fn explained(
    failures: Vec<Failure>,
    passing: &[Features],
    told_by_features: bool,
) -> Vec<(Explanation, Vec<Failure>)> {
    let features: Vec<Features> =
        failures.iter().map(|failure| failure.traits.features.clone()).collect();
    let mut covered = cover(&features, passing);
    if !told_by_features {
        covered.retain(|(_, cases)| cases.len() == failures.len());
        let explanation = covered.pop().map(|(explanation, _)| explanation).unwrap_or_default();
        return vec![(explanation, failures)];
    }
    let mut failures: Vec<Option<Failure>> = failures.into_iter().map(Some).collect();
    let mut take = |at: usize| failures[at].take().expect("each case is covered once");
    let mut groups = Vec::new();
    for (explanation, cases) in covered {
        let cases: Vec<Failure> = cases.into_iter().map(&mut take).collect();
        match explanation.is_empty() {
            true => groups.extend(apart(cases)),
            false => groups.push((fuller(explanation, &cases, passing), cases)),
        }
    }
    groups
}

/// Cases that nothing explains together: that they share nothing is no reason to put them together, so
/// they are grouped by their operators.
fn apart(cases: Vec<Failure>) -> Vec<(Explanation, Vec<Failure>)> {
    let mut alike: BTreeMap<BTreeSet<Op>, Vec<Failure>> = BTreeMap::new();
    for case in cases {
        alike.entry(case.operators.clone()).or_default().push(case);
    }
    alike.into_values().map(|cases| (Explanation::new(), cases)).collect()
}

/// The minimum number of cases for further shared features to be reported.
const ENOUGH: usize = 3;

/// Extends the explanation with other special features of the same operators that all of the cases
/// have and most passing ones lack.
fn fuller(explanation: Explanation, cases: &[Failure], passing: &[Features]) -> Explanation {
    let [first, ..] = cases else { return explanation };
    if cases.len() < ENOUGH {
        return explanation;
    }
    let ops: BTreeSet<_> = explanation.iter().map(|feature| feature.op()).collect();
    let telling = |feature: &Feature| {
        let having = |features: &[Feature]| {
            passing.iter().filter(|case| features.iter().all(|f| case.contains(f))).count()
        };
        let Some(op) = feature.op() else { return false };
        let plain = Feature::Operator(op);
        having(&[plain, *feature]) * 2 <= having(&[plain])
    };
    let shared = first.traits.features.iter().copied().filter(|feature| {
        feature.class().is_some()
            && ops.contains(&feature.op())
            && cases.iter().all(|case| case.traits.features.contains(feature))
            && telling(feature)
    });
    let more: Explanation = shared.collect();
    explanation.into_iter().chain(more).collect()
}
