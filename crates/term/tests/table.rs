//! The operator table as a whole: complete against the standard, unambiguous, and lawful.

use assay_term::bitvec::BitVec;
use assay_term::eval::EvalContext;
use assay_term::float::{Float, Format, RoundingMode};
use assay_term::op::{App, Fold, Law, Origin, Pat, Sig};
use assay_term::theories::Theory;
use assay_term::value::Value;
use assay_term::{Int, Model, Op, Store};
use num_bigint::BigUint;
use num_rational::BigRational;
use std::collections::BTreeMap;

/// Every function symbol of the SMT-LIB theories (Core, Ints, Reals, Reals_Ints, ArraysEx,
/// FixedSizeBitVectors, FloatingPoint, Strings) and of the logic QF_BV, version 2.6.
const STANDARD: &str = "
    true false not => and or xor = distinct ite
    + - * div mod abs <= < >= > divisible
    / to_real to_int is_int
    select store
    concat extract bvnot bvand bvor bvneg bvadd bvmul bvudiv bvurem bvshl bvlshr bvult
    bvnand bvnor bvxor bvxnor bvcomp bvsub bvsdiv bvsrem bvsmod bvashr
    repeat zero_extend sign_extend rotate_left rotate_right
    bvule bvugt bvuge bvslt bvsle bvsgt bvsge
    roundNearestTiesToEven RNE roundNearestTiesToAway RNA roundTowardPositive RTP
    roundTowardNegative RTN roundTowardZero RTZ
    fp +oo -oo +zero -zero NaN
    fp.abs fp.neg fp.add fp.sub fp.mul fp.div fp.fma fp.sqrt fp.rem fp.roundToIntegral
    fp.min fp.max fp.leq fp.lt fp.geq fp.gt fp.eq
    fp.isNormal fp.isSubnormal fp.isZero fp.isInfinite fp.isNaN fp.isNegative fp.isPositive
    to_fp to_fp_unsigned fp.to_ubv fp.to_sbv fp.to_real
    char str.++ str.len str.< str.to_re str.in_re re.none re.all re.allchar re.++ re.union
    re.inter re.* str.<= str.at str.substr str.prefixof str.suffixof str.contains str.indexof
    str.replace str.replace_all str.replace_re str.replace_re_all re.comp re.diff re.+ re.opt
    re.range re.^ re.loop str.is_digit str.to_code str.from_code str.to_int str.from_int
";

/// What version 2.7 adds: bit-vectors and HO-Core.
const NEW_IN_2_7: &str = "
    @
    ubv_to_int sbv_to_int int_to_bv
    bvnego bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo
";

#[test]
fn the_table_has_every_operator_of_the_standard() {
    for (names, origin) in [(STANDARD, Origin::Standard), (NEW_IN_2_7, Origin::Standard27)] {
        for name in names.split_whitespace() {
            let op = Op::by_name(name).unwrap_or_else(|| panic!("no row for `{name}`"));
            assert_eq!(op.row().origin, origin, "`{name}`");
        }
    }
}

#[test]
fn whatever_is_not_in_the_standard_is_marked_as_an_extension() {
    let standard: Vec<&str> =
        STANDARD.split_whitespace().chain(NEW_IN_2_7.split_whitespace()).collect();
    for op in Op::all() {
        let extension = matches!(op.row().origin, Origin::Extension(_));
        assert_eq!(extension, !standard.contains(&op.name()), "`{}`", op.name());
    }
}

#[test]
fn no_name_stands_for_two_operators() {
    let mut owners: BTreeMap<&str, Op> = BTreeMap::new();
    for op in Op::all() {
        let row = op.row();
        for name in std::iter::once(row.name).chain(row.aliases.iter().map(|alias| alias.name)) {
            if let Some(other) = owners.insert(name, op) {
                panic!("`{name}` is both {} and {}", other.name(), op.name());
            }
        }
    }
}

#[test]
fn older_operator_names_are_aliases() {
    let pairs = [
        ("bv2nat", "ubv_to_int"),
        ("nat2bv", "int_to_bv"),
        ("int2bv", "int_to_bv"),
        ("str.to.re", "str.to_re"),
        ("str.in.re", "str.in_re"),
        ("int.to.str", "str.from_int"),
        ("str.to.int", "str.to_int"),
        ("re.nostr", "re.none"),
    ];
    for (old, new) in pairs {
        assert_eq!(Op::by_name(old), Op::by_name(new), "`{old}`");
    }
}

/// Small pools of values for the sorts of a signature, with every width set to 2 and every
/// floating-point format to the smallest.
fn pool(pat: &Pat) -> Vec<Value> {
    match pat {
        Pat::Bool => vec![true.into(), false.into()],
        Pat::Int => (-3..=3).map(|n: i64| Value::Int(Int::from(n))).collect(),
        Pat::Real => {
            let parts = [(-3, 2), (-1, 1), (0, 1), (1, 3), (2, 1)];
            parts
                .map(|(n, d): (i64, i64)| Value::rational(BigRational::new(n.into(), d.into())))
                .into()
        }
        Pat::Rm => RoundingMode::ALL.map(Value::RoundingMode).into(),
        Pat::Str => ["", "a", "ab", "ba", "0"].map(Value::text).into(),
        Pat::Bv(_) => (0..4).map(|n| Value::BitVec(BitVec::from_u64(2, n))).collect(),
        Pat::Fp(..) => {
            let format = Format::new(2, 2).expect("the smallest format");
            (0..16u32)
                .filter_map(|bits| Float::from_bits(format, &BigUint::from(bits)).map(Value::Float))
                .collect()
        }
        Pat::Any(_) => (0..3).map(|n: i64| Value::Int(Int::from(n))).collect(),
        Pat::Re => {
            use assay_term::regex::RegLan;
            let a = RegLan::literal(&[97]);
            let b = RegLan::literal(&[98]);
            let star = RegLan::star(a.clone());
            [RegLan::none(), RegLan::all(), RegLan::epsilon(), a, b, star].map(Value::RegLan).into()
        }
        Pat::Array(..)
        | Pat::Seq(_)
        | Pat::Fun(..)
        | Pat::Set(_)
        | Pat::Bag(_)
        | Pat::Nullable(_)
        | Pat::Tuple(_)
        | Pat::Column(_)
        | Pat::Field(_)
        | Pat::Each
        | Pat::Ascribed(_) => Vec::new(),
    }
}

