//! Prints a report as a Markdown table, so that results can be kept as they are.

use crate::measure::{Measured, Report, Row, Times};
use crate::readers::{OURS, Retention};
use std::fmt::Write;
use std::time::Duration;

const HEADINGS: [&str; 11] = [
    "reader",
    "result",
    "atoms kept",
    "first ms",
    "min ms",
    "median ms",
    "MB/s",
    "free ms",
    "peak MB",
    "over text",
    "× ours",
];

/// What the columns mean.
pub const NOTES: &str = "\
Times are processor time. first: the first read of a fresh process. min, median: repetitions in one
process, all readers taking turns. MB/s and × ours use min. free: median time to drop the result.
peak: resident memory of a process that reads the file once; over text: what reading added to it.
atoms kept: tokens of the printed result per token of the file; where there is nothing to print, -.
†: never frees its terms, so each repetition is the first read of a fresh process; compare its min
with the others' first.
";

/// The report as text: a line about the file and the table.
pub fn render(report: &Report) -> String {
    let ours = fastest(report, OURS);
    let cells: Vec<[String; HEADINGS.len()]> =
        report.rows.iter().map(|row| cells_of(row, report, ours)).collect();
    let mut out = format!(
        "{}: {:.1} MB, {} commands, {} atoms\n\n",
        report.file,
        megabytes(report.bytes),
        report.contents.commands,
        report.contents.atoms
    );
    write_table(&mut out, &cells);
    out
}

fn fastest(report: &Report, name: &str) -> Option<Duration> {
    let row = report.rows.iter().find(|row| row.reader.name() == name)?;
    let measured = row.outcome.as_ref().ok()?;
    sorted_by(measured, |times| times.read).first().copied()
}

fn cells_of(row: &Row, report: &Report, ours: Option<Duration>) -> [String; HEADINGS.len()] {
    let mut cells = std::array::from_fn(|_| "-".to_owned());
    cells[0] = row.reader.name().to_owned();
    if row.reader.retention() == Retention::Process {
        cells[0].push_str(" †");
    }
    cells[1] = row.reader.product().word().to_owned();
    let measured = match &row.outcome {
        Ok(measured) => measured,
        Err(failure) => {
            cells[1] = failure.to_string();
            return cells;
        }
    };
    let reads = sorted_by(measured, |times| times.read);
    let frees = sorted_by(measured, |times| times.free);
    let trial = &measured.trial;
    if let Some(atoms) = trial.atoms {
        cells[2] = format!("{:.2} %", percentage(atoms, report.contents.atoms));
    }
    cells[3] = milliseconds(trial.times.read);
    if let [fastest, ..] = reads[..] {
        cells[4] = milliseconds(fastest);
        cells[5] = milliseconds(median(&reads));
        cells[6] = format!("{:.1}", megabytes(report.bytes) / fastest.as_secs_f64());
        cells[7] = milliseconds(median(&frees));
        if let Some(ours) = ours {
            cells[10] = format!("{:.2}", fastest.as_secs_f64() / ours.as_secs_f64());
        }
    }
    if let Some(peak) = trial.peak_kib {
        cells[8] = format!("{:.0}", mebibytes(peak));
        if let Some(before) = trial.before_kib {
            cells[9] = format!("+{:.0}", mebibytes(peak.saturating_sub(before)));
        }
    }
    cells
}

fn sorted_by(measured: &Measured, part: impl Fn(&Times) -> Duration) -> Vec<Duration> {
    let mut durations: Vec<Duration> = measured.repetitions.iter().map(part).collect();
    durations.sort_unstable();
    durations
}

/// The middle of a sorted, non-empty list; the lower one of two.
fn median(sorted: &[Duration]) -> Duration {
    sorted[(sorted.len() - 1) / 2]
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64() * 1e3)
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn mebibytes(kibibytes: u64) -> f64 {
    kibibytes as f64 / 1024.0
}

fn percentage(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn write_table(out: &mut String, rows: &[[String; HEADINGS.len()]]) {
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADINGS[column].chars().count()]).max().unwrap_or_default()
    });
    let mut line = |cells: [&str; HEADINGS.len()]| {
        out.push('|');
        for (column, cell) in cells.into_iter().enumerate() {
            let width = widths[column];
            // The first two columns hold words, the others numbers.
            if column < 2 {
                let _ = write!(out, " {cell:<width$} |");
            } else {
                let _ = write!(out, " {cell:>width$} |");
            }
        }
        out.push('\n');
    };
    line(HEADINGS);
    let rules: [String; HEADINGS.len()] = std::array::from_fn(|column| {
        let dashes = "-".repeat(widths[column] - 1);
        if column < 2 { format!("-{dashes}") } else { format!("{dashes}:") }
    });
    line(std::array::from_fn(|column| rules[column].as_str()));
    for row in rows {
        line(std::array::from_fn(|column| row[column].as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Failure, Trial};
    use crate::readers::{Product, Reader, Script};
    use crate::scan::Contents;

    struct Named(&'static str);

    impl Reader for Named {
        fn name(&self) -> &'static str {
            self.0
        }
        fn product(&self) -> Product {
            Product::Tree
        }
        fn read(&self, _: &str, _: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
            Ok(())
        }
    }

    fn row(reader: &'static dyn Reader, milliseconds: &[u64]) -> Row {
        let times =
            |ms: &u64| Times { read: Duration::from_millis(*ms), free: Duration::from_millis(1) };
        Row {
            reader,
            outcome: Ok(Measured {
                trial: Trial {
                    times: times(&9),
                    commands: 1,
                    atoms: Some(50),
                    before_kib: Some(1024),
                    peak_kib: Some(4096),
                },
                repetitions: milliseconds.iter().map(times).collect(),
            }),
        }
    }

    #[test]
    fn divides_by_our_fastest_time_and_names_failures() {
        let mut failed = row(&Named("third"), &[1]);
        failed.outcome = Err(Failure::Incomplete { found: 1, expected: 2 });
        let report = Report {
            file: "f.smt2".into(),
            bytes: 1_000_000,
            contents: Contents { commands: 1, atoms: 100 },
            rows: vec![row(&Named(OURS), &[4, 2, 3]), row(&Named("peer"), &[8, 5, 6, 7]), failed],
        };
        let text = render(&report);
        let cells = |name: &str| -> Vec<String> {
            let line = text
                .lines()
                .find(|line| line.starts_with(&format!("| {name} ")))
                .expect("every reader has a line");
            line.split('|').map(|cell| cell.trim().to_owned()).collect()
        };
        assert_eq!(
            cells("peer")[2..],
            ["tree", "50.00 %", "9.0", "5.0", "6.0", "200.0", "1.0", "4", "+3", "2.50", ""]
        );
        assert_eq!(cells(OURS)[11], "1.00");
        assert_eq!(cells("third")[2], "no error, but 1 of 2 commands");
    }
}
