//! What the suite asks of solvers that rewrite is what the files of targets list.

use assay_rewrite::{PARAMETERS, TACTICS};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_file_of_z3_lists_the_parameters_and_tactics_of_rewrites() {
    let file = include_str!("../../../targets/z3.toml");
    let file: toml::Table = file.parse().expect("the file of z3 is TOML");
    let (mut parameters, mut tactics) = (BTreeSet::new(), BTreeMap::new());
    let changes = file["for"].as_array().expect("a list");
    let runs = changes.iter().filter_map(|change| change.get("run")).chain(file.get("run"));
    for rewrites in runs.filter_map(|run| run.get("rewrites")) {
        let listed = rewrites.get("parameters").and_then(toml::Value::as_array);
        let names = listed.into_iter().flatten().filter_map(toml::Value::as_str);
        parameters.extend(names.map(str::to_owned));
        let listed = rewrites.get("tactics").and_then(toml::Value::as_table);
        let promise = |promise: &toml::Value| promise.as_str().map(str::to_owned);
        tactics
            .extend(listed.into_iter().flatten().map(|(name, word)| (name.clone(), promise(word))));
    }
    let asked: BTreeSet<String> = PARAMETERS.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(asked, parameters);
    let asked: BTreeMap<String, Option<String>> = TACTICS
        .iter()
        .map(|&(name, promise)| (name.to_owned(), Some(promise.name().to_owned())))
        .collect();
    assert_eq!(asked, tactics);
}
