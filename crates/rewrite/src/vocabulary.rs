//! What solvers are asked for: parameters of simplification and tactics. Targets say in their files
//! which of these they have; what a tactic promises is the same in all.

use assay_case::rewrite::{Promise, Request};
use assay_mutate::Draw;

/// Parameters under which the result still equals the term, whatever their values.
const PARAMETERS: &[&str] = &[
    "algebraic_number_evaluator",
    "arith_ineq_lhs",
    "arith_lhs",
    "blast_distinct",
    "blast_eq_value",
    "bv_extract_prop",
    "bv_ite2id",
    "bv_le_extra",
    "bv_not_simpl",
    "bv_sort_ac",
    "elim_and",
    "elim_rem",
    "elim_sign_ext",
    "elim_to_real",
    "eq2ineq",
    "expand_power",
    "expand_select_store",
    "expand_store_eq",
    "flat",
    "gcd_rounding",
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
    "sort_store",
    "sort_sums",
    "split_concat_eq",
];

/// Tactics, with what they promise of formulas without quantifiers.
const TACTICS: &[(&str, Promise)] = &[
    ("aig", Promise::Equivalent),
    ("blast-term-ite", Promise::Equivalent),
    ("cofactor-term-ite", Promise::Equivalent),
    ("ctx-simplify", Promise::Equivalent),
    ("dom-simplify", Promise::Equivalent),
    ("elim-and", Promise::Equivalent),
    ("factor", Promise::Equivalent),
    ("max-bv-sharing", Promise::Equivalent),
    ("nnf", Promise::Equivalent),
    ("propagate-ineqs", Promise::Equivalent),
    ("propagate-values", Promise::Equivalent),
    ("simplify", Promise::Equivalent),
    ("bit-blast", Promise::Equisatisfiable),
    ("elim-term-ite", Promise::Equisatisfiable),
    ("elim-uncnstr", Promise::Equisatisfiable),
    ("purify-arith", Promise::Equisatisfiable),
    ("reduce-bv-size", Promise::Equisatisfiable),
    ("solve-eqs", Promise::Equisatisfiable),
    ("symmetry-reduce", Promise::Equisatisfiable),
    ("tseitin-cnf", Promise::Equisatisfiable),
];

/// At most so many parameters are set at a time.
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
