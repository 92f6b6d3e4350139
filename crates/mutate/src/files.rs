//! The user's own files as they are, with the truth that they declare.

use crate::MutateError;
use crate::library::{self, File};
use crate::suite::choose;
use assay_case::{
    CaseId, Category, Expected, Formula, FormulaTest, MakeError, Origin, Selection, Subject, Suite,
    TestCase,
};
use assay_forge::Permutation;
use std::path::PathBuf;

/// The files, one case each. Unlike seeds they are not flattened: scopes, options and each of several
/// questions stay.
pub struct Files {
    files: Vec<File>,
    /// The logics, in order; each is a group.
    logics: Vec<String>,
}

impl Files {
    /// The suite's name.
    pub const NAME: &str = "files";

    /// The SMT-LIB files among these files and below these folders.
    ///
    /// # Errors If there are no files, or one cannot be opened.
    pub fn new(paths: &[PathBuf]) -> Result<Files, MutateError> {
        let files = library::find(paths)?;
        let logics = library::logics(&files);
        Ok(Files { files, logics })
    }

    fn id(&self, file: usize) -> CaseId {
        let logic = self.logics.binary_search(&self.files[file].logic);
        let category = logic.expect("every file's logic is listed");
        CaseId { category: u32::try_from(category).expect("few logics"), index: file as u128 }
    }
}

impl Suite for Files {
    fn name(&self) -> &str {
        Files::NAME
    }

    fn categories(&self) -> Vec<Category> {
        let category = |logic: &String| Category {
            name: "file".to_owned(),
            group: logic.clone(),
            expected: Expected::Open,
        };
        self.logics.iter().map(category).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let count = self.files.len();
        let shuffled = || {
            let order = Permutation::new(count as u128, selection.rng);
            // The permutation is one of the files' indices.
            (0..count).map(move |at| self.id(order.apply(at as u128) as usize))
        };
        choose(selection, &self.categories(), || (0..count).map(|at| self.id(at)), shuffled)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let at = usize::try_from(id.index).ok().filter(|&at| at < self.files.len());
        let no_such = || MakeError::NoSuchCase(format!("there is no file {id}"));
        let at = at.filter(|&at| self.id(at) == id).ok_or_else(no_such)?;
        let File { name, path, .. } = &self.files[at];
        let unsuitable =
            |words: String| MakeError::Unsuitable(format!("{}: {words}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| unsuitable(error.to_string()))?;
        let formula = Formula::read(assay_smtlib::text_of(&bytes)).map_err(|error| {
            let (line, column) = (error.line, error.column);
            unsuitable(format!("line {line}, column {column}: {}", error.message))
        })?;
        if formula.checks() == 0 {
            return Err(unsuitable("it has no check-sat".to_owned()));
        }
        let test = FormulaTest::declared(formula).map_err(MakeError::fault)?;
        let origin = Origin {
            suite: Files::NAME.to_owned(),
            category: "file".to_owned(),
            index: id.index,
            seeds: vec![name.clone()],
            ..Origin::default()
        };
        let stem = name.strip_suffix(".smt2").unwrap_or(name).replace(['/', '\\'], "-");
        Ok(TestCase::new(stem, Subject::from(test), origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_case::Grade;

    #[test]
    fn files_are_cases_with_their_declared_truth() {
        let folder = std::env::temp_dir().join(format!("assay-files-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("below")).expect("a folder");
        let write =
            |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
        write("b.smt2", "(set-logic QF_LIA)(set-info :status unsat)(assert false)(check-sat)");
        write("below/a.smt2", "(set-option :produce-models true)(push 1)(assert true)(check-sat)");
        write("broken.smt2", "(assert (> x 0))");
        write("silent.smt2", "(assert true)");
        write("other.txt", "no formula");
        let suite = Files::new(std::slice::from_ref(&folder)).expect("there are files");
        let cases: Vec<CaseId> = suite.cases(&Selection::default()).collect();
        let made: Vec<_> = cases.iter().map(|&id| suite.make(id)).collect();
        std::fs::remove_dir_all(&folder).expect("the folder is removed");
        let [declared, scoped, broken, silent] = &made[..] else { panic!("{} files", made.len()) };
        let declared = declared.as_ref().expect("it is a case");
        assert_eq!((declared.name(), declared.grade()), ("b", Some(Grade::Declared)));
        let scoped = scoped.as_ref().expect("it is a case");
        assert!(scoped.text().contains("(push 1)"), "{}", scoped.text());
        assert_eq!(scoped.grade(), None);
        for (unsuitable, words) in [(broken, "line 1, column 12"), (silent, "no check-sat")] {
            let Err(MakeError::Unsuitable(why)) = unsuitable else { panic!("{unsuitable:?}") };
            assert!(why.contains(words), "{why}");
        }
        let shuffled = Selection { sample: Some(2), ..Selection::default() };
        assert_eq!(suite.cases(&shuffled).count(), 2);
    }
}
