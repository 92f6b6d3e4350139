//! How far a run is: a bar on a terminal, a line every half minute elsewhere.

use crate::output;
use assay_campaign::units::{counted, in_words};
use assay_campaign::{Judged, Progress, Verdict};
use assay_case::{Judgement, Severity};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Duration;

/// The pause between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(30);

/// Shows how far a run is.
pub(crate) struct Display {
    /// None where there is no terminal.
    bar: Option<ProgressBar>,
    shown: Duration,
    /// Findings of this run by severity.
    findings: BTreeMap<Severity, u64>,
    /// The case that was judged last.
    case: String,
}

impl Display {
    /// On the standard error stream.
    pub(crate) fn new() -> Display {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {pos} runs {msg}");
            bar.set_style(style.expect("the template is ours"));
            bar
        });
        Display { bar, shown: Duration::ZERO, findings: BTreeMap::new(), case: String::new() }
    }

    /// Takes note of a judged case.
    pub(crate) fn judged(&mut self, judged: &Judged) {
        if self.bar.is_some() {
            self.case.clone_from(&judged.case);
        }
        if let Verdict::Ran { judgement: Judgement::Finding(finding), .. } = &judged.verdict {
            if judged.verdict.is_finding() {
                *self.findings.entry(finding.severity()).or_default() += 1;
            }
        }
    }

    /// Shows how far the run is now.
    pub(crate) fn progress(&mut self, progress: &Progress) {
        let words = self.words(progress);
        match &self.bar {
            Some(bar) => {
                if let (Some(total), None) = (progress.total, bar.length()) {
                    let style = "{bar:20} {percent}% {pos}/{len} runs {msg}";
                    let style = ProgressStyle::with_template(style);
                    bar.set_style(style.expect("the template is ours"));
                    bar.set_length(total);
                }
                bar.set_position(progress.done);
                bar.set_message(format!("{words}  {}", assay_campaign::shown(&self.case)));
            }
            None if progress.elapsed >= self.shown + PAUSE => {
                self.shown = progress.elapsed;
                output::note(&format!("{} {words}\n", counted(progress.done, "run")));
            }
            None => {}
        }
    }

    /// The rate, the findings and the time, in words.
    fn words(&self, progress: &Progress) -> String {
        let rate = progress.new as f64 / progress.elapsed.as_secs_f64().max(0.001);
        let findings: Vec<String> = self
            .findings
            .iter()
            .rev()
            .map(|(severity, count)| format!("{count} {}", severity.name()))
            .collect();
        let findings = match findings.is_empty() {
            true => "no findings".to_owned(),
            false => findings.join(", "),
        };
        let time = match progress.total {
            Some(total) if rate > 0.0 && progress.done < total => {
                let left = Duration::from_secs_f64((total - progress.done) as f64 / rate);
                format!("{} left", in_words(left))
            }
            _ => in_words(progress.elapsed),
        };
        let waiting = match progress.waiting {
            0 => String::new(),
            waiting => format!("{waiting} late, "),
        };
        let spent = match progress.spent.to_string() {
            none if none.is_empty() => none,
            spent => format!(": {spent}"),
        };
        format!("({rate:.0}/s, {findings}, {waiting}{time}{spent})")
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_campaign::Spent;

    #[test]
    fn words_name_the_rate_the_findings_and_the_time_left() {
        let mut display = Display::new();
        let progress = |total| Progress {
            done: 50,
            total,
            new: 50,
            findings: 0,
            elapsed: Duration::from_secs(10),
            waiting: 0,
            spent: Spent::default(),
        };
        assert_eq!(display.words(&progress(None)), "(5/s, no findings, 10.0 s)");
        display.findings.extend([(Severity::Crash, 1), (Severity::Soundness, 3)]);
        let words = display.words(&progress(Some(100)));
        assert_eq!(words, "(5/s, 3 soundness, 1 crash, 10.0 s left)");
        let late = Progress { waiting: 7, ..progress(Some(100)) };
        assert_eq!(display.words(&late), "(5/s, 3 soundness, 1 crash, 7 late, 10.0 s left)");
    }
}
