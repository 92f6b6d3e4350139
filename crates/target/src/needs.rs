//! The features that a formula requires, inferred from its sorts, operators and commands.

use crate::spec::{Feature, Features};
use assay_smtlib::{Command, is_number, may_be_zero};
use assay_term::float::Format;
use assay_term::op::Extension;
use assay_term::theories::{Theory, arrays, bv, core, ints, reals, regex, seq, sets, strings};
use assay_term::value::Value;
use assay_term::{
    Attribute, AttributeValue, Func, FuncId, Op, Sort, SortDeclId, SortId, Store, Symbol, Term,
    TermId,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The features that a tool needs to understand these commands and terms.
#[must_use]
pub fn needs(store: &Store, commands: &[Command], terms: &[TermId]) -> Features {
    let mut needs = Needs {
        store,
        features: Features::new(),
        seen: HashSet::new(),
        values: HashSet::new(),
        declared: Vec::new(),
        known: HashMap::new(),
        members: HashMap::new(),
        levels: Vec::new(),
    };
    for command in commands {
        needs.command(command);
    }
    for term in store.postorder(terms) {
        needs.term(term);
    }
    needs.features
}

/// The operators that occur in the terms.
#[must_use]
pub fn operators(store: &Store, terms: &[TermId]) -> BTreeSet<Op> {
    let operator = |term: TermId| match store.get(term) {
        Term::App(func, _) => match store.func(func) {
            Func::Op(op, _) => Some(*op),
            _ => None,
        },
        _ => None,
    };
    store.postorder(terms).into_iter().filter_map(operator).collect()
}

struct Needs<'n> {
    store: &'n Store,
    features: Features,
    seen: HashSet<SortId>,
    /// The terms so far that are values as they are written.
    values: HashSet<TermId>,
    /// The functions declared so far.
    declared: Vec<&'n str>,
    /// How often each name is among them.
    known: HashMap<&'n str, usize>,
    /// The constructors and selectors declared so far, and whether a datatype of theirs has parameters.
    members: HashMap<&'n str, bool>,
    /// The number of declared functions at the start of each open level.
    levels: Vec<usize>,
}

