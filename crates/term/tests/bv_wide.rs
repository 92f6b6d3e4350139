//! Every operator around the border between words and big numbers, and well above it, on edge
//! values and random ones, against the independent definitions.

mod bv_support;

use assay_term::Op;
use assay_term::bitvec::MAX_WIDTH;
use assay_term::op::Pat;
use assay_term::theories::Theory;
use bv_support::definitions::Thing;
use bv_support::{Cases, vector};
use num_bigint::{BigInt, Sign};

/// A small generator of its own: the tests must not change with a library.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn number(&mut self, width: u32) -> BigInt {
        let digits: Vec<u32> = (0..width.div_ceil(32)).map(|_| self.word() as u32).collect();
        BigInt::from_slice(Sign::Plus, &digits)
    }
}

/// Numbers near which something happens, and a few random ones.
fn values(width: u32, random: &mut Random) -> Vec<Thing> {
    let power = |exponent: u32| BigInt::from(1) << exponent;
    let small = [0, 1, 2, 3, -1, -2, -3, i64::from(width) - 1, width.into(), i64::from(width) + 1];
    let mut numbers: Vec<BigInt> = small.into_iter().map(BigInt::from).collect();
    numbers.extend([power(width - 1), power(width - 1) - 1, power(width - 1) + 1]);
    numbers.extend([31, 32, 63, 64, width / 2].into_iter().filter(|&e| e < width).map(power));
    numbers.extend([power(width / 2) - 1, power(width / 2 + 1) + 1]);
    numbers.extend((0..4).map(|_| random.number(width)));
    numbers.extend((0..2).map(|_| random.number(width / 2)));
    numbers.into_iter().map(|n| vector(width, n)).collect()
}

fn indices(count: u8, width: u64, random: &mut Random) -> Vec<Vec<u64>> {
    let edges =
        [0, 1, 2, 31, 32, 33, 62, 63, 64, 65, width / 2, width - 2, width - 1, width, width + 1];
    match count {
        0 => vec![vec![]],
        1 => edges.into_iter().map(|i| vec![i]).collect(),
        _ => {
            let both = edges.into_iter().flat_map(|i| edges.into_iter().map(move |j| vec![i, j]));
            let more = (0..20).map(|_| vec![random.word() % width, random.word() % width]);
            both.chain(more).collect()
        }
    }
}

fn compare(width: u32) {
    let mut random = Random(width.into());
    let values = values(width, &mut random);
    for op in Op::all().filter(|op| op.theory() == Theory::BitVectors) {
        let mut cases = Cases::new();
        let sig = &op.row().sigs[0];
        for list in indices(sig.indices.least(), width.into(), &mut random) {
            match sig.args {
                [Pat::Int] => {
                    for n in [-1i64, 0, 1, 5, i64::MIN, i64::MAX] {
                        cases.add(op, &list, &[Thing::Number(n.into())]);
                    }
                    for _ in 0..5 {
                        let n = random.number(2 * width);
                        cases.add(op, &list, &[Thing::Number(-&n)]);
                        cases.add(op, &list, &[Thing::Number(n)]);
                    }
                }
                // With two indices there are many lists, and few values will do.
                [_] => {
                    let step = if sig.indices.least() == 2 { 5 } else { 1 };
                    for s in values.iter().step_by(step) {
                        cases.add(op, &list, std::slice::from_ref(s));
                    }
                }
                _ => {
                    for (s, t) in values.iter().flat_map(|s| values.iter().map(move |t| (s, t))) {
                        assert!(cases.add(op, &list, &[s.clone(), t.clone()]));
                    }
                }
            }
        }
        assert!(cases.check() >= values.len(), "{} at {width} bits", op.name());
    }
}

#[test]
fn words() {
    [32, 63, 64].into_iter().for_each(compare);
}

#[test]
fn just_above_a_word() {
    [65, 100].into_iter().for_each(compare);
}

#[test]
fn two_words_and_more() {
    [128, 257].into_iter().for_each(compare);
}

#[test]
fn rotation_by_a_huge_index_is_modulo_the_width() {
    let mut cases = Cases::new();
    for name in ["rotate_left", "rotate_right"] {
        let op = Op::by_name(name).unwrap();
        for width in [1, 3, 64, 65, 100] {
            for index in [u64::MAX, u64::MAX - 1, 400_000_000_001, 1 << 32, (1 << 32) + 1] {
                assert!(cases.add(op, &[index], &[vector(width, 5)]));
            }
        }
    }
    cases.check();
}

#[test]
fn the_widest_values_are_handled() {
    use assay_term::bitvec::BitVec;
    let ones = BitVec::ones(MAX_WIDTH);
    let one = BitVec::from_u64(MAX_WIDTH, 1);
    assert!(ones.add(&one).is_zero());
    assert_eq!(ones.neg(), one);
    assert_eq!(ones.mul(&ones), one);
    assert_eq!(ones.udiv(&ones), one);
    assert!(ones.shl(&ones).is_zero());
    assert_eq!(BitVec::ones(MAX_WIDTH / 2).repeat(2), ones);
    assert_eq!(BitVec::from_bool(true).repeat(MAX_WIDTH), ones);
    assert_eq!(BitVec::from_bool(true).sign_extend(MAX_WIDTH - 1), ones);
    assert_eq!(ones.extract(MAX_WIDTH - 1, MAX_WIDTH - 1), BitVec::from_bool(true));
    assert_eq!(ones.rotate_right(12_345), ones);
}
