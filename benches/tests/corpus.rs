//! The corpora: same bytes for ever, and nothing in them that some reader cannot take.

use assay_bench::corpus::{Flavour, make};
use assay_bench::readers::{self, Product};
use assay_bench::scan::scan;

const FLAVOURS: [Flavour; 3] = [Flavour::Mixed, Flavour::Bmc, Flavour::Verifier];

/// FNV-1a, enough to notice a changed byte.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Dated results compare only while the corpora stay the same; a change here outdates them all.
#[test]
fn corpora_do_not_drift() {
    let digests = FLAVOURS.map(|flavour| digest(&make(flavour, 50_000, 1)));
    assert_eq!(digests, [0x01a1_5d84_6e38_d2f3, 0xd1ed_9cc6_524b_1bb6, 0xf8e6_5669_33ce_9a3d]);
}

#[test]
fn a_seed_changes_the_corpus() {
    for flavour in FLAVOURS {
        assert_ne!(make(flavour, 50_000, 1), make(flavour, 50_000, 2));
    }
}

#[test]
fn sizes_are_met() {
    for flavour in FLAVOURS {
        for bytes in [0, 100_000, 400_000] {
            let length = make(flavour, bytes, 3).len();
            let slack = 150_000;
            assert!((bytes..bytes + slack).contains(&length), "{flavour:?} {length}");
        }
    }
}

/// One of the readers checks sorts, so this also says that the corpora are well-sorted.
#[test]
fn every_reader_reads_every_command() {
    assert!(readers::all().iter().any(|reader| reader.product() == Product::SharedAndSorted));
    for flavour in FLAVOURS {
        for seed in [1, 2] {
            let script = make(flavour, 100_000, seed);
            let expected = scan(&script).expect("the corpus is balanced").commands;
            for reader in readers::all() {
                let mut commands = None;
                let outcome = reader.read(&script, &mut |read| commands = Some(read.commands()));
                let what = format!("{} on {flavour:?} {seed}", reader.name());
                assert_eq!(outcome, Ok(()), "{what}");
                assert_eq!(commands, Some(expected), "{what}");
            }
        }
    }
}
