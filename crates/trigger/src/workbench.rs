//! The file, the solver and the budget: every query to the solver is made here.
//!
//! Limits are the solver's own count of steps, so that queries get the same answers on a busy
//! machine; the clock only ends the work as a whole.

use crate::engine::{Engine, Said, SatResult};
use crate::normal::{NormalForm, QID};
use crate::problem::Problem;
use crate::proof::{self, Instance};
use crate::strategy::Settings;
use assay_smtlib::read_core;
use assay_term::{Budget, SortId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::time::Duration;

/// A limit for one query, in the solver's own steps: about a million per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Effort(pub u64);

impl Effort {
    /// For queries about a few formulas.
    pub(crate) const TINY: Effort = Effort(300_000);
    /// For one of many tries on the whole file.
    pub(crate) const SMALL: Effort = Effort(3_000_000);
    /// For a few tries.
    pub(crate) const MEDIUM: Effort = Effort(12_000_000);
    /// For the last tries.
    pub(crate) const LARGE: Effort = Effort(60_000_000);

    /// The time limit for killing the solver: its count does not cover everything.
    pub(crate) fn wall(self) -> Duration {
        Duration::from_millis(1_000 + self.0 / 500)
    }
}

/// The solver's instantiation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instantiation {
    /// Only by patterns.
    Ematching,
    /// Also by models.
    Models,
}

/// The maximum number of formulas in a query to the session.
const FEW: usize = 40;

/// Seeds used in earlier work; `--rng` is added.
const SEEDS: [(&str, u64); 3] =
    [("sat.random_seed", 488), ("smt.random_seed", 599), ("nlsat.seed", 611)];

/// The work on one file.
pub(crate) struct Workbench<'e> {
    pub(crate) problem: Problem,
    pub(crate) form: NormalForm,
    pub(crate) engine: &'e mut dyn Engine,
    /// The time limit of the work.
    pub(crate) budget: Duration,
    /// The budget of our own walks over terms.
    pub(crate) walks: Budget,
    pub(crate) rng: u64,
    /// Terms that made the solver diverge.
    pub(crate) looping: FxHashSet<TermId>,
    /// The file's own assertions.
    facts: String,
    /// The cost of the file itself, added to the effort of a try on the whole file.
    base: u64,
    /// Why the solver rejects the file.
    pub(crate) refusal: Option<String>,
    /// Declared functions of the file that clash with this solver's built-in ones.
    pub(crate) clashes: Vec<String>,
}

