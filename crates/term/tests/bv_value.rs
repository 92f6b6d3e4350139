//! Bit-vector values by themselves: construction, conversion, literals, order.

use assay_term::Int;
use assay_term::bitvec::{BitVec, MAX_WIDTH};
use num_bigint::{BigInt, BigUint};
use std::collections::HashSet;

#[test]
fn a_value_is_small() {
    assert!(size_of::<BitVec>() <= 16);
}

#[test]
fn constructors_truncate() {
    assert_eq!(BitVec::from_u64(4, 0x1F), BitVec::from_u64(4, 15));
    assert_eq!(BitVec::from_u64(64, u64::MAX), BitVec::ones(64));
    let big = (BigUint::from(1u8) << 200) + 5u8;
    for width in [1, 3, 64, 65, 128, 200] {
        assert_eq!(BitVec::from_big(width, &big), BitVec::from_u64(width, 5), "{width}");
    }
    assert_eq!(BitVec::from_big(201, &big).to_big(), big);
}

#[test]
fn numbers_round_trip() {
    for width in [1u32, 2, 8, 63, 64, 65, 128, 130] {
        let half = BigInt::from(1) << (width - 1);
        for n in [BigInt::from(0), -half.clone(), &half - 1, -BigInt::from(1), &half / 3] {
            let value = BitVec::from_int(width, &Int::from(n.clone()));
            assert_eq!(value.to_signed().to_big(), n, "{width}");
            assert_eq!(BitVec::from_int(width, &value.to_unsigned()), value);
            assert_eq!(BitVec::from_int(width, &value.to_signed()), value);
            assert_eq!(BitVec::from_big(width, &value.to_big()), value);
            assert_eq!(value.to_u64(), u64::try_from(value.to_big()).ok());
        }
    }
    assert_eq!(BitVec::from_int(8, &Int::from(-5i64)).to_u64(), Some(251));
    let far = Int::from(BigInt::from(-5) - (BigInt::from(1) << 100));
    assert_eq!(BitVec::from_int(8, &far).to_u64(), Some(251));
    assert_eq!(BitVec::from_int(70, &far), BitVec::from_int(70, &Int::from(-5i64)));
}

#[test]
fn bits_and_counts() {
    for width in [1, 5, 64, 65, 200] {
        let (zero, ones, min) =
            (BitVec::zero(width), BitVec::ones(width), BitVec::min_signed(width));
        assert!(zero.is_zero() && !zero.is_ones() && !zero.is_negative());
        assert!(ones.is_ones() && !ones.is_zero() && ones.is_negative());
        assert!(min.is_negative() && min.count_ones() == 1 && min.bit(width - 1));
        assert_eq!(ones.count_ones(), width);
        assert!(!ones.bit(width) && !ones.bit(u32::MAX));
    }
}

#[test]
fn literals_are_read_and_written() {
    for text in ["#b0", "#b1", "#b101", "#x0", "#xf0", "#x00ff", "#xffffffffffffffff"] {
        assert_eq!(read(text).unwrap().to_string(), text);
    }
    assert_eq!(read("#b0101").unwrap().to_string(), "#x5");
    assert_eq!(BitVec::from_hex("aF"), BitVec::from_hex("Af"));
    assert_eq!(BitVec::from_hex("0001").unwrap().width(), 16);
    assert_eq!(format!("{:?}", BitVec::from_u64(3, 5)), "#b101");
    for width in [65, 66, 67, 68, 127, 128, 257] {
        for value in [BitVec::zero(width), BitVec::from_u64(width, 0xABC), BitVec::ones(width)] {
            assert_eq!(read(&value.to_string()), Some(value.clone()));
            assert_eq!(BitVec::from_binary(&value.to_binary()), Some(value.clone()));
            assert_eq!(value.to_hex().is_some(), width % 4 == 0);
        }
    }
}

fn read(text: &str) -> Option<BitVec> {
    match text.split_at(2) {
        ("#b", digits) => BitVec::from_binary(digits),
        ("#x", digits) => BitVec::from_hex(digits),
        _ => None,
    }
}

#[test]
fn malformed_literals_are_refused() {
    for digits in ["", "2", "10_1", "+1", "-1", " 1", "1 ", "0x1", "é", "١"] {
        assert_eq!(BitVec::from_binary(digits), None, "{digits:?}");
    }
    let long = "1".repeat(100);
    for digits in ["", "g", "a_b", "+a", "-a", "é", &format!("+{long}"), &format!("{long}_")] {
        assert_eq!(BitVec::from_hex(digits), None, "{digits:?}");
    }
}

#[test]
fn long_literals_up_to_the_greatest_width() {
    let widest = "10".repeat(MAX_WIDTH as usize / 2);
    let value = BitVec::from_binary(&widest).unwrap();
    assert_eq!((value.width(), value.to_binary() == widest), (MAX_WIDTH, true));
    let hex = "a".repeat(MAX_WIDTH as usize / 4);
    assert_eq!(BitVec::from_hex(&hex), Some(value));
    assert_eq!(BitVec::from_binary(&format!("{widest}1")), None);
    assert_eq!(BitVec::from_hex(&format!("{hex}a")), None);
}

#[test]
fn order_and_equality_are_by_width_and_number() {
    let sorted = [
        BitVec::from_u64(1, 1),
        BitVec::from_u64(8, 0),
        BitVec::from_u64(8, 255),
        BitVec::from_u64(64, 3),
        BitVec::from_u64(65, 2),
        BitVec::ones(65),
        BitVec::zero(66),
    ];
    assert!(sorted.is_sorted() && sorted.windows(2).all(|pair| pair[0] != pair[1]));
    let set: HashSet<BitVec> = sorted.iter().cloned().chain(sorted.iter().cloned()).collect();
    assert_eq!(set.len(), sorted.len());
}

#[test]
#[should_panic(expected = "from 1 to 1048576 bits")]
fn a_width_of_zero_panics() {
    let _ = BitVec::from_u64(0, 0);
}

#[test]
#[should_panic(expected = "8 and 9 bits")]
fn widths_must_agree() {
    let _ = BitVec::zero(8).add(&BitVec::zero(9));
}
