//! Which applications of bit-vector operators are well sorted, and what is said about the others.

use assay_term::bitvec::{BitVec, MAX_WIDTH};
use assay_term::op::Vocabulary;
use assay_term::theories::bv;
use assay_term::{Int, Op, SortId, Store, TermId};

/// An argument: a bit-vector of a width, or something else.
#[derive(Clone, Copy, Debug)]
enum Arg {
    Bv(u32),
    Bool,
    Int,
}
use Arg::Bv;

fn build(store: &mut Store, name: &str, indices: &[u64], args: &[Arg]) -> Result<TermId, String> {
    let args: Vec<TermId> = args
        .iter()
        .map(|arg| match *arg {
            Arg::Bv(width) => store.bit_vec(BitVec::zero(width)),
            Arg::Bool => store.bool(true),
            Arg::Int => store.int(&Int::ONE),
        })
        .collect();
    let op = Op::by_name(name).unwrap_or_else(|| panic!("no operator {name}"));
    store.op_indexed(op, indices, &args).map_err(|error| store.explain(&error))
}

#[test]
fn accepted() {
    let table: &[(&str, &[u64], &[Arg], &str)] = &[
        ("concat", &[], &[Bv(3), Bv(5)], "(_ BitVec 8)"),
        ("concat", &[], &[Bv(1), Bv(2), Bv(3), Bv(4)], "(_ BitVec 10)"),
        ("concat", &[], &[Bv(MAX_WIDTH - 1), Bv(1)], "(_ BitVec 1048576)"),
        ("extract", &[7, 0], &[Bv(8)], "(_ BitVec 8)"),
        ("extract", &[7, 7], &[Bv(8)], "(_ BitVec 1)"),
        ("extract", &[70, 3], &[Bv(100)], "(_ BitVec 68)"),
        ("bvadd", &[], &[Bv(8), Bv(8)], "(_ BitVec 8)"),
        ("bvadd", &[], &[Bv(8), Bv(8), Bv(8)], "(_ BitVec 8)"),
        ("bvxnor", &[], &[Bv(8), Bv(8), Bv(8)], "(_ BitVec 8)"),
        ("bvcomp", &[], &[Bv(8), Bv(8)], "(_ BitVec 1)"),
        ("bvult", &[], &[Bv(8), Bv(8)], "Bool"),
        ("bvsaddo", &[], &[Bv(8), Bv(8)], "Bool"),
        ("bvnego", &[], &[Bv(8)], "Bool"),
        ("bvredor", &[], &[Bv(8)], "(_ BitVec 1)"),
        ("repeat", &[1], &[Bv(8)], "(_ BitVec 8)"),
        ("repeat", &[3], &[Bv(8)], "(_ BitVec 24)"),
        ("repeat", &[MAX_WIDTH.into()], &[Bv(1)], "(_ BitVec 1048576)"),
        ("zero_extend", &[0], &[Bv(8)], "(_ BitVec 8)"),
        ("sign_extend", &[56], &[Bv(8)], "(_ BitVec 64)"),
        ("rotate_left", &[0], &[Bv(8)], "(_ BitVec 8)"),
        ("rotate_right", &[u64::MAX], &[Bv(8)], "(_ BitVec 8)"),
        ("ubv_to_int", &[], &[Bv(8)], "Int"),
        ("int_to_bv", &[12], &[Arg::Int], "(_ BitVec 12)"),
        ("bit2bool", &[7], &[Bv(8)], "Bool"),
        ("bvumul_noovfl", &[], &[Bv(8), Bv(8)], "Bool"),
    ];
    let mut store = Store::new();
    for (name, indices, args, sort) in table {
        let term = build(&mut store, name, indices, args).unwrap_or_else(|words| panic!("{words}"));
        assert_eq!(store.sort_name(store.sort(term)), *sort, "{name} {indices:?} {args:?}");
    }
}