impl<'n> Needs<'n> {
    fn add(&mut self, feature: Feature) {
        self.features.insert(feature);
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Push(levels) => {
                self.add(Feature::Scopes);
                self.levels.extend((0..*levels).map(|_| self.declared.len()));
            }
            Command::Pop(levels) => {
                self.add(Feature::Scopes);
                for _ in 0..*levels {
                    for name in self.declared.drain(self.levels.pop().unwrap_or(0)..) {
                        self.known.entry(name).and_modify(|count| *count -= 1);
                    }
                }
            }
            Command::DeclareSort(decl) => {
                self.add(Feature::UninterpretedSorts);
                self.symbol(self.store.symbols.name(self.store.sorts.decl(*decl).name));
            }
            Command::DeclareDatatypes(decls, _) => self.datatypes(decls),
            Command::DefineFun(definition) | Command::DefineConst(definition) => {
                self.function(definition.func);
            }
            Command::AssertSoft { .. } => self.add(Feature::SoftAssertions),
            Command::Minimize(..) | Command::Maximize(..) => self.add(Feature::Objectives),
            Command::DefineFunRec(_) | Command::DefineFunsRec(_) => {
                self.add(Feature::RecursiveFunctions);
            }
            Command::DeclareFun(func) | Command::DeclareConst(func) => {
                self.function(*func);
                let Func::Declared { params, result, .. } = self.store.func(*func) else { return };
                if !params.is_empty() {
                    self.add(Feature::UninterpretedFunctions);
                }
                for &sort in params.iter().chain([result]) {
                    self.sort(sort);
                    if self.holds_languages(sort) {
                        self.add(Feature::RegexVariables);
                    }
                }
            }
            _ => {}
        }
    }

    /// A function that is declared or defined.
    fn function(&mut self, func: FuncId) {
        let name = self.store.func_symbol(func);
        self.symbol(name);
        let known = self.known.entry(name).or_default();
        *known += 1;
        if *known > 1 {
            self.add(Feature::OverloadedSymbols);
        }
        self.declared.push(name);
    }

    fn symbol(&mut self, name: &str) {
        if name.starts_with(['@', '.']) {
            self.add(Feature::ReservedSymbols);
        }
    }

    /// Datatypes that are declared together.
    fn datatypes(&mut self, decls: &[SortDeclId]) {
        self.add(Feature::Datatypes);
        for &decl in decls {
            let declaration = self.store.sorts.decl(decl);
            self.symbol(self.store.symbols.name(declaration.name));
            let constructors = declaration.datatype.iter().flat_map(|it| &it.constructors);
            let parametric = declaration.arity > 0;
            for constructor in constructors.clone() {
                let names = constructor.fields.iter().map(|field| field.0);
                for name in names.chain([constructor.name]) {
                    self.member(self.store.symbols.name(name), parametric);
                }
            }
            let fields = constructors.flat_map(|constructor| &constructor.fields);
            if fields.clone().map(|field| field.1).any(|field| self.nests(decls, field)) {
                self.add(Feature::NestedDatatypes);
            }
            let params = declaration.datatype.iter().flat_map(|it| &it.params);
            let params: Vec<Symbol> = params.copied().collect();
            let changes = |field: SortId| self.changes_parameters(decl, &params, field);
            if parametric && (decls.len() > 1 || fields.map(|field| field.1).any(changes)) {
                self.add(Feature::MutualParametricDatatypes);
            }
        }
    }

    /// A constructor or a selector of a datatype.
    fn member(&mut self, name: &'n str, parametric: bool) {
        let before = self.members.insert(name, parametric);
        if before.is_some_and(|before| parametric || before) {
            self.add(Feature::OverloadedParametricSymbols);
        }
    }

    /// Whether one of these datatypes is a part of another sort.
    fn nests(&self, decls: &[SortDeclId], sort: SortId) -> bool {
        let mut open = self.store.sorts.get(sort).parts();
        while let Some(part) = open.pop() {
            let shape = self.store.sorts.get(part);
            if matches!(shape, Sort::Declared(decl, _) if decls.contains(decl)) {
                return true;
            }
            open.extend(shape.parts());
        }
        false
    }

    /// Whether a datatype occurs in one of its fields with other parameters than its own.
    fn changes_parameters(&self, decl: SortDeclId, own: &[Symbol], field: SortId) -> bool {
        let mut open = vec![field];
        while let Some(sort) = open.pop() {
            let shape = self.store.sorts.get(sort);
            let parts = shape.parts();
            let is_own = |(&part, name): (&SortId, &Symbol)| matches!(self.store.sorts.get(part), Sort::Param(known) if known == name);
            let is_itself = matches!(shape, Sort::Declared(known, _) if *known == decl);
            if is_itself && !parts.iter().zip(own).all(is_own) {
                return true;
            }
            open.extend(parts);
        }
        false
    }

    fn term(&mut self, term: TermId) {
        if self.is_value(term) {
            self.values.insert(term);
        }
        let sort = self.store.sort(term);
        self.sort(sort);
        match self.store.get(term) {
            Term::Quant(..) => self.add(Feature::Quantifiers),
            Term::Lambda(..) if matches!(self.store.sorts.get(sort), Sort::Array(..)) => {
                self.add(Feature::Lambdas);
            }
            Term::Annotated(_, attributes) if attributes.iter().any(|a| self.is_hint(a)) => {
                self.add(Feature::Patterns);
            }
            Term::App(func, args) => {
                if let Func::Op(op, indices) = self.store.func(func) {
                    self.operator(*op, args);
                    self.form(*op, indices, args, sort);
                }
            }
            _ => {}
        }
    }

    /// Whether an attribute tells the solver when to instantiate a quantifier.
    fn is_hint(&self, attribute: &Attribute) -> bool {
        matches!(attribute.value, AttributeValue::Terms(_))
            || self.store.symbols.name(attribute.keyword) == "weight"
    }

    /// Records what an application needs beyond the standard.
    fn form(&mut self, op: Op, indices: &[u64], args: &[TermId], sort: SortId) {
        let sorts: Vec<SortId> = args.iter().map(|&arg| self.store.sort(arg)).collect();
        let feature = match op.extension(&self.store.sorts, indices, &sorts) {
            None => None,
            Some(Extension::SingleFormulas) => Some(Feature::SingleFormulas),
            Some(Extension::SingleArguments) => Some(Feature::SingleArguments),
            Some(Extension::StringsOverSequences) => Some(Feature::StringsOverSequences),
            Some(Extension::SequencesOverStrings) => Some(Feature::SequencesOverStrings),
            Some(Extension::IndexOfWithoutPosition) => Some(Feature::IndexOfWithoutPosition),
            Some(Extension::LoopBounds) => Some(Feature::LoopBounds),
            Some(Extension::AbsOfReals) => Some(Feature::AbsOfReals),
            Some(Extension::ToRealOfReals) => Some(Feature::ToRealOfReals),
            Some(Extension::FloatsFromInts) => Some(Feature::FloatsFromInts),
            Some(Extension::FloatsFromScaled) => Some(Feature::FloatsFromScaled),
            Some(Extension::FloatsFromFields) => Some(Feature::FloatsFromFields),
        };
        self.features.extend(feature);
        let exponent = |arg: TermId| match self.store.get(arg) {
            Term::Literal(Value::Int(number)) => !number.is_negative() && !number.is_zero(),
            Term::Literal(Value::Real(number)) => number.is_integer() && *number.numer() > 0.into(),
            _ => false,
        };
        let divisors = || args.iter().skip(1);
        match op {
            bv::SUB | bv::XNOR | strings::LT | strings::LE if args.len() > 2 => {
                self.add(Feature::ChainedArguments);
            }
            ints::POW if !exponent(args[1]) => self.add(Feature::ExponentsOfTerms),
            ints::DIV | ints::MOD | reals::DIVIDE
                if divisors().any(|&arg| may_be_zero(self.store, arg)) =>
            {
                self.add(Feature::DivisionByZero);
            }
            seq::EMPTY if sort == SortId::STRING => self.add(Feature::EmptySequencesOfStrings),
            _ => {}
        }
    }

    fn operator(&mut self, op: Op, args: &[TermId]) {
        let variable = |&&arg: &&TermId| !is_number(self.store, arg);
        match op {
            ints::MUL if args.iter().filter(variable).count() > 1 => {
                self.add(Feature::Nonlinear);
            }
            ints::DIV | ints::MOD | reals::DIVIDE
                if args.iter().skip(1).any(|arg| variable(&arg)) =>
            {
                self.add(Feature::Nonlinear);
            }
            arrays::CONST => {
                self.add(Feature::ConstantArrays);
                if !args.iter().all(|&arg| self.is_value(arg)) {
                    self.add(Feature::ConstantArraysOfTerms);
                }
            }
            regex::RANGE if !args.iter().all(|&arg| self.is_value(arg)) => {
                self.add(Feature::Regex);
                self.add(Feature::RegexRangesOfTerms);
            }
            bv::UBV_TO_INT | bv::SBV_TO_INT | bv::INT_TO_BV => {
                self.add(Feature::BitVectorConversions);
            }
            core::EQ | core::DISTINCT | core::ITE
                if args.iter().any(|&arg| self.holds_languages(self.store.sort(arg))) =>
            {
                self.add(Feature::RegexEquations);
            }
            _ if op.theory() == Theory::Regex => self.add(Feature::Regex),
            _ => {}
        }
    }

    /// Whether the term is syntactically a value: a literal, a symbol that stands for one, or a datatype or
    /// constant array of values. Its parts were looked at before.
    fn is_value(&self, term: TermId) -> bool {
        match self.store.get(term) {
            Term::Literal(_) => true,
            Term::App(func, args) => match self.store.func(func) {
                Func::Op(reals::PI | sets::UNIVERSE_SET, _) => false,
                Func::Op(arrays::CONST, _) | Func::Constructor(..) => {
                    args.iter().all(|arg| self.values.contains(arg))
                }
                Func::Op(..) => args.is_empty(),
                _ => false,
            },
            _ => false,
        }
    }

    /// What a sort and those in it need. Datatypes may form a chain of any length.
    fn sort(&mut self, sort: SortId) {
        let mut open = vec![sort];
        while let Some(sort) = open.pop() {
            if self.seen.insert(sort) {
                self.sort_alone(sort);
                open.extend(self.store.sorts.get(sort).parts());
                open.extend(self.fields(sort).into_iter().flatten());
            }
        }
    }

    fn sort_alone(&mut self, sort: SortId) {
        match *self.store.sorts.get(sort) {
            Sort::Bool | Sort::Param(_) => {}
            Sort::Int => self.add(Feature::Ints),
            Sort::Real => self.add(Feature::Reals),
            Sort::RoundingMode => self.add(Feature::Floats),
            Sort::Float(format) => {
                self.add(Feature::Floats);
                match format {
                    Format::FLOAT32 | Format::FLOAT64 => {}
                    Format::FLOAT16 | Format::FLOAT128 => self.add(Feature::HalfAndQuadFloats),
                    _ => self.add(Feature::FloatFormats),
                }
            }
            Sort::String => self.add(Feature::Strings),
            Sort::RegLan => self.add(Feature::Regex),
            Sort::BitVec(_) => self.add(Feature::BitVectors),
            Sort::Array(index, _) => {
                self.add(Feature::Arrays);
                if self.holds_arrays(index) {
                    self.add(Feature::ArraysAsIndices);
                }
            }
            Sort::Fun(..) => self.add(Feature::HigherOrder),
            Sort::Seq(_) => self.add(Feature::Sequences),
            Sort::Set(_) => self.add(Feature::Sets),
            Sort::Bag(_) => self.add(Feature::Bags),
            Sort::FiniteField(_) => self.add(Feature::FiniteFields),
            Sort::Tuple(_) => self.add(Feature::Tuples),
            Sort::Nullable(_) => self.add(Feature::Nullables),
            Sort::Declared(..) => match self.store.sorts.datatype(sort) {
                Some((_, datatype, _)) => {
                    self.add(Feature::Datatypes);
                    if datatype.codata {
                        self.add(Feature::Codatatypes);
                    }
                }
                None => self.add(Feature::UninterpretedSorts),
            },
        }
    }

    /// The sorts of a datatype's fields, as declared.
    fn fields(&self, sort: SortId) -> Option<Vec<SortId>> {
        let (_, datatype, _) = self.store.sorts.datatype(sort)?;
        let fields = datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.1));
        Some(fields.collect())
    }

    /// Whether values of the sort are arrays, or made of them.
    fn holds_arrays(&self, sort: SortId) -> bool {
        let mut open = vec![sort];
        while let Some(sort) = open.pop() {
            match self.store.sorts.get(sort) {
                Sort::Array(..) => return true,
                Sort::Declared(..) => {}
                shape => open.extend(shape.parts()),
            }
        }
        false
    }

    /// Whether values of the sort hold regular languages.
    fn holds_languages(&self, sort: SortId) -> bool {
        match self.store.sorts.get(sort) {
            Sort::RegLan => true,
            Sort::Declared(..) => false,
            shape => shape.parts().into_iter().any(|part| self.holds_languages(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_case::Formula;

    fn needed(text: &str) -> Features {
        let formula = Formula::read(text).expect("the text is a formula");
        let terms: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
        needs(formula.store(), &formula.script().commands, &terms)
    }

    #[test]
    fn many_declarations_and_chains_of_datatypes_need_little() {
        // Each declaration was compared with all others, and each datatype of the chain was a call.
        let declared: String = (0..60_000).map(|at| format!("(declare-const c{at} Int)")).collect();
        assert!(
            !needed(&format!("{declared}(assert (= c0 c1))")).contains(&Feature::OverloadedSymbols)
        );
        let sorts: String = (0..30_000).map(|at| format!("(D{at} 0)")).collect();
        let next = |at: usize| match at {
            29_999 => "Int".to_owned(),
            _ => format!("D{}", at + 1),
        };
        let parts: String =
            (0..30_000).map(|at| format!("((d{at} (s{at} {})))", next(at))).collect();
        let text =
            format!("(declare-datatypes ({sorts}) ({parts}))(declare-const x D0)(assert (= x x))");
        let chain = std::thread::Builder::new().stack_size(512 << 10).spawn(move || needed(&text));
        let found = chain.expect("a thread").join().expect("it fits in a small stack");
        assert!(found.contains(&Feature::Ints) && found.contains(&Feature::Datatypes));
    }

    #[test]
    fn names_are_overloaded_only_where_both_are_declared() {
        let overloaded = |text: &str| needed(text).contains(&Feature::OverloadedSymbols);
        assert!(overloaded("(declare-fun f (Int) Int)(declare-fun f (Bool) Int)(assert true)"));
        assert!(!overloaded(
            "(push)(declare-fun f (Int) Int)(pop)(declare-fun f (Bool) Int)(assert true)"
        ));
    }

    #[test]
    fn constant_arrays_hold_values_or_terms() {
        let of_terms = |sort: &str, element: &str| {
            let list = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))";
            let array = format!("((as const (Array Int {sort})) {element})");
            let text =
                format!("{list}(declare-const x Int)(assert (= {array} {array}))(check-sat)");
            needed(&text).contains(&Feature::ConstantArraysOfTerms)
        };
        let inner = "((as const (Array Int Int)) 0)";
        for (sort, value) in
            [("Int", "3"), ("L", "nil"), ("L", "(cons 1 nil)"), ("(Array Int Int)", inner)]
        {
            assert!(!of_terms(sort, value), "{value}");
        }
        let outer = "((as const (Array Int Int)) x)";
        for (sort, term) in [
            ("Int", "x"),
            ("Int", "(- 3)"),
            ("L", "(cons x nil)"),
            ("(Array Int Int)", outer),
            ("Real", "real.pi"),
            ("(Set Int)", "(as set.universe (Set Int))"),
        ] {
            assert!(of_terms(sort, term), "{term}");
        }
    }

    #[test]
    fn a_selector_of_two_datatypes_is_overloaded_where_one_has_parameters() {
        let plain = "(declare-datatypes ((A 0)) (((a (f Int)))))";
        let other = "(declare-datatypes ((B 0)) (((b (f Int)))))";
        let with = "(declare-datatypes ((P 1)) ((par (T) ((p (f T))))))";
        let needs = |parts: [&str; 2]| {
            let features = needed(&format!("{}{}(assert true)(check-sat)", parts[0], parts[1]));
            features.contains(&Feature::OverloadedParametricSymbols)
        };
        assert!(!needs([plain, other]) && needs([plain, with]) && needs([with, other]));
        assert!(!needs([with, ""]));
    }

    #[test]
    fn datatypes_with_parameters_are_plain_one_by_one() {
        let needs = |text: &str| {
            let features = needed(&format!("(declare-datatypes {text})(assert true)(check-sat)"));
            features.contains(&Feature::MutualParametricDatatypes)
        };
        assert!(!needs("((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T))))))"));
        assert!(!needs("((A 0) (B 0)) (((a) (b (f B))) ((c (g A))))"));
        assert!(needs("((L 2)) ((par (X Y) ((nil) (cons (hd X) (tl (L Y X))))))"));
        assert!(needs("((T 1)) ((par (X) ((leaf (v X)) (map (m (Array Int (T (T X))))))))"));
        assert!(needs("((A 1) (B 1)) ((par (X) ((a (f X)))) (par (Y) ((b (g (A Y))))))"));
    }

    /// Equations of languages do not require variables of languages.
    #[test]
    fn regex_equations_and_variables_are_separate_features() {
        let ground = needed(r#"(assert (= (re.* (str.to_re "a")) re.all))(check-sat)"#);
        assert!(ground.contains(&Feature::RegexEquations));
        assert!(!ground.contains(&Feature::RegexVariables));
        let variable = needed(r#"(declare-const r RegLan)(assert (str.in_re "a" r))(check-sat)"#);
        assert!(variable.contains(&Feature::RegexVariables));
        assert!(!variable.contains(&Feature::RegexEquations));
        let member = needed(r#"(assert (str.in_re "a" re.all))(check-sat)"#);
        let neither = [Feature::RegexVariables, Feature::RegexEquations];
        assert!(neither.iter().all(|feature| !member.contains(feature)));
    }
}
