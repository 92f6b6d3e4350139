//! What solvers are asked for: parameters of simplification and tactics. Targets say in their files
//! which of these they have; what a tactic promises is the same in all.

use assay_case::rewrite::{Promise, Request};
use assay_mutate::Draw;

/// Parameters under which the result still equals the term, whatever their values.
pub const PARAMETERS: &[&str] = &[
    "algebraic_number_evaluator",
    "arith_ineq_lhs",
    "arith_lhs",
    "bit2bool",
    "blast_distinct",
    "blast_eq_value",
    "blast_select_store",
    "bv_extract_prop",
    "bv_ite2id",
    "bv_le2extract",
    "bv_le_extra",
    "bv_not_simpl",
    "bv_sort_ac",
    "bv_trailing",
    "bv_urem_simpl",
    "bvnot2arith",
    "cache_all",
    "elim_and",
    "elim_ite",
    "elim_rem",
    "elim_sign_ext",
    "elim_to_real",
    "eq2ineq",
    "expand_nested_stores",
    "expand_power",
    "expand_select_ite",
    "expand_select_store",
    "expand_store_eq",
    "flat",
    "flat_and_or",
    "gcd_rounding",
    "hoist_cmul",
    "hoist_ite",
    "hoist_mul",
    "ite_extra_rules",
    "local_ctx",
    "mul2concat",
    "mul_to_power",
    "pull_cheap_ite",
    "push_ite_arith",
    "push_ite_bv",
    "push_to_real",
    "som",
    "sort_disjunctions",
    "sort_store",
    "sort_sums",
    "split_concat_eq",
];

/// Tactics, with what they promise of formulas without quantifiers.
pub const TACTICS: &[(&str, Promise)] = &[
    ("aig", Promise::Equivalent),
    ("blast-term-ite", Promise::Equivalent),
    ("bv-divrem-bounds", Promise::Equivalent),
    ("bv-slice", Promise::Equivalent),
    ("bv_bound_chk", Promise::Equivalent),
    ("cofactor-term-ite", Promise::Equivalent),
    ("ctx-simplify", Promise::Equivalent),
    ("ctx-solver-simplify", Promise::Equivalent),
    ("der", Promise::Equivalent),
    ("distribute-forall", Promise::Equivalent),
    ("dom-simplify", Promise::Equivalent),
    ("elim-and", Promise::Equivalent),
    ("elim-small-bv", Promise::Equivalent),
    ("factor", Promise::Equivalent),
    ("max-bv-sharing", Promise::Equivalent),
    ("nnf", Promise::Equivalent),
    ("propagate-bv-bounds", Promise::Equivalent),
    ("propagate-bv-bounds-new", Promise::Equivalent),
    ("propagate-bv-bounds2", Promise::Equivalent),
    ("propagate-ineqs", Promise::Equivalent),
    ("propagate-values", Promise::Equivalent),
    ("propagate-values2", Promise::Equivalent),
    ("qe-light", Promise::Equivalent),
    ("simplify", Promise::Equivalent),
    ("solver-subsumption", Promise::Equivalent),
    ("split-clause", Promise::Equivalent),
    ("unit-subsume-simplify", Promise::Equivalent),
    ("ackermannize_bv", Promise::Equisatisfiable),
    ("bit-blast", Promise::Equisatisfiable),
    ("bv1-blast", Promise::Equisatisfiable),
    ("bvarray2uf", Promise::Equisatisfiable),
    ("card2bv", Promise::Equisatisfiable),
    ("degree-shift", Promise::Equisatisfiable),
    ("demodulator", Promise::Equisatisfiable),
    ("diff-neq", Promise::Equisatisfiable),
    ("dt2bv", Promise::Equisatisfiable),
    ("elim-predicates", Promise::Equisatisfiable),
    ("elim-term-ite", Promise::Equisatisfiable),
    ("elim-uncnstr", Promise::Equisatisfiable),
    ("elim-uncnstr2", Promise::Equisatisfiable),
    ("eq2bv", Promise::Equisatisfiable),
    ("ff-simplify", Promise::Equisatisfiable),
    ("ff2bv", Promise::Equisatisfiable),
    ("euf-completion", Promise::Equisatisfiable),
    ("fix-dl-var", Promise::Equisatisfiable),
    ("fm", Promise::Equisatisfiable),
    ("fold-unfold", Promise::Equisatisfiable),
    ("fpa2bv", Promise::Equisatisfiable),
    ("injectivity", Promise::Equisatisfiable),
    ("lia2card", Promise::Equisatisfiable),
    ("lia2pb", Promise::Equisatisfiable),
    ("macro-finder", Promise::Equisatisfiable),
    ("normalize-bounds", Promise::Equisatisfiable),
    ("occf", Promise::Equisatisfiable),
    ("pb-preprocess", Promise::Equisatisfiable),
    ("pb2bv", Promise::Equisatisfiable),
    ("purify-arith", Promise::Equisatisfiable),
    ("quasi-macros", Promise::Equisatisfiable),
    ("recover-01", Promise::Equisatisfiable),
    ("reduce-args", Promise::Equisatisfiable),
    ("reduce-args2", Promise::Equisatisfiable),
    ("reduce-bv-size", Promise::Equisatisfiable),
    ("reduce-invertible", Promise::Equisatisfiable),
    ("snf", Promise::Equisatisfiable),
    ("solve-eqs", Promise::Equisatisfiable),
    ("special-relations", Promise::Equisatisfiable),
    ("symmetry-reduce", Promise::Equisatisfiable),
    ("tseitin-cnf", Promise::Equisatisfiable),
    ("tseitin-cnf-core", Promise::Equisatisfiable),
    ("ufbv-rewriter", Promise::Equisatisfiable),
];

/// The maximum number of parameters that are set at a time.
const MOST_PARAMETERS: usize = 3;

/// A request: often the plain one, which every solver that simplifies understands.
pub(crate) fn request(draw: &mut Draw, is_formula: bool) -> Request {
    match draw.below(8) {
        0..4 => Request::SIMPLIFY,
        4 | 5 if is_formula => {
            let (tactic, promise) = TACTICS[draw.below(TACTICS.len())];
            Request::Apply { tactic: tactic.to_owned(), promise }
        }
        _ => {
            let mut parameters: Vec<(String, String)> = Vec::new();
            for _ in 0..=draw.below(MOST_PARAMETERS) {
                let name = PARAMETERS[draw.below(PARAMETERS.len())];
                if parameters.iter().all(|(known, _)| known != name) {
                    parameters.push((name.to_owned(), draw.one_in(2).to_string()));
                }
            }
            Request::Simplify { parameters }
        }
    }
}
