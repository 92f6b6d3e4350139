//! Flags that mean nothing for a suite are refused, with a hint, instead of being ignored.

use crate::suites::SuiteArgs;
use std::error::Error;

/// Refuses the first flag that the suite has no use for.
pub(crate) fn refuse(flags: &SuiteArgs) -> Result<(), Box<dyn Error>> {
    let usual = flags.usual();
    let given = |words: fn(&SuiteArgs) -> Vec<String>| changed(&words(flags), &words(&usual));
    let (of_seeds, of_domains) = (given(SuiteArgs::mutant_words), given(SuiteArgs::domain_words));
    let of_programs = given(SuiteArgs::program_words);
    let hint = if !flags.is_programs() {
        of_programs.first().map(|flag| format!("{flag} is about programs; leave it out"))
    } else {
        let about_cases = flags.about_cases().filter(|(given, _)| *given);
        let of_cases = about_cases.filter_map(|(_, flag)| without_programs(flag));
        let of_seeds = of_seeds.iter().filter_map(|flag| over_seeds(flag, flags.has_seeds()));
        let of_mazes = of_programs.iter().filter_map(|flag| of_mazes(flag, flags));
        of_cases.chain(depth(flags)).chain(of_seeds).chain(of_mazes).next()
    };
    let hint = hint.or_else(|| {
        let flag = of_domains.first()?;
        Some(format!("{flag} is about abstract domains; leave it out"))
    });
    match hint {
        Some(words) => Err(words.into()),
        None => Ok(()),
    }
}

/// What is to be said of a flag about constructed formulas.
fn without_programs(flag: &str) -> Option<String> {
    Some(match flag {
        "--preset" | "--config" | "--chain" | "--tour" => format!(
            "{flag} is about suites of formulas; programs are made from --seeds, or without seeds \
             from a tour of bitvectors, ints and arrays"
        ),
        "--incremental" => {
            format!("{flag} is about formulas: a program has one question; leave it out")
        }
        _ => return None,
    })
}

fn depth(flags: &SuiteArgs) -> Option<String> {
    let unused = flags.has_depth() && !flags.has_seeds();
    unused.then(|| "--depth says how recombined formulas nest; it needs --seeds".to_owned())
}

/// What is to be said of a flag about seeds.
fn over_seeds(flag: &str, seeds: bool) -> Option<String> {
    match flag {
        "--rounds" | "--places" | "--pairs" | "--form" => Some(format!(
            "{flag} is about other suites over seeds; programs recombine them (--assertions, \
             --height, --depth)"
        )),
        _ if !seeds => Some(format!("{flag} is about formulas from files; it needs --seeds")),
        _ => None,
    }
}

/// What is to be said of a flag about mazes where there are none.
fn of_mazes(flag: &str, flags: &SuiteArgs) -> Option<String> {
    let about_mazes = matches!(flag, "--maze" | "--algorithm" | "--cycles");
    let unused = about_mazes && !flags.programs.makes_mazes();
    unused.then(|| format!("{flag} is about mazes; add --shape maze"))
}

/// The flags that say something else than usual.
fn changed(words: &[String], usual: &[String]) -> Vec<String> {
    let usual = settings(usual);
    let new = settings(words).into_iter().filter(|setting| !usual.contains(setting));
    new.map(|(flag, _)| flag.to_owned()).collect()
}

/// Flags with their values.
fn settings(words: &[String]) -> Vec<(&str, Option<&str>)> {
    let mut settings = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.starts_with("--") {
            let value = words.get(at + 1).filter(|next| !next.starts_with("--"));
            settings.push((word.as_str(), value.map(String::as_str)));
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_usual_is_not_changed() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let usual = words("--rounds 1 --places 5");
        assert_eq!(changed(&words("--rounds 2 --places 5 --tour"), &usual), ["--rounds", "--tour"]);
        assert_eq!(changed(&usual, &usual), [""; 0]);
    }
}
