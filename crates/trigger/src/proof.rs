//! Extracts the instantiations from a proof of z3.
//!
//! A proof is a long text of nested `let`s. Only its steps `quant-inst` are read: the quantifier
//! and the terms substituted for its variables. Names of shared parts are unique outside
//! quantifiers; inside, a quantifier's text binds its own.

use crate::problem::Problem;
use assay_smtlib::read_term;
use assay_term::{Func, FuncId, Op, SortId, TermId};
use rustc_hash::FxHashMap;

/// One instantiation of a quantifier in a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The quantifier's `:qid`.
    pub qid: String,
    /// The names of its variables and their values; `None` if a value cannot be expressed with the
    /// symbols of the file.
    pub values: Vec<(String, Option<TermId>)>,
    /// Its instantiated patterns, as alternatives of lists. Inexpressible terms are left out.
    pub patterns: Vec<Vec<TermId>>,
}

/// The maximum nesting of text that is read.
const MAX_DEPTH: usize = 400;

/// The instances of a proof, in the order of the text, without repetition.
pub(crate) fn instances(problem: &mut Problem, text: &str) -> Vec<Instance> {
    let (shared, steps) = survey(text);
    let mut reader = Reader::new(problem, shared);
    let mut found: Vec<Instance> = Vec::new();
    for step in steps {
        if let Some(instance) = reader.instance(step) {
            if !found.contains(&instance) {
                found.push(instance);
            }
        }
    }
    found
}

/// Reads a term printed by the solver, whose names stand for our terms.
pub(crate) fn open_term(
    problem: &mut Problem,
    text: &str,
    names: &[(String, TermId)],
) -> Option<TermId> {
    let mut reader = Reader::new(problem, FxHashMap::default());
    let sexp = parse(text)?;
    // The names live as long as the text only in the keys.
    let locals: Locals<'_> =
        names.iter().map(|(name, term)| (name.as_str(), Some(*term))).collect();
    reader.term(&sexp, &locals, None, 0)
}

/// Reads lists such as `(instantiations q!1 ( 7 ) ( (f 0) ))` of quantifiers whose names and sorts
/// are known, as rows of values.
pub(crate) fn instance_rows(
    problem: &mut Problem,
    text: &str,
    known: &[(String, Vec<SortId>)],
) -> Vec<(String, Vec<Option<TermId>>)> {
    let mut reader = Reader::new(problem, FxHashMap::default());
    let sorts: FxHashMap<&str, &[SortId]> =
        known.iter().map(|(name, sorts)| (name.as_str(), sorts.as_slice())).collect();
    let mut found = Vec::new();
    for list in lists(text) {
        let Some(Sexp::List(parts)) = parse(list) else { continue };
        let [Sexp::Atom("instantiations"), Sexp::Atom(name), rows @ ..] = parts.as_slice() else {
            continue;
        };
        let name = name.trim_matches('|');
        let Some(sorts) = sorts.get(name) else { continue };
        for row in rows {
            let Sexp::List(values) = row else { continue };
            if values.len() == sorts.len() {
                let pairs = values.iter().zip(*sorts);
                let row = pairs.map(|(value, &sort)| reader.value(value, sort)).collect();
                found.push((name.to_owned(), row));
            }
        }
    }
    found
}

/// The lists in a list printed by the solver, as text.
pub(crate) fn lists(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut depth, mut start, mut at) = (0usize, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'(' => {
                depth += 1;
                if depth == 1 {
                    start = at;
                }
                at += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && at > start {
                    found.push(&text[start..=at]);
                }
                at += 1;
            }
            b'|' | b'"' => at = skip_quoted(bytes, at),
            _ => at += 1,
        }
    }
    found
}

/// The declared functions by name.
fn functions(problem: &Problem) -> FxHashMap<String, Vec<FuncId>> {
    let mut by_name: FxHashMap<String, Vec<FuncId>> = FxHashMap::default();
    for &func in problem.functions.iter().chain(problem.ours()) {
        if let Func::Declared { name, .. } = problem.store.func(func) {
            let name = problem.store.symbols.name(*name).to_owned();
            by_name.entry(name).or_default().push(func);
        }
    }
    by_name
}

