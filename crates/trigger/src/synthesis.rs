//! Candidate terms from models (Algorithms 4.1 to 4.3): a formula is negated and conjoined with
//! instances of similar ones, under rewritings that make them share terms. A model of this
//! conjunction gives the values of the patterns' variables.

use crate::engine::SatResult;
use crate::nnf::{junction, negated};
use crate::similarity::Similarity;
use crate::unify::{Reach, Rewriting, applications, rewritings};
use crate::workbench::{Effort, Workbench};
use assay_smtlib::read_values;
use assay_term::theories::core;
use assay_term::{Replacements, Sort, SortId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The parameters of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameters {
    /// The minimum Jaccard index of similar formulas, in percent (σ).
    pub(crate) similarity: usize,
    /// The number of similarity steps that a cluster spans (δ).
    pub(crate) depth: usize,
    /// The number of different models of one formula (μ).
    pub(crate) models: usize,
    /// Whether variables may be equal to any term of their sort.
    pub(crate) types: bool,
    /// The terms that are unified.
    pub(crate) reach: Reach,
    /// The maximum number of copies of a formula in a cluster (Φ).
    pub(crate) copies: usize,
    /// The number of formulas per conjunct.
    pub(crate) formulas: usize,
}

/// A set of formulas with their instances and rewritings.
#[derive(Clone)]
struct Cluster {
    members: Vec<Member>,
    constraints: Vec<TermId>,
    rewritings: Vec<Rewriting>,
}

/// A formula of a cluster, with its own variables.
#[derive(Clone)]
struct Member {
    axiom: usize,
    /// Its terms that may be shared.
    shared: Vec<TermId>,
    /// The terms of its patterns.
    patterns: Vec<TermId>,
}

/// The search, one conjunct after another.
pub(crate) struct Synthesis {
    parameters: Parameters,
    similarity: Similarity,
    next: usize,
    memory: Memory,
    seen: FxHashSet<Vec<TermId>>,
}

/// What later rounds know about earlier ones.
#[derive(Default)]
pub(crate) struct Memory {
    /// Formulas without a model: formulas that contain one are skipped.
    refuted: Vec<Vec<TermId>>,
    /// The models of a formula: another round needs different ones (section 4.6).
    models: FxHashMap<Vec<TermId>, Vec<Row>>,
}

/// The variables' values in a model.
type Row = Vec<(TermId, TermId)>;

/// The maximum number of remembered models of one formula.
const MAX_MODELS: usize = 24;

impl Synthesis {
    /// A search that knows the results of earlier ones.
    pub(crate) fn new(bench: &Workbench<'_>, parameters: Parameters, memory: Memory) -> Synthesis {
        let formulas: Vec<Vec<TermId>> = bench
            .form
            .axioms
            .iter()
            .map(|axiom| {
                axiom.disjuncts.iter().chain(axiom.patterns.iter().flatten()).copied().collect()
            })
            .collect();
        let similarity = Similarity::new(bench, &formulas);
        Synthesis { parameters, similarity, next: 0, memory, seen: FxHashSet::default() }
    }

    /// Its results.
    pub(crate) fn into_memory(self) -> Memory {
        self.memory
    }

    /// Candidates from the next quantified conjunct; `None` at the end.
    pub(crate) fn next(&mut self, bench: &mut Workbench<'_>) -> Option<Vec<Vec<TermId>>> {
        while self.next < bench.form.axioms.len() {
            let axiom = self.next;
            self.next += 1;
            if !bench.form.axioms[axiom].vars.is_empty() {
                return Some(self.of(bench, axiom));
            }
        }
        None
    }

    /// Candidates from one conjunct.
    fn of(&mut self, bench: &mut Workbench<'_>, axiom: usize) -> Vec<Vec<TermId>> {
        let mut found = Vec::new();
        let member = self.member(bench, axiom, false);
        let matrix: Vec<TermId> = member.1;
        let constraints = matrix.iter().map(|&d| refused(bench, d)).collect();
        let first = Cluster { members: vec![member.0], constraints, rewritings: Vec::new() };
        let mut left = self.parameters.formulas;
        if !self.examine(bench, &first, &mut found, &mut left) {
            return found;
        }
        let mut layer = vec![first];
        for _ in 0..self.parameters.depth {
            let mut next = Vec::new();
            for cluster in &layer {
                for larger in self.extended(bench, cluster) {
                    if left == 0 || bench.is_over() {
                        return found;
                    }
                    if self.examine(bench, &larger, &mut found, &mut left) {
                        next.push(larger);
                    }
                }
            }
            layer = next;
        }
        found
    }

    /// A formula with its disjuncts; a copy has its own variables.
    fn member(&self, bench: &mut Workbench<'_>, axiom: usize, copy: bool) -> (Member, Vec<TermId>) {
        let source = bench.form.axioms[axiom].clone();
        let mut disjuncts: Vec<TermId> =
            source.disjuncts.iter().map(|&d| stripped(bench, d)).collect();
        let mut patterns: Vec<TermId> = source.patterns.concat();
        if copy {
            let store = &bench.problem.store;
            let mut vars: Vec<TermId> = disjuncts
                .iter()
                .chain(&patterns)
                .flat_map(|&term| store.free_variables(term))
                .collect();
            vars.sort_unstable();
            vars.dedup();
            let mut by = Replacements::default();
            for var in vars {
                let name = bench.problem.fresh_name("copy");
                let sort = bench.problem.store.sort(var);
                let new = bench.problem.store.var(name, sort);
                by.insert(var, new);
            }
            let mut renamed = |term: &mut TermId| {
                *term = bench.problem.store.replace(*term, &mut by);
            };
            disjuncts.iter_mut().for_each(&mut renamed);
            patterns.iter_mut().for_each(&mut renamed);
        }
        let roots: Vec<TermId> = disjuncts.iter().chain(&patterns).copied().collect();
        let shared = applications(&bench.problem.store, &roots, self.parameters.reach);
        (Member { axiom, shared, patterns }, disjuncts)
    }

    /// Clusters with one more formula, for each way of joining it and each of its disjuncts.
    fn extended(&self, bench: &mut Workbench<'_>, cluster: &Cluster) -> Vec<Cluster> {
        let mut found = Vec::new();
        for at in 0..cluster.members.len() {
            let of = cluster.members[at].axiom;
            let mut similar = self.similarity.neighbours(of, self.parameters.similarity);
            if self.parameters.copies > 1 {
                similar.insert(0, of);
            }
            for other in similar {
                let present = cluster.members.iter().filter(|one| one.axiom == other).count();
                let copies = if bench.form.axioms[other].vars.is_empty() {
                    1
                } else {
                    self.parameters.copies
                };
                if present >= copies || found.len() > 4 * self.parameters.formulas {
                    continue;
                }
                let (member, disjuncts) = self.member(bench, other, present > 0);
                found.extend(self.joined(bench, cluster, at, &member, &disjuncts));
            }
        }
        found
    }

    /// The clusters from joining a formula to a member, one for each of its disjuncts.
    fn joined(
        &self,
        bench: &mut Workbench<'_>,
        cluster: &Cluster,
        at: usize,
        member: &Member,
        disjuncts: &[TermId],
    ) -> Vec<Cluster> {
        let mut found = Vec::new();
        let skolems = bench.form.skolems.clone();
        let ours = cluster.members[at].shared.clone();
        let mut sets = rewritings(&mut bench.problem, &ours, &member.shared, &skolems);
        if self.parameters.types {
            sets.extend(by_type(bench, &cluster.members[at], member));
        }
        let ground = bench.form.axioms[member.axiom].vars.is_empty();
        if ground {
            sets.push(Vec::new());
        }
        for set in sets {
            let clashes = set
                .iter()
                .any(|&(var, _)| cluster.rewritings.iter().any(|&(known, _)| known == var));
            if clashes {
                continue;
            }
            for chosen in 0..disjuncts.len() {
                let mut larger = cluster.clone();
                larger.members.push(member.clone());
                for &earlier in &disjuncts[..chosen] {
                    larger.constraints.push(refused(bench, earlier));
                }
                larger.constraints.push(disjuncts[chosen]);
                larger.rewritings.extend(&set);
                found.push(larger);
            }
        }
        found
    }

    /// Examines a cluster's formula and adds candidates; true if it has a model.
    fn examine(
        &mut self,
        bench: &mut Workbench<'_>,
        cluster: &Cluster,
        found: &mut Vec<Vec<TermId>>,
        left: &mut usize,
    ) -> bool {
        let mut formula = cluster.constraints.clone();
        for &(var, term) in &cluster.rewritings {
            let equation = bench.problem.store.op(core::EQ, &[var, term]);
            formula.push(equation.expect("rewritings have one sort"));
        }
        formula.sort_unstable();
        formula.dedup();
        if !self.seen.insert(formula.clone()) || trivially_false(bench, &formula) {
            return false;
        }
        let contains =
            |small: &Vec<TermId>| small.iter().all(|part| formula.binary_search(part).is_ok());
        if self.memory.refuted.iter().any(contains) {
            return false;
        }
        *left = left.saturating_sub(1);
        let mut models = Models::new(bench, &formula, cluster);
        models.blocked = self.memory.models.remove(&formula).unwrap_or_default();
        let before = models.blocked.len();
        let mut satisfiable = before > 0;
        for _ in 0..self.parameters.models {
            match models.next(bench) {
                Found::Model(values) => {
                    satisfiable = true;
                    let candidate = candidate(bench, cluster, &values);
                    if !candidate.is_empty() && !found.contains(&candidate) {
                        found.push(candidate);
                    }
                }
                Found::None if !satisfiable => {
                    self.memory.refuted.push(formula);
                    return false;
                }
                Found::None | Found::Unknown => {
                    satisfiable |= models.open;
                    break;
                }
            }
        }
        models.blocked.truncate(MAX_MODELS);
        if models.blocked.len() > before {
            self.memory.models.insert(formula, models.blocked);
        }
        satisfiable
    }
}

/// The negation of a disjunct without its quantifiers.
fn refused(bench: &mut Workbench<'_>, disjunct: TermId) -> TermId {
    negated(&mut bench.problem.store, disjunct)
}

/// A formula without its quantifiers: their variables become free.
fn stripped(bench: &mut Workbench<'_>, formula: TermId) -> TermId {
    let store = &mut bench.problem.store;
    let mut by = Replacements::default();
    for part in store.postorder(&[formula]) {
        let Term::Quant(_, _, body) = store.get(part) else { continue };
        let inner = match store.get(body) {
            Term::Annotated(inner, _) => inner,
            _ => body,
        };
        let new = store.replace(inner, &mut by);
        by.insert(part, new);
    }
    store.replace(formula, &mut by)
}

/// Whether the formula contains both a part and its negation.
fn trivially_false(bench: &Workbench<'_>, formula: &[TermId]) -> bool {
    formula.iter().any(|&part| match bench.problem.store.operator(part) {
        Some((core::NOT, &[inner])) => formula.binary_search(&inner).is_ok(),
        Some((core::FALSE, _)) => true,
        _ => false,
    })
}

/// Equations of one formula's variables with terms and constants of another that have their sort.
fn by_type(bench: &Workbench<'_>, ours: &Member, theirs: &Member) -> Vec<Vec<Rewriting>> {
    const MOST: usize = 12;
    let store = &bench.problem.store;
    let vars = |member: &Member| {
        let mut vars: Vec<TermId> =
            member.patterns.iter().flat_map(|&term| store.free_variables(term)).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    };
    let terms = |member: &Member| -> Vec<TermId> {
        let parts = store.postorder(&member.shared);
        parts.into_iter().filter(|&part| crate::nnf::declared(store, part).is_some()).collect()
    };
    let mut sets = Vec::new();
    for (vars, terms) in [(vars(ours), terms(theirs)), (vars(theirs), terms(ours))] {
        for &var in &vars {
            let uninterpreted = matches!(store.sorts.get(store.sort(var)), Sort::Declared(..));
            for &term in terms.iter().filter(|&&term| store.sort(term) == store.sort(var)) {
                if uninterpreted && sets.len() < MOST && !store.free_variables(term).contains(&var)
                {
                    sets.push(vec![(var, term)]);
                }
            }
        }
    }
    sets
}

/// The terms of a cluster's patterns under its rewritings, then under the values of a model.
fn candidate(bench: &mut Workbench<'_>, cluster: &Cluster, values: &Replacements) -> Vec<TermId> {
    let mut terms: Vec<TermId> =
        cluster.members.iter().flat_map(|member| member.patterns.iter().copied()).collect();
    let mut rest = cluster.rewritings.clone();
    while let Some((var, term)) = rest.pop() {
        let mut by: Replacements = [(var, term)].into_iter().collect();
        for known in &mut terms {
            *known = bench.problem.store.replace(*known, &mut by);
        }
        for (_, known) in &mut rest {
            *known = bench.problem.store.replace(*known, &mut by);
        }
    }
    let mut by = values.clone();
    for term in &mut terms {
        *term = bench.problem.store.replace(*term, &mut by);
    }
    terms.retain(|&term| bench.is_expressible(term));
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// The models of one formula, each different from those before.
struct Models {
    script: String,
    vars: Vec<TermId>,
    constants: Vec<TermId>,
    /// The variables' values in earlier models.
    blocked: Vec<Row>,
    /// Whether no model differs from all of these in all variables.
    exhausted: bool,
    /// Whether the solver could not decide.
    open: bool,
}

enum Found {
    Model(Replacements),
    None,
    Unknown,
}

impl Models {
    fn new(bench: &Workbench<'_>, formula: &[TermId], cluster: &Cluster) -> Models {
        let store = &bench.problem.store;
        let patterns = cluster.members.iter().flat_map(|member| member.patterns.iter().copied());
        let all: Vec<TermId> = formula.iter().copied().chain(patterns).collect();
        let mut vars: Vec<TermId> =
            all.iter().flat_map(|&term| store.free_variables(term)).collect();
        vars.sort_unstable();
        vars.dedup();
        let sorts: FxHashSet<SortId> = vars.iter().map(|&var| store.sort(var)).collect();
        let constants: Vec<TermId> = store
            .postorder(&all)
            .into_iter()
            .filter(|&term| {
                sorts.contains(&store.sort(term))
                    && is_opaque(bench, store.sort(term))
                    && crate::nnf::declared(store, term).is_some_and(|(_, args)| args.is_empty())
                    && bench.is_expressible(term)
            })
            .collect();
        let mut script = bench.problem.declarations_for(&all);
        for &var in &vars {
            let sort = bench.problem.show_sort(store.sort(var));
            let _ = writeln!(script, "(declare-fun {} () {sort})", bench.problem.show(var));
        }
        for &part in formula {
            let _ = writeln!(script, "(assert {})", bench.problem.show(part));
        }
        Models { script, vars, constants, blocked: Vec::new(), exhausted: false, open: false }
    }

    /// The next model: different in all variables if possible, otherwise in some.
    fn next(&mut self, bench: &mut Workbench<'_>) -> Found {
        if self.blocked.is_empty() {
            return self.ask(bench, &[]);
        }
        if !self.exhausted {
            let all = self.blocks(bench, core::AND);
            match self.ask(bench, &all) {
                Found::Model(values) => return Found::Model(values),
                Found::None => self.exhausted = true,
                Found::Unknown => {}
            }
        }
        let some = self.blocks(bench, core::OR);
        self.ask(bench, &some)
    }

    /// Constraints that exclude earlier models: values, and equalities of variables.
    fn blocks(&self, bench: &mut Workbench<'_>, op: assay_term::Op) -> Vec<TermId> {
        let mut found = Vec::new();
        for model in &self.blocked {
            let mut parts = Vec::new();
            for (at, &(var, value)) in model.iter().enumerate() {
                let store = &mut bench.problem.store;
                let opaque = matches!(store.sorts.get(store.sort(var)), Sort::Declared(..));
                if !opaque {
                    let same = store.op(core::EQ, &[var, value]).expect("a variable's value");
                    parts.push(negated(store, same));
                }
                for &(other, others) in &model[at + 1..] {
                    let store = &mut bench.problem.store;
                    if value == others && store.sort(var) == store.sort(other) {
                        let same = store.op(core::EQ, &[var, other]).expect("of one sort");
                        parts.push(negated(store, same));
                    }
                }
            }
            if !parts.is_empty() {
                found.push(junction(&mut bench.problem.store, op, &parts));
            }
        }
        found
    }

    fn ask(&mut self, bench: &mut Workbench<'_>, blocks: &[TermId]) -> Found {
        let effort = Effort::TINY;
        if !self.blocked.is_empty() && blocks.is_empty() {
            return Found::None;
        }
        let mut script = format!(
            "(set-option :rlimit {})\n(set-option :produce-proofs false)\n{}",
            effort.0, self.script
        );
        for &block in blocks {
            let _ = writeln!(script, "(assert {})", bench.problem.show(block));
        }
        let asked: Vec<TermId> = self.vars.iter().chain(&self.constants).copied().collect();
        let shown: Vec<String> = asked.iter().map(|&term| bench.problem.show(term)).collect();
        script.push_str("(check-sat)\n");
        if !asked.is_empty() {
            let _ = writeln!(script, "(get-value ({}))", shown.join(" "));
        }
        let said = bench.ask(&script, effort);
        match said.sat_result() {
            SatResult::Unsat => Found::None,
            // A partial model is enough: its candidates are validated.
            SatResult::Sat | SatResult::Unknown => {
                self.open = said.sat_result() == SatResult::Unknown;
                self.values(bench, &asked, said.after_result())
            }
            _ => Found::Unknown,
        }
    }

    /// The values of the variables, as terms of the file if they are equal to one.
    fn values(&mut self, bench: &mut Workbench<'_>, asked: &[TermId], text: &str) -> Found {
        let problem = &mut bench.problem;
        let text = text.trim();
        if text.starts_with("(error") {
            return Found::Unknown;
        }
        let Ok(values) = read_values(&mut problem.store, &problem.env, asked, text) else {
            return if asked.is_empty() {
                Found::Model(Replacements::default())
            } else {
                Found::Unknown
            };
        };
        let (of_vars, of_constants) = values.split_at(self.vars.len());
        let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (&constant, value) in self.constants.iter().zip(of_constants) {
            if let Some(value) = value {
                known.entry(*value).or_insert(constant);
            }
        }
        let mut next: FxHashMap<SortId, usize> = FxHashMap::default();
        let mut by = Replacements::default();
        let mut row = Vec::new();
        for (&var, value) in self.vars.iter().zip(of_vars) {
            let sort = bench.problem.store.sort(var);
            let Some(value) = *value else { return Found::Unknown };
            let term = if is_opaque(bench, sort) {
                match known.get(&value) {
                    Some(&term) => term,
                    None => {
                        let number = next.entry(sort).or_default();
                        let term = bench.problem.any(sort, *number);
                        *number += 1;
                        known.insert(value, term);
                        term
                    }
                }
            } else {
                value
            };
            by.insert(var, term);
            row.push((var, term));
        }
        self.blocked.push(row);
        Found::Model(by)
    }
}

/// Whether elements of a sort have no names.
fn is_opaque(bench: &Workbench<'_>, sort: SortId) -> bool {
    let sorts = &bench.problem.store.sorts;
    matches!(sorts.get(sort), Sort::Declared(..)) && sorts.datatype(sort).is_none()
}
