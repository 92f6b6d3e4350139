//! A file as written, and the assertions in force at its last `check-sat`.
//!
//! The text shown to the user and validated is always the file's own text with added lines; the
//! search works on terms.

use crate::nnf::{flattened, junction};
use assay_smtlib::{
    Command, Definition, Environment, Lets, Printer, ReadError, SMT_LIB_2_6, Script, read_script,
};
use assay_term::theories::core;
use assay_term::{AttributeValue, Func, FuncId, SortId, Store, Symbol, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An assertion of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The formula as read, with `let` expanded.
    pub term: TermId,
    /// Its position among the assertions in force in the file, from zero.
    pub number: usize,
    /// Its name: its `:named`, the `:qid` of its quantifier, or its position.
    pub name: String,
    /// Its first line, from one.
    pub line: usize,
    /// The command, as written.
    pub text: String,
}

/// A file that was read.
#[derive(Clone)]
pub struct Problem {
    /// The terms.
    pub store: Store,
    /// The names that are in scope.
    pub env: Environment,
    /// The assertions in force.
    pub facts: Vec<Fact>,
    /// The functions that the file declares, in order.
    pub functions: Vec<FuncId>,
    /// Non-recursive definitions.
    pub(crate) definitions: Vec<Definition>,
    /// Declarations and definitions as written, each with its function if it is about only one.
    declarations: Vec<(Option<FuncId>, String)>,
    /// Options that change how E-matching works, as written.
    options: Vec<String>,
    /// Names that the file uses.
    taken: FxHashSet<String>,
    /// Functions that assay declared.
    ours: Vec<FuncId>,
    /// Constants that assay declared, by sort and number.
    constants: FxHashMap<(SortId, usize), TermId>,
    /// Numbers of the elements of solvers' models.
    elements: FxHashMap<String, usize>,
    /// Assertions that are left out of the search, as written; they are still in the file that
    /// validates terms.
    aside: Vec<String>,
    /// The parts left out, step by step.
    left_out: Vec<Vec<Part>>,
    /// The whole file.
    text: String,
}

/// A part of the file that can be left out: an assertion, or a conjunct of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// The index of the assertion in [`Problem::facts`].
    pub fact: usize,
    /// The conjunct; `None` for the whole assertion.
    pub conjunct: Option<usize>,
}

/// No assertion has this name, `:qid` or line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no assertion has the name, :qid or line `{name}`; known names are {known}")]
pub struct UnknownAxiom {
    /// The requested name.
    pub name: String,
    /// Some existing names.
    known: String,
}

/// Prefixes of options that affect quantifiers. Other options concern printing, proofs or limits,
/// and differ between versions.
const KEPT_OPTIONS: [&str; 3] = ["smt.qi.", "smt.arith.", "nnf."];

impl Problem {
    /// Reads a file.
    ///
    /// # Errors
    /// The first part that was not understood, with its place.
    pub fn read(text: &str) -> Result<Problem, ReadError> {
        let mut store = Store::new();
        let (script, env) = read_script(&mut store, text.as_bytes(), Lets::Expand)?;
        let mut problem = Problem {
            store,
            env,
            facts: Vec::new(),
            functions: Vec::new(),
            definitions: Vec::new(),
            declarations: Vec::new(),
            options: Vec::new(),
            taken: FxHashSet::default(),
            ours: Vec::new(),
            constants: FxHashMap::default(),
            elements: FxHashMap::default(),
            aside: Vec::new(),
            left_out: Vec::new(),
            text: text.to_owned(),
        };
        problem.collect(text, &script);
        Ok(problem)
    }

    /// The file with new names for declared functions that a solver has built in.
    ///
    /// # Errors
    /// Like [`Problem::read`]; a file that was read once can be read again.
    pub(crate) fn renamed(&self, names: &[String]) -> Result<Problem, ReadError> {
        let mut renamed = Problem::read(&self.with_names(&self.text, names))?;
        for parts in &self.left_out {
            renamed = renamed.without(parts);
        }
        renamed.aside = self.aside.iter().map(|text| self.with_names(text, names)).collect();
        Ok(renamed)
    }

