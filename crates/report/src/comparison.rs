//! Two campaigns side by side, as text and as JSON Lines.

use crate::table::blank_zero;
use assay_campaign::units::in_words;
use assay_campaign::{Change, Comparison, Found, Mark, Tally, Times};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// How many cases of a sort are listed before the rest is counted.
const LISTED: usize = 5;

/// Where the marks of cases went, the most first, in brackets.
fn moves(tally: &Tally, wanted: impl Fn(Mark, Mark) -> bool) -> String {
    let all = Mark::ALL.map(|row| row.0);
    let mut moves: Vec<(u64, Mark, Mark)> = Vec::new();
    for from in all {
        for to in all.into_iter().filter(|&to| wanted(from, to)) {
            moves.push((tally.moved(from, to), from, to));
        }
    }
    moves.retain(|(count, ..)| *count > 0);
    moves.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    let one =
        |(count, from, to): &(u64, Mark, Mark)| format!("{count} {} → {}", from.name(), to.name());
    match moves.is_empty() {
        true => String::new(),
        false => format!(" ({})", moves.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

/// A comparison of targets with these names in words; times below the floor are noise.
#[must_use]
pub fn compared((a, b): (&str, &str), comparison: &Comparison, floor: Duration) -> String {
    let mut out = format!("A {a}\nB {b}\n\n");
    out += &table(comparison);
    let Comparison { all, changes, new, gone, only_first, only_second, .. } = comparison;
    if only_first + only_second > 0 {
        let _ = writeln!(
            out,
            "\nnot compared: {only_first} cases that only A has run, {only_second} that only B has"
        );
    }
    let better = moves(all, |from, to| to > from);
    let _ = writeln!(out, "\nbetter: {}{better}", all.better());
    let _ = writeln!(out, "worse:  {}{}", all.worse(), moves(all, |from, to| to < from));
    let mut worse: Vec<&Change> = changes.iter().filter(|change| change.to < change.from).collect();
    worse.sort_by_key(|change| change.to);
    list(&mut out, &worse, |change| {
        let Change { case, from, to, before, after, .. } = change;
        let (before, after) = (in_words(*before), in_words(*after));
        format!("{case}: {} ({before}) → {} ({after})", from.name(), to.name())
    });
    for (title, found) in [("new findings", new), ("gone findings", gone)] {
        let _ = writeln!(out, "{title}: {}", found.len());
        list(&mut out, &found.iter().collect::<Vec<_>>(), |found| {
            let Found { kind, grade, case, detail, .. } = found;
            format!("{} ({}) on {case}: {detail}", kind.name(), grade.name())
        });
    }
    let timeouts: u64 = Mark::ALL
        .iter()
        .filter(|(mark, _)| *mark != Mark::Timeout)
        .map(|(mark, _)| all.moved(*mark, Mark::Timeout))
        .sum();
    let _ = writeln!(out, "new timeouts: {timeouts}");
    out += &time_words(&all.times, floor);
    out
}

fn list<T>(out: &mut String, all: &[&T], line: impl Fn(&T) -> String) {
    for one in all.iter().take(LISTED) {
        let _ = writeln!(out, "  {}", line(one));
    }
    if all.len() > LISTED {
        let _ = writeln!(out, "  and {} more", all.len() - LISTED);
    }
}

fn time_words(times: &Times, floor: Duration) -> String {
    let Times { first, second, timed, quick, .. } = times;
    let floor = in_words(floor);
    let mean = match times.mean_ratio() {
        Some(mean) => format!(
            "B takes {mean:.2} of A's time, the geometric mean over {timed} cases that both solved"
        ),
        None => "no case that both solved took long enough to be compared".to_owned(),
    };
    let total = times.total_ratio().map_or(String::new(), |ratio| format!(" ({ratio:.2})"));
    format!(
        "time: {mean}; {quick} more are below {floor} in both\n      all cases: {} → {}{total}\n",
        in_words(*first),
        in_words(*second)
    )
}

/// One line for each category: how many of each mark before and after.
fn table(comparison: &Comparison) -> String {
    let width = comparison.categories.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(8);
    let mut out = format!("  {:width$} {:>8} {:>7} {:>7}", "category", "cases", "better", "worse");
    let marks = Mark::ALL.iter().rev();
    for (_, name) in marks.clone() {
        let _ = write!(out, " {name:>13}");
    }
    out += "   time\n";
    let mut line = |name: &str, tally: &Tally| {
        let _ = write!(out, "  {name:width$} {:>8}", tally.cases());
        let _ = write!(out, " {:>7} {:>7}", blank_zero(tally.better()), blank_zero(tally.worse()));
        for (mark, _) in marks.clone() {
            let (was, is) = tally.marked(*mark);
            let both = if was + is == 0 { "·".to_owned() } else { format!("{was} → {is}") };
            let _ = write!(out, " {both:>13}");
        }
        let ratio = tally.times.mean_ratio().map_or("·".to_owned(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(out, "  {ratio:>5}");
    };
    for (name, tally) in &comparison.categories {
        line(name, tally);
    }
    if comparison.categories.len() != 1 {
        line("all", &comparison.all);
    }
    out
}

/// The same as JSON Lines: the changed cases, the findings that are new or gone, and a summary.
#[must_use]
pub fn compared_records((a, b): (&str, &str), comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut line = |record: Value| out += &format!("{record}\n");
    for change in &comparison.changes {
        line(json!({
            "case": change.case, "id": change.id.to_string(), "a": a, "b": b,
            "change": if change.to > change.from { "better" } else { "worse" },
            "from": change.from.name(), "to": change.to.name(),
            "seconds-a": change.before.as_secs_f64(), "seconds-b": change.after.as_secs_f64(),
        }));
    }
    for (word, all) in [("new", &comparison.new), ("gone", &comparison.gone)] {
        for Found { kind, grade, id, case, detail } in all {
            line(json!({
                "case": case, "id": id.to_string(), "a": a, "b": b, "finding": word,
                "kind": kind.name(), "grade": grade.name(), "detail": detail,
            }));
        }
    }
    let mut categories = json!({});
    for (name, tally) in &comparison.categories {
        categories[name] = tallied(tally);
    }
    line(json!({ "comparison": {
        "a": a, "b": b, "all": tallied(&comparison.all), "categories": categories,
        "only-a": comparison.only_first, "only-b": comparison.only_second,
        "new-findings": comparison.new.len(), "gone-findings": comparison.gone.len(),
        "less-sound": comparison.is_less_sound(),
    }}));
    out
}

fn tallied(tally: &Tally) -> Value {
    let mut record = json!({
        "cases": tally.cases(), "better": tally.better(), "worse": tally.worse(),
        "seconds-a": tally.times.first.as_secs_f64(), "seconds-b": tally.times.second.as_secs_f64(),
        "total-ratio": tally.times.total_ratio(), "mean-ratio": tally.times.mean_ratio(),
        "timed": tally.times.timed, "below-floor": tally.times.quick,
    });
    for (mark, name) in Mark::ALL {
        let (was, is) = tally.marked(mark);
        record[name] = json!({ "a": was, "b": is });
    }
    record
}
