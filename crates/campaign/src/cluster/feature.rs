//! Features that cases can share: operators, and special arguments of them.

use assay_case::{Application, Class, FindingKind};
use assay_lattice::{Law, Trace};
use assay_target::spec::{KnownBug, Shown};
use assay_term::Op;
use assay_term::theories::{Theory, core};
use std::collections::BTreeSet;

/// The features of a case.
pub(crate) type Features = BTreeSet<Feature>;

/// A feature that a case has or lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Feature {
    /// The operator occurs.
    Operator(Op),
    /// The operator occurs with an argument of this class at this position.
    Argument(Op, usize, Class),
    /// The operator occurs with arguments that are special in combination.
    Whole(Op, Class),
    /// A construct of C occurs.
    Construct(&'static str),
    /// A law of abstract domains is broken.
    Law(&'static str),
    /// An operation or query of abstract domains is used.
    Operation(&'static str),
}

impl Feature {
    /// The operator, if the feature is about one.
    pub fn op(self) -> Option<Op> {
        match self {
            Feature::Operator(op) | Feature::Argument(op, ..) | Feature::Whole(op, _) => Some(op),
            Feature::Construct(_) | Feature::Law(_) | Feature::Operation(_) => None,
        }
    }

    /// The class of the arguments, if the feature is about them.
    pub fn class(self) -> Option<Class> {
        match self {
            Feature::Operator(_)
            | Feature::Construct(_)
            | Feature::Law(_)
            | Feature::Operation(_) => None,
            Feature::Argument(_, _, class) | Feature::Whole(_, class) => Some(class),
        }
    }
}

/// The traits that distinguish a case from others.
#[derive(Clone, Default)]
pub struct Traits {
    pub(crate) features: Features,
    /// A one-line summary of the case.
    pub(crate) essence: String,
    /// The part of the tool that is asked, such as a tactic, if the case names one.
    pub(crate) part: Option<String>,
    pub(crate) detail: Detail,
}

/// The facts that known bugs are matched against.
#[derive(Clone, Default)]
pub(crate) enum Detail {
    /// A formula's applications of operators.
    Formula(BTreeSet<Application>),
    /// A trace.
    Trace(Box<Trace>),
    /// Nothing.
    #[default]
    Plain,
}

impl Traits {
    /// The same traits for a case that breaks this law.
    pub(crate) fn breaking(mut self, law: Option<&str>) -> Traits {
        let law = law.and_then(Law::find);
        let Some(law) = law else { return self };
        self.features.extend(law.iterated().map(Feature::Operation));
        // One mistake in an operation breaks several laws; traces without operations have only
        // queries.
        if !self.features.iter().any(|feature| matches!(feature, Feature::Operation(_))) {
            self.features.extend(law.queries().into_iter().map(Feature::Operation));
        }
        self.features.insert(Feature::Law(law.name));
        self
    }

    /// Whether a known bug may explain a finding of this kind; never if the library itself says
    /// that its result may be imprecise.
    pub(crate) fn explained_by(
        &self,
        bug: &KnownBug,
        kind: Option<FindingKind>,
        crash: Option<&str>,
    ) -> bool {
        match &self.detail {
            Detail::Formula(applications) => {
                kind.is_some_and(|kind| bug.may_explain(kind, applications, crash))
            }
            Detail::Trace(case) => {
                let law = self.features.iter().find_map(|feature| match feature {
                    Feature::Law(law) => Some(*law),
                    _ => None,
                });
                bug.may_explain_law(&Shown { kind, law, case })
            }
            Detail::Plain => {
                kind.is_some_and(|kind| bug.may_explain(kind, &BTreeSet::new(), crash))
            }
        }
    }

    /// A formula's applications of operators; empty for other subjects.
    pub(crate) fn applications(&self) -> impl Iterator<Item = &Application> {
        match &self.detail {
            Detail::Formula(applications) => Some(applications),
            Detail::Trace(_) | Detail::Plain => None,
        }
        .into_iter()
        .flatten()
    }
}

/// The features of a formula.
///
/// Connectives and equality occur everywhere and explain nothing, except where they compare values
/// that are hard to compare.
pub(crate) fn features(applications: &BTreeSet<Application>) -> Features {
    let mut features = BTreeSet::new();
    for Application { op, arguments, whole } in applications {
        let everywhere = op.theory() == Theory::Core;
        if !everywhere {
            features.insert(Feature::Operator(*op));
            features.extend(whole.iter().map(|&class| Feature::Whole(*op, class)));
        }
        for (position, classes) in arguments.iter().enumerate() {
            let telling = classes.iter().filter(|class| !everywhere || compares(*op, **class));
            features.extend(telling.map(|&class| Feature::Argument(*op, position, class)));
        }
    }
    features
}

fn compares(op: Op, class: Class) -> bool {
    let hard = [Class::Language, Class::VariableLanguage, Class::Array, Class::Float];
    matches!(op, core::EQ | core::DISTINCT) && hard.contains(&class)
}