/// The texts of named shared parts and of the steps `quant-inst`.
fn survey(text: &str) -> (FxHashMap<&str, &str>, Vec<&str>) {
    let bytes = text.as_bytes();
    let mut shared = FxHashMap::default();
    let mut steps = Vec::new();
    // The starts of open lists, with whether they are inside a quantifier.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' => {
                let rest = &text[at + 1..];
                let binder = ["forall ", "exists ", "lambda "].iter().any(|b| rest.starts_with(b));
                let inside = open.last().is_some_and(|&(_, inside)| inside) || binder;
                open.push((at, inside));
                at += 1;
            }
            b')' => {
                if let Some((start, inside)) = open.pop() {
                    let list = &text[start..=at];
                    if !inside && is_shared_name(&list[1..]) {
                        let (name, value) = list[1..list.len() - 1].split_at(atom_end(list, 1) - 1);
                        shared.entry(name).or_insert_with(|| value.trim());
                    } else if !inside && list.starts_with("((_ quant-inst") {
                        steps.push(list);
                    }
                }
                at += 1;
            }
            b'|' | b'"' => at = skip_quoted(bytes, at),
            _ => at += 1,
        }
    }
    (shared, steps)
}

fn is_shared_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 2
        && matches!(bytes[0], b'?' | b'$' | b'@')
        && bytes[1] == b'x'
        && bytes[2].is_ascii_digit()
}

fn atom_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() && !bytes[at].is_ascii_whitespace() && !b"()".contains(&bytes[at]) {
        at += 1;
    }
    at
}

fn skip_quoted(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += 1;
    }
    at + 1
}

/// An expression of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sexp<'t> {
    Atom(&'t str),
    List(Vec<Sexp<'t>>),
}

pub(crate) fn parse(text: &str) -> Option<Sexp<'_>> {
    let bytes = text.as_bytes();
    let mut stack: Vec<Vec<Sexp<'_>>> = vec![Vec::new()];
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' => {
                if stack.len() > MAX_DEPTH {
                    return None;
                }
                stack.push(Vec::new());
                at += 1;
            }
            b')' => {
                let list = stack.pop()?;
                stack.last_mut()?.push(Sexp::List(list));
                at += 1;
            }
            b'|' | b'"' => {
                let end = skip_quoted(bytes, at).min(bytes.len());
                stack.last_mut()?.push(Sexp::Atom(&text[at..end]));
                at = end;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let end = atom_end(text, at);
                stack.last_mut()?.push(Sexp::Atom(&text[at..end]));
                at = end;
            }
        }
    }
    let mut top = stack.pop()?;
    if top.len() == 1 { top.pop() } else { None }
}

/// The meaning of names inside a quantifier.
type Locals<'t> = FxHashMap<&'t str, Option<TermId>>;

struct Reader<'p, 't> {
    problem: &'p mut Problem,
    functions: FxHashMap<String, Vec<FuncId>>,
    shared: FxHashMap<&'t str, &'t str>,
    known: FxHashMap<&'t str, Option<TermId>>,
    sorts: FxHashMap<&'t str, Option<SortId>>,
}

impl<'p, 't> Reader<'p, 't> {
    fn new(problem: &'p mut Problem, shared: FxHashMap<&'t str, &'t str>) -> Reader<'p, 't> {
        let functions = functions(problem);
        let (known, sorts) = (FxHashMap::default(), FxHashMap::default());
        Reader { problem, functions, shared, known, sorts }
    }

    /// Reads `((_ quant-inst t …) (or (not (forall …)) …))`.
    fn instance(&mut self, step: &'t str) -> Option<Instance> {
        let Sexp::List(parts) = parse(step)? else { return None };
        let [Sexp::List(head), clause] = parts.as_slice() else { return None };
        let quantifier = self.quantifier(clause.clone(), 0)?;
        let [_, Sexp::List(vars), body] = quantifier.as_slice() else { return None };
        let mut locals = Locals::default();
        let mut values = Vec::new();
        for (var, value) in vars.iter().zip(&head[2..]) {
            let Sexp::List(pair) = var else { return None };
            let [Sexp::Atom(name), sort] = pair.as_slice() else { return None };
            let expected = self.sort(sort);
            let value = self.term(value, &Locals::default(), expected, 0);
            locals.insert(*name, value);
            values.push((name.trim_matches('|').to_owned(), value));
        }
        let Sexp::List(body) = body else { return None };
        let [Sexp::Atom("!"), _, attributes @ ..] = body.as_slice() else { return None };
        let mut instance = Instance { qid: String::new(), values, patterns: Vec::new() };
        for pair in attributes.windows(2) {
            match pair {
                [Sexp::Atom(":qid"), Sexp::Atom(qid)] => {
                    instance.qid = qid.trim_matches('|').to_owned();
                }
                [Sexp::Atom(":pattern"), Sexp::List(terms)] => {
                    let terms = terms.iter();
                    instance
                        .patterns
                        .push(terms.filter_map(|term| self.term(term, &locals, None, 0)).collect());
                }
                _ => {}
            }
        }
        Some(instance)
    }

