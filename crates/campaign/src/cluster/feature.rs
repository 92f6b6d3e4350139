//! What cases can have in common: an operator, and what is special about its arguments.

use assay_case::{Application, Class, FindingKind};
use assay_lattice::{Law, Trace};
use assay_target::spec::{KnownBug, Shown};
use assay_term::Op;
use assay_term::theories::{Theory, core};
use std::collections::BTreeSet;

/// What a case has.
pub(crate) type Features = BTreeSet<Feature>;

/// Something that a case has, or has not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Feature {
    /// The operator occurs.
    Operator(Op),
    /// It occurs with such an argument, at this position.
    Argument(Op, usize, Class),
    /// It occurs with arguments that are special together.
    Whole(Op, Class),
    /// A construct of C occurs.
    Construct(&'static str),
    /// A law of abstract domains is broken.
    Law(&'static str),
    /// An operation or query of abstract domains is used.
    Operation(&'static str),
}

impl Feature {
    /// The operator that it is about.
    pub fn op(self) -> Option<Op> {
        match self {
            Feature::Operator(op) | Feature::Argument(op, ..) | Feature::Whole(op, _) => Some(op),
            Feature::Construct(_) | Feature::Law(_) | Feature::Operation(_) => None,
        }
    }

    /// What is special about the arguments.
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

/// What tells a case from others.
#[derive(Clone, Default)]
pub struct Traits {
    pub(crate) features: Features,
    /// What it is about, on one line.
    pub(crate) essence: String,
    pub(crate) detail: Detail,
}

/// What known bugs are compared with.
#[derive(Clone, Default)]
pub(crate) enum Detail {
    /// How a formula applies operators.
    Formula(BTreeSet<Application>),
    /// A trace.
    Trace(Box<Trace>),
    /// Nothing.
    #[default]
    Plain,
}

impl Traits {
    /// The same of a case that breaks this law.
    pub(crate) fn breaking(mut self, law: Option<&str>) -> Traits {
        let law = law.and_then(Law::find);
        let Some(law) = law else { return self };
        self.features.extend(law.iterated().map(Feature::Operation));
        // One mistake in an operation breaks several laws; without operations, queries are left.
        if !self.features.iter().any(|feature| matches!(feature, Feature::Operation(_))) {
            self.features.extend(law.queries().into_iter().map(Feature::Operation));
        }
        self.features.insert(Feature::Law(law.name));
        self
    }

    /// Whether a known bug may explain a finding of this kind; none where a library says itself that its
    /// result may be imprecise.
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

    /// How a formula applies operators; nothing of what is no formula.
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
/// Connectives and equality are everywhere and explain nothing, except where they compare what
/// is hard to compare.
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
