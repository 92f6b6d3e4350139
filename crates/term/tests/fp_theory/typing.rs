//! What the table accepts, with the sort of the result, and what it rejects, with the words.

use assay_term::float::Format;
use assay_term::op::{Extension, Origin};
use assay_term::theories::Theory;
use assay_term::{Op, Sort, SortId, Store, TermId};

/// Sorts in the words of the tables below.
fn sort(store: &mut Store, word: &str) -> SortId {
    match word {
        "bool" => SortId::BOOL,
        "int" => SortId::INT,
        "real" => SortId::REAL,
        "rm" => SortId::ROUNDING_MODE,
        _ => {
            let numbers: Vec<u32> =
                word[1..].split(',').map(|n| n.parse().expect("a number")).collect();
            match numbers.as_slice() {
                [width] => store.sorts.bit_vec(*width),
                [eb, sb] => store.sorts.float(Format::new(*eb, *sb).expect("a supported format")),
                _ => panic!("{word} is no sort"),
            }
        }
    }
}

fn apply(store: &mut Store, name: &str, indices: &[u64], args: &str) -> Result<TermId, String> {
    let args: Vec<TermId> = args
        .split_whitespace()
        .enumerate()
        .map(|(position, word)| {
            let sort = sort(store, word);
            store.constant(&format!("x{position}"), sort)
        })
        .collect();
    let op = Op::by_name(name).unwrap_or_else(|| panic!("no operator is called {name}"));
    store.op_indexed(op, indices, &args).map_err(|error| store.explain(&error))
}

#[test]
fn accepts() {
    let table: &[(&str, &[u64], &str, &str)] = &[
        ("RNE", &[], "", "rm"),
        ("roundNearestTiesToAway", &[], "", "rm"),
        ("fp", &[], "b1 b8 b23", "f8,24"),
        ("fp", &[], "b1 b2 b1", "f2,2"),
        ("fp", &[], "b1 b60 b65535", "f60,65536"),
        ("NaN", &[5, 11], "", "f5,11"),
        ("+oo", &[2, 2], "", "f2,2"),
        ("-oo", &[60, 65536], "", "f60,65536"),
        ("+zero", &[8, 24], "", "f8,24"),
        ("-zero", &[8, 24], "", "f8,24"),
        ("fp.abs", &[], "f8,24", "f8,24"),
        ("fp.neg", &[], "f8,24", "f8,24"),
        ("fp.add", &[], "rm f8,24 f8,24", "f8,24"),
        ("fp.sub", &[], "rm f2,3 f2,3", "f2,3"),
        ("fp.mul", &[], "rm f2,3 f2,3", "f2,3"),
        ("fp.div", &[], "rm f2,3 f2,3", "f2,3"),
        ("fp.fma", &[], "rm f2,3 f2,3 f2,3", "f2,3"),
        ("fp.sqrt", &[], "rm f2,3", "f2,3"),
        ("fp.rem", &[], "f2,3 f2,3", "f2,3"),
        ("fp.roundToIntegral", &[], "rm f2,3", "f2,3"),
        ("fp.min", &[], "f2,3 f2,3", "f2,3"),
        ("fp.max", &[], "f2,3 f2,3", "f2,3"),
        ("fp.leq", &[], "f2,3 f2,3", "bool"),
        ("fp.lt", &[], "f2,3 f2,3 f2,3", "bool"),
        ("fp.geq", &[], "f2,3 f2,3 f2,3 f2,3", "bool"),
        ("fp.gt", &[], "f2,3 f2,3", "bool"),
        ("fp.eq", &[], "f2,3 f2,3 f2,3", "bool"),
        ("fp.isNormal", &[], "f2,3", "bool"),
        ("fp.isSubnormal", &[], "f2,3", "bool"),
        ("fp.isZero", &[], "f2,3", "bool"),
        ("fp.isInfinite", &[], "f2,3", "bool"),
        ("fp.isNaN", &[], "f2,3", "bool"),
        ("fp.isNegative", &[], "f2,3", "bool"),
        ("fp.isPositive", &[], "f2,3", "bool"),
        ("to_fp", &[5, 11], "b16", "f5,11"),
        ("to_fp", &[5, 11], "rm f8,24", "f5,11"),
        ("to_fp", &[5, 11], "rm f5,11", "f5,11"),
        ("to_fp", &[5, 11], "rm real", "f5,11"),
        ("to_fp", &[5, 11], "rm b1", "f5,11"),
        ("to_fp", &[5, 11], "rm b16", "f5,11"),
        ("to_fp", &[5, 11], "rm int", "f5,11"),
        ("to_fp", &[5, 11], "rm real int", "f5,11"),
        ("to_fp", &[5, 11], "b1 b5 b10", "f5,11"),
        ("to_fp_unsigned", &[5, 11], "rm b64", "f5,11"),
        ("fp.to_ubv", &[1], "rm f5,11", "b1"),
        ("fp.to_sbv", &[1048576], "rm f5,11", "b1048576"),
        ("fp.to_real", &[], "f5,11", "real"),
        ("fp.to_ieee_bv", &[], "f5,11", "b16"),
        ("to_ieee_bv", &[], "f11,53", "b64"),
        ("to_fp_bv", &[5, 11], "b16", "f5,11"),
        ("to_fp_fp", &[5, 11], "rm f8,24", "f5,11"),
        ("to_fp_real", &[5, 11], "rm real", "f5,11"),
        ("to_fp_signed", &[5, 11], "rm b8", "f5,11"),
    ];
    let mut store = Store::new();
    for (name, indices, args, result) in table {
        let expected = sort(&mut store, result);
        match apply(&mut store, name, indices, args) {
            Ok(term) => assert_eq!(store.sort(term), expected, "{name} {args}"),
            Err(words) => panic!("{name} {args}: {words}"),
        }
    }
    let names: Vec<&str> = table.iter().map(|row| row.0).collect();
    for op in Op::all().filter(|op| op.theory() == Theory::Floats) {
        let spellings = op.row().aliases.iter().map(|alias| alias.name).chain([op.name()]);
        let mode = op.row().sigs[0].args.is_empty() && op.row().sigs[0].indices.least() == 0;
        assert!(mode || spellings.into_iter().any(|name| names.contains(&name)), "{}", op.name());
    }
}

