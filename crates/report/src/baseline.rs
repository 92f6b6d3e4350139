//! The findings of a campaign compared with a baseline, as text and as JSON.

use assay_campaign::{Gated, Known, Sighting, Standing};
use serde_json::{Value, json};

/// How many findings that are gone are listed before the rest is counted.
const LISTED: usize = 5;

/// What the baseline makes of the findings, in words.
#[must_use]
pub fn baseline_words(gated: &Gated) -> String {
    let Some((path, baseline)) = &gated.baseline else { return String::new() };
    let Standing { new, known, gone } = &gated.standing;
    let (file, verb) = (path.display(), if gated.updated { "now has" } else { "has" });
    let mut out = format!(
        "\nbaseline {file}: {} new, {} known, {} gone; it {verb} {}\n",
        new.len(),
        known.len(),
        gone.len(),
        baseline.known.iter().map(|group| group.cases.len()).sum::<usize>()
    );
    let note = |group: &Known| group.note.clone().map_or(String::new(), |n| format!(" ({n})"));
    for group in &baseline.known {
        let is_here = |seen: &&Sighting| {
            (&*seen.target, seen.listed.kind.name(), &*seen.about)
                == (&*group.target, &*group.kind, &*group.about)
        };
        let count = known.iter().filter(is_here).count();
        if count > 0 {
            let Known { target, kind, about, .. } = group;
            out += &format!("  known: {kind} of {target}, {about}: {count}{}\n", note(group));
        }
    }
    for (group, case) in gone.iter().take(LISTED) {
        let Known { target, kind, .. } = group;
        out += &format!("  gone: {kind} of {target} on {}{}\n", case.case, note(group));
    }
    if gone.len() > LISTED {
        out += &format!("  gone: {} more\n", gone.len() - LISTED);
    }
    if !gone.is_empty() && !gated.updated {
        out += "  --update-baseline removes what is gone\n";
    }
    out
}

/// The same as JSON.
#[must_use]
pub fn baseline_record(gated: &Gated) -> Option<Value> {
    let (path, _) = gated.baseline.as_ref()?;
    let seen = |seen: &Sighting| {
        json!({
            "case": seen.case.case, "id": seen.case.id, "target": seen.target,
            "kind": seen.listed.kind.name(), "grade": seen.listed.grade.name(), "folder": seen.folder.display().to_string(),
        })
    };
    let Standing { new, known, gone } = &gated.standing;
    let gone = gone.iter().map(|(group, case)| {
        json!({
            "case": case.case, "id": case.id, "target": group.target, "kind": group.kind,
        })
    });
    Some(json!({
        "file": path.display().to_string(),
        "failing": gated.failing,
        "updated": gated.updated,
        "new": new.iter().map(seen).collect::<Vec<_>>(),
        "known": known.iter().map(seen).collect::<Vec<_>>(),
        "gone": gone.collect::<Vec<_>>(),
    }))
}
