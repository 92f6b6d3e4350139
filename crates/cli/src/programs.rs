//! The flags of the suite `programs`, and its files.

use crate::generate::{LeftOut, evidence};
use crate::mutants::Askers;
use crate::suites::SuiteArgs;
use crate::tools::{LimitArgs, TargetArgs};
use crate::{Outcome, output, units};
use assay_campaign::{Executing, command_line};
use assay_case::{CaseId, Category, Kind, ProgramTest, Reach, Suite, TestCase};
use assay_program::{
    Algorithm, ProgramOptions, Programs, Scope, Several, Shape, SmallModels, svcomp,
};
use assay_smtlib::STANDARD;
use assay_target::{Settings, TargetName};
use serde_json::json;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// How programs look.
#[derive(clap::Args, Clone)]
pub(crate) struct ProgramArgs {
    /// Programs of this form: maze, straight, assumptions, loop, recursion or states; may be given several times
    #[arg(long = "shape", value_name = "FORM", value_parser = shape, help_heading = "Programs")]
    shapes: Vec<String>,
    /// The size of mazes, as WIDTHxHEIGHT [default: from 1x1 to 5x5]
    #[arg(long = "maze", value_name = "SIZE", value_parser = size, help_heading = "Programs")]
    maze: Option<(usize, usize)>,
    /// How mazes are made: backtracking, kruskal, prim, wilson or sidewinder
    #[arg(long, value_name = "NAME", value_parser = algorithm, help_heading = "Programs")]
    algorithm: Option<Algorithm>,
    /// How many percent of the ways back are kept in mazes
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100), help_heading = "Programs")]
    cycles: u32,
    /// Where variables live: local, global or pointer
    #[arg(long, value_name = "SCOPE", value_parser = scope, help_heading = "Programs")]
    scope: Option<Scope>,
    /// Use only what the standard of C defines, which is also what is done without it
    #[arg(long, conflicts_with = "natural", help_heading = "Programs")]
    well_defined: bool,
    /// Also use what C leaves to the implementation: signed conversions and shifts as compilers do
    /// them
    #[arg(long, help_heading = "Programs")]
    natural: bool,
    /// The solver that gives models which fit into C, and decides what no construction decides
    #[arg(long, value_name = "TARGET", default_value = "z3", help_heading = "Programs")]
    solver: TargetName,
    /// So many inputs are tried on each program that should not reach its error; 0: run nothing
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Programs")]
    executions: u32,
}

fn shape(name: &str) -> Result<String, String> {
    match Shape::NAMES.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("expected one of {}", Shape::NAMES.join(", "))),
    }
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parts
        .filter(|&(width, height): &(usize, usize)| {
            (1..=64).contains(&width) && (1..=64).contains(&height)
        })
        .ok_or_else(|| "expected WIDTHxHEIGHT with numbers from 1 to 64, such as 5x5".to_owned())
}

fn algorithm(name: &str) -> Result<Algorithm, String> {
    let known = || Algorithm::ALL.map(Algorithm::name).join(", ");
    Algorithm::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn scope(name: &str) -> Result<Scope, String> {
    let found = Scope::ALL.into_iter().find(|scope| scope.name() == name);
    found.ok_or_else(|| format!("expected one of {}", Scope::ALL.map(Scope::name).join(", ")))
}

/// The suites of formulas that programs are made of where there are no seeds.
const CONSTRUCTED: [&str; 3] = ["bitvectors", "ints", "arrays"];

impl ProgramArgs {
    /// The suite, over formulas that the other flags describe.
    pub(crate) fn suite(
        &self,
        formulas: Option<assay_mutate::MutantOptions>,
        rng: u64,
        askers: &Askers,
    ) -> Result<Programs, Box<dyn Error>> {
        let small = |askers: &Askers| -> Box<assay_mutate::Consultants> {
            let plain = askers.consultants();
            Box::new(move || {
                plain().into_iter().map(|solver| Box::new(SmallModels(solver)) as Box<_>).collect()
            })
        };
        let formulas: Box<dyn Suite> = match formulas {
            Some(config) => assay_mutate::suite("recombine", config, Some(small(askers)))?,
            None => {
                let config = assay_forge::SuiteOptions::default();
                let suites: Result<Vec<_>, _> =
                    CONSTRUCTED.iter().map(|name| assay_forge::tour(name, &config)).collect();
                Box::new(Several::new(suites?))
            }
        };
        let config = ProgramOptions {
            shapes: self.shapes.clone(),
            algorithm: self.algorithm,
            size: self.maze,
            cycles: self.cycles,
            scope: self.scope,
            well_defined: self.is_portable(),
            rng,
        };
        Ok(Programs::new(formulas, config, Some(small(askers))))
    }

    /// Whether some of the programs are mazes.
    pub(crate) fn makes_mazes(&self) -> bool {
        self.shapes.is_empty() || self.shapes.iter().any(|shape| shape == "maze")
    }

    /// Whether programs use only what the standard defines.
    pub(crate) fn is_portable(&self) -> bool {
        self.well_defined || !self.natural
    }

    /// The suite with every program run as it is made, unless that is not wanted.
    pub(crate) fn executed(&self, suite: Programs, askers: &Askers) -> Box<dyn Suite> {
        if self.executions == 0 {
            return Box::new(suite);
        }
        Box::new(Executing::new(Box::new(suite), askers.launch(), self.executions))
    }

    /// Who is asked from now on.
    pub(crate) fn ask(
        &self,
        askers: &Askers,
        catalog: &TargetArgs,
        rng: u64,
    ) -> Result<(), Box<dyn Error>> {
        let solver = catalog.tool(Kind::Formula, &self.solver)?;
        // So long that it is the solver's own count of steps that ends a question.
        let limits = LimitArgs { timeout: Duration::from_secs(60), memory: 2 << 30 };
        let settings = Settings {
            limits: limits.limits(),
            launcher: catalog.launcher()?,
            seed: rng,
            sessions: true,
        };
        askers.ask(&[solver], &settings);
        Ok(())
    }

    /// The flags again, as words of a command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        self.shapes.iter().for_each(|name| flag("shape", name.clone()));
        self.maze.iter().for_each(|(w, h)| flag("maze", format!("{w}x{h}")));
        self.algorithm.iter().for_each(|algorithm| flag("algorithm", algorithm.name().to_owned()));
        flag("cycles", self.cycles.to_string());
        self.scope.iter().for_each(|scope| flag("scope", scope.name().to_owned()));
        flag("solver", self.solver.to_string());
        flag("executions", self.executions.to_string());
        words.extend(self.natural.then(|| "--natural".to_owned()));
        words
    }
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
    let line = command_line(&flags.arguments());
    let took = units::in_words(begun.elapsed());
    output::note(&format!(
        "{written} programs in {took}, made by: assay gen {} {line}\n",
        Programs::NAME
    ));
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