#[test]
fn rejects() {
    let format = "requires an exponent of 2 to 60 bits and a significand of 2 to 65536";
    let table: &[(&str, &[u64], &str, &str)] = &[
        ("RNE", &[], "rm", "takes no arguments, got 1"),
        ("RNE", &[1], "", "takes no indices, got 1"),
        ("fp", &[], "b2 b8 b23", "argument 1 of `fp`: expected (_ BitVec 1), got (_ BitVec 2)"),
        ("fp", &[], "b1 b1 b23", format),
        ("fp", &[], "b1 b61 b23", format),
        ("fp", &[], "b1 b8 b65536", format),
        ("fp", &[], "b1 b8", "takes 3 arguments, got 2"),
        ("fp", &[], "b1 b8 int", "expected a bit-vector, got Int"),
        ("NaN", &[], "", "takes 2 indices, got 0"),
        ("NaN", &[8], "", "takes 2 indices, got 1"),
        ("NaN", &[1, 8], "", format),
        ("+oo", &[8, 1], "", format),
        ("-oo", &[61, 8], "", format),
        ("+zero", &[8, 65537], "", format),
        ("-zero", &[u64::MAX, u64::MAX], "", format),
        ("fp.abs", &[], "rm f8,24", "takes 1 argument, got 2"),
        ("fp.neg", &[], "b8", "expected a floating-point number, got (_ BitVec 8)"),
        ("fp.add", &[], "f8,24 f8,24", "takes 3 arguments, got 2"),
        ("fp.add", &[], "f8,24 f8,24 f8,24", "expected RoundingMode"),
        (
            "fp.add",
            &[],
            "rm f8,24 f11,53",
            "argument 3 of `fp.add`: expected (_ FloatingPoint 8 24)",
        ),
        ("fp.add", &[], "rm f8,24 f8,24 f8,24", "takes 3 arguments, got 4"),
        ("fp.fma", &[], "rm f8,24 f8,24 f8,23", "argument 4 of `fp.fma`"),
        ("fp.sqrt", &[], "rm real", "expected a floating-point number, got Real"),
        ("fp.rem", &[], "rm f8,24 f8,24", "takes 2 arguments, got 3"),
        ("fp.min", &[], "f8,24 f8,24 f8,24", "takes 2 arguments, got 3"),
        ("fp.lt", &[], "f8,24", "takes at least 2 arguments, got 1"),
        ("fp.lt", &[], "f8,24 f8,24 f5,11", "argument 3 of `fp.lt`"),
        ("fp.eq", &[], "real real", "expected a floating-point number, got Real"),
        ("fp.isNaN", &[], "real", "expected a floating-point number, got Real"),
        ("to_fp", &[5, 11], "b15", "expected (_ BitVec 16), got (_ BitVec 15)"),
        ("to_fp", &[5, 11], "real", "expected (_ BitVec 16), got Real"),
        ("to_fp", &[5, 11], "int", "expected (_ BitVec 16), got Int"),
        ("to_fp", &[5, 11], "rm bool", "argument 2 of `(_ to_fp 5 11)`"),
        ("to_fp", &[5, 11], "rm int real", "argument 2 of `(_ to_fp 5 11)`: expected Real"),
        ("to_fp", &[5, 11], "b1 b5 b11", "argument 3 of `(_ to_fp 5 11)`: expected (_ BitVec 10)"),
        ("to_fp", &[5], "b16", "takes 2 indices, got 1"),
        ("to_fp", &[1, 15], "b16", format),
        ("to_fp", &[1, 15], "rm real", format),
        ("to_fp", &[0, 0], "rm real", format),
        ("to_fp", &[5, 0], "b1 b5 b10", "argument 3"),
        ("to_fp", &[u64::MAX, 2], "b16", "expected a bit-vector"),
        ("to_fp_unsigned", &[5, 11], "b16", "takes 2 arguments, got 1"),
        ("to_fp_unsigned", &[5, 11], "rm real", "expected a bit-vector, got Real"),
        ("fp.to_ubv", &[0], "rm f8,24", "requires a result of 1 to 1048576 bits"),
        ("fp.to_ubv", &[], "rm f8,24", "takes 1 index, got 0"),
        ("fp.to_sbv", &[1048577], "rm f8,24", "requires a result of 1 to 1048576 bits"),
        ("fp.to_sbv", &[8], "f8,24", "takes 2 arguments, got 1"),
        ("fp.to_real", &[], "rm f8,24", "takes 1 argument, got 2"),
        ("fp.to_ieee_bv", &[], "b16", "expected a floating-point number"),
        ("to_fp_bv", &[5, 11], "rm b16", "takes 1 argument, got 2"),
        ("to_fp_fp", &[5, 11], "rm real", "expected a floating-point number, got Real"),
        ("to_fp_real", &[5, 11], "rm int", "expected Real, got Int"),
        ("to_fp_signed", &[5, 11], "b16", "takes 2 arguments, got 1"),
    ];
    let mut store = Store::new();
    for (name, indices, args, words) in table {
        match apply(&mut store, name, indices, args) {
            Ok(term) => panic!("{name} {indices:?} {args}: {}", store.sort_name(store.sort(term))),
            Err(error) => assert!(error.contains(words), "{name} {args}: {error}, not {words}"),
        }
    }
}

