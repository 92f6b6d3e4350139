//! Formulas in the language of first-order provers (TPTP, typed first-order form), and their proofs
//! read back.
//!
//! Booleans as arguments get a sort of their own, and theories become functions with few axioms: a
//! prover's refutation is sound, but it may miss some. A proof is only a source of instances, each
//! of which is checked elsewhere.

use crate::problem::Problem;
use assay_term::theories::{core, ints};
use assay_term::{Func, FuncId, Op, Quantifier, SortId, Store, Term, TermId, Value};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The maximum length of a formula's text; longer ones are left out.
const MAX_TEXT: usize = 60_000;

/// The maximum total length of a translation, including parts of formulas.
const MAX_ALL: usize = 64 << 20;

/// The maximum number of distinct terms; more are left out, because they are written as pairs.
const MAX_DISTINCT: usize = 200;

/// The maximum nesting of text that is read.
const MAX_DEPTH: usize = 300;

/// The maximum number of numbers about which facts are stated.
const MAX_NUMBERS: usize = 24;

/// The names in a translation.
#[derive(Default)]
pub(crate) struct Names {
    sorts: Vec<SortId>,
    /// Functions with their argument and result sorts: an operator may have several.
    functions: Vec<(FuncId, Vec<SortId>, SortId)>,
    literals: Vec<TermId>,
    /// The length of all texts so far.
    length: usize,
}

/// The Booleans as terms.
const TRUTH: [&str; 2] = ["tt", "ff"];

/// A term as printed for a prover: as an argument, and as a formula.
#[derive(Clone, Default)]
struct Shown {
    term: Option<String>,
    formula: Option<String>,
}

impl Names {
    /// Statements as one file, each named `a` and its number. Inexpressible ones are left out.
    pub(crate) fn file(&mut self, problem: &Problem, statements: &[TermId]) -> String {
        let mut known = FxHashMap::default();
        let mut axioms = String::new();
        for (number, &statement) in statements.iter().enumerate() {
            for part in problem.store.postorder(&[statement]) {
                if !known.contains_key(&part) {
                    let shown = self.shown(&problem.store, part, &known);
                    known.insert(part, shown);
                }
            }
            if let Some(formula) =
                known.get(&statement).and_then(|one: &Shown| one.formula.as_ref())
            {
                let _ = writeln!(axioms, "tff(a{number}, axiom, {formula}).");
            }
        }
        let theory = self.theory(&problem.store);
        let mut text = String::from(
            "tff(bool_type, type, bool: $tType).\ntff(tt_type, type, tt: bool).\n\
             tff(ff_type, type, ff: bool).\ntff(truth1, axiom, tt != ff).\n\
             tff(truth2, axiom, ![X:bool]: (X = tt | X = ff)).\n",
        );
        for at in 0..self.sorts.len() {
            let _ = writeln!(text, "tff(s{at}_type, type, s{at}: $tType).");
        }
        for (at, &literal) in self.literals.clone().iter().enumerate() {
            let sort = self.sort(problem.store.sort(literal));
            let _ = writeln!(text, "tff(n{at}_type, type, n{at}: {sort}).");
        }
        for (at, (_, params, result)) in self.functions.clone().iter().enumerate() {
            let result = self.sort(*result);
            let params: Vec<String> = params.iter().map(|&sort| self.sort(sort)).collect();
            let signature = match params.as_slice() {
                [] => result,
                [one] => format!("{one} > {result}"),
                many => format!("({}) > {result}", many.join(" * ")),
            };
            let _ = writeln!(text, "tff(f{at}_type, type, f{at}: {signature}).");
        }
        text + &theory + &axioms
    }

    fn sort(&mut self, sort: SortId) -> String {
        if sort == SortId::BOOL {
            return "bool".to_owned();
        }
        let at = position(&mut self.sorts, sort);
        format!("s{at}")
    }

    fn function(&mut self, func: FuncId, params: Vec<SortId>, result: SortId) -> String {
        for &sort in params.iter().chain([&result]) {
            self.sort(sort);
        }
        format!("f{}", position(&mut self.functions, (func, params, result)))
    }

