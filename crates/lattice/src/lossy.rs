//! A domain that keeps only the required promises, and stays sound.
//!
//! It is used only to certify laws: a law that it breaks does not follow from its requirements.

use crate::domain::{Domain, Profile, Truth};
use crate::law::Need;
use crate::linear::{Constraint, Linear};

/// A domain of two variables whose operations add points wherever they may.
pub(crate) struct Lossy<'d, D> {
    domain: &'d D,
    profile: Profile,
}

impl<'d, D: Domain> Lossy<'d, D> {
    /// The domain, reduced to these promises.
    pub(crate) fn new(domain: &'d D, needs: &[Need]) -> Lossy<'d, D> {
        let kept = |need: Need| needs.contains(&need);
        let profile = Profile {
            least_join: kept(Need::LeastJoin),
            exact_meet: kept(Need::ExactMeet),
            best_transformers: kept(Need::BestTransformers),
            narrowing: kept(Need::Narrowing),
            closure: kept(Need::Closure),
            keeps_bounds: kept(Need::KeepsBounds),
            exact_points: false,
            hinted: false,
            ..domain.profile().clone()
        };
        Lossy { domain, profile }
    }

    fn without(&self, element: &D::Element, variable: usize) -> D::Element {
        self.domain.project(element, variable)
    }

    /// The result of a transformer that does not keep bottom and knows nothing about a variable.
    fn blurred(&self, before: &D::Element, after: &D::Element, variable: usize) -> D::Element {
        match self.domain.is_bottom(before) {
            Truth::Yes => self.domain.top(2),
            Truth::No | Truth::Unsure => self.without(after, variable),
        }
    }
}

impl<D: Domain> Domain for Lossy<'_, D> {
    type Element = D::Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> D::Element {
        self.domain.top(dimensions)
    }

    fn bottom(&self, dimensions: usize) -> D::Element {
        self.domain.bottom(dimensions)
    }

    fn leq(&self, left: &D::Element, right: &D::Element) -> Truth {
        self.domain.leq(left, right)
    }

    fn eq(&self, left: &D::Element, right: &D::Element) -> Truth {
        self.domain.eq(left, right)
    }

    fn is_bottom(&self, element: &D::Element) -> Truth {
        self.domain.is_bottom(element)
    }

    fn is_top(&self, element: &D::Element) -> Truth {
        self.domain.is_top(element)
    }

    fn join(&self, left: &D::Element, right: &D::Element) -> D::Element {
        let joined = self.domain.join(left, right);
        if self.profile.least_join { joined } else { self.without(&joined, 0) }
    }

    fn meet(&self, left: &D::Element, right: &D::Element) -> D::Element {
        if self.profile.exact_meet {
            return self.domain.meet(left, right);
        }
        self.without(&self.domain.join(left, right), 0)
    }

    fn widen(&self, left: &D::Element, right: &D::Element) -> D::Element {
        let widened = self.domain.widen(left, right);
        if self.profile.least_join { widened } else { self.without(&widened, 0) }
    }

    fn narrow(&self, left: &D::Element, right: &D::Element) -> D::Element {
        self.domain.narrow(left, right)
    }

    fn assign(&self, element: &D::Element, variable: usize, sum: &Linear) -> D::Element {
        let after = self.domain.assign(element, variable, sum);
        if self.profile.best_transformers {
            return after;
        }
        self.blurred(element, &self.without(&after, variable), 1 - variable)
    }

    fn project(&self, element: &D::Element, variable: usize) -> D::Element {
        let after = self.domain.project(element, variable);
        if self.profile.best_transformers {
            return after;
        }
        self.blurred(element, &after, 1 - variable)
    }

    fn guard(&self, element: &D::Element, constraint: &Constraint) -> D::Element {
        let after = self.domain.guard(element, constraint);
        match (self.profile.exact_meet, self.profile.best_transformers) {
            (_, true) => after,
            (true, false) if self.profile.shape.represents(constraint) => after,
            (true, false) => element.clone(),
            // Operands are made by tests, so that joins and meets have something to lose.
            (false, false) => self.blurred(element, &after, 1),
        }
    }

    fn close(&self, element: &D::Element) -> D::Element {
        self.domain.close(element)
    }

    fn show(&self, element: &D::Element) -> String {
        self.domain.show(element)
    }
}
