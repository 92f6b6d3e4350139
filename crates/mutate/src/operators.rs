//! Mutations that preserve sorts and nothing else: one operator is replaced by another (`opmut`), or
//! a term by a new one (`typemut`). The truth of the result is unknown: an evaluated model, or targets
//! that disagree, must reveal wrong answers.

use crate::draw::Draw;
use crate::occurrences::{Occurrence, Occurrences};
use crate::snippet::Snippets;
use crate::suite::{Belief, Mutant, Needs, Order, Strategy};
use crate::trace::TraceStep;
use crate::{Form, trace};
use assay_case::MakeError;
use assay_term::{Func, Quantifier, SortId, Store, Term, TermId};

/// A mutation that gives a mutant of unknown truth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// Replaces an operator by another with the same argument and result sorts.
    Operator,
    /// Replaces a term by a new one of its sort.
    Term,
}

/// Maximum number of places tried for one mutation.
const TRIES: usize = 16;

impl Strategy for Mutation {
    fn name(&self) -> &'static str {
        match self {
            Mutation::Operator => "opmut",
            Mutation::Term => "typemut",
        }
    }

    fn needs(&self) -> Needs {
        Needs { truth: false, equalities: false }
    }

    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError> {
        let seed = order.prepared.in_form(Form::Kept);
        let (formula, steps) = seed.mutant(|store| self.steps(order, store))?;
        let rules = steps.iter().map(|step| step.rule.clone()).collect();
        let trace = trace::lines(Form::Kept, &steps);
        Ok(Mutant { formula, belief: Belief::Open, rules, trace, partners: Vec::new() })
    }
}

impl Mutation {
    /// The seed's assertions after some mutations, and those mutations.
    fn steps(
        self,
        order: &Order<'_>,
        store: &mut Store,
    ) -> Result<(Vec<TermId>, Vec<TraceStep>), MakeError> {
        let mut assertions = order.prepared.seed.base.assertions.clone();
        let mut draw = order.draw();
        let mut steps: Vec<TraceStep> = Vec::new();
        let mut again;
        let mut places = order.prepared.parts();
        for _ in 0..=draw.below(order.config.literals.max(1)) {
            if !steps.is_empty() {
                again = parts(store, &assertions);
                places = &again;
            }
            let made = (0..TRIES).find_map(|_| {
                let place = places.draw(&mut draw)?;
                let new = self.replacement(order, store, &mut draw, &assertions, &place)?;
                (new != place.term).then_some((place.site, new))
            });
            let Some((site, new)) = made else { break };
            let rule = self.name().to_owned();
            let before = assertions.clone();
            let step = TraceStep::take(store, &mut assertions, rule, site, new);
            // A later step may undo earlier ones.
            match assertions == order.prepared.seed.base.assertions {
                true => assertions = before,
                false => steps.push(step),
            }
        }
        match steps.is_empty() {
            true => Err(MakeError::Unsuitable("nothing in it can be replaced".to_owned())),
            false => Ok((assertions, steps)),
        }
    }

    fn replacement(
        self,
        order: &Order<'_>,
        store: &mut Store,
        draw: &mut Draw,
        assertions: &[TermId],
        place: &Occurrence,
    ) -> Option<TermId> {
        match self {
            Mutation::Operator => exchange(order, store, draw, place.term),
            Mutation::Term => {
                let scope = place.site.scope(store, assertions);
                let vocabulary = &order.prepared.vocabulary;
                let snippets = Snippets { vocabulary, scope: &scope, depth: order.config.depth };
                // Most solvers cannot handle languages over variables.
                let sort = store.sort(place.term);
                if sort == SortId::REGLAN { None } else { snippets.term(store, draw, sort) }
            }
        }
    }
}

/// The same arguments under another operator, or the other quantifier.
fn exchange(order: &Order<'_>, store: &mut Store, draw: &mut Draw, term: TermId) -> Option<TermId> {
    let (func, args) = match store.get(term) {
        Term::App(func, args) if matches!(store.func(func), Func::Op(..)) => (func, args.to_vec()),
        Term::Quant(which, vars, body) => {
            let other = match which {
                Quantifier::Forall => Quantifier::Exists,
                Quantifier::Exists => Quantifier::Forall,
            };
            let vars = vars.to_vec();
            return store.quantified(other, &vars, body).ok();
        }
        _ => return None,
    };
    let sorts: Vec<SortId> = args.iter().map(|&arg| store.sort(arg)).collect();
    let fits = order.prepared.vocabulary.alternatives(&sorts, store.sort(term));
    let others: Vec<_> = fits.iter().copied().filter(|&other| other != func).collect();
    store.try_app_as(*draw.of(&others)?, &args, None).ok()
}

/// All parts of some assertions except patterns and bound variables at their binder. An annotated
/// term is not a part, but what is annotated is: the attributes stay where they belong.
pub(crate) fn parts(store: &Store, assertions: &[TermId]) -> Occurrences {
    let is_bare = |term| !matches!(store.get(term), Term::Annotated(..));
    Occurrences::new(store, assertions, below, |term, _| is_bare(term))
}

fn below(store: &Store, term: TermId) -> Vec<(u32, bool)> {
    let all = u32::try_from(store.children(term).len()).expect("arguments fit");
    let range = match store.get(term) {
        Term::Quant(..) | Term::Lambda(..) => all - 1..all,
        // The bodies of match cases have variables that only their pattern binds.
        Term::Match(..) => 0..1,
        Term::Let(..) => 0..0,
        _ => 0..all,
    };
    range.map(|at| (at, false)).collect()
}