    /// The first quantifier of a clause.
    fn quantifier(&self, clause: Sexp<'t>, depth: usize) -> Option<Vec<Sexp<'t>>> {
        if depth > MAX_DEPTH {
            return None;
        }
        match clause {
            Sexp::Atom(name) => self.quantifier(parse(self.shared.get(name)?)?, depth + 1),
            Sexp::List(parts) => match parts.first() {
                Some(Sexp::Atom("forall")) => Some(parts),
                Some(Sexp::Atom("let")) => self.quantifier(parts.last()?.clone(), depth + 1),
                Some(Sexp::Atom("or" | "not")) => self.quantifier(parts.get(1)?.clone(), depth + 1),
                _ => None,
            },
        }
    }

    fn sort(&mut self, sort: &Sexp<'t>) -> Option<SortId> {
        let Sexp::Atom(name) = *sort else { return None };
        let problem = &mut self.problem;
        *self.sorts.entry(name).or_insert_with(|| problem.sort_named(name.trim_matches('|')))
    }

    /// A value; a term that the prover invented becomes an arbitrary constant, always the same one.
    fn value(&mut self, sexp: &Sexp<'t>, sort: SortId) -> Option<TermId> {
        let term = self.term(sexp, &Locals::default(), Some(sort), 0);
        match sexp {
            Sexp::Atom(name) if term.is_none() => Some(self.problem.element(name, sort)),
            _ => term,
        }
    }

    fn term(
        &mut self,
        sexp: &Sexp<'t>,
        locals: &Locals<'t>,
        expected: Option<SortId>,
        depth: usize,
    ) -> Option<TermId> {
        if depth > MAX_DEPTH {
            return None;
        }
        match sexp {
            Sexp::Atom(name) => self.atom(name, locals, expected, depth),
            Sexp::List(parts) => match parts.as_slice() {
                [Sexp::Atom("let"), Sexp::List(bindings), body] => {
                    let mut inner = locals.clone();
                    for binding in bindings {
                        let Sexp::List(pair) = binding else { return None };
                        let [Sexp::Atom(name), value] = pair.as_slice() else { return None };
                        inner.insert(*name, self.term(value, locals, None, depth + 1));
                    }
                    self.term(body, &inner, expected, depth + 1)
                }
                [Sexp::Atom("!"), body, ..] => self.term(body, locals, expected, depth + 1),
                [Sexp::Atom("forall" | "exists" | "lambda" | "_"), ..] | [] => None,
                [head, args @ ..] => self.application(head, args, locals, depth),
            },
        }
    }

    fn atom(
        &mut self,
        name: &'t str,
        locals: &Locals<'t>,
        expected: Option<SortId>,
        depth: usize,
    ) -> Option<TermId> {
        if let Some(&local) = locals.get(name) {
            return local;
        }
        if is_shared_name(name) {
            if let Some(&known) = self.known.get(name) {
                return known;
            }
            let text = self.shared.get(name).copied()?;
            let sexp = parse(text)?;
            let term = self.term(&sexp, &Locals::default(), expected, depth + 1);
            self.known.insert(name, term);
            return term;
        }
        if let Some(func) = self.declared(name.trim_matches('|'), &[]) {
            return self.problem.store.app(func, &[]).ok();
        }
        // An element of the solver's model becomes an arbitrary constant, always the same one.
        if name.contains("!val!") || name.starts_with("e_") {
            let sort = expected?;
            return Some(self.problem.element(name, sort));
        }
        read_term(&mut self.problem.store, &mut self.problem.env, name).ok()
    }

    fn declared(&self, name: &str, args: &[TermId]) -> Option<FuncId> {
        let store = &self.problem.store;
        self.functions.get(name)?.iter().copied().find(|&func| match store.func(func) {
            Func::Declared { params, .. } => {
                params.len() == args.len()
                    && params.iter().zip(args).all(|(&sort, &arg)| store.sort(arg) == sort)
            }
            _ => false,
        })
    }

    fn application(
        &mut self,
        head: &Sexp<'t>,
        args: &[Sexp<'t>],
        locals: &Locals<'t>,
        depth: usize,
    ) -> Option<TermId> {
        let name = match head {
            Sexp::Atom(name) => name.trim_matches('|'),
            Sexp::List(_) => "",
        };
        let expected: Vec<SortId> = self
            .functions
            .get(name)
            .and_then(|all| all.first())
            .map(|&func| match self.problem.store.func(func) {
                Func::Declared { params, .. } => params.to_vec(),
                _ => Vec::new(),
            })
            .unwrap_or_default();
        let mut built = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            built.push(self.term(arg, locals, expected.get(at).copied(), depth + 1)?);
        }
        if let Some(func) = self.declared(name, &built) {
            return self.problem.store.app(func, &built).ok();
        }
        if let Some(op) = Op::by_name(name) {
            if let Ok(term) = self.problem.store.op(op, &built) {
                return Some(term);
            }
        }
        let head = written(head);
        let args: Vec<String> = built.iter().map(|&arg| self.problem.show(arg)).collect();
        let text = format!("({head} {})", args.join(" "));
        read_term(&mut self.problem.store, &mut self.problem.env, &text).ok()
    }
}

/// An expression as text; heads such as `(_ extract 3 0)` are not nested deeply.
fn written(sexp: &Sexp<'_>) -> String {
    match sexp {
        Sexp::Atom(text) => (*text).to_owned(),
        Sexp::List(parts) => {
            let parts: Vec<String> = parts.iter().map(written).collect();
            format!("({})", parts.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "(declare-sort U 0)(declare-fun |f#a| (Int) Int)
        (declare-fun p (U Int) Bool)(declare-const k U)";

    const PROOF: &str = "((proof
        (let ((?x7 (|f#a| (- 7))))
        (let (($x47 (forall ((u U) (y Int) )(! (let (($x31 (p u y)))
          (let ((?x7 (|f#a| y))) (or (not $x31) (> ?x7 y)))) :pattern ( (p u y) (|f#a| y) )
          :pattern ((let ((?x9 (|f#a| y))) (|f#a| ?x9))) :qid q!3)) ))
        (let (($x48 (or (not $x47) (not (p k ?x7)))))
        (unit-resolution ((_ quant-inst k ?x7) $x48) ((_ quant-inst U!val!0 (+ 1 2)) $x48)
          ((_ quant-inst (sk 1) 2) $x48) ((_ quant-inst k ?x7) $x48) false)))))";

    #[test]
    fn instances_are_read_with_their_patterns() {
        let mut problem = Problem::read(FILE).expect("it is well formed");
        let found = instances(&mut problem, PROOF);
        let shown: Vec<String> = found
            .iter()
            .map(|instance| {
                let values = instance.values.iter().map(|(name, value)| {
                    format!("{name}={}", value.map_or("?".into(), |value| problem.show(value)))
                });
                let values: Vec<String> = values.collect();
                let patterns = instance.patterns.iter().map(|all| {
                    all.iter().map(|&term| problem.show(term)).collect::<Vec<_>>().join("&")
                });
                let patterns: Vec<String> = patterns.collect();
                format!("{}: {} {}", instance.qid, values.join(","), patterns.join(" | "))
            })
            .collect();
        assert_eq!(
            shown,
            [
                "q!3: u=k,y=(|f#a| (- 7)) (p k (|f#a| (- 7)))&(|f#a| (|f#a| (- 7))) | (|f#a| (|f#a| (|f#a| (- 7))))",
                "q!3: u=any!U,y=(+ 1 2) (p any!U (+ 1 2))&(|f#a| (+ 1 2)) | (|f#a| (|f#a| (+ 1 2)))",
                "q!3: u=?,y=2 (|f#a| 2) | (|f#a| (|f#a| 2))",
            ]
        );
    }

    #[test]
    fn text_that_is_not_a_proof_has_no_instances() {
        let mut problem = Problem::read(FILE).expect("it is well formed");
        for text in ["", "(error \"proof is not available\")", "((proof (let ((", "))) (("] {
            assert!(instances(&mut problem, text).is_empty(), "{text}");
        }
    }
}
