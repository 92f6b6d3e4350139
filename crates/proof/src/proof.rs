//! A proof as a list of steps, each after its premises.

use crate::scope::{Read, Unread};
use assay_term::TermId;

/// The conclusion of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Conclusion {
    /// A formula.
    Formula(TermId),
    /// A disjunction of literals.
    Clause(Vec<TermId>),
    /// It cannot be read.
    Unread(Unread),
    /// None: the step only binds variables.
    None,
}

impl Conclusion {
    pub(crate) fn of(read: Read) -> Conclusion {
        read.map_or_else(Conclusion::Unread, Conclusion::Formula)
    }
}

/// What a step does, beside deriving its conclusion from its premises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Nothing.
    Plain,
    /// It states an assertion.
    Assumed,
    /// It states a hypothesis, which a later step discharges.
    Hypothesis,
    /// It discharges hypotheses.
    Discharge,
    /// It introduces symbols whose choice makes it true.
    Definition,
    /// The solver gives no reason for it.
    Trusted,
    /// It generalizes its premise over variables.
    Bind,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its name in the proof, or its number.
    pub(crate) name: String,
    pub(crate) rule: String,
    /// The numbers of earlier steps.
    pub(crate) premises: Vec<usize>,
    pub(crate) conclusion: Conclusion,
    pub(crate) role: Role,
    /// The hypotheses that it discharges, by number; empty if its conclusion names them.
    pub(crate) discharged: Vec<usize>,
    /// Constants that stand for the variables that it binds.
    pub(crate) vars: Vec<TermId>,
}

/// A proof.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proof {
    pub(crate) steps: Vec<Step>,
    /// The last step.
    pub(crate) last: Option<usize>,
}

impl Proof {
    /// Adds a step and returns its number.
    pub(crate) fn add(
        &mut self,
        rule: &str,
        premises: Vec<usize>,
        conclusion: Conclusion,
        role: Role,
    ) -> usize {
        let number = self.steps.len();
        self.steps.push(Step {
            name: (number + 1).to_string(),
            rule: rule.to_owned(),
            premises,
            conclusion,
            role,
            discharged: Vec::new(),
            vars: Vec::new(),
        });
        number
    }
}

/// The beginning of a text.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 120;
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = words.char_indices().nth(MOST) {
        words.truncate(at);
        words.push('…');
    }
    words
}
