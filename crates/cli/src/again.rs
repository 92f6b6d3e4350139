//! `assay run --again CAMPAIGN`: the earlier campaign names the suite.

use assay_campaign::{RESULTS, Results};
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Commands that run cases of an earlier campaign again.
const COMMANDS: [&str; 3] = ["run", "gen", "submit"];

/// The words of a command line, with the suite of an earlier campaign where none is named.
pub(crate) fn words(mut words: Vec<OsString>) -> Result<Vec<OsString>, Box<dyn Error>> {
    let is_command = words.get(1).is_some_and(|word| COMMANDS.iter().any(|name| word == name));
    let is_flag = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    if !is_command || !words.get(2).is_some_and(is_flag) {
        return Ok(words);
    }
    if let Some(folder) = named(&words) {
        let file = folder.join(RESULTS);
        if !file.exists() {
            let folder = folder.display();
            let words = format!("{folder}: there is no {RESULTS} (name the folder of a campaign)");
            return Err(words.into());
        }
        let suite = Results::open(&file)?.header()?.suite;
        words.insert(2, suite.into());
    }
    Ok(words)
}

/// The campaign that `--again` names.
fn named(words: &[OsString]) -> Option<PathBuf> {
    let mut words = words.iter();
    let flag = words.find(|word| word.as_encoded_bytes().starts_with(b"--again"))?;
    match flag.to_str()?.strip_prefix("--again")? {
        "" => words.next().map(PathBuf::from),
        value => value.strip_prefix('=').map(|folder| Path::new(folder).to_owned()),
    }
}