/// Whether the law holds for all values of the pools; the arguments of a law have one sort.
fn holds(op: Op, sig: &Sig, law: Law) -> bool {
    let (store, model) = (Store::new(), Model::new());
    let mut cx = EvalContext::new(&store, &model);
    let sort = assay_term::SortId::BOOL;
    let mut call = |args: &[Value]| {
        let value = (op.row().eval)(&mut cx, App { op, indices: &[], sort }, args);
        value.expect("an operator with laws is defined everywhere")
    };
    let values = pool(&sig.args[0]);
    assert!(!values.is_empty(), "no values to certify `{}` with", op.name());
    let same = |x: &Value, y: &Value| EvalContext::new(&store, &model).equal(x, y) == Ok(true);
    match law {
        Law::Commutative => values.iter().all(|a| {
            values
                .iter()
                .all(|b| same(&call(&[a.clone(), b.clone()]), &call(&[b.clone(), a.clone()])))
        }),
        Law::Associative => values.iter().all(|a| {
            values.iter().all(|b| {
                values.iter().all(|c| {
                    let left = call(&[a.clone(), b.clone()]);
                    let right = call(&[b.clone(), c.clone()]);
                    same(&call(&[left, c.clone()]), &call(&[a.clone(), right]))
                })
            })
        }),
        Law::Idempotent => values.iter().all(|a| same(&call(&[a.clone(), a.clone()]), a)),
        Law::Involutive => values.iter().all(|a| {
            let once = call(std::slice::from_ref(a));
            same(&call(&[once]), a)
        }),
    }
}

#[test]
fn every_law_of_every_row_is_certified() {
    for op in Op::all() {
        let row = op.row();
        for &law in row.laws {
            let arity = if law == Law::Involutive { 1 } else { 2 };
            let sigs: Vec<&Sig> = row.sigs.iter().filter(|sig| sig.args.len() == arity).collect();
            assert!(!sigs.is_empty(), "`{}` cannot have {law:?}", op.name());
            for sig in sigs {
                // Operators on sequences, arrays, sets and fields are certified with their theories.
                if !pool(&sig.args[0]).is_empty() {
                    assert!(holds(op, sig, law), "{law:?} fails for `{}`", op.name());
                }
            }
        }
    }
}

#[test]
fn certification_refuses_a_wrong_law() {
    let minus = Op::by_name("-").unwrap();
    let binary = minus.row().sigs.iter().find(|sig| sig.args.len() == 2).unwrap();
    for law in [Law::Commutative, Law::Associative, Law::Idempotent] {
        assert!(!holds(minus, binary, law));
    }
}

/// `(f a b c)` means what its fold says.
#[test]
fn applications_to_many_arguments_follow_the_fold() {
    let (store, model) = (Store::new(), Model::new());
    let mut cx = EvalContext::new(&store, &model);
    let sort = assay_term::SortId::BOOL;
    for op in Op::all().filter(|op| op.theory() != Theory::Sequences) {
        let row = op.row();
        let Some(sig) = row.sigs.iter().find(|sig| sig.args.len() == 2 && sig.indices.least() == 0)
        else {
            continue;
        };
        let values = pool(&sig.args[1]);
        let nests = !matches!(row.fold, Fold::Fixed | Fold::Together);
        if !nests || values.is_empty() || matches!(sig.args[0], Pat::Rm) {
            continue;
        }
        let mut call = |args: &[Value]| (row.eval)(&mut cx, App { op, indices: &[], sort }, args);
        let truth = |value: Value| value == Value::Bool(true);
        for a in &values {
            for b in &values {
                for c in &values {
                    let args = [a.clone(), b.clone(), c.clone()];
                    let Ok(got) = call(&args) else { continue };
                    let mut two = |x: &Value, y: &Value| call(&[x.clone(), y.clone()]).unwrap();
                    let expected = match row.fold {
                        Fold::Left => {
                            let ab = two(a, b);
                            two(&ab, c)
                        }
                        Fold::Right => {
                            let bc = two(b, c);
                            two(a, &bc)
                        }
                        Fold::Chain => (truth(two(a, b)) && truth(two(b, c))).into(),
                        Fold::Pairwise => {
                            (truth(two(a, b)) && truth(two(b, c)) && truth(two(a, c))).into()
                        }
                        Fold::Fixed | Fold::Together => unreachable!("skipped above"),
                    };
                    let same = EvalContext::new(&store, &model).equal(&got, &expected);
                    // Concatenation of bit-vectors changes the width, so only its text is compared.
                    assert!(
                        same == Ok(true) || format!("{got:?}") == format!("{expected:?}"),
                        "{}",
                        op.name()
                    );
                }
            }
        }
    }
}