    /// A text with new names for these functions.
    fn with_names(&self, text: &str, names: &[String]) -> String {
        let mut renamed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = match first {
                ';' => rest.find('\n').unwrap_or(rest.len()),
                '"' | '|' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
                _ if is_edge(first) => first.len_utf8(),
                _ => rest.find(is_edge).unwrap_or(rest.len()),
            };
            let (word, after) = rest.split_at(end);
            rest = after;
            let plain = word.strip_prefix('|').and_then(|word| word.strip_suffix('|'));
            match names.iter().find(|name| *name == plain.unwrap_or(word)) {
                Some(name) => renamed.push_str(&self.unused(&format!("{name}!own"), 0)),
                None => renamed.push_str(word),
            }
        }
        renamed
    }

    fn collect(&mut self, text: &str, script: &Script) {
        let (mut line, mut counted) = (1, 0);
        let mut assumed = Vec::new();
        for (command, offset) in script.commands_in_force() {
            line += text[counted..offset].bytes().filter(|&b| b == b'\n').count();
            counted = offset;
            let written = command_text(text, offset);
            assumed.clear();
            match command {
                Command::Assert(term) => self.add_fact(*term, line, written.to_owned()),
                Command::CheckSatAssuming(terms) => assumed.extend_from_slice(terms),
                Command::SetOption(setting) => {
                    let name = setting.keyword.to_lowercase().replace('-', "_");
                    let name = name.trim_start_matches(':');
                    if KEPT_OPTIONS.iter().any(|prefix| name.starts_with(prefix)) {
                        self.options.push(written.to_owned());
                    }
                }
                _ => self.declare(command, written),
            }
        }
        for term in assumed {
            let text = format!("(assert {})", self.show(term));
            self.add_fact(term, line, text);
        }
        for &(_, func, body) in &script.named {
            self.definitions.push(Definition { func, params: Box::new([]), body });
            let name = self.store.func_name(func);
            self.taken.insert(name);
        }
    }

    fn declare(&mut self, command: &Command, written: &str) {
        let mut defined = Vec::new();
        let mut about = None;
        match command {
            Command::DeclareFun(func) | Command::DeclareConst(func) => {
                self.functions.push(*func);
                defined.push(*func);
                about = Some(*func);
            }
            Command::DefineFun(definition) | Command::DefineConst(definition) => {
                self.definitions.push(definition.clone());
                defined.push(definition.func);
            }
            Command::DefineFunRec(definition) => defined.push(definition.func),
            Command::DefineFunsRec(all) => defined.extend(all.iter().map(|one| one.func)),
            Command::SetLogic(_)
            | Command::DeclareSort(_)
            | Command::DeclareSortParameter(_)
            | Command::DefineSort { .. }
            | Command::DeclareDatatypes(..) => {}
            _ => return,
        }
        for func in defined {
            let name = self.store.func_name(func);
            self.taken.insert(name);
        }
        self.declarations.push((about, written.to_owned()));
    }

    fn add_fact(&mut self, term: TermId, line: usize, text: String) {
        let number = self.facts.len();
        let name = self.names_of_term(term).into_iter().next();
        let name = name.unwrap_or_else(|| format!("assertion {}", number + 1));
        self.facts.push(Fact { term, number, name, line, text });
    }

    /// The `:named` of a term and the `:qid` of its outermost quantifier.
    fn names_of_term(&self, mut term: TermId) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            match self.store.get(term) {
                Term::Annotated(inner, attributes) => {
                    for attribute in attributes {
                        match (&attribute.value, self.store.symbols.name(attribute.keyword)) {
                            (AttributeValue::Name(name), _) => {
                                names.push(self.store.symbols.name(*name).to_owned());
                            }
                            (AttributeValue::Text(text), "qid") => {
                                names.push(text.trim_matches('|').to_owned());
                            }
                            _ => {}
                        }
                    }
                    term = inner;
                }
                Term::Quant(_, _, body) => term = body,
                _ => return names,
            }
        }
    }

    /// A term without the attributes around it, such as its name.
    pub(crate) fn unnamed(&self, mut term: TermId) -> TermId {
        while let Term::Annotated(inner, _) = self.store.get(term) {
            term = inner;
        }
        term
    }

    /// The conjuncts of an assertion.
    pub(crate) fn conjuncts(&self, fact: usize) -> Vec<TermId> {
        flattened(&self.store, self.unnamed(self.facts[fact].term), core::AND)
    }

    /// The parts with this `:named` or `:qid`, or whose assertion is at this line.
    ///
    /// # Errors
    /// Fails if there are none.
    pub fn parts_called(&self, name: &str) -> Result<Vec<Part>, UnknownAxiom> {
        let name = name.trim_matches('|');
        let line: Option<usize> = name.parse().ok();
        let is_meant = |fact: &Fact| {
            let last = fact.line + fact.text.bytes().filter(|&b| b == b'\n').count();
            fact.name == name
                || line.is_some_and(|line| (fact.line..=last).contains(&line))
                || self.names_of_term(fact.term).iter().any(|known| known == name)
        };
        let mut found: Vec<Part> = (0..self.facts.len())
            .filter(|&at| is_meant(&self.facts[at]))
            .map(|fact| Part { fact, conjunct: None })
            .collect();
        if found.is_empty() {
            for fact in 0..self.facts.len() {
                for (at, &conjunct) in self.conjuncts(fact).iter().enumerate() {
                    if self.names_of_term(conjunct).iter().any(|known| known == name) {
                        found.push(Part { fact, conjunct: Some(at) });
                    }
                }
            }
        }
        if found.is_empty() {
            let some: Vec<&str> = self.facts.iter().take(6).map(|one| one.name.as_str()).collect();
            let more = if self.facts.len() > 6 { ", …" } else { "" };
            let known = format!("{}{more}", some.join(", "));
            return Err(UnknownAxiom { name: name.to_owned(), known });
        }
        Ok(found)
    }

    /// The file without some of its parts.
    #[must_use]
    pub fn without(&self, parts: &[Part]) -> Problem {
        let mut less = self.clone();
        let (mut kept, mut gone) = (Vec::with_capacity(self.facts.len()), Vec::new());
        for (at, fact) in self.facts.iter().enumerate() {
            let dropped: Vec<Option<usize>> =
                parts.iter().filter(|part| part.fact == at).map(|part| part.conjunct).collect();
            if dropped.is_empty() {
                kept.push(fact.clone());
                continue;
            }
            let conjuncts = self.conjuncts(at).into_iter().enumerate();
            let rest: Vec<TermId> = conjuncts
                .filter(|&(number, _)| !dropped.contains(&None) && !dropped.contains(&Some(number)))
                .map(|(_, term)| term)
                .collect();
            if rest.is_empty() {
                gone.push(fact.term);
                continue;
            }
            let term = junction(&mut less.store, core::AND, &rest);
            let text = format!("(assert {})", less.show(term));
            kept.push(Fact { term, text, ..fact.clone() });
        }
        less.facts = kept;
        less.left_out.push(parts.to_vec());
        less.define_names(&gone);
        less
    }

    /// Defines the names of left-out assertions that others use.
    fn define_names(&mut self, gone: &[TermId]) {
        let facts: Vec<TermId> = self.facts.iter().map(|fact| fact.term).collect();
        let used = self.used(&facts);
        let bodies: FxHashSet<TermId> = gone.iter().map(|&term| self.unnamed(term)).collect();
        let mut texts = Vec::new();
        for definition in &self.definitions {
            let own = definition.params.is_empty() && bodies.contains(&definition.body);
            if own && used.contains(&definition.func) {
                let name = self.show_name(definition.func);
                let body = self.show(definition.body);
                texts.push((None, format!("(define-fun {name} () Bool {body})")));
            }
        }
        self.declarations.extend(texts);
    }

    fn show_name(&self, func: FuncId) -> String {
        let name = self.store.func_name(func);
        let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
        let simple = name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit());
        if simple { name } else { format!("|{name}|") }
    }

    /// The same, with all assertions of another problem in the file that validates terms.
    pub(crate) fn validated_with(&mut self, whole: &Problem) {
        self.aside = whole.facts.iter().map(|fact| fact.text.clone()).collect();
    }

    /// The assertions in the file that validates terms: those of the search, unless some were set
    /// aside.
    pub(crate) fn validating(&self) -> Vec<&str> {
        if self.aside.is_empty() {
            return self.facts.iter().map(|fact| fact.text.as_str()).collect();
        }
        self.aside.iter().map(String::as_str).collect()
    }

    /// Whether a formula is a quantifier, apart from attributes.
    pub(crate) fn is_quantified(&self, term: TermId) -> bool {
        matches!(self.store.get(self.unnamed(term)), Term::Quant(..))
    }

    /// Whether any assertion contains a quantifier.
    #[must_use]
    pub fn has_quantifiers(&self) -> bool {
        let mut roots: Vec<TermId> = self.facts.iter().map(|fact| fact.term).collect();
        roots.extend(self.definitions.iter().map(|definition| definition.body));
        self.any_quantifier(&roots)
    }

    /// Whether any of these formulas contains a quantifier.
    pub(crate) fn any_quantifier(&self, roots: &[TermId]) -> bool {
        self.store.postorder(roots).iter().any(|&t| matches!(self.store.get(t), Term::Quant(..)))
    }

    /// Whether a formula, or a definition that it uses, contains a quantifier.
    pub(crate) fn mentions_quantifiers(&self, term: TermId) -> bool {
        let mut roots = vec![term];
        let mut known = FxHashSet::default();
        loop {
            let used = self.used(&roots);
            let more = self.definitions.iter().filter(|one| used.contains(&one.func));
            let new: Vec<TermId> = more.map(|one| one.body).filter(|&t| known.insert(t)).collect();
            if new.is_empty() {
                return self.any_quantifier(&roots);
            }
            roots.extend(new);
        }
    }

    /// A term as text.
    #[must_use]
    pub fn show(&self, term: TermId) -> String {
        Printer::new(&self.store).dialect(SMT_LIB_2_6).term(term)
    }

    /// A sort as text.
    #[must_use]
    pub fn show_sort(&self, sort: SortId) -> String {
        Printer::new(&self.store).dialect(SMT_LIB_2_6).sort(sort)
    }

    /// Declares a function with an unused name.
    pub(crate) fn fresh(&mut self, stem: &str, params: &[SortId], result: SortId) -> FuncId {
        let mut name = stem.to_owned();
        for count in 1.. {
            if self.taken.insert(name.clone()) {
                let func = self.store.declare(&name, params, result);
                if self.env.add_declared(&mut self.store, func) {
                    self.ours.push(func);
                    return func;
                }
            }
            name = format!("{stem}!{count}");
        }
        unreachable!("there are always more names")
    }

    /// An unused name, which is not declared.
    pub(crate) fn unused(&self, stem: &str, number: usize) -> String {
        let mut name = if number == 0 { stem.to_owned() } else { format!("{stem}!{number}") };
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// The functions that assay declared.
    pub(crate) fn ours(&self) -> &[FuncId] {
        &self.ours
    }

    /// An unconstrained constant; always the same one for the same sort and number.
    pub(crate) fn any(&mut self, sort: SortId, number: usize) -> TermId {
        if let Some(&known) = self.constants.get(&(sort, number)) {
            return known;
        }
        // The name contains that of its sort as far as a symbol without bars allows: `T@U`,
        // `Array-Int-Bool`.
        let shown = self.show_sort(sort);
        let kept = |c: char| c.is_ascii_alphanumeric() || "_-@$.!".contains(c);
        let plain: String =
            shown.chars().map(|c| if c == ' ' { '-' } else { c }).filter(|&c| kept(c)).collect();
        let stem =
            if number == 0 { format!("any!{plain}") } else { format!("any!{plain}!{number}") };
        let func = self.fresh(&stem, &[], sort);
        let term = self.store.app(func, &[]).expect("a constant");
        self.constants.insert((sort, number), term);
        term
    }

    /// The constant that stands for an element of a solver's model.
    pub(crate) fn element(&mut self, name: &str, sort: SortId) -> TermId {
        let next = self.elements.len();
        let number = *self.elements.entry(name.to_owned()).or_insert(next);
        self.any(sort, number)
    }

    /// The sort with this name.
    pub(crate) fn sort_named(&mut self, name: &str) -> Option<SortId> {
        match name {
            "Int" => return Some(SortId::INT),
            "Bool" => return Some(SortId::BOOL),
            "Real" => return Some(SortId::REAL),
            _ => {}
        }
        let all = self.functions.iter().chain(&self.ours);
        let sorts = all.flat_map(|&func| match self.store.func(func) {
            Func::Declared { params, result, .. } => {
                params.iter().copied().chain([*result]).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        });
        let mut sorts: Vec<SortId> = sorts.collect();
        sorts.sort_unstable();
        sorts.dedup();
        sorts.into_iter().find(|&sort| self.show_sort(sort).trim_matches('|') == name)
    }

    /// A unique name for a bound variable.
    pub(crate) fn fresh_name(&mut self, stem: &str) -> Symbol {
        let mut count = self.taken.len();
        loop {
            let name = format!("{stem}!{count}");
            // The reader numbers shadowing variables in the same way.
            if self.store.symbols.get(&name).is_none() && self.taken.insert(name.clone()) {
                return self.store.symbols.intern(&name);
            }
            count += 1;
        }
    }

    /// The declaration of one of assay's functions.
    fn declaration(&self, func: FuncId) -> String {
        Printer::new(&self.store).dialect(SMT_LIB_2_6).command(&Command::DeclareFun(func))
    }

    /// The declarations and definitions of the file, as written.
    #[must_use]
    pub fn declarations(&self) -> String {
        self.declarations.iter().map(|(_, text)| text.clone() + "\n").collect()
    }

    /// The file's declarations, with named definitions replacing the declarations of the functions
    /// they define.
    pub(crate) fn declarations_under(&self, definitions: &[(String, String)]) -> String {
        let defined = |func: FuncId| {
            let name = self.store.func_name(func);
            definitions.iter().any(|(known, _)| *known == name)
        };
        let is_definition =
            |text: &str| text.trim_start_matches('(').trim_start().starts_with("define-");
        let (own, rest): (Vec<_>, Vec<_>) =
            self.declarations.iter().partition(|(_, text)| is_definition(text));
        let mut text = String::new();
        for (func, declaration) in rest {
            if !func.is_some_and(defined) {
                text.push_str(declaration);
                text.push('\n');
            }
        }
        let ours = definitions.iter().map(|(_, command)| command);
        for command in ours.chain(own.into_iter().map(|(_, command)| command)) {
            text.push_str(command);
            text.push('\n');
        }
        text
    }

    /// The functions that terms apply.
    fn used(&self, terms: &[TermId]) -> FxHashSet<FuncId> {
        let function = |term| match self.store.get(term) {
            Term::App(func, _) => Some(func),
            _ => None,
        };
        self.store.postorder(terms).into_iter().filter_map(function).collect()
    }

    /// Declarations of assay's functions in these terms.
    pub(crate) fn our_declarations_for(&self, terms: &[TermId]) -> String {
        let used = self.used(terms);
        let ours = self.ours.iter().filter(|func| used.contains(func));
        ours.map(|&func| self.declaration(func) + "\n").collect()
    }

    /// The declarations that these terms need, including assay's.
    pub(crate) fn declarations_for(&self, terms: &[TermId]) -> String {
        let used = self.used(terms);
        let needed = |func: &Option<FuncId>| func.is_none_or(|func| used.contains(&func));
        let mut text = String::new();
        for (_, declaration) in self.declarations.iter().filter(|(func, _)| needed(func)) {
            text.push_str(declaration);
            text.push('\n');
        }
        text.push_str(&self.our_declarations_for(terms));
        text
    }

    /// The file's options that affect quantifiers, as written.
    #[must_use]
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Drops options that the solver does not know.
    pub(crate) fn drop_options(&mut self, unknown: &[usize]) {
        let mut at = 0;
        self.options.retain(|_| {
            at += 1;
            !unknown.contains(&(at - 1))
        });
    }
}

/// Whether a character ends a symbol.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "()\"|;".contains(c)
}