    fn shown(&mut self, store: &Store, term: TermId, known: &FxHashMap<TermId, Shown>) -> Shown {
        let is_truth = store.sort(term) == SortId::BOOL;
        let of = |part: &TermId| known.get(part).cloned().unwrap_or_default();
        let shown = match store.get(term) {
            Term::Var(_) => Shown { term: Some(format!("X{}", term.index())), formula: None },
            Term::Literal(Value::Bool(truth)) => truth_value(*truth),
            Term::Literal(_) => {
                self.sort(store.sort(term));
                let at = position(&mut self.literals, term);
                Shown { term: Some(format!("n{at}")), formula: None }
            }
            Term::Annotated(inner, _) => of(&inner),
            Term::Quant(which, vars, body) => {
                let vars: Vec<(usize, SortId)> =
                    vars.iter().map(|&var| (var.index(), store.sort(var))).collect();
                let bound: Vec<String> = vars
                    .into_iter()
                    .map(|(at, sort)| format!("X{at}: {}", self.sort(sort)))
                    .collect();
                let sign = if which == Quantifier::Forall { "!" } else { "?" };
                let formula =
                    of(&body).formula.map(|body| format!("({sign}[{}]: {body})", bound.join(", ")));
                Shown { term: None, formula }
            }
            Term::App(func, args) => match store.operator(term) {
                Some((core::TRUE, _)) => truth_value(true),
                Some((core::FALSE, _)) => truth_value(false),
                Some((op, parts)) if is_truth => {
                    let parts: Vec<Shown> = parts.iter().map(of).collect();
                    match connected(
                        op,
                        &parts,
                        store.children(term).first().map(|&t| store.sort(t)),
                    ) {
                        Some(formula) => Shown { term: None, formula },
                        None => self.applied(store, term, func, args, known),
                    }
                }
                _ => self.applied(store, term, func, args, known),
            },
            _ => Shown::default(),
        };
        let room = self.length < MAX_ALL;
        let short = |text: Option<String>| text.filter(|text| room && text.len() <= MAX_TEXT);
        let formula = match (&shown.term, shown.formula) {
            (Some(term), None) if is_truth => Some(format!("({term} = tt)")),
            (_, formula) => formula,
        };
        let shown = Shown { term: short(shown.term), formula: short(formula) };
        self.length += shown.term.as_ref().map_or(0, String::len);
        self.length += shown.formula.as_ref().map_or(0, String::len);
        shown
    }

    fn applied(
        &mut self,
        store: &Store,
        term: TermId,
        func: FuncId,
        args: &[TermId],
        known: &FxHashMap<TermId, Shown>,
    ) -> Shown {
        let shown: Option<Vec<String>> =
            args.iter().map(|arg| known.get(arg)?.term.clone()).collect();
        let Some(shown) = shown else { return Shown::default() };
        let params = args.iter().map(|&arg| store.sort(arg)).collect();
        let name = self.function(func, params, store.sort(term));
        let text = if shown.is_empty() { name } else { format!("{name}({})", shown.join(",")) };
        Shown { term: Some(text), formula: None }
    }

