//! The meaning of the operators that strings and sequences share, written once for both.
//!
//! Everything here works on positions: [`assemble`] builds a list from ranges of others, and only
//! [`search`] compares elements. If equality of elements is uncertain (regular languages, arrays,
//! closures), an occurrence may be unknown, and so is everything that depends on it. Operators
//! specific to characters are in the table of strings.

use super::ints::int;
use crate::eval::{EvalContext, Unknown};
use crate::int::Int;
use crate::op::App;
use crate::value::{Text, Value};
use std::ops::Range;
use std::sync::Arc;

/// The result of an operator.
type Evaluated = Result<Value, Unknown>;

/// A range of the elements of a list.
type Piece<'a> = (&'a Value, Range<usize>);

/// The maximum number of hard comparisons of elements in one search.
const MOST_HARD_COMPARISONS: u32 = 1_000;

/// The characters, as typing guarantees.
pub(super) fn text(value: &Value) -> &Text {
    match value {
        Value::Str(text) => text,
        _ => unreachable!("typed as String"),
    }
}

/// The number of elements of a list.
pub(super) fn len(list: &Value) -> usize {
    match list {
        Value::Str(text) => text.len(),
        Value::Seq(_, items) => items.len(),
        _ => unreachable!("typed as a string or a sequence"),
    }
}

fn full(list: &Value) -> Piece<'_> {
    (list, 0..len(list))
}

/// The list made of these pieces, which must have the same sort.
fn assemble<'a>(
    cx: &EvalContext<'_>,
    sample: &Value,
    pieces: impl Iterator<Item = Piece<'a>> + Clone,
) -> Evaluated {
    let total = pieces.clone().fold(0, |sum: usize, (_, range)| sum.saturating_add(range.len()));
    check_length(cx, sample, total)?;
    match sample {
        Value::Str(_) => {
            let mut whole: Vec<u32> = Vec::with_capacity(total);
            for (list, range) in pieces {
                whole.extend_from_slice(&text(list)[range]);
            }
            Ok(Value::Str(whole.into()))
        }
        Value::Seq(sort, _) => {
            let mut whole: Vec<Value> = Vec::with_capacity(total);
            for (list, range) in pieces {
                whole.extend_from_slice(&items(list)[range]);
            }
            Ok(Value::Seq(*sort, whole.into()))
        }
        _ => unreachable!("typed as a string or a sequence"),
    }
}

/// Refuses to build a list that exceeds the limits.
fn check_length(cx: &EvalContext<'_>, sample: &Value, length: usize) -> Result<(), Unknown> {
    match (length <= cx.limits.length, sample) {
        (true, _) => Ok(()),
        (false, Value::Str(_)) => Err(TOO_LONG),
        (false, _) => Err(Unknown::Limit("elements of a sequence")),
    }
}

/// A string that would be longer than the limits allow.
pub(super) const TOO_LONG: Unknown = Unknown::Limit("characters of a string");

fn items(list: &Value) -> &[Value] {
    match list {
        Value::Seq(_, items) => items,
        _ => unreachable!("typed as a sequence"),
    }
}

/// The positions at which one list occurs in another, ascending, including overlaps; an error is a
/// position at which it may or may not occur.
type Occurrences<'a> = Box<dyn Iterator<Item = Result<usize, Unknown>> + 'a>;

/// The occurrences of `pattern` in `list` at `from` or later.
fn search<'a>(
    cx: &'a EvalContext<'_>,
    list: &'a Value,
    pattern: &'a Value,
    from: usize,
) -> Occurrences<'a> {
    match (list, pattern) {
        (Value::Str(list), Value::Str(pattern)) => {
            Box::new(Matches::new(list, pattern, from).map(Ok))
        }
        _ => {
            let (list, pattern) = (items(list), items(pattern));
            if list.iter().chain(pattern).all(is_plain) {
                Box::new(Matches::new(list, pattern, from).map(Ok))
            } else {
                Box::new(hard_matches(cx, list, pattern, from))
            }
        }
    }
}

/// Whether values like this one are equal if and only if they are identical.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::RegLan(_) | Value::Array(_) => false,
        Value::Seq(_, items) | Value::Set(_, items) => items.iter().all(is_plain),
        Value::Bag(_, items) => items.iter().all(|(item, _)| is_plain(item)),
        Value::Data(data) => data.fields.iter().all(is_plain),
        _ => true,
    }
}

