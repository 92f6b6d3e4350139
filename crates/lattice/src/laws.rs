//! The laws: the 46 of figure 2.3, and more.

use crate::law::{BoxOperation as Op, Claim, Class, Law, Need, Term};
use Claim::{Eq, IsBottom, IsTop, Leq, NotBottom, NotTop};
use Class::{Convergence as C, Precision as P, Soundness as S};
use Term::{
    Assign, Bottom, Close, Guard, Join, Meet, Narrow, Project, Queried, Top, Widen, X, Y, Z,
};

const fn law(
    number: u8,
    name: &'static str,
    class: Class,
    premises: &'static [Claim],
    conclusion: Claim,
) -> Law {
    Law { number: Some(number), name, class, needs: &[], premises, conclusion }
}

const fn own(
    name: &'static str,
    class: Class,
    premises: &'static [Claim],
    conclusion: Claim,
) -> Law {
    Law { number: None, name, class, needs: &[], premises, conclusion }
}

impl Law {
    const fn needs(mut self, needs: &'static [Need]) -> Law {
        self.needs = needs;
        self
    }
}

/// Every law, those of the paper first, in its order.
///
/// A law without requirements follows from soundness alone: a domain may return any element that
/// contains the required points. `certify.rs` tests that too.
pub const LAWS: &[Law] = &[
    law(1, "bottom-least", P, &[], Leq(Bottom, X)),
    law(2, "top-greatest", P, &[], Leq(X, Top)),
    law(3, "order-reflexive", P, &[], Leq(X, X)),
    law(4, "order-transitive", P, &[Leq(X, Y), Leq(Y, Z)], Leq(X, Z)),
    law(5, "order-antisymmetric", P, &[Leq(X, Y), Leq(Y, X)], Eq(X, Y)),
    law(6, "bottom-join", P, &[], Eq(Join(&Bottom, &X), X)).needs(&[Need::LeastJoin]),
    law(7, "top-join", S, &[], Eq(Join(&Top, &X), Top)),
    law(8, "join-above-left", S, &[], Leq(X, Join(&X, &Y))),
    law(9, "join-above-right", S, &[], Leq(Y, Join(&X, &Y))),
    law(10, "join-commutative", P, &[], Eq(Join(&X, &Y), Join(&Y, &X))).needs(&[Need::LeastJoin]),
    law(11, "join-associative", P, &[], Eq(Join(&Join(&X, &Y), &Z), Join(&X, &Join(&Y, &Z))))
        .needs(&[Need::LeastJoin]),
    law(12, "join-idempotent", P, &[], Eq(Join(&X, &X), X)).needs(&[Need::LeastJoin]),
    law(13, "join-of-ordered", P, &[Leq(X, Y)], Eq(Join(&X, &Y), Y)).needs(&[Need::LeastJoin]),
    law(14, "order-from-join", S, &[Eq(Join(&X, &Y), Y)], Leq(X, Y)),
    law(15, "join-absorbs-meet", P, &[], Eq(Join(&X, &Meet(&X, &Y)), X))
        .needs(&[Need::LeastJoin, Need::ExactMeet]),
    law(16, "bottom-meet", P, &[], Eq(Meet(&Bottom, &X), Bottom)).needs(&[Need::ExactMeet]),
    law(17, "top-meet", P, &[], Eq(Meet(&Top, &X), X)).needs(&[Need::ExactMeet]),
    law(18, "meet-below-left", P, &[], Leq(Meet(&X, &Y), X)).needs(&[Need::ExactMeet]),
    law(19, "meet-below-right", P, &[], Leq(Meet(&X, &Y), Y)).needs(&[Need::ExactMeet]),
    law(20, "meet-commutative", P, &[], Eq(Meet(&X, &Y), Meet(&Y, &X))).needs(&[Need::ExactMeet]),
    law(21, "meet-associative", P, &[], Eq(Meet(&Meet(&X, &Y), &Z), Meet(&X, &Meet(&Y, &Z))))
        .needs(&[Need::ExactMeet]),
    law(22, "meet-idempotent", P, &[], Eq(Meet(&X, &X), X)).needs(&[Need::ExactMeet]),
    law(23, "meet-of-ordered", P, &[Leq(X, Y)], Eq(Meet(&X, &Y), X)).needs(&[Need::ExactMeet]),
    law(24, "order-from-meet", P, &[Eq(Meet(&X, &Y), X)], Leq(X, Y)).needs(&[Need::ExactMeet]),
    law(25, "meet-absorbs-join", P, &[], Eq(Meet(&X, &Join(&X, &Y)), X)).needs(&[Need::ExactMeet]),
    law(26, "disjoint-meet", P, &[Claim::Disjoint], IsBottom(Meet(&X, &Y)))
        .needs(&[Need::ExactMeet]),
    law(27, "join-least", P, &[Leq(X, Z), Leq(Y, Z)], Leq(Join(&X, &Y), Z))
        .needs(&[Need::LeastJoin]),
    law(28, "meet-greatest", P, &[Leq(Z, X), Leq(Z, Y)], Leq(Z, Meet(&X, &Y))),
    law(29, "widen-above-left", S, &[], Leq(X, Widen(&X, &Y))),
    law(30, "widen-above-right", S, &[], Leq(Y, Widen(&X, &Y))),
    law(31, "widen-bottom", P, &[], Eq(Widen(&X, &Bottom), X)).needs(&[Need::LeastJoin]),
    law(32, "bottom-widen", P, &[], Eq(Widen(&Bottom, &X), X)).needs(&[Need::LeastJoin]),
    law(33, "widen-rests", C, &[], Claim::WidenRests),
    law(34, "assign-monotone", P, &[Leq(X, Y)], Leq(Assign(&X), Assign(&Y)))
        .needs(&[Need::BestTransformers]),
    law(35, "assign-reachable", S, &[NotBottom(X)], NotBottom(Assign(&X))),
    law(36, "assign-unreachable", P, &[IsBottom(X)], IsBottom(Assign(&X)))
        .needs(&[Need::BestTransformers]),
    law(37, "assign-informative", P, &[Claim::Representable], NotTop(Assign(&X)))
        .needs(&[Need::BestTransformers]),
    law(38, "assign-below-project", P, &[], Leq(Assign(&X), Project(&X)))
        .needs(&[Need::BestTransformers]),
    law(39, "guard-monotone", P, &[Leq(X, Y)], Leq(Guard(&X), Guard(&Y)))
        .needs(&[Need::BestTransformers]),
    law(40, "guard-unreachable", P, &[IsBottom(X)], IsBottom(Guard(&X)))
        .needs(&[Need::BestTransformers]),
    law(41, "guard-below", P, &[], Leq(Guard(&X), X)).needs(&[Need::ExactMeet]),
    law(42, "narrow-above-meet", P, &[], Leq(Meet(&X, &Y), Narrow(&X, &Y)))
        .needs(&[Need::Narrowing, Need::ExactMeet]),
    law(43, "narrow-below", P, &[], Leq(Narrow(&X, &Y), X))
        .needs(&[Need::Narrowing, Need::ExactMeet]),
    law(44, "narrow-bottom", P, &[], Eq(Narrow(&X, &Bottom), Bottom))
        .needs(&[Need::Narrowing, Need::ExactMeet]),
    law(45, "bottom-narrow", P, &[], Eq(Narrow(&Bottom, &X), Bottom))
        .needs(&[Need::Narrowing, Need::ExactMeet]),
    law(46, "narrow-rests", C, &[], Claim::NarrowRests).needs(&[Need::Narrowing, Need::ExactMeet]),
    // The following laws are not in the paper.
    own("has-points", S, &[], Claim::HasPoints),
    own("order-has-points", S, &[Leq(X, Y)], Claim::HasPointsOf),
    own("lacks-points", P, &[], Claim::LacksPoints).needs(&[Need::ExactMeet]),
    own("best-assign", P, &[], Claim::Best(Op::Assign)).needs(&[
        Need::BestTransformers,
        Need::ExactMeet,
        Need::Bounds,
    ]),
    own("best-join", P, &[], Claim::Best(Op::Join)).needs(&[
        Need::LeastJoin,
        Need::ExactMeet,
        Need::Bounds,
    ]),
    own("best-meet", P, &[], Claim::Best(Op::Meet)).needs(&[Need::ExactMeet, Need::Bounds]),
    own("best-guard", P, &[Claim::RepresentableGuard], Claim::Best(Op::Guard))
        .needs(&[Need::ExactMeet, Need::Bounds]),
    own("best-test", P, &[], Claim::Best(Op::Guard)).needs(&[
        Need::BestTransformers,
        Need::ExactMeet,
        Need::Bounds,
    ]),
    own("best-project", P, &[], Claim::Best(Op::Project)).needs(&[
        Need::BestTransformers,
        Need::ExactMeet,
        Need::Bounds,
    ]),
    own("assign-has-ends", S, &[], Claim::HasEnds(Op::Assign)).needs(&[Need::Bounds]),
    own("join-has-ends", S, &[], Claim::HasEnds(Op::Join)).needs(&[Need::Bounds]),
    own("meet-has-ends", S, &[], Claim::HasEnds(Op::Meet)).needs(&[Need::Bounds]),
    own("guard-has-ends", S, &[], Claim::HasEnds(Op::Guard)).needs(&[Need::Bounds]),
    own("project-has-ends", S, &[], Claim::HasEnds(Op::Project)).needs(&[Need::Bounds]),
    own("loop-rests", C, &[], Claim::LoopRests),
    own("loop-narrows", C, &[], Claim::LoopNarrows).needs(&[Need::Narrowing, Need::ExactMeet]),
    own("widen-keeps-bounds", P, &[], Claim::KeepsBounds).needs(&[
        Need::KeepsBounds,
        Need::LeastJoin,
        Need::ExactMeet,
    ]),
    own("widen-stable", P, &[Leq(Y, X)], Eq(Widen(&X, &Y), X)).needs(&[Need::LeastJoin]),
    own("project-extensive", S, &[], Leq(X, Project(&X))),
    own("project-idempotent", P, &[], Eq(Project(&Project(&X)), Project(&X)))
        .needs(&[Need::BestTransformers]),
    own("project-reachable", S, &[NotBottom(X)], NotBottom(Project(&X))),
    own("project-unreachable", P, &[IsBottom(X)], IsBottom(Project(&X)))
        .needs(&[Need::BestTransformers]),
    own("project-forgets", P, &[], Eq(Project(&Assign(&X)), Project(&X)))
        .needs(&[Need::BestTransformers]),
    own("project-guard", P, &[Claim::SilentGuard], Eq(Project(&Guard(&X)), Guard(&Project(&X))))
        .needs(&[Need::ExactMeet, Need::BestTransformers]),
    own("project-monotone", P, &[Leq(X, Y)], Leq(Project(&X), Project(&Y)))
        .needs(&[Need::BestTransformers]),
    own("guard-idempotent", P, &[Claim::RepresentableGuard], Eq(Guard(&Guard(&X)), Guard(&X)))
        .needs(&[Need::ExactMeet]),
    own("guard-meets-top", P, &[Claim::RepresentableGuard], Eq(Guard(&X), Meet(&X, &Guard(&Top))))
        .needs(&[Need::ExactMeet]),
    own("order-from-equality", P, &[Eq(X, Y)], Leq(X, Y)),
    own("equality-symmetric", P, &[Eq(X, Y)], Eq(Y, X)),
    own("bottom-is-bottom", P, &[], IsBottom(Bottom)),
    own("top-is-top", P, &[], IsTop(Top)),
    own("top-not-bottom", S, &[], NotBottom(Top)),
    own("bottom-from-order", P, &[Leq(X, Bottom)], IsBottom(X)),
    own("order-from-bottom", P, &[IsBottom(X)], Leq(X, Bottom)),
    own("top-from-order", P, &[Leq(Top, X)], IsTop(X)),
    own("order-from-top", P, &[IsTop(X)], Leq(Top, X)),
    own("join-keeps-operands", P, &[], Claim::Unchanged(Join(&X, &Y))),
    own("meet-keeps-operands", P, &[], Claim::Unchanged(Meet(&X, &Y))),
    own("widen-keeps-operands", P, &[], Claim::Unchanged(Widen(&X, &Y))),
    own("narrow-keeps-operands", P, &[], Claim::Unchanged(Narrow(&X, &Y)))
        .needs(&[Need::Narrowing, Need::ExactMeet]),
    own("assign-keeps-operand", P, &[], Claim::Unchanged(Assign(&X))),
    own("project-keeps-operand", P, &[], Claim::Unchanged(Project(&X))),
    own("guard-keeps-operand", P, &[], Claim::Unchanged(Guard(&X))),
    own("queried-same", P, &[], Eq(Queried(&X), X)),
    own("queried-answers", P, &[], Claim::SameAnswers),
    own("queried-join", P, &[], Eq(Join(&Queried(&X), &Queried(&Y)), Join(&X, &Y)))
        .needs(&[Need::LeastJoin]),
    own("queried-meet", P, &[], Eq(Meet(&Queried(&X), &Queried(&Y)), Meet(&X, &Y)))
        .needs(&[Need::ExactMeet]),
    own("queried-assign", P, &[], Eq(Assign(&Queried(&X)), Assign(&X)))
        .needs(&[Need::BestTransformers]),
    own("queried-guard", P, &[], Eq(Guard(&Queried(&X)), Guard(&X)))
        .needs(&[Need::BestTransformers]),
    own("queried-project", P, &[], Eq(Project(&Queried(&X)), Project(&X)))
        .needs(&[Need::BestTransformers]),
    own("closure-same", P, &[], Eq(Close(&X), X)).needs(&[Need::Closure]),
    own("closure-idempotent", P, &[], Eq(Close(&Close(&X)), Close(&X))).needs(&[Need::Closure]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_laws_come_first_and_names_are_unique() {
        for (at, law) in LAWS.iter().enumerate().take(46) {
            assert_eq!(law.number.map(usize::from), Some(at + 1), "{}", law.name);
        }
        for (at, law) in LAWS.iter().enumerate() {
            assert!(at < 46 || law.number.is_none());
            assert_eq!(Law::find(law.name), Some(law));
            assert!(law.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", law.name);
        }
        assert_eq!(Law::find("17").map(|law| law.name), Some("top-meet"));
        assert_eq!(Law::find("47"), None);
    }

    #[test]
    fn classes_match_the_figure_of_the_paper() {
        let of = |class| -> Vec<u8> {
            LAWS.iter().filter(|law| law.class == class).filter_map(|law| law.number).collect()
        };
        assert_eq!(of(S), [7, 8, 9, 14, 29, 30, 35]);
        assert_eq!(of(C), [33, 46]);
        assert_eq!(of(P).len(), 46 - 9);
    }

    #[test]
    fn laws_print_as_they_read() {
        let law = Law::find("join-least").expect("it is in the table");
        assert_eq!(law.to_string(), "x <= z and y <= z => join(x, y) <= z");
        assert_eq!(law.title(), "27 join-least [P]");
    }
}