impl<'e> Workbench<'e> {
    pub(crate) fn new(
        problem: Problem,
        form: NormalForm,
        engine: &'e mut dyn Engine,
        settings: &Settings,
        walks: Budget,
    ) -> Workbench<'e> {
        let mut facts = String::new();
        for fact in &problem.facts {
            facts.push_str(&fact.text);
            facts.push('\n');
        }
        let looping = FxHashSet::default();
        Workbench {
            problem,
            form,
            engine,
            budget: settings.budget,
            walks,
            rng: settings.rng,
            looping,
            facts,
            base: 0,
            refusal: None,
            clashes: Vec::new(),
        }
    }

    /// The remaining time.
    pub(crate) fn left(&self) -> Duration {
        self.budget.saturating_sub(self.engine.elapsed())
    }

    /// Whether time has run out.
    pub(crate) fn is_over(&self) -> bool {
        self.left() < Duration::from_millis(50)
    }

    pub(crate) fn options(&self, how: Instantiation) -> String {
        let models = how == Instantiation::Models;
        let mut text = format!(
            "(set-option :auto_config false)\n(set-option :smt.auto_config false)\n\
             (set-option :smt.mbqi {models})\n"
        );
        for (name, seed) in SEEDS {
            let _ = writeln!(text, "(set-option :{name} {})", seed + self.rng);
        }
        text
    }

    /// Drops options of the file that this solver does not know.
    pub(crate) fn check_options(&mut self) {
        if self.problem.options().is_empty() {
            return;
        }
        let mut script = String::new();
        for option in self.problem.options() {
            let _ = writeln!(script, "{option}\n(echo \"next\")");
        }
        let said = self.engine.run(&script, Effort::TINY.wall());
        let unknown: Vec<usize> = said
            .text
            .split("next\n")
            .enumerate()
            .filter(|(_, answer)| answer.contains("(error"))
            .map(|(at, _)| at)
            .collect();
        self.problem.drop_options(&unknown);
    }

    /// The file with terms mentioned for E-matching, up to its `check-sat`.
    pub(crate) fn with_terms(&self, terms: &[TermId]) -> String {
        self.stated(&self.facts, terms)
    }

    /// The same, with the assertions that were set aside.
    pub(crate) fn validating(&self, terms: &[TermId]) -> String {
        self.stated(&(self.problem.validating().join("\n") + "\n"), terms)
    }

    /// Assertions, with terms mentioned for E-matching.
    fn stated(&self, facts: &str, terms: &[TermId]) -> String {
        let mut text = self.options(Instantiation::Ematching);
        for option in self.problem.options() {
            let _ = writeln!(text, "{option}");
        }
        text.push_str(&self.problem.declarations());
        text.push_str(facts);
        text.push_str(&self.mentions(terms));
        text
    }

    /// The indices of the assertions that E-matching needs to refute the file with these terms: the
    /// solver's core, from which more are left out while time allows. `None` if the solver gives no
    /// core.
    pub(crate) fn core(&mut self, terms: &[TermId], until: Duration) -> Option<Vec<usize>> {
        let effort = self.on_file(Effort::MEDIUM);
        let mut facts = String::new();
        for (at, fact) in self.problem.facts.iter().enumerate() {
            // As written: with `let` expanded, a formula may be too large.
            let formula = fact.text.strip_prefix("(assert")?.strip_suffix(')')?;
            let _ = writeln!(facts, "(assert (! {formula} :named core!{at}))");
        }
        let script = format!(
            "(set-option :rlimit {})\n(set-option :produce-unsat-cores true)\n{}\
             (check-sat)\n(get-unsat-core)\n",
            effort.0,
            self.stated(&facts, terms)
        );
        let said = self.run(&script, effort);
        if said.sat_result() != SatResult::Unsat {
            return None;
        }
        let names = read_core(said.after_result().trim()).ok()?;
        let mut core: Vec<usize> =
            names.iter().filter_map(|name| name.strip_prefix("core!")?.parse().ok()).collect();
        core.sort_unstable();
        if !self.refute(&core, terms) {
            return None;
        }
        let mut at = core.len();
        while at > 0 && self.engine.elapsed() < until {
            at -= 1;
            let mut fewer = core.clone();
            fewer.remove(at);
            if self.refute(&fewer, terms) {
                core = fewer;
            }
        }
        Some(core)
    }

    /// Whether E-matching refutes some of the file's assertions with these terms.
    fn refute(&mut self, facts: &[usize], terms: &[TermId]) -> bool {
        let texts: String =
            facts.iter().map(|&at| self.problem.facts[at].text.clone() + "\n").collect();
        let script = format!(
            "(set-option :rlimit {})\n{}(check-sat)\n",
            Effort::SMALL.0,
            self.stated(&texts, terms)
        );
        self.run(&script, Effort::SMALL).sat_result() == SatResult::Unsat
    }

    /// Declarations of assay's functions in these terms, and trivial assertions that mention the
    /// terms.
    fn mentions(&self, terms: &[TermId]) -> String {
        let mut text = self.problem.our_declarations_for(terms);
        text.push_str(&self.asserted(terms));
        text
    }

    fn asserted(&self, terms: &[TermId]) -> String {
        let mut text = String::new();
        let mut names: FxHashMap<SortId, String> = FxHashMap::default();
        for &term in terms {
            let sort = self.problem.store.sort(term);
            let next = names.len();
            let name = names.entry(sort).or_insert_with(|| {
                let name = self.problem.unused("dummy", next);
                let sort = self.problem.show_sort(sort);
                let _ = writeln!(text, "(declare-fun {name} ({sort}) Bool)");
                name
            });
            let _ = writeln!(text, "(assert ({name} {}))", self.problem.show(term));
        }
        text
    }

    /// The result of E-matching on the file with these terms. The effort is added to the cost of
    /// the file itself.
    pub(crate) fn ematching(&mut self, terms: &[TermId], effort: Effort) -> SatResult {
        self.ematching_said(terms, self.on_file(effort)).sat_result()
    }

    /// The effort that E-matching needs, beyond the cost of the file, to refute it with these
    /// terms; `None` if it does not within this effort.
    pub(crate) fn refuting(&mut self, terms: &[TermId], effort: Effort) -> Option<Effort> {
        let said = self.ematching_said(terms, self.on_file(effort));
        let cost = steps(&said).unwrap_or(effort.0).saturating_sub(self.base);
        (said.sat_result() == SatResult::Unsat).then_some(Effort(cost))
    }

    /// The result of E-matching on the file itself; remembers its cost.
    pub(crate) fn plain(&mut self, effort: Effort) -> SatResult {
        let mut said = self.ematching_said(&[], self.on_file(effort));
        if said.sat_result() == SatResult::Diverged && self.base == 0 {
            self.base = self.overhead();
            if self.base > effort.0 / 8 {
                said = self.ematching_said(&[], self.on_file(effort));
            }
        }
        let result = said.sat_result();
        if result == SatResult::Unknown {
            self.base = 2 * steps(&said).unwrap_or(0);
        }
        self.refusal = said.error().map(str::to_owned);
        self.clashes = clashes(&said);
        result
    }

    /// The cost of the file without a single instance, plus a margin.
    fn overhead(&mut self) -> u64 {
        let mut script = String::from("(set-option :smt.qi.max_instances 0)\n");
        script.push_str(&self.with_terms(&[]));
        script.push_str("(check-sat)\n(get-info :rlimit)\n");
        let cost = steps(&self.run(&script, Effort::LARGE)).unwrap_or(0);
        cost + cost / 8
    }

    /// The effort for a try on the whole file.
    fn on_file(&self, effort: Effort) -> Effort {
        Effort(effort.0 + self.base)
    }

    fn ematching_said(&mut self, terms: &[TermId], effort: Effort) -> Said {
        let mut script = format!("(set-option :rlimit {})\n", effort.0);
        script.push_str(&self.with_terms(terms));
        script.push_str("(check-sat)\n(get-info :reason-unknown)\n(get-info :rlimit)\n");
        self.run(&script, effort)
    }

    pub(crate) fn run(&mut self, script: &str, effort: Effort) -> Said {
        let limit = effort.wall().min(self.left());
        self.engine.run(script, limit)
    }

    /// Prepared formulas with these indices and mentions of terms, with the declarations they need.
    pub(crate) fn prepared(&self, statements: &[usize], terms: &[TermId]) -> String {
        let formulas: Vec<TermId> =
            statements.iter().map(|&at| self.form.statements[at].1).collect();
        let all: Vec<TermId> = formulas.iter().chain(terms).copied().collect();
        let mut text = self.problem.declarations_for(&all);
        for formula in formulas {
            let _ = writeln!(text, "(assert {})", self.problem.show(formula));
        }
        text.push_str(&self.asserted(terms));
        text
    }

    /// Refutes prepared formulas and returns the instances in the proof; the error is the answer of
    /// a solver that does not refute them.
    pub(crate) fn proof_of(
        &mut self,
        statements: &[usize],
        terms: &[TermId],
        how: Instantiation,
        effort: Effort,
    ) -> Result<Vec<Instance>, SatResult> {
        let whole = statements.len() == self.form.statements.len();
        let effort = if whole { self.on_file(effort) } else { effort };
        let mut script = format!(
            "(set-option :rlimit {})\n(set-option :produce-proofs true)\n{}",
            effort.0,
            self.options(how)
        );
        for option in self.problem.options() {
            let _ = writeln!(script, "{option}");
        }
        script.push_str(&self.prepared(statements, terms));
        script.push_str("(check-sat)\n(get-info :reason-unknown)\n(get-proof)\n");
        let said = if statements.len() <= FEW {
            self.ask(&script, effort)
        } else {
            self.run(&script, effort)
        };
        match said.sat_result() {
            SatResult::Unsat => return Ok(proof::instances(&mut self.problem, &said.text)),
            SatResult::Sat => return Err(SatResult::Sat),
            _ if how == Instantiation::Ematching || !whole => return Err(said.sat_result()),
            _ => {}
        }
        let limit = effort.wall().min(self.left());
        match self.engine.run_other_version(&script, limit) {
            Some(other) if other.sat_result() == SatResult::Unsat => {
                Ok(proof::instances(&mut self.problem, &other.text))
            }
            _ => Err(said.sat_result()),
        }
    }

    /// Whether E-matching refutes a few prepared formulas with these terms.
    pub(crate) fn refutes_few(
        &mut self,
        statements: &[usize],
        terms: &[TermId],
        effort: Effort,
    ) -> bool {
        let mut script =
            format!("(set-option :rlimit {})\n(set-option :produce-proofs false)\n", effort.0);
        script.push_str(&self.options(Instantiation::Ematching));
        script.push_str(&self.prepared(statements, terms));
        script.push_str("(check-sat)\n(get-info :reason-unknown)\n");
        self.ask(&script, effort).sat_result() == SatResult::Unsat
    }

    /// Queries the session. Options survive a `(reset)`, so the script sets all that it depends on.
    pub(crate) fn ask(&mut self, script: &str, effort: Effort) -> Said {
        let limit = effort.wall().min(self.left());
        self.engine.ask(script, limit)
    }

    /// The quantifier of a prepared formula by its `:qid`.
    pub(crate) fn quantifier(&self, qid: &str) -> Option<usize> {
        let number = qid.strip_prefix(QID)?.parse().ok()?;
        (number < self.form.quantifiers.len()).then_some(number)
    }

    /// Whether a term can be written with the symbols of the file and assay's constants.
    pub(crate) fn is_expressible(&self, term: TermId) -> bool {
        let store = &self.problem.store;
        !store.mentions_variables(term)
            && store.postorder(&[term]).into_iter().all(|part| match store.get(part) {
                Term::App(func, _) => !self.form.skolems.contains(&func),
                Term::Literal(_) => true,
                _ => false,
            })
    }
}

/// The names in errors such as `invalid declaration, builtin symbol 'mod' has the same argument
/// sorts`.
fn clashes(said: &Said) -> Vec<String> {
    let found = said.text.lines().filter_map(|line| {
        let (_, rest) = line.split_once("invalid declaration, builtin symbol '")?;
        Some(rest.split_once('\'')?.0.to_owned())
    });
    found.collect()
}

/// The number of steps of a run, if it reports that.
fn steps(said: &Said) -> Option<u64> {
    said.text.lines().find_map(|line| {
        line.trim().strip_prefix("(:rlimit ")?.strip_suffix(')')?.trim().parse().ok()
    })
}
