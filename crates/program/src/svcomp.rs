//! The files that SV-COMP's tools and BenchExec want beside a program.

/// The name of the property file.
pub const PROPERTY_FILE: &str = "unreach-call.prp";

/// What is to be shown: the error is never called.
pub const PROPERTY: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

/// The task of a program.
#[must_use]
pub fn task(file: &str, reachable: bool) -> String {
    format!(
        "format_version: '2.0'\n\
         input_files: '{file}'\n\
         properties:\n\
         \x20 - property_file: {PROPERTY_FILE}\n\
         \x20   expected_verdict: {}\n\
         options:\n\
         \x20 language: C\n\
         \x20 data_model: LP64\n",
        !reachable
    )
}

/// Whether a task says that the error can be reached; none where it does not say.
#[must_use]
pub fn expected(task: &str) -> Option<bool> {
    let (_, rest) = task.split_once("expected_verdict:")?;
    match rest.split([' ', ',', '}', '\n']).find(|word| !word.is_empty())? {
        "true" => Some(false),
        "false" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_says_what_it_was_made_with() {
        for reachable in [true, false] {
            assert_eq!(expected(&task("x.c", reachable)), Some(reachable));
        }
        assert_eq!(expected("properties: [{expected_verdict: false}]"), Some(true));
        assert_eq!(expected("input_files: x.c"), None);
    }
}
