//! The options of the standard and the values they take.

use crate::script::Setting;

/// The value of an option.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Numeral,
    Text,
}

/// The options of SMT-LIB 2.7 and of earlier versions.
const OPTIONS: &[(&str, Kind)] = &[
    (":diagnostic-output-channel", Kind::Text),
    (":expand-definitions", Kind::Bool),
    (":global-declarations", Kind::Bool),
    (":interactive-mode", Kind::Bool),
    (":print-success", Kind::Bool),
    (":produce-assertions", Kind::Bool),
    (":produce-assignments", Kind::Bool),
    (":produce-models", Kind::Bool),
    (":produce-proofs", Kind::Bool),
    (":produce-unsat-assumptions", Kind::Bool),
    (":produce-unsat-cores", Kind::Bool),
    (":random-seed", Kind::Numeral),
    (":regular-output-channel", Kind::Text),
    (":reproducible-resource-limit", Kind::Numeral),
    (":verbosity", Kind::Numeral),
];

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Bool => "`true` or `false`",
            Kind::Numeral => "a numeral",
            Kind::Text => "a string",
        }
    }

    fn fits(self, value: &str) -> bool {
        match self {
            Kind::Bool => ["true", "false"].contains(&value),
            Kind::Numeral => !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()),
            Kind::Text => value.starts_with('"'),
        }
    }
}

/// The error in the value of an option; solvers' own options accept anything.
pub(super) fn wrong_value(option: &Setting) -> Option<String> {
    let (keyword, kind) = OPTIONS.iter().find(|(keyword, _)| *keyword == option.keyword)?;
    match &option.value {
        Some(value) if kind.fits(value) => None,
        Some(value) => {
            let value = crate::lexer::shorten(value);
            Some(format!("`{keyword}` takes {}, got `{value}`", kind.words()))
        }
        None => Some(format!("`{keyword}` takes {}", kind.words())),
    }
}

/// The values of `:status`.
const STATUSES: [&str; 3] = ["sat", "unsat", "unknown"];

/// The error in a `set-info`; only `:status` has restricted values.
pub(super) fn wrong_info(info: &Setting) -> Option<String> {
    let status = info.keyword == ":status";
    let known = info.value.as_deref().is_some_and(|value| STATUSES.contains(&value));
    (status && !known).then(|| {
        let got = info.value.as_deref().map_or("nothing", |value| value);
        format!("`:status` is sat, unsat or unknown, got {}", crate::lexer::shorten(got))
    })
}
