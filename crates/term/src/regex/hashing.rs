//! A small fixed hash function: the same on every machine and in every run, because hashes are
//! cached in values and decide nothing but speed.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

const SEED: u64 = 0x243F_6A88_85A3_08D3;
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A map with the fixed hash function.
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;
/// A set with the fixed hash function.
pub(super) type Members<K> = HashSet<K, BuildHasherDefault<Mixer>>;

/// Folds the words it is given by xor, multiplication and shift.
#[derive(Debug, Clone)]
pub(super) struct Mixer(u64);

impl Mixer {
    pub(super) fn mix(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(ODD);
        self.0 = product ^ (product >> 32);
    }
}

impl Default for Mixer {
    fn default() -> Self {
        Mixer(SEED)
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        let product = self.0.wrapping_mul(ODD);
        product ^ (product >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(u64::try_from(word).unwrap_or(u64::MAX));
    }
}
