//! `assay compare`: two campaigns over the same cases, side by side.

use crate::{Outcome, output, units};
use assay_campaign::{
    Change, Comparison, Found, Mark, RESULTS, Results, Tally, TargetRecord, Terms, Times, compare,
};
use assay_target::TargetName;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Compare two campaigns over the same cases: what got better, what got worse, and by how much
///
/// The targets of the first are compared with those of the second, in the order in which they were
/// given; --target-a and --target-b choose one of each, and both campaigns may be the same. The exit
/// code is 1 if the second certainly says what is not true about a case where the first did not; what
/// is wrong only by a declared truth is listed apart.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the first campaign
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The folder of the second campaign
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Which target of the first
    #[arg(long, value_name = "TARGET")]
    target_a: Option<TargetName>,
    /// Which target of the second
    #[arg(long, value_name = "TARGET")]
    target_b: Option<TargetName>,
    /// Times below this are noise: they count as this much, and cases below it in both have no ratio
    #[arg(long, value_name = "TIME", default_value = "50ms", value_parser = units::duration)]
    floor: Duration,
    /// Compare campaigns with different limits of time or memory
    #[arg(long)]
    different_limits: bool,
    /// Print one JSON record for each case that changed and each finding that is new or gone, and a
    /// last one for each pair of targets
    #[arg(long)]
    json: bool,
}

/// How many cases of a sort are listed before the rest is counted.
const LISTED: usize = 5;

/// Opens the results of a campaign to look at them.
pub(crate) fn open(folder: &Path) -> Result<Results, Box<dyn Error>> {
    let file = folder.join(RESULTS);
    match file.exists() {
        true => Ok(Results::open(&file)?),
        false => {
            Err(format!("{} holds no campaign: there is no {RESULTS}", folder.display()).into())
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let (first, second) = (open(&args.first)?, open(&args.second)?);
    let sides = (first.targets()?, second.targets()?);
    let mut outcome = Outcome::Clean;
    for targets in pairs(args, (&sides.0, &sides.1))? {
        let Args { floor, different_limits, .. } = *args;
        let comparison = compare(&first, &second, &Terms { targets, floor, different_limits })?;
        let names = (&*sides.0[targets.0].name, &*sides.1[targets.1].name);
        let text = if args.json {
            records(names, &comparison)
        } else {
            words(names, &comparison, args.floor)
        };
        output::result(&text);
        if comparison.is_less_sound() {
            outcome = Outcome::Findings;
        }
    }
    Ok(outcome)
}

/// Which targets are compared with which.
fn pairs(
    args: &Args,
    (first, second): (&[TargetRecord], &[TargetRecord]),
) -> Result<Vec<(usize, usize)>, Box<dyn Error>> {
    if args.target_a.is_none() && args.target_b.is_none() {
        if first.len() != second.len() {
            return Err(format!(
                "the first campaign has the targets {}, the second {}; choose by --target-a and \
                 --target-b",
                names(first),
                names(second)
            )
            .into());
        }
        return Ok((0..first.len()).map(|at| (at, at)).collect());
    }
    let one = choose(args.target_a.as_ref(), first, "--target-a")?;
    Ok(vec![(one, choose(args.target_b.as_ref(), second, "--target-b")?)])
}

fn names(targets: &[TargetRecord]) -> String {
    targets.iter().map(|target| target.name.clone()).collect::<Vec<_>>().join(", ")
}

/// The only target that is meant.
fn choose(
    wanted: Option<&TargetName>,
    targets: &[TargetRecord],
    flag: &str,
) -> Result<usize, Box<dyn Error>> {
    let is_meant = |target: &TargetRecord| wanted.is_none_or(|wanted| means(wanted, &target.name));
    let mut meant = (0..targets.len()).filter(|&at| is_meant(&targets[at]));
    match (meant.next(), meant.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => {
            Err(format!("{flag} is ambiguous; there are {}", names(targets)).into())
        }
        (None, _) => {
            Err(format!("{flag}: there is no such target; there are {}", names(targets)).into())
        }
    }
}

/// Whether a name, whose version may be a beginning, means a target.
fn means(wanted: &TargetName, target: &str) -> bool {
    let Ok(target) = target.parse::<TargetName>() else { return false };
    let version = match (&wanted.version, &target.version) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(start), Some(full)) => full
            .strip_prefix(start.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
    };
    wanted.name == target.name && wanted.variant == target.variant && version
}

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

fn words((a, b): (&str, &str), comparison: &Comparison, floor: Duration) -> String {
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
        let (before, after) = (units::in_words(*before), units::in_words(*after));
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
    let floor = units::in_words(floor);
    let mean = match times.mean_ratio() {
        Some(mean) => format!(
            "B takes {mean:.2} of A's time, the geometric mean over {timed} cases that both solved"
        ),
        None => "no case that both solved took long enough to be compared".to_owned(),
    };
    let total = times.total_ratio().map_or(String::new(), |ratio| format!(" ({ratio:.2})"));
    format!(
        "time: {mean}; {quick} more are below {floor} in both\n      all cases: {} → {}{total}\n",
        units::in_words(*first),
        units::in_words(*second)
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
        let _ = write!(out, " {:>7} {:>7}", dot(tally.better()), dot(tally.worse()));
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

fn dot(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}

fn records((a, b): (&str, &str), comparison: &Comparison) -> String {
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
        categories[name] = counts(tally);
    }
    line(json!({ "comparison": {
        "a": a, "b": b, "all": counts(&comparison.all), "categories": categories,
        "only-a": comparison.only_first, "only-b": comparison.only_second,
        "new-findings": comparison.new.len(), "gone-findings": comparison.gone.len(),
        "less-sound": comparison.is_less_sound(),
    }}));
    out
}

fn counts(tally: &Tally) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_meant_by_the_beginning_of_their_version() {
        let means = |wanted: &str, target| means(&wanted.parse().expect(wanted), target);
        assert!(means("z3", "z3@4.8.0.0.post1"));
        assert!(means("z3@4.8.0", "z3@4.8.0.0.post1"));
        assert!(!means("z3@4.8.1", "z3@4.8.10.0"));
        assert!(!means("z3@4.8", "z3@4.8.0:z3str3"), "another variant is another target");
        assert!(means("z3@4.8:z3str3", "z3@4.8.0:z3str3"));
        assert!(!means("cvc5", "z3@4.8.0"));
    }
}