/// The command that begins at an offset: up to its closing parenthesis.
fn command_text(text: &str, offset: usize) -> &str {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = offset;
    while at < bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return &text[offset..=at];
                }
            }
            quote @ (b'"' | b'|') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1;
                }
            }
            b';' => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    &text[offset..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "(set-option :smt.QI.eager_threshold 100)
        (set-option :print-success false)
        (declare-fun |a)b| () Int) ; a comment (
        (push 1)
        (assert (= |a)b| 2))
        (pop 1)
        (assert (! (forall ((x Int)) (! (> x |a)b|) :qid over)) :named top))
        (assert (exists ((x Int)) (! (> x 0) :qid some)))
        (assert (> |a)b| 1))
        (check-sat)
        (assert false)";

    #[test]
    fn assertions_in_force_keep_their_text() {
        let problem = Problem::read(FILE).expect("it is well formed");
        let names: Vec<&str> = problem.facts.iter().map(|fact| fact.name.as_str()).collect();
        assert_eq!(names, ["top", "some", "assertion 3"]);
        assert_eq!(problem.facts[2].text, "(assert (> |a)b| 1))");
        assert_eq!(problem.facts[2].line, 9);
        assert_eq!(problem.declarations(), "(declare-fun |a)b| () Int)\n");
        assert_eq!(problem.options(), ["(set-option :smt.QI.eager_threshold 100)"]);
        assert!(problem.has_quantifiers());
    }

    #[test]
    fn functions_are_renamed_at_every_occurrence() {
        let text = "(declare-fun own (Int) Int) ; own\n(declare-fun |own!own| () Int)
            (assert (! (= (|own| 1) (own |own!own|)) :named here))";
        let problem = Problem::read(text).expect("it is well formed");
        let renamed = problem.renamed(&["own".to_owned()]).expect("it is as well formed");
        assert_eq!(renamed.store.func_name(renamed.functions[0]), "own!own_");
        assert!(!renamed.facts[0].text.contains("|own|"), "{}", renamed.facts[0].text);
    }

    #[test]
    fn fresh_names_avoid_names_of_the_file() {
        let text = "(declare-fun dummy () Int)(assert (= dummy 1))";
        let mut problem = Problem::read(text).expect("it is well formed");
        let func = problem.fresh("dummy", &[], SortId::INT);
        assert_eq!(problem.store.func_name(func), "dummy!1");
        assert!(!problem.has_quantifiers());
    }
}
