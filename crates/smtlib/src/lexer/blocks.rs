//! Searching a text eight bytes at a time.

/// Number of bytes that are examined together, as one word.
pub(super) const BLOCK: usize = 8;
const EACH: u64 = 0x0101_0101_0101_0101;
const TOP_BITS: u64 = EACH << 7;

/// The first position from `pos` on that `stops` marks, or the end. `stops` sets the top bit of each
/// byte of a block that stops the search, including zero bytes; bits above the lowest may be wrong.
#[inline(always)]
pub(super) fn find(bytes: &[u8], mut pos: usize, stops: impl Fn(u64) -> u64) -> usize {
    let mut rest = bytes.get(pos..).unwrap_or_default();
    // Two blocks without a branch between them: whether a word ends in the first is hard to predict.
    while let Some((&pair, after)) = rest.split_first_chunk::<{ 2 * BLOCK }>() {
        let pair = u128::from_le_bytes(pair);
        let (first, second) = (stops(pair as u64), stops((pair >> 64) as u64));
        if first | second != 0 {
            let (found, before) = if first != 0 { (first, 0) } else { (second, BLOCK) };
            return pos + before + found.trailing_zeros() as usize / 8;
        }
        pos += 2 * BLOCK;
        rest = after;
    }
    find_at_end(rest, pos, stops)
}

/// The same for a position that is expected to be further away; none close to the end.
#[inline(always)]
pub(super) fn find_far(bytes: &[u8], mut pos: usize, stops: impl Fn(u64) -> u64) -> Option<usize> {
    const FAR: usize = 4 * BLOCK;
    loop {
        let far = bytes.get(pos..)?.first_chunk::<FAR>()?;
        let mut first = FAR;
        // From the last to the first, so that the first wins, without a branch.
        for (i, block) in far.chunks_exact(BLOCK).enumerate().rev() {
            let block = block.first_chunk().expect("a whole block");
            let found = stops(u64::from_le_bytes(*block));
            let at = i * BLOCK + found.trailing_zeros() as usize / 8;
            first = if found == 0 { first } else { at };
        }
        if first < FAR {
            return Some(pos + first);
        }
        pos += FAR;
    }
}

#[cold]
fn find_at_end(mut rest: &[u8], mut pos: usize, stops: impl Fn(u64) -> u64) -> usize {
    loop {
        let (block, after) = match rest.split_first_chunk::<BLOCK>() {
            Some((block, after)) => (u64::from_le_bytes(*block), after),
            None => (last_block(rest), rest),
        };
        let found = stops(block);
        if found != 0 {
            return pos + found.trailing_zeros() as usize / 8;
        }
        pos += BLOCK;
        rest = after;
    }
}

#[cold]
fn last_block(rest: &[u8]) -> u64 {
    rest.iter().rev().fold(0, |block, &byte| block << 8 | u64::from(byte))
}

/// Marks all bytes except letters, digits and `-./<=>?@^_`.
#[inline]
pub(super) fn unusual(block: u64) -> u64 {
    let low = block & !TOP_BITS;
    // The top bit of a byte is set by a sum where the byte is at least the one, above the other.
    let between = |first: u8, last: u8| {
        let at_least = low + EACH * u64::from(0x80 - first);
        let above = low + EACH * u64::from(0x7F - last);
        at_least & !above
    };
    let usual = between(b'-', b'9') | between(b'<', b'Z') | between(b'^', b'_');
    (!(usual | between(b'a', b'z')) | block) & TOP_BITS
}

/// Marks bars and bytes that a symbol in bars may not contain.
#[inline]
pub(super) fn ends_bars(block: u64) -> u64 {
    equal(block, b'|') | equal(block, b'\\') | equal(block, 0)
}

/// Marks the bytes below a limit of at most 128.
#[inline]
pub(super) fn below(block: u64, limit: u8) -> u64 {
    block.wrapping_sub(EACH * u64::from(limit)) & !block & TOP_BITS
}

/// Marks the bytes that are equal to one.
#[inline]
pub(super) fn equal(block: u64, byte: u8) -> u64 {
    below(block ^ (EACH * u64::from(byte)), 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Class, class, word_end};
    use super::*;

    #[test]
    fn blocks_stop_where_bytes_do() {
        let in_word = |b: u8| matches!(class(b), Class::Symbol | Class::Digit);
        for byte in 0..=u8::MAX {
            for length in 0..20 {
                let mut text = vec![b'a'; length];
                text.push(byte);
                text.extend_from_slice(b"zz|");
                let end = if in_word(byte) { length + 3 } else { length };
                assert_eq!(word_end(&text, 0), end, "{byte} after {length}");
                let ends = matches!(byte, b'|' | b'\\' | 0);
                let end = if ends { length } else { length + 3 };
                assert_eq!(find(&text, 0, ends_bars), end, "{byte} after {length}");
            }
        }
    }
}