/// The search of Knuth, Morris and Pratt, which is linear for all lists.
struct Matches<'a, T> {
    list: &'a [T],
    pattern: &'a [T],
    /// For each prefix of the pattern, the length of its longest border.
    borders: Vec<usize>,
    next: usize,
    /// The length of the pattern's prefix that the elements before `next` match.
    matched: usize,
}

impl<'a, T: PartialEq> Matches<'a, T> {
    fn new(list: &'a [T], pattern: &'a [T], from: usize) -> Matches<'a, T> {
        let mut borders = vec![0; pattern.len() + 1];
        let mut border = 0;
        for end in 1..pattern.len() {
            while border > 0 && pattern[border] != pattern[end] {
                border = borders[border];
            }
            if pattern[border] == pattern[end] {
                border += 1;
            }
            borders[end + 1] = border;
        }
        Matches { list, pattern, borders, next: from, matched: 0 }
    }
}

impl<T: PartialEq> Iterator for Matches<'_, T> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.pattern.is_empty() {
            let at = self.next;
            self.next += 1;
            return (at <= self.list.len()).then_some(at);
        }
        while let Some(item) = self.list.get(self.next) {
            while self.matched > 0 && self.pattern.get(self.matched) != Some(item) {
                self.matched = self.borders[self.matched];
            }
            if self.pattern[self.matched] == *item {
                self.matched += 1;
            }
            self.next += 1;
            if self.matched == self.pattern.len() {
                return Some(self.next - self.matched);
            }
        }
        None
    }
}

/// Tries every position, because uncertain equality is not transitive.
fn hard_matches<'a>(
    cx: &'a EvalContext<'_>,
    list: &'a [Value],
    pattern: &'a [Value],
    from: usize,
) -> impl Iterator<Item = Result<usize, Unknown>> + 'a {
    let mut left = MOST_HARD_COMPARISONS;
    let places = from..(list.len() + 1).saturating_sub(pattern.len());
    places.filter_map(move |at| match same(cx, &list[at..at + pattern.len()], pattern, &mut left) {
        Ok(true) => Some(Ok(at)),
        Ok(false) => None,
        Err(reason) => Some(Err(reason)),
    })
}

/// Whether two slices of one length agree; one certain difference decides.
fn same(cx: &EvalContext<'_>, a: &[Value], b: &[Value], left: &mut u32) -> Result<bool, Unknown> {
    let mut unknown = None;
    for (x, y) in a.iter().zip(b) {
        *left = left.checked_sub(1).ok_or(Unknown::Limit("comparisons of elements"))?;
        match cx.equal(x, y) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(reason) => unknown = unknown.or(Some(reason)),
        }
    }
    unknown.map_or(Ok(true), Err)
}

/// Whether `part` occurs in `list` at `at`.
fn occurs_at(cx: &EvalContext<'_>, list: &Value, part: &Value, at: usize) -> Result<bool, Unknown> {
    match (list, part) {
        (Value::Str(list), Value::Str(part)) => Ok(list[at..].starts_with(part)),
        _ => {
            let part = items(part);
            let there = &items(list)[at..at + part.len()];
            if there.iter().chain(part).all(is_plain) {
                return Ok(there == part);
            }
            let mut left = MOST_HARD_COMPARISONS;
            same(cx, there, part, &mut left)
        }
    }
}

/// A position from 0 to `last`; `None` for any other integer.
pub(super) fn position(n: &Int, last: usize) -> Option<usize> {
    let n = usize::try_from(n.to_u64()?).ok()?;
    (n <= last).then_some(n)
}

/// The index of an occurrence, or -1.
pub(super) fn index_value(at: Option<usize>) -> Value {
    Value::Int(at.map_or_else(|| Int::from(-1i64), Int::from))
}

pub(super) fn concat(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    match args {
        [single] => Ok(single.clone()),
        _ => assemble(cx, &args[0], args.iter().map(full)),
    }
}

pub(super) fn length(_: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    Ok(Value::Int(len(&args[0]).into()))
}

pub(super) fn extract(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    slice(cx, &args[0], int(&args[1]), int(&args[2]))
}