    /// Axioms about numbers: they are distinct, with the order and sums of a few.
    fn theory(&mut self, store: &Store) -> String {
        let mut text = String::new();
        let mut number = 0;
        let mut say = |formula: String| {
            let _ = writeln!(text, "tff(theory{number}, axiom, {formula}).");
            number += 1;
        };
        let literals: Vec<(usize, TermId)> =
            self.literals.iter().copied().enumerate().take(MAX_NUMBERS).collect();
        for &(at, one) in &literals {
            for &(other, two) in &literals[at + 1..] {
                if store.sort(one) == store.sort(two) {
                    say(format!("n{at} != n{other}"));
                }
            }
        }
        let operators: Vec<(usize, Op)> = self
            .functions
            .iter()
            .enumerate()
            .filter(|(_, (_, params, _))| params.first() == Some(&SortId::INT))
            .filter_map(|(at, (func, ..))| match store.func(*func) {
                Func::Op(op, _) => Some((at, *op)),
                _ => None,
            })
            .collect();
        for (at, op) in operators {
            let int = self.sort(SortId::INT);
            let (strict, turned) = match op {
                ints::LE => (false, false),
                ints::GE => (false, true),
                ints::LT => (true, false),
                ints::GT => (true, true),
                _ => continue,
            };
            let order = |a: &str, b: &str| {
                let (a, b) = if turned { (b, a) } else { (a, b) };
                format!("(f{at}({a},{b}) = tt)")
            };
            let all = format!("![X:{int},Y:{int},Z:{int}]:");
            let equal = if strict { "~" } else { "" };
            say(format!("![X:{int}]: {equal}{}", order("X", "X")));
            say(format!(
                "{all} (~{} | ~{} | {})",
                order("X", "Y"),
                order("Y", "Z"),
                order("X", "Z")
            ));
            say(format!("![X:{int},Y:{int}]: (X = Y | {} | {})", order("X", "Y"), order("Y", "X")));
            if !strict {
                say(format!(
                    "![X:{int},Y:{int}]: (~{} | ~{} | X = Y)",
                    order("X", "Y"),
                    order("Y", "X")
                ));
            }
            for &(one, a) in &literals {
                for &(two, b) in &literals {
                    let (Term::Literal(Value::Int(a)), Term::Literal(Value::Int(b))) =
                        (store.get(a), store.get(b))
                    else {
                        continue;
                    };
                    let sign = if a < b { "" } else { "~" };
                    if a != b {
                        say(format!("{sign}{}", order(&format!("n{one}"), &format!("n{two}"))));
                    }
                }
            }
        }
        text
    }
}

fn truth_value(truth: bool) -> Shown {
    let (term, formula) = if truth { ("tt", "$true") } else { ("ff", "$false") };
    Shown { term: Some(term.to_owned()), formula: Some(formula.to_owned()) }
}

/// The position of an item in a list, to which it is appended if it is new.
fn position<T: PartialEq>(list: &mut Vec<T>, one: T) -> usize {
    list.iter().position(|known| *known == one).unwrap_or_else(|| {
        list.push(one);
        list.len() - 1
    })
}

/// A formula of connectives and equality; `None` for other operators, and `None` inside if a part
/// is inexpressible.
fn connected(op: Op, parts: &[Shown], of: Option<SortId>) -> Option<Option<String>> {
    let formulas = || parts.iter().map(|part| part.formula.clone()).collect::<Option<Vec<_>>>();
    let terms = || parts.iter().map(|part| part.term.clone()).collect::<Option<Vec<_>>>();
    let joined = |sign: &str| formulas().map(|all| format!("({})", all.join(sign)));
    Some(match op {
        core::AND => joined(" & "),
        core::OR => joined(" | "),
        core::NOT => formulas().map(|all| format!("(~{})", all[0])),
        core::IMPLIES => formulas().map(|all| {
            let (last, premises) = all.split_last().expect("typed");
            format!("(({}) => {last})", premises.join(" & "))
        }),
        core::EQ if of == Some(SortId::BOOL) && parts.len() == 2 => joined(" <=> "),
        core::EQ => terms().map(|all| {
            let pairs: Vec<String> =
                all.windows(2).map(|pair| format!("{} = {}", pair[0], pair[1])).collect();
            format!("({})", pairs.join(" & "))
        }),
        core::DISTINCT => terms().filter(|all| all.len() <= MAX_DISTINCT).map(|all| {
            let mut pairs = Vec::new();
            for (at, one) in all.iter().enumerate() {
                pairs.extend(all[at + 1..].iter().map(|two| format!("{one} != {two}")));
            }
            format!("({})", pairs.join(" & "))
        }),
        core::ITE => {
            formulas().map(|all| format!("((~{0} | {1}) & ({0} | {2}))", all[0], all[1], all[2]))
        }
        core::XOR => joined(" <~> "),
        _ => return None,
    })
}

/// A step of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// Its variables, which have unique names.
    pub(crate) vars: Vec<TermId>,
    /// Its formula, in which they are free; `None` if it cannot be read.
    pub(crate) formula: Option<TermId>,
    /// Its parents.
    pub(crate) parents: Vec<usize>,
    /// The number of the statement that it is, if any.
    pub(crate) statement: Option<usize>,
}