/// The words of the table's requirement name the limits of a format.
#[test]
fn errors_about_formats_name_the_actual_limits() {
    let mut store = Store::new();
    let words = apply(&mut store, "NaN", &[0, 0], "").unwrap_err();
    let (most, long) = (Format::MAX_EXPONENT_BITS, Format::MAX_SIGNIFICAND_BITS);
    assert!(words.contains(&format!("2 to {most} bits")), "{words}");
    assert!(words.ends_with(&format!("2 to {long}")), "{words}");
}

/// The function symbols of the theory declaration, and nothing else, count as standard.
#[test]
fn the_table_is_complete() {
    let standard = "RNE RNA RTP RTN RTZ roundNearestTiesToEven roundNearestTiesToAway \
        roundTowardPositive roundTowardNegative roundTowardZero fp +oo -oo +zero -zero NaN \
        fp.abs fp.neg fp.add fp.sub fp.mul fp.div fp.fma fp.sqrt fp.rem fp.roundToIntegral \
        fp.min fp.max fp.leq fp.lt fp.geq fp.gt fp.eq fp.isNormal fp.isSubnormal fp.isZero \
        fp.isInfinite fp.isNaN fp.isNegative fp.isPositive to_fp to_fp_unsigned fp.to_ubv \
        fp.to_sbv fp.to_real";
    let mut expected: Vec<&str> = standard.split_whitespace().collect();
    let rows = Op::all().filter(|op| op.theory() == Theory::Floats).map(Op::row);
    let mut found: Vec<&str> = rows
        .filter(|row| row.origin == Origin::Standard)
        .flat_map(|row| row.aliases.iter().map(|alias| alias.name).chain([row.name]))
        .collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// A signature that the standard does not have says so.
#[test]
fn extensions_of_standard_operators_are_marked() {
    let to_fp = Op::by_name("to_fp").unwrap().row();
    let extensions: Vec<Extension> = to_fp.sigs.iter().filter_map(|sig| sig.extension).collect();
    let from =
        [Extension::FloatsFromInts, Extension::FloatsFromScaled, Extension::FloatsFromFields];
    assert_eq!((to_fp.sigs.len(), extensions.as_slice()), (7, from.as_slice()));
}

#[test]
fn results_have_the_sort_of_their_value() {
    let mut store = Store::new();
    let term = apply(&mut store, "to_fp", &[3, 4], "rm real").unwrap();
    let format = Format::new(3, 4).unwrap();
    assert_eq!(*store.sorts.get(store.sort(term)), Sort::Float(format));
}
