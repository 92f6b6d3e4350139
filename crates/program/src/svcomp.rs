//! The files that SV-COMP's tools and BenchExec expect next to a program.

use yaml_rust2::{Yaml, YamlLoader};

/// The name of the property file.
pub const PROPERTY_FILE: &str = "unreach-call.prp";

/// The property to verify: the error is never called.
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

/// Why a task cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TaskError {
    /// It cannot be read.
    #[error("this is not YAML: {0}")]
    Unread(String),
    /// It is about another data model.
    #[error(
        "the data model {0} is not supported: analyzers are told LP64, under which the verdict may differ"
    )]
    DataModel(String),
}

/// Whether a task says that the error is reachable; `None` if it does not say. Its other properties
/// (overflows, memory, termination) do not concern us.
///
/// # Errors
/// If the task cannot be read.
pub fn expected(task: &str) -> Result<Option<bool>, TaskError> {
    let read = YamlLoader::load_from_str(task);
    let documents = read.map_err(|error| TaskError::Unread(error.to_string()))?;
    let Some(task) = documents.first() else { return Ok(None) };
    match task["options"]["data_model"].as_str() {
        None | Some("LP64") => {}
        Some(other) => return Err(TaskError::DataModel(other.to_owned())),
    }
    let is_ours = |property: &&Yaml| {
        let file = property["property_file"].as_str();
        file.is_some_and(|file| file.rsplit('/').next() == Some(PROPERTY_FILE))
    };
    let property = task["properties"].as_vec().and_then(|all| all.iter().find(is_ours));
    let holds = property.and_then(|property| property["expected_verdict"].as_bool());
    Ok(holds.map(|holds| !holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_reads_back_its_expected_verdict() {
        for reachable in [true, false] {
            assert_eq!(expected(&task("x.c", reachable)), Ok(Some(reachable)));
        }
        assert_eq!(expected("input_files: x.c"), Ok(None));
        assert_eq!(expected(""), Ok(None));
    }

    #[test]
    fn only_the_property_of_the_error_counts() {
        let both = "properties:\n\
                    - {property_file: ../valid-memsafety.prp, expected_verdict: false}\n\
                    - expected_verdict: true\n  property_file: ../unreach-call.prp\n";
        assert_eq!(expected(both), Ok(Some(false)));
        let other = "properties: [{property_file: no-overflow.prp, expected_verdict: false}]";
        assert_eq!(expected(other), Ok(None));
    }

    #[test]
    fn unreadable_tasks_are_refused() {
        assert!(matches!(expected("{{{: nope"), Err(TaskError::Unread(_))));
        let narrow = task("x.c", true).replace("LP64", "ILP32");
        assert_eq!(expected(&narrow), Err(TaskError::DataModel("ILP32".to_owned())));
    }
}
