//! Whole campaigns on a clock of our own: where their time goes.

use super::{Agenda, Arms, Job, Numbered, Schedule, Turn, Used};
use assay_case::{CaseId, Category, Expected};
use std::time::Duration;

const FULL: Duration = Duration::from_secs(5);
const MILLI: Duration = Duration::from_millis(1);

/// A category of formulas: how many of a thousand hang; the others take up to twice this time.
#[derive(Clone, Copy)]
struct Kind {
    hang: u64,
    usual: Duration,
}

/// A number below a thousand that looks random.
fn dice(case: u64, salt: u64) -> u64 {
    let mixed = (case ^ salt << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) % 1_000
}

impl Kind {
    /// The time of a case; `None` if it hangs.
    fn takes(self, case: u64) -> Option<Duration> {
        let hangs = dice(case, 1) < self.hang;
        let part = dice(case, 2);
        (!hangs).then(|| self.usual * u32::try_from(part).unwrap_or(0) / 500)
    }
}

/// The result of a simulated campaign.
#[derive(Default, Debug)]
struct Account {
    answers: u64,
    total: Duration,
    unanswered: Duration,
    late: Duration,
    late_unanswered: Duration,
}

impl Account {
    fn percent(&self, part: Duration) -> f64 {
        100.0 * part.as_secs_f64() / self.total.as_secs_f64()
    }
}

/// Runs cases of these categories in turn, for so long.
fn simulate(schedule: Schedule, kinds: &[Kind], budget: Duration) -> Account {
    let category =
        |_: &Kind| Category { name: "any".into(), group: String::new(), expected: Expected::Open };
    let categories: Vec<Category> = kinds.iter().map(category).collect();
    let count = kinds.len() as u64;
    let cases = move || -> Box<dyn Iterator<Item = Numbered> + Send> {
        let id = move |place: u64| CaseId {
            category: u32::try_from(place % count).unwrap_or(0),
            index: u128::from(place),
        };
        Box::new((0..).map(move |place| (id(place), place, 0)))
    };
    let mut arms = Arms::new(FULL, &categories);
    let mut agenda = Agenda::new((schedule, 15), FULL, 1, Box::new(cases));
    let mut account = Account::default();
    while account.total < budget {
        let used =
            Used { total: account.total, unanswered: account.unanswered, late: account.late };
        let Some(Job { id, ordinal, turn }) = agenda.next(&arms, used, |_| true) else { break };
        let takes = kinds[id.category as usize].takes(ordinal);
        let first = turn == Turn::First && schedule == Schedule::Slices;
        let slice = if first { arms.slice(0, id.category) } else { None };
        let limit = slice.unwrap_or(FULL);
        let (time, answered) = match takes {
            Some(time) if time < limit => (time, true),
            _ => (limit, false),
        };
        account.total += time;
        account.answers += u64::from(answered);
        arms.ran(id.category, time, false);
        match (first, answered) {
            (true, true) => arms.answered(0, id.category, time),
            (true, false) => {
                account.unanswered += time;
                arms.unanswered(0, id.category);
                if slice.is_some() {
                    agenda.wait(id, ordinal, vec![0]);
                }
            }
            (false, _) if schedule == Schedule::Plain => {
                account.unanswered += if answered { Duration::ZERO } else { time };
            }
            (false, _) => {
                account.late += time;
                account.late_unanswered += if answered { Duration::ZERO } else { time };
                agenda.record_late(id.category, answered);
                if answered {
                    arms.answered_late(0, id.category, time);
                }
            }
        }
    }
    account
}

#[test]
fn lost_time_keeps_to_its_share_while_quick_cases_remain() {
    // Most categories hang now and then, many do most of the time.
    let kind = |n: u64| Kind { hang: n * n, usual: MILLI * (2 + u32::try_from(n).unwrap_or(0)) };
    let kinds: Vec<Kind> = (0..30).map(kind).collect();
    let ten_minutes = Duration::from_secs(600);
    let plain = simulate(Schedule::Plain, &kinds, ten_minutes);
    let slices = simulate(Schedule::Slices, &kinds, ten_minutes);
    assert!(plain.percent(plain.unanswered) > 90.0, "{plain:?}");
    assert!(slices.percent(slices.unanswered) < 5.5, "{slices:?}");
    assert!(slices.percent(slices.late) < 15.5, "{slices:?}");
    assert!(slices.percent(slices.unanswered + slices.late_unanswered) < 20.0, "{slices:?}");
    assert!(slices.answers > 4 * plain.answers, "{slices:?} and {plain:?}");
}

#[test]
fn hangs_are_cut_short_even_if_every_category_hangs() {
    let kinds = [Kind { hang: 700, usual: MILLI * 5 }; 4];
    let minutes = Duration::from_secs(120);
    let plain = simulate(Schedule::Plain, &kinds, minutes);
    let slices = simulate(Schedule::Slices, &kinds, minutes);
    assert!(slices.answers > 20 * plain.answers, "{slices:?} and {plain:?}");
}
