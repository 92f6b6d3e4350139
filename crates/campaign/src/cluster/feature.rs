//! What cases can have in common: an operator, and what is special about its arguments.

use assay_case::{Application, Class};
use assay_term::Op;
use assay_term::theories::{Theory, core};
use std::collections::BTreeSet;

/// What a case has.
pub(super) type Features = BTreeSet<Feature>;

/// Something that a case has, or has not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Feature {
    /// The operator occurs.
    Operator(Op),
    /// It occurs with such an argument, at this position.
    Argument(Op, usize, Class),
    /// It occurs with arguments that are special together.
    Whole(Op, Class),
}

impl Feature {
    /// The operator that it is about.
    pub fn op(self) -> Op {
        match self {
            Feature::Operator(op) | Feature::Argument(op, ..) | Feature::Whole(op, _) => op,
        }
    }

    /// What is special about the arguments.
    pub fn class(self) -> Option<Class> {
        match self {
            Feature::Operator(_) => None,
            Feature::Argument(_, _, class) | Feature::Whole(_, class) => Some(class),
        }
    }
}

/// The features of a case.
///
/// Connectives and equality are everywhere and explain nothing, except where they compare what
/// is hard to compare.
pub(super) fn features(applications: &BTreeSet<Application>) -> Features {
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