pub(super) fn at(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    slice(cx, &args[0], int(&args[1]), &Int::ONE)
}

/// At most `count` elements from `offset` on; empty if either is out of range.
fn slice(cx: &EvalContext<'_>, list: &Value, offset: &Int, count: &Int) -> Evaluated {
    let range = match position(offset, len(list)) {
        Some(start) if !count.is_negative() => {
            let rest = len(list) - start;
            start..start + position(count, rest).unwrap_or(rest)
        }
        _ => 0..0,
    };
    assemble(cx, list, std::iter::once((list, range)))
}

pub(super) fn is_prefix(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let (part, list) = (&args[0], &args[1]);
    Ok(Value::Bool(len(part) <= len(list) && occurs_at(cx, list, part, 0)?))
}

pub(super) fn is_suffix(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let (part, list) = (&args[0], &args[1]);
    match len(list).checked_sub(len(part)) {
        Some(start) => occurs_at(cx, list, part, start).map(Value::Bool),
        None => Ok(Value::Bool(false)),
    }
}

/// One certain occurrence decides, even if another is unknown.
pub(super) fn contains(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let mut unknown = None;
    for occurrence in search(cx, &args[0], &args[1], 0) {
        match occurrence {
            Ok(_) => return Ok(Value::Bool(true)),
            Err(reason) => unknown = unknown.or(Some(reason)),
        }
    }
    unknown.map_or(Ok(Value::Bool(false)), Err)
}

/// Without a third argument the search begins at the front, as in z3.
pub(super) fn index_of(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let offset = args.get(2).map_or(&Int::ZERO, int);
    let Some(from) = position(offset, len(&args[0])) else {
        return Ok(index_value(None));
    };
    let first = search(cx, &args[0], &args[1], from).next();
    Ok(index_value(first.transpose()?))
}

pub(super) fn last_index_of(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let last = search(cx, &args[0], &args[1], 0).last();
    Ok(index_value(last.transpose()?))
}

/// The first occurrence replaced. An empty pattern occurs at the front.
pub(super) fn replace(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let (list, pattern, by) = (&args[0], &args[1], &args[2]);
    let Some(at) = search(cx, list, pattern, 0).next().transpose()? else {
        return Ok(list.clone());
    };
    let pieces = [(list, 0..at), full(by), (list, at + len(pattern)..len(list))];
    assemble(cx, list, pieces.into_iter())
}

/// Every occurrence replaced, from left to right, without overlaps. An empty pattern changes
/// nothing.
pub(super) fn replace_all(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let (list, pattern, by) = (&args[0], &args[1], &args[2]);
    let width = len(pattern);
    if width == 0 {
        return Ok(list.clone());
    }
    let mut starts: Vec<usize> = Vec::new();
    let mut end = 0;
    for occurrence in search(cx, list, pattern, 0) {
        let at = occurrence?;
        if at >= end {
            starts.push(at);
            end = at + width;
        }
    }
    // Each gap is followed by the replacement, except the last one.
    let gap_starts = std::iter::once(0).chain(starts.iter().map(|at| at + width));
    let gaps = gap_starts.zip(&starts).map(|(start, &end)| (list, start..end));
    let pieces = gaps.flat_map(|gap| [gap, full(by)]);
    assemble(cx, list, pieces.chain(std::iter::once((list, end..len(list)))))
}

/// Overwrites the elements from the index on, as far as the list reaches.
pub(super) fn update(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    let (list, by) = (&args[0], &args[2]);
    let Some(start) = position(int(&args[1]), len(list)) else {
        return Ok(list.clone());
    };
    let width = len(by).min(len(list) - start);
    let pieces = [(list, 0..start), (by, 0..width), (list, start + width..len(list))];
    assemble(cx, list, pieces.into_iter())
}

pub(super) fn reverse(_: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Evaluated {
    Ok(match &args[0] {
        Value::Str(text) => Value::Str(text.iter().rev().copied().collect::<Arc<[u32]>>()),
        Value::Seq(sort, items) => {
            Value::Seq(*sort, items.iter().rev().cloned().collect::<Arc<[Value]>>())
        }
        _ => unreachable!("typed as a string or a sequence"),
    })
}
