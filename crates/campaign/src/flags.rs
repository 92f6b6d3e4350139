//! Settings as command-line flags. Each setting is a field of a struct that is parsed from flags
//! (clap) and recorded (serde) from the same definition; this module prints it as flags again.

use clap::{Args, Command};
use serde::Serialize;
use serde_json::{Map, Value};

/// The settings when no flag is given.
///
/// # Panics
/// Panics if a flag is required.
#[must_use]
pub fn defaults<T: Args>() -> T {
    let command = T::augment_args(Command::new("defaults").no_binary_name(true));
    let matches = command.get_matches_from([""; 0]);
    T::from_arg_matches(&matches).expect("no flag is required")
}

/// The flags that give these settings, in the order of the help; defaults are left out.
///
/// # Panics
/// Panics if the settings do not serialize to JSON.
#[must_use]
pub fn words<T: Args + Serialize>(settings: &T) -> Vec<String> {
    let (given, usual) = (leaves(settings), leaves(&defaults::<T>()));
    let command = T::augment_args(Command::new("words"));
    let mut words = Vec::new();
    for arg in command.get_arguments() {
        let name = arg.get_long().unwrap_or(arg.get_id().as_str());
        match given.get(name).filter(|value| usual.get(name) != Some(value)) {
            Some(Value::Array(values)) if arg.is_positional() => {
                words.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Some(value) => push(&mut words, name, value),
            None => {}
        }
    }
    words
}

/// Every flag's value, by the flag's name; parts of settings are flattened.
fn leaves(settings: &impl Serialize) -> Map<String, Value> {
    let mut leaves = Map::new();
    let mut open = vec![serde_json::to_value(settings).expect("settings are plain data")];
    while let Some(value) = open.pop() {
        let Value::Object(fields) = value else { continue };
        for (name, value) in fields {
            if value.is_object() {
                open.push(value);
            } else {
                leaves.insert(name, value);
            }
        }
    }
    leaves
}

fn push(words: &mut Vec<String>, name: &str, value: &Value) {
    match value {
        Value::Bool(true) => words.push(format!("--{name}")),
        Value::String(text) if text.starts_with('-') => words.push(format!("--{name}={text}")),
        Value::String(text) => words.extend([format!("--{name}"), text.clone()]),
        Value::Number(number) => words.extend([format!("--{name}"), number.to_string()]),
        Value::Array(values) => values.iter().for_each(|value| push(words, name, value)),
        Value::Null | Value::Bool(false) | Value::Object(_) => {}
    }
}