#[test]
fn rejected() {
    let huge = u64::MAX;
    let bounds = "requires a first index below the width and a second not above the first";
    let size = "requires a result of 1 to 1048576 bits";
    let table: &[(&str, &[u64], &[Arg], &str)] = &[
        (
            "bvadd",
            &[],
            &[Bv(8), Bv(9)],
            "argument 2 of `bvadd`: expected (_ BitVec 8), got (_ BitVec 9)",
        ),
        (
            "bvadd",
            &[],
            &[Bv(8), Bv(8), Bv(7)],
            "argument 3 of `bvadd`: expected (_ BitVec 8), got (_ BitVec 7)",
        ),
        ("bvadd", &[], &[Bv(8)], "`bvadd` takes at least 2 arguments, got 1"),
        ("bvadd", &[], &[Bv(8), Arg::Int], "argument 2 of `bvadd`: expected (_ BitVec 8), got Int"),
        (
            "bvadd",
            &[],
            &[Arg::Bool, Bv(8)],
            "argument 1 of `bvadd`: expected a bit-vector, got Bool",
        ),
        ("bvadd", &[1], &[Bv(8), Bv(8)], "`(_ bvadd 1)` takes no indices, got 1"),
        ("bvudiv", &[], &[Bv(8), Bv(8), Bv(8)], "`bvudiv` takes 2 arguments, got 3"),
        ("bvnot", &[], &[Bv(8), Bv(8)], "`bvnot` takes 1 argument, got 2"),
        ("bvnot", &[], &[], "`bvnot` takes 1 argument, got 0"),
        ("bvult", &[], &[Bv(8), Bv(8), Bv(8)], "`bvult` takes 2 arguments, got 3"),
        ("concat", &[], &[Bv(8)], "`concat` takes at least 2 arguments, got 1"),
        (
            "concat",
            &[],
            &[Bv(8), Arg::Bool],
            "argument 2 of `concat`: expected a bit-vector, got Bool",
        ),
        ("concat", &[], &[Bv(MAX_WIDTH), Bv(1)], size),
        ("extract", &[8, 0], &[Bv(8)], bounds),
        ("extract", &[3, 4], &[Bv(8)], bounds),
        ("extract", &[huge, 0], &[Bv(8)], bounds),
        ("extract", &[huge, huge], &[Bv(8)], bounds),
        ("extract", &[0, huge], &[Bv(8)], bounds),
        ("extract", &[3], &[Bv(8)], "`(_ extract 3)` takes 2 indices, got 1"),
        ("extract", &[], &[Bv(8)], "`extract` takes 2 indices, got 0"),
        ("repeat", &[0], &[Bv(8)], "requires a positive index"),
        ("repeat", &[131_073], &[Bv(8)], size),
        ("repeat", &[huge], &[Bv(8)], size),
        ("repeat", &[], &[Bv(8)], "`repeat` takes 1 index, got 0"),
        ("zero_extend", &[MAX_WIDTH.into()], &[Bv(1)], size),
        ("sign_extend", &[huge], &[Bv(1)], size),
        ("sign_extend", &[(1 << 32) + 1], &[Bv(1)], size),
        ("rotate_left", &[], &[Bv(8)], "`rotate_left` takes 1 index, got 0"),
        ("rotate_left", &[1], &[Arg::Int], "expected a bit-vector, got Int"),
        ("int_to_bv", &[0], &[Arg::Int], "requires a positive index"),
        ("int_to_bv", &[u64::from(MAX_WIDTH) + 1], &[Arg::Int], size),
        ("int_to_bv", &[8], &[Bv(8)], "expected Int, got (_ BitVec 8)"),
        ("ubv_to_int", &[], &[Arg::Int], "expected a bit-vector, got Int"),
        ("bit2bool", &[8], &[Bv(8)], "requires an index below the width"),
    ];
    let mut store = Store::new();
    for (name, indices, args, words) in table {
        match build(&mut store, name, indices, args) {
            Ok(_) => panic!("accepted {name} {indices:?} {args:?}"),
            Err(message) => assert!(message.contains(words), "{message}\nshould say: {words}"),
        }
    }
}

#[test]
fn older_spellings_mean_the_same_operator() {
    for alias in ["bv2nat", "bv2int"] {
        assert_eq!(Op::by_name(alias), Some(bv::UBV_TO_INT));
    }
    for alias in ["int2bv", "nat2bv"] {
        assert_eq!(Op::by_name(alias), Some(bv::INT_TO_BV));
    }
    // A printer takes the first; no solver reads `nat2bv`.
    let before = |op: Op| {
        let mut aliases = op.row().aliases.iter();
        aliases.find(|a| a.vocabulary == Vocabulary::Before27).map(|a| a.name)
    };
    assert_eq!(before(bv::UBV_TO_INT), Some("bv2nat"));
    assert_eq!(before(bv::INT_TO_BV), Some("int2bv"));
}

#[test]
fn constants_name_their_rows() {
    let table = [
        (bv::CONCAT, "concat"),
        (bv::ULT, "bvult"),
        (bv::SGE, "bvsge"),
        (bv::BIT2BOOL, "bit2bool"),
    ];
    for (op, name) in table {
        assert_eq!((op.name(), Op::by_name(name)), (name, Some(op)));
    }
    let mut store = Store::new();
    let x = store.bit_vec(BitVec::zero(8));
    let term = store.op(bv::UBV_TO_INT, &[x]).unwrap();
    assert_eq!(store.sort(term), SortId::INT);
}