/// The steps of a refutation, in order; the last one is a contradiction.
pub(crate) fn steps(problem: &mut Problem, names: &Names, text: &str) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    for entry in entries(text) {
        let tokens = tokens(entry);
        let [name, ",", _, ",", rest @ ..] = tokens.as_slice() else { continue };
        let mut reader =
            Reader { problem: &mut *problem, names, tokens: rest, at: 0, vars: Vec::new() };
        let formula = reader.formula(0);
        let used = reader.at;
        let all: Vec<TermId> = reader.vars.iter().map(|&(_, var)| var).collect();
        // Unreadable text is skipped up to the next comma.
        let origin = if formula.is_some() { &rest[used..] } else { after_formula(rest) };
        let mut parents: Vec<usize> =
            origin.iter().filter_map(|token| numbers.get(*token).copied()).collect();
        parents.sort_unstable();
        parents.dedup();
        let is_given = origin.contains(&"file");
        let statement = origin.iter().rev().find_map(|token| token.strip_prefix('a')?.parse().ok());
        let closed = is_given.then_some(statement).flatten();
        let vars = formula.map(|formula| {
            let free = problem.store.free_variables(formula);
            all.into_iter().filter(|var| free.contains(var)).collect()
        });
        numbers.insert((*name).to_owned(), found.len());
        let vars = vars.unwrap_or_default();
        found.push(Step { vars, formula, parents, statement: closed });
    }
    found
}

/// The tokens after the formula of an entry.
fn after_formula<'s, 't>(tokens: &'s [&'t str]) -> &'s [&'t str] {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => return &tokens[at..],
            _ => {}
        }
    }
    &[]
}

/// The annotated formulas of a text, without the name of their language.
fn entries(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) =
        ["tff(", "tcf(", "cnf(", "fof("].iter().filter_map(|word| rest.find(word)).min()
    {
        let body = &rest[at + 4..];
        let mut depth = 1usize;
        let end = body.char_indices().find_map(|(at, c)| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        });
        let Some(end) = end else { break };
        found.push(&body[..end]);
        rest = &body[end..];
    }
    found
}

fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let end = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if first == '\'' {
            rest[1..].find('\'').map_or(rest.len(), |at| at + 2)
        } else {
            let signs = ["<=>", "<~>", "=>", "<=", "!="];
            signs
                .iter()
                .find(|sign| rest.starts_with(**sign))
                .map_or(first.len_utf8(), |sign| sign.len())
        };
        found.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    found
}

