//! What `assay check` says about a file: its extent, and its assertions under a model.

use assay_campaign::units::counted;
use assay_smtlib::Script;
use assay_term::{Store, Unknown};
use serde_json::json;

/// The extent of a file of this many bytes, as a line or a JSON record.
#[must_use]
pub fn file_extent(
    name: &str,
    bytes: usize,
    (store, script): (&Store, &Script),
    is_json: bool,
) -> String {
    let logic = script.logic().unwrap_or("none");
    let counts = [
        ("bytes", bytes),
        ("commands", script.commands.len()),
        ("assertions", script.active_assertions().len()),
        ("terms", store.postorder(&script.terms()).len()),
        ("coercions", script.coercions),
    ];
    if is_json {
        let mut record = json!({"file": name, "logic": logic});
        for (key, count) in counts {
            record[key] = json!(count);
        }
        return format!("{record}\n");
    }
    let counts = counts.map(|(key, count)| counted(count, key.trim_end_matches('s')));
    format!("{name}: logic {logic}, {}\n", counts.join(", "))
}

/// The truth of each assertion of a text, given by its offset: a line or a JSON record for each, and a line
/// that counts them.
#[must_use]
pub fn truths(
    store: &Store,
    text: &[u8],
    assertions: &[(usize, Result<bool, Unknown>)],
    is_json: bool,
) -> String {
    let mut out = String::new();
    let (mut line, mut passed) = (1, 0);
    let mut tally = [("true", 0), ("false", 0), ("unknown", 0)];
    for (number, (offset, truth)) in (1..).zip(assertions) {
        // Offsets ascend, so each byte is looked at once.
        line += text[passed..*offset].iter().filter(|&&byte| byte == b'\n').count();
        passed = *offset;
        let (word, reason) = match truth {
            Ok(true) => ("true", None),
            Ok(false) => ("false", None),
            Err(unknown) => ("unknown", Some(unknown.words(store))),
        };
        tally.iter_mut().filter(|(known, _)| *known == word).for_each(|(_, count)| *count += 1);
        if is_json {
            let record =
                json!({"assertion": number, "line": line, "value": word, "reason": reason});
            out.push_str(&format!("{record}\n"));
        } else {
            let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
            out.push_str(&format!("assertion {number} (line {line}): {word}{reason}\n"));
        }
    }
    if !is_json {
        out.push_str(&format!(
            "{}\n",
            tally.map(|(word, count)| format!("{count} {word}")).join(", ")
        ));
    }
    out
}
