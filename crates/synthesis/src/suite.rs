//! The suites: each number of each category is a task.

use crate::draft::Draft;
use crate::function::Shape;
use crate::{abduct, eliminate, function, interpolant};
use assay_case::{
    CaseId, Category, Expected, MakeError, Origin, Selection, Suite, SynthesisTest, TestCase,
};
use assay_grow::in_turn;
use assay_horn::{Words, WordsError};
use assay_mutate::Draw;

/// The vocabularies that come with the program.
const TABLE: &str = include_str!("../vocabularies.toml");

/// The number of tasks that are drawn for a case until one is suitable.
const ATTEMPTS: usize = 24;

/// How tasks are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SynthesisOptions {
    /// Decides what is drawn.
    pub rng: u64,
}

/// What is to be constructed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Interpolant,
    Abduct,
    Elimination,
    Function(Shape),
}

/// One of the suites.
pub struct Tasks {
    name: &'static str,
    words: Vec<Words>,
    /// The categories: a vocabulary, by its position, and what is to be constructed.
    parts: Vec<(usize, Goal)>,
    options: SynthesisOptions,
}

impl Tasks {
    /// The names of the suites.
    pub const NAMES: [&'static str; 4] = ["interpolants", "abducts", "qe", "sygus"];

    /// Reads the vocabularies; `None` if there is no such suite.
    ///
    /// # Errors
    /// If a vocabulary cannot be read.
    pub fn new(name: &str, options: SynthesisOptions) -> Result<Option<Tasks>, WordsError> {
        let goals: &[Goal] = match name {
            "interpolants" => &[Goal::Interpolant],
            "abducts" => &[Goal::Abduct],
            "qe" => &[Goal::Elimination],
            "sygus" => &[
                Goal::Function(Shape::Defined),
                Goal::Function(Shape::Examples),
                Goal::Function(Shape::Properties),
            ],
            _ => return Ok(None),
        };
        let words = Words::table(TABLE)?;
        let parts = (0..words.len()).flat_map(|at| goals.iter().map(move |&goal| (at, goal)));
        let name = Tasks::NAMES.into_iter().find(|known| *known == name).unwrap_or_default();
        Ok(Some(Tasks { name, parts: parts.collect(), words, options }))
    }

    fn category(&self, (words, goal): (usize, Goal)) -> Category {
        let group = self.words[words].name.clone();
        let name = match goal {
            Goal::Function(Shape::Defined) => format!("{group}-defined"),
            Goal::Function(Shape::Examples) => format!("{group}-examples"),
            Goal::Function(Shape::Properties) => format!("{group}-properties"),
            _ => group.clone(),
        };
        Category { name, group, expected: Expected::Constructed }
    }

    /// A task that tells right answers from wrong ones.
    fn drawn(&self, (words, goal): (usize, Goal), draw: &mut Draw) -> Option<SynthesisTest> {
        let mut draft = Draft::new(&self.words[words], draw);
        match goal {
            Goal::Interpolant => interpolant::draw(&mut draft)?,
            Goal::Abduct => abduct::draw(&mut draft)?,
            Goal::Elimination => eliminate::draw(&mut draft)?,
            Goal::Function(shape) => function::draw(&mut draft, shape)?,
        }
        SynthesisTest::read(&draft.text).ok().filter(SynthesisTest::is_telling)
    }
}

impl Suite for Tasks {
    fn name(&self) -> &str {
        self.name
    }

    fn categories(&self) -> Vec<Category> {
        self.parts.iter().map(|&part| self.category(part)).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        in_turn(&self.categories(), &[], selection)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("{} has no case {id}", self.name));
        let part = *self.parts.get(id.category as usize).ok_or_else(none)?;
        let index = u64::try_from(id.index).map_err(|_| none())?;
        let mut draw = Draw::new(&[self.options.rng, u64::from(id.category), index]);
        let test = (0..ATTEMPTS).find_map(|_| self.drawn(part, &mut draw));
        let words = "no task was found that tells right answers from wrong ones";
        let test = test.ok_or_else(|| MakeError::Unsuitable(words.to_owned()))?;
        let category = self.category(part).name;
        let origin = Origin {
            suite: self.name.to_owned(),
            category: category.clone(),
            seed: self.options.rng,
            index: id.index,
            ..Origin::default()
        };
        Ok(TestCase::new(format!("{}-{category}-{index}", self.name), test, origin))
    }
}