struct Reader<'p, 't> {
    problem: &'p mut Problem,
    names: &'p Names,
    tokens: &'t [&'t str],
    at: usize,
    /// Names of variables, the latest last.
    vars: Vec<(&'t str, TermId)>,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    /// Formulas joined by connectives, which are not mixed without parentheses.
    fn formula(&mut self, depth: usize) -> Option<TermId> {
        let mut left = self.unit(depth)?;
        loop {
            let sign = self.peek();
            let op = match sign {
                "|" => core::OR,
                "&" => core::AND,
                "=>" | "<=" => core::IMPLIES,
                "<=>" => core::EQ,
                "<~>" => core::XOR,
                _ => return Some(left),
            };
            self.at += 1;
            let right = self.unit(depth)?;
            let pair = if sign == "<=" { [right, left] } else { [left, right] };
            left = self.problem.store.op(op, &pair).ok()?;
        }
    }

    fn unit(&mut self, depth: usize) -> Option<TermId> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.take("~") {
            let inner = self.unit(depth + 1)?;
            return self.problem.store.op(core::NOT, &[inner]).ok();
        }
        if self.peek() == "!" {
            self.at += 1;
            self.bindings()?;
            // Variables of clauses are free in our terms; others are bound only at the outermost
            // level.
            return self.unit(depth + 1);
        }
        if self.take("(") {
            let inner = self.formula(depth + 1)?;
            if !self.take(")") {
                return None;
            }
            return Some(inner);
        }
        let left = self.term(depth + 1)?;
        let negated = match self.peek() {
            "=" => false,
            "!=" => true,
            _ => return (self.problem.store.sort(left) == SortId::BOOL).then_some(left),
        };
        self.at += 1;
        let right = self.term(depth + 1)?;
        let equation = self.problem.store.op(core::EQ, &[left, right]).ok()?;
        if negated { self.problem.store.op(core::NOT, &[equation]).ok() } else { Some(equation) }
    }

    /// `[X1: s0, X2: bool] :`
    fn bindings(&mut self) -> Option<()> {
        if !self.take("[") {
            return None;
        }
        loop {
            let name = self.peek();
            self.at += 1;
            if !self.take(":") {
                return None;
            }
            let sort = self.peek();
            self.at += 1;
            let sort = match sort.strip_prefix('s').and_then(|number| number.parse::<usize>().ok())
            {
                Some(at) => *self.names.sorts.get(at)?,
                None if sort == "bool" => SortId::BOOL,
                None => return None,
            };
            let symbol = self.problem.fresh_name("step");
            let var = self.problem.store.var(symbol, sort);
            self.vars.push((name, var));
            if !self.take(",") {
                break;
            }
        }
        (self.take("]") && self.take(":")).then_some(())
    }

    fn term(&mut self, depth: usize) -> Option<TermId> {
        if depth > MAX_DEPTH {
            return None;
        }
        let name = self.peek();
        self.at += 1;
        if let Some(&(_, var)) = self.vars.iter().rev().find(|(known, _)| *known == name) {
            return Some(var);
        }
        let mut args = Vec::new();
        if self.take("(") {
            loop {
                args.push(self.term(depth + 1)?);
                if !self.take(",") {
                    break;
                }
            }
            if !self.take(")") {
                return None;
            }
        }
        let numbered =
            |prefix: char| name.strip_prefix(prefix).and_then(|at| at.parse::<usize>().ok());
        if let Some(at) = TRUTH.iter().position(|known| *known == name) {
            return Some(self.problem.store.bool(at == 0));
        }
        match name {
            "$true" => return Some(self.problem.store.bool(true)),
            "$false" => return Some(self.problem.store.bool(false)),
            _ => {}
        }
        if let Some(at) = numbered('n') {
            return self.names.literals.get(at).copied();
        }
        let (func, ..) = *self.names.functions.get(numbered('f')?)?;
        self.problem.store.app(func, &args).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "(declare-sort U 0)(declare-fun p (U Bool) Bool)(declare-fun c () U)
        (declare-fun f (U) U)
        (assert (forall ((x U) (b Bool)) (or (p (f x) b) (not (p x true)))))
        (assert (p c (= c c)))
        (assert (forall ((x U)) (=> (p x true) (= x c))))
        (assert (forall ((n Int)) (< n 7)))";

    #[test]
    fn problems_are_written_in_tptp_and_proofs_read_back() {
        let mut problem = Problem::read(FILE).expect("it is well formed");
        let statements: Vec<TermId> = problem.facts.iter().map(|fact| fact.term).collect();
        let mut names = Names::default();
        let text = names.file(&problem, &statements);
        assert!(text.contains("tff(a0, axiom, (![X") && !text.contains("tff(a1,"), "{text}");
        assert!(text.contains("tff(a2,") && text.contains("tff(a3,"), "{text}");
        let proof = "# Proof found!\ntff(a0, axiom, ![X1: s0, X2: bool]: ((f1(f0(X1),X2)=tt)|~(f1(X1,tt)=tt)), file('t.p', a0)).\n\
            tcf(c_0_1, plain, ![X4: s0]: f0(X4)!=f0(X4), inference(split_conjunct,[status(thm)],[a0])).\n\
            tcf(c_0_2, plain, epred1, inference(x,[],[a0])).\n\
            cnf(c_0_3, plain, ($false), inference(sr,[status(thm)],[inference(rw,[],[c_0_1, a0]), c_0_2]), ['proof']).";
        let steps = steps(&mut problem, &names, proof);
        assert_eq!(steps.len(), 4);
        assert_eq!(steps[0].statement, Some(0));
        assert_eq!((steps[0].vars.len(), steps[1].vars.len()), (2, 1));
        assert!(steps[2].formula.is_none() && steps[1].formula.is_some());
        assert_eq!(steps[3].parents, [0, 1, 2]);
        assert_eq!(steps[3].formula, Some(problem.store.bool(false)));
    }
}
