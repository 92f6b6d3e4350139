//! Terms other than applications: `let`, quantifiers, lambda, annotations and `match`.

use crate::node::{Kind, OPEN};
use crate::sort::SortId;
use crate::term::{Attribute, Fault, MatchPattern, Quantifier, SortError, Store, TermId};

impl Store {
    /// `(let ((x v) …) body)` with parallel bindings, given as pairs of variable and value.
    ///
    /// # Errors
    /// Fails if a variable and its value have different sorts, or a variable is bound twice.
    pub fn let_in(
        &mut self,
        bindings: &[(TermId, TermId)],
        body: TermId,
    ) -> Result<TermId, SortError> {
        let mut args = Vec::with_capacity(2 * bindings.len() + 1);
        args.extend(bindings.iter().flat_map(|&(var, value)| [var, value]));
        args.push(body);
        self.let_list(&args)
    }

    /// The same with bindings and body in one list, in the form of [`Store::children`].
    ///
    /// # Errors
    /// Fails if a variable and its value have different sorts, or a variable is bound twice.
    ///
    /// # Panics
    /// Panics if the list has an even length: the body is missing.
    pub fn let_list(&mut self, list: &[TermId]) -> Result<TermId, SortError> {
        let (bindings, rest) = list.split_at(list.len() / 2 * 2);
        let [body] = *rest else { panic!("a list of bindings without a body") };
        for pair in bindings.chunks_exact(2) {
            let (expected, got) = (self.sort(pair[0]), self.sort(pair[1]));
            if expected != got {
                let fault = Fault::Expected { part: "the bound value", expected, got };
                return Err(SortError { subject: "let".into(), fault });
            }
        }
        self.check_variables("let", bindings.iter().copied().step_by(2))?;
        let sort = self.sort(body);
        Ok(self.node(Kind::Let, 0, sort, list))
    }

    /// `(forall ((x S) …) body)` or `(exists …)`.
    ///
    /// # Errors
    /// Fails if the body is not a formula or a variable is bound twice.
    pub fn quantified(
        &mut self,
        which: Quantifier,
        vars: &[TermId],
        body: TermId,
    ) -> Result<TermId, SortError> {
        let (kind, name) = match which {
            Quantifier::Forall => (Kind::Forall, "forall"),
            Quantifier::Exists => (Kind::Exists, "exists"),
        };
        self.check_variables(name, vars.iter().copied())?;
        if self.sort(body) != SortId::BOOL {
            let got = self.sort(body);
            let fault = Fault::Expected { part: "the body", expected: SortId::BOOL, got };
            return Err(SortError { subject: name.into(), fault });
        }
        Ok(self.node(kind, 0, SortId::BOOL, &with_body(vars, body)))
    }

    /// `(lambda ((x S)) body)`, an array from `S` to the body's sort.
    ///
    /// # Errors
    /// Fails if there is not exactly one variable.
    pub fn lambda(&mut self, vars: &[TermId], body: TermId) -> Result<TermId, SortError> {
        self.check_variables("lambda", vars.iter().copied())?;
        let [var] = vars else {
            let fault = Fault::Words("takes one variable where it is an array");
            return Err(SortError { subject: "lambda".into(), fault });
        };
        let sort = self.sorts.array(self.sort(*var), self.sort(body));
        self.lambda_of(sort, *var, body)
    }

    /// A lambda of a sort that its caller built from those of the variable and body.
    pub(crate) fn lambda_of(
        &mut self,
        sort: SortId,
        var: TermId,
        body: TermId,
    ) -> Result<TermId, SortError> {
        if !self.sorts.is_moderate(sort) {
            let fault = Fault::Words("requires a sort of moderate size");
            return Err(SortError { subject: "lambda".into(), fault });
        }
        Ok(self.node(Kind::Lambda, 0, sort, &[var, body]))
    }

    fn check_variables(
        &self,
        subject: &str,
        vars: impl ExactSizeIterator<Item = TermId>,
    ) -> Result<(), SortError> {
        let wrong = |words| SortError { subject: subject.into(), fault: Fault::Words(words) };
        if vars.len() == 0 {
            return Err(wrong("binds no variable"));
        }
        let only = vars.len() == 1;
        let mut names: Vec<usize> = Vec::new();
        for var in vars {
            let node = self.nodes[var.index()];
            if node.head.kind() != Kind::Var {
                return Err(wrong("binds something that is not a variable"));
            }
            if !only {
                names.push(node.head.payload());
            }
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong("binds a variable twice"));
        }
        Ok(())
    }

    /// `(! term :keyword value …)`.
    pub fn annotated(&mut self, term: TermId, attributes: Vec<Attribute>) -> TermId {
        if attributes.is_empty() {
            return term;
        }
        let id = self.attributes.intern(attributes.into());
        let sort = self.sort(term);
        self.node(Kind::Annotated, id, sort, &[term])
    }

    /// `(match scrutinee ((pattern body) …))`.
    ///
    /// # Errors
    /// Fails if a pattern does not fit the scrutinee's datatype, a case is missing, or bodies
    /// differ in sort.
    pub fn match_on(
        &mut self,
        scrutinee: TermId,
        cases: Vec<(MatchPattern, TermId)>,
    ) -> Result<TermId, SortError> {
        let fail = |fault| SortError { subject: "match".into(), fault };
        let words = |words| SortError { subject: "match".into(), fault: Fault::Words(words) };
        let Some((_, dt, _)) = self.sorts.datatype(self.sort(scrutinee)) else {
            return Err(words("needs a value of a datatype"));
        };
        let mut missing: Vec<bool> = vec![true; dt.constructors.len()];
        for (pattern, _) in &cases {
            match pattern {
                MatchPattern::Any(_) => missing.fill(false),
                MatchPattern::Constructor(index, vars) => {
                    let constructor = dt.constructors.get(*index as usize);
                    if constructor.is_none_or(|c| c.fields.len() != vars.len()) {
                        return Err(words("has a pattern with the wrong number of variables"));
                    }
                    missing[*index as usize] = false;
                }
            }
        }
        if missing.contains(&true) {
            return Err(words("has no case for one of the constructors"));
        }
        let Some(&(_, first)) = cases.first() else {
            return Err(words("has no case"));
        };
        let sort = self.sort(first);
        if let Some((_, body)) = cases.iter().find(|(_, body)| self.sort(*body) != sort) {
            let got = self.sort(*body);
            return Err(fail(Fault::Expected { part: "a case's body", expected: sort, got }));
        }
        let (patterns, bodies): (Vec<MatchPattern>, Vec<TermId>) = cases.into_iter().unzip();
        let binds = patterns.iter().any(MatchPattern::binds);
        let id = self.patterns.intern(patterns.into());
        let mut args = vec![scrutinee];
        args.extend(bodies);
        let term = self.node(Kind::Match, id, sort, &args);
        if binds {
            self.nodes[term.index()].len |= OPEN;
        }
        Ok(term)
    }
}

impl MatchPattern {
    fn binds(&self) -> bool {
        match self {
            MatchPattern::Constructor(_, vars) => vars.iter().any(Option::is_some),
            MatchPattern::Any(var) => var.is_some(),
        }
    }
}

fn with_body(vars: &[TermId], body: TermId) -> Vec<TermId> {
    let mut args = Vec::with_capacity(vars.len() + 1);
    args.extend_from_slice(vars);
    args.push(body);
    args
}
