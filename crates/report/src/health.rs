//! What `assay targets doctor` says: whether each tool works, and what keeps tools from doing harm.

use assay_campaign::health::{Health, Part};
use assay_target::process::{Confinement, State};
use assay_target::{Resolved, TargetName};
use serde_json::{Value, json};

/// A target with its health, or the reason why it cannot be examined.
pub type Examination<'e> = Result<(&'e Resolved, &'e Health), &'e str>;

/// The row of a target: its name, the version that it reports, its parts, and notes.
#[must_use]
pub fn health_row(name: &TargetName, examined: Examination<'_>) -> Vec<String> {
    match examined {
        Ok((target, health)) => {
            let mut row = vec![target.name.to_string(), target.reported_version.clone()];
            row.extend(health.parts().map(|(_, part)| word(part).unwrap_or("–").to_owned()));
            row.push(notes(health));
            row
        }
        Err(words) => {
            [&name.to_string(), "", "broken", "", "", "", words].map(str::to_owned).to_vec()
        }
    }
}

/// The same as a JSON record, with the state of the sandbox.
#[must_use]
pub fn health_record(
    name: &TargetName,
    examined: Examination<'_>,
    confinement: Confinement,
) -> Value {
    match examined {
        Ok((target, health)) => {
            let mut record = json!({
                "target": target.name,
                "reports": target.reported_version,
                "well": health.is_well(),
                "notes": notes(health),
                "sandbox": confinement.to_string(),
            });
            for (name, part) in health.parts() {
                record[name] = json!(word(part));
            }
            record
        }
        Err(words) => json!({"target": name, "well": false, "notes": words}),
    }
}

/// The barriers that keep tools from doing harm here, and those that this kernel lacks.
#[must_use]
pub fn sandbox(confinement: Confinement) -> String {
    let state = |state: State| match state {
        State::Up(means) => means.to_owned(),
        State::Partly(gap) => format!("partly: {gap}"),
        State::Missing(need) => format!("missing: needs {need}"),
    };
    let on = if confinement == Confinement::Off { "off" } else { "on" };
    let barriers = confinement.barriers().into_iter();
    let lines = barriers.map(|(barrier, is)| format!("  {:<12} {}\n", barrier.name(), state(is)));
    format!("\nsandbox: {on}\n{}", lines.collect::<String>())
}

fn word(part: &Part) -> Option<&'static str> {
    match part {
        Part::Works => Some("works"),
        Part::Broken(_) => Some("broken"),
        Part::Unclaimed => None,
    }
}

fn notes(health: &Health) -> String {
    let mut notes: Vec<&str> = Vec::new();
    for (_, part) in health.parts() {
        if let Part::Broken(words) = part {
            if !notes.contains(&words.as_str()) {
                notes.push(words);
            }
        }
    }
    notes.join("; ")
}
