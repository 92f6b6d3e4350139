//! The suite `programs`, and its files.

use crate::generate::{LeftOut, evidence};
use crate::mutants::Askers;
use crate::suites::SuiteArgs;
use crate::tools::TargetArgs;
use crate::{Outcome, mutants, output, units};
use assay_campaign::Executing;
use assay_campaign::settings::{self, Draw, Expectation};
use assay_case::{CaseId, Category, ProgramTest, Reach, Suite, TestCase};
use assay_mutate::Mode;
use assay_program::{ProgramOptions, Programs, Several, SmallModels, svcomp};
use assay_smtlib::STANDARD;
use serde_json::json;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// The suites of formulas that programs are made of where there are no seeds.
const CONSTRUCTED: [&str; 3] = ["bitvectors", "ints", "arrays"];

/// The suite, whose programs are not run as they are made.
pub(crate) fn suite(
    settings: &settings::Programs,
    draw: Draw,
    askers: &Askers,
) -> Result<Programs, Box<dyn Error>> {
    refuse_mazes(settings)?;
    let small = |askers: &Askers| -> Box<assay_mutate::Consultants> {
        let plain = askers.consultants();
        Box::new(move || {
            plain().into_iter().map(|solver| Box::new(SmallModels(solver)) as Box<_>).collect()
        })
    };
    let formulas: Box<dyn Suite> = if settings.seeds.seeds.is_empty() {
        let config = assay_forge::SuiteOptions::default();
        let suites: Result<Vec<_>, _> =
            CONSTRUCTED.iter().map(|name| assay_forge::tour(name, &config)).collect();
        Box::new(Several::new(suites?))
    } else {
        let mut config = mutants::recombining(&settings.seeds, &settings.recombination, draw);
        // Mutants of the other truth would only be thrown away.
        config.mode = config.mode.or(settings.expect.map(|expect| match expect {
            Expectation::Reached => Mode::Satisfiable,
            Expectation::Safe => Mode::Unsatisfiable,
        }));
        assay_mutate::suite("recombine", config, Some(small(askers)))?
    };
    let config = ProgramOptions {
        shapes: settings.shapes.clone(),
        algorithm: settings.algorithm,
        size: settings.maze.map(|size| (size.width, size.height)),
        cycles: settings.cycles,
        chain: settings.mazes as usize,
        random_exit: settings.random_exit,
        comparisons: settings.comparisons,
        unguarded: settings.unguarded,
        expected: settings.expect.map(|expect| expect == Expectation::Reached),
        unfold: settings.unfold,
        tables: settings.function_tables,
        scope: settings.scope,
        well_defined: !settings.natural,
        rng: draw.rng,
    };
    Ok(Programs::new(formulas, config, Some(small(askers))))
}

/// Refuses flags about mazes where none are made.
fn refuse_mazes(settings: &settings::Programs) -> Result<(), String> {
    let about_mazes = [
        (settings.maze.is_some(), "--maze"),
        (settings.algorithm.is_some(), "--algorithm"),
        (settings.cycles > 0, "--cycles"),
        (settings.mazes > 1, "--mazes"),
        (settings.random_exit, "--random-exit"),
        (settings.comparisons > 0, "--comparisons"),
        (settings.unguarded, "--unguarded"),
    ];
    let unused = about_mazes.iter().find(|(given, _)| *given && !settings.makes_mazes());
    unused.map_or(Ok(()), |(_, flag)| Err(format!("{flag} is about mazes; add --shape maze")))
}

/// The suite with every program run as it is made, unless that is not wanted.
pub(crate) fn executed(
    settings: &settings::Programs,
    suite: Programs,
    askers: &Askers,
) -> Box<dyn Suite> {
    match settings.executions {
        0 => Box::new(suite),
        runs => Box::new(Executing::new(Box::new(suite), askers.launch(), runs)),
    }
}

/// So long that it is the solver's own count of steps that ends a question, not the time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// From now on the suite asks its solver, for so long at most in each question.
pub(crate) fn ask(
    settings: &settings::Programs,
    askers: &Askers,
    catalog: &TargetArgs,
    draw: Draw,
    wall: Duration,
) -> Result<(), Box<dyn Error>> {
    askers.ask_named(std::slice::from_ref(&settings.solver), catalog, draw, wall)
}

/// Writes programs with their tasks, or prints them.
pub(crate) fn generate(
    flags: &SuiteArgs,
    suite: &dyn Suite,
    out: Option<&Path>,
) -> Result<Outcome, Box<dyn Error>> {
    let categories = suite.categories();
    let mut folder = out.map(Folder::create).transpose()?;
    let mut left_out = LeftOut::default();
    let (mut written, begun) = (0u64, std::time::Instant::now());
    for id in suite.cases(&flags.selection()) {
        let Some(case) = left_out.made(suite, id)? else { continue };
        let test = case.as_program().ok_or("the suite made a case without a program")?;
        match &mut folder {
            Some(folder) => folder.add(id, &case, test, &categories[id.category as usize])?,
            None => output::document(&test.program.text),
        }
        written += 1;
    }
    if let Some(folder) = folder {
        folder.finish()?;
    }
    let line = flags.line();
    let took = units::in_words(begun.elapsed());
    output::note(&format!("{written} programs in {took}, made by: assay gen {line}\n"));
    Ok(left_out.tell("formulas"))
}

/// The folder that is written.
struct Folder<'f> {
    path: &'f Path,
    index: BufWriter<File>,
}

impl Folder<'_> {
    fn create(path: &Path) -> Result<Folder<'_>, Box<dyn Error>> {
        fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let index = path.join("index.jsonl");
        let file = File::create(&index).map_err(|error| format!("{}: {error}", index.display()))?;
        let folder = Folder { path, index: BufWriter::new(file) };
        folder.write(svcomp::PROPERTY_FILE, svcomp::PROPERTY)?;
        Ok(folder)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
        let path = self.path.join(name);
        Ok(fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    fn add(
        &mut self,
        id: CaseId,
        case: &TestCase,
        test: &ProgramTest,
        category: &Category,
    ) -> Result<(), Box<dyn Error>> {
        let name = case.name().replace('/', "-");
        let ProgramTest { program, truth, source } = test;
        let (file, reachable) = (format!("{name}.c"), matches!(truth, Reach::Reachable(_)));
        self.write(&file, &program.text)?;
        self.write(&format!("{name}.yml"), &svcomp::task(&file, reachable))?;
        let inputs = program.inputs.as_ref().map(|inputs| {
            let pair =
                |reading: &assay_case::Reading| json!([reading.source, reading.value.to_string()]);
            inputs.iter().map(pair).collect::<Vec<_>>()
        });
        let origin = case.origin();
        // Both are about the formula that the program was made of.
        let (model, core) =
            source.as_ref().map_or((None, None), |source| evidence(source, STANDARD));
        let record = json!({
            "file": file,
            "suite": origin.suite,
            "category": category.name,
            "operation": category.group,
            "rules": origin.rules,
            "expected": case.expected().name(),
            "grade": case.grade().map(assay_case::Grade::name),
            "model": model,
            "core": core,
            "inputs": inputs,
            "origin": {
                "case": id.to_string(),
                "seed": origin.seed,
                "index": origin.index.to_string(),
                "seeds": origin.seeds,
                "trace": origin.trace,
            },
        });
        writeln!(self.index, "{record}").map_err(|error| format!("index.jsonl: {error}"))?;
        Ok(())
    }

    fn finish(mut self) -> Result<(), Box<dyn Error>> {
        Ok(self.index.flush().map_err(|error| format!("index.jsonl: {error}"))?)
    }
}
