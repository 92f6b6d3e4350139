//! Random sentences over a vocabulary. Every variable has a name of its own.

use super::spec::Patterns;
use super::vocabulary::{Meaning, Symbol, Vocabulary};
use crate::draw::Draw;
use assay_term::theories::core;
use assay_term::{Attribute, AttributeValue, Func, Op, Quantifier, SortId, Store, Term, TermId};

/// Makes formulas.
pub(crate) struct Grower<'g> {
    pub(crate) store: &'g mut Store,
    pub(crate) draw: &'g mut Draw,
    vocabulary: &'g Vocabulary,
    /// The symbols that formulas may mention.
    symbols: Vec<&'g Symbol>,
    patterns: Patterns,
    /// The variables that are bound around the current place.
    scope: Vec<TermId>,
    /// The number of variables so far.
    variables: usize,
    /// The number of variables that the current sentence may still bind.
    left: usize,
}

/// Maximum number of variables in a sentence.
const MOST_VARIABLES: usize = 4;

const CONNECTIVES: [Op; 5] = [core::AND, core::OR, core::XOR, core::IMPLIES, core::EQ];

impl<'g> Grower<'g> {
    pub(crate) fn new(
        store: &'g mut Store,
        draw: &'g mut Draw,
        vocabulary: &'g Vocabulary,
        symbols: Vec<&'g Symbol>,
        patterns: Patterns,
    ) -> Grower<'g> {
        let (scope, variables, left) = (Vec::new(), 0, MOST_VARIABLES);
        Grower { store, draw, vocabulary, symbols, patterns, scope, variables, left }
    }

    /// A sentence that begins with a quantifier.
    pub(crate) fn sentence(&mut self, depth: usize) -> TermId {
        self.left = MOST_VARIABLES;
        self.quantified(depth)
    }

    /// Variables, at most as many as this, and a formula about them.
    pub(crate) fn open(&mut self, most: usize, depth: usize) -> (Vec<TermId>, TermId) {
        self.left = MOST_VARIABLES;
        let vars = self.bind(most);
        let body = self.about(&vars, depth);
        self.scope.clear();
        (vars, body)
    }

    /// Another formula about these variables.
    pub(crate) fn another(&mut self, vars: &[TermId], depth: usize) -> TermId {
        self.left = MOST_VARIABLES - vars.len();
        self.scope = vars.to_vec();
        let body = self.about(vars, depth);
        self.scope.clear();
        body
    }

    /// A formula that mentions a variable, if possible.
    fn about(&mut self, vars: &[TermId], depth: usize) -> TermId {
        let mut body = self.formula(depth);
        for _ in 0..4 {
            if self.store.free_variables(body).iter().any(|var| vars.contains(var)) {
                break;
            }
            body = self.formula(depth);
        }
        body
    }

    fn bind(&mut self, most: usize) -> Vec<TermId> {
        let count = self.draw.between(1, most.min(self.left));
        self.left -= count;
        let mut vars = Vec::new();
        for _ in 0..count {
            let sort = *self.draw.pick(&self.vocabulary.sorts);
            let name = self.store.symbols.intern(&format!("x{}", self.variables));
            self.variables += 1;
            vars.push(self.store.var(name, sort));
        }
        self.scope.extend(&vars);
        vars
    }

    fn quantified(&mut self, depth: usize) -> TermId {
        let outer = self.scope.len();
        let vars = self.bind(2);
        let body = self.about(&vars, depth.saturating_sub(1));
        self.scope.truncate(outer);
        match self.draw.below(3) {
            0 => self.exists(&vars, body),
            _ => self.forall(&vars, body),
        }
    }

    pub(crate) fn exists(&mut self, vars: &[TermId], body: TermId) -> TermId {
        let sentence = self.store.quantified(Quantifier::Exists, vars, body);
        sentence.expect("variables have different names")
    }

    /// A universal formula, with patterns if they are wanted and possible.
    pub(crate) fn forall(&mut self, vars: &[TermId], body: TermId) -> TermId {
        let body = match self.patterns {
            Patterns::Some => self.with_patterns(vars, body),
            Patterns::None => body,
        };
        let sentence = self.store.quantified(Quantifier::Forall, vars, body);
        sentence.expect("variables have different names")
    }

    fn with_patterns(&mut self, vars: &[TermId], body: TermId) -> TermId {
        let mentions = |store: &Store, term: TermId| -> Vec<TermId> {
            let free = store.free_variables(term);
            vars.iter().copied().filter(|var| free.contains(var)).collect()
        };
        let mut candidates: Vec<TermId> = self
            .store
            .postorder(&[body])
            .into_iter()
            .filter(|&term| self.is_trigger(term) && !mentions(self.store, term).is_empty())
            .filter(|&term| {
                self.store.free_variables(term).iter().all(|var| self.knows(vars, *var))
            })
            .collect();
        // A pattern may also be a term that the body does not mention.
        if self.draw.below(2) == 0 {
            candidates.extend(vars.iter().filter_map(|&var| self.trigger(var)));
        }
        let mut groups: Vec<Vec<TermId>> = Vec::new();
        for _ in 0..self.draw.between(1, 2) {
            let (mut group, mut missing) = (Vec::new(), vars.to_vec());
            while !missing.is_empty() {
                let helps = |term: &&TermId| {
                    mentions(self.store, **term).iter().any(|var| missing.contains(var))
                };
                let helpful: Vec<TermId> = candidates.iter().filter(helps).copied().collect();
                if helpful.is_empty() {
                    return body;
                }
                let term = *self.draw.pick(&helpful);
                let seen = mentions(self.store, term);
                missing.retain(|var| !seen.contains(var));
                group.push(term);
            }
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        let keyword = self.store.symbols.intern("pattern");
        let attribute =
            |group: Vec<TermId>| Attribute { keyword, value: AttributeValue::Terms(group.into()) };
        self.store.annotated(body, groups.into_iter().map(attribute).collect())
    }

    /// A declared function applied to a variable and constants.
    fn trigger(&mut self, var: TermId) -> Option<TermId> {
        let sort = self.store.sort(var);
        let takes = |symbol: &&&Symbol| {
            symbol.meaning == Meaning::Declared && symbol.params.contains(&sort)
        };
        let symbols: Vec<&Symbol> = self.symbols.iter().filter(takes).copied().collect();
        if symbols.is_empty() {
            return None;
        }
        let symbol = *self.draw.pick(&symbols);
        let at = symbol.params.iter().position(|&param| param == sort)?;
        let mut args = Vec::new();
        for (position, &param) in symbol.params.iter().enumerate() {
            args.push(if position == at { var } else { self.constant(param)? });
        }
        self.store.app(symbol.func, &args).ok()
    }

    /// A declared constant.
    fn constant(&mut self, sort: SortId) -> Option<TermId> {
        let fits = |symbol: &&&Symbol| {
            let declared = symbol.meaning == Meaning::Declared;
            declared && symbol.params.is_empty() && symbol.result == sort
        };
        let symbols: Vec<&Symbol> = self.symbols.iter().filter(fits).copied().collect();
        let symbol = (!symbols.is_empty()).then(|| *self.draw.pick(&symbols))?;
        self.store.app(symbol.func, &[]).ok()
    }

    /// Whether a variable is bound by the quantifier in question or around it.
    fn knows(&self, vars: &[TermId], var: TermId) -> bool {
        vars.contains(&var) || self.scope.contains(&var)
    }

    /// Whether solvers accept a term in a pattern: declared functions, applied to variables, constants
    /// and such terms.
    fn is_trigger(&self, term: TermId) -> bool {
        let Term::App(_, [_, ..]) = self.store.get(term) else { return false };
        let is_fit = |part: TermId| match self.store.get(part) {
            Term::App(func, _) => matches!(self.store.func(func), Func::Declared { .. }),
            Term::Var(..) => true,
            _ => false,
        };
        self.store.postorder(&[term]).into_iter().all(is_fit)
    }

    fn formula(&mut self, depth: usize) -> TermId {
        if depth == 0 {
            return self.atom(1);
        }
        match self.draw.below(9) {
            0 => {
                let inner = self.formula(depth - 1);
                self.op(core::NOT, &[inner])
            }
            1 => {
                let parts = [0; 3].map(|_| self.formula(depth - 1));
                self.op(core::ITE, &parts)
            }
            2 | 3 if self.left > 0 => self.quantified(depth),
            2..=6 => {
                let op = *self.draw.pick(&CONNECTIVES);
                let sides = [0; 2].map(|_| self.formula(depth - 1));
                self.op(op, &sides)
            }
            _ => self.atom(2),
        }
    }

    fn atom(&mut self, depth: usize) -> TermId {
        match self.draw.below(2) {
            0 => self.term(SortId::BOOL, depth),
            _ => {
                let sort = *self.draw.pick(&self.vocabulary.sorts);
                let op = *self.draw.pick(&[core::EQ, core::EQ, core::DISTINCT]);
                let sides = [0; 2].map(|_| self.term(sort, depth));
                self.op(op, &sides)
            }
        }
    }

    /// A term of a sort that has values.
    pub(crate) fn term(&mut self, sort: SortId, depth: usize) -> TermId {
        let (store, scope) = (&*self.store, &self.scope);
        let variables: Vec<TermId> =
            scope.iter().copied().filter(|&var| store.sort(var) == sort).collect();
        let fits =
            |symbol: &&&Symbol| symbol.result == sort && (depth > 0 || symbol.params.is_empty());
        let symbols: Vec<&Symbol> = self.symbols.iter().filter(fits).copied().collect();
        match self.draw.below(8) {
            0..=2 if !variables.is_empty() => *self.draw.pick(&variables),
            0..=5 if !symbols.is_empty() => {
                let symbol = *self.draw.pick(&symbols);
                let args: Vec<TermId> = symbol
                    .params
                    .iter()
                    .map(|&param| self.term(param, depth.saturating_sub(1)))
                    .collect();
                self.store.app(symbol.func, &args).expect("the sorts are right")
            }
            6 if depth > 0 => {
                let test = self.term(SortId::BOOL, depth - 1);
                let sides = [0; 2].map(|_| self.term(sort, depth - 1));
                self.op(core::ITE, &[test, sides[0], sides[1]])
            }
            _ if !variables.is_empty() => *self.draw.pick(&variables),
            _ => self.literal(sort),
        }
    }

    fn literal(&mut self, sort: SortId) -> TermId {
        let value = self.draw.pick(self.vocabulary.values(sort)).clone();
        self.store.value(&value).expect("values of finite sorts can be written")
    }

    pub(crate) fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.store.op(op, args).expect("the sorts are right")
    }

    pub(crate) fn not(&mut self, formula: TermId) -> TermId {
        self.op(core::NOT, &[formula])
    }

    /// Declared functions that map a sort to itself.
    pub(crate) fn endofunction(&mut self, sort: SortId) -> Option<&'g Symbol> {
        let maps = |symbol: &&&Symbol| {
            let declared = symbol.meaning == Meaning::Declared;
            declared && symbol.params == [sort] && symbol.result == sort
        };
        let found: Vec<&Symbol> = self.symbols.iter().filter(maps).copied().collect();
        (!found.is_empty()).then(|| *self.draw.pick(&found))
    }
}
