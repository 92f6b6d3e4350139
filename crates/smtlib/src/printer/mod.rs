//! Terms and scripts to text, without recursion: compact or readable, with `let` for shared subterms
//! if that saves text, in a dialect.

mod commands;
mod dialect;
mod model;
mod sharing;

pub use dialect::{Dialect, Escapes, Functions, SMT_LIB_2_6, STANDARD, Z3_OLD};
pub use model::print_model;

use assay_term::bitvec::BitVec;
use assay_term::theories::{functions, strings};
use assay_term::{
    Attribute, AttributeValue, Func, FuncId, MatchPattern, Quantifier, Sort, SortId, Store, Term,
    TermId, Value, quoted,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use sharing::Plan;
use std::fmt::Write;

/// Whether repeated subterms are written once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sharing {
    /// Terms are written as built, unless that would be many times longer.
    #[default]
    Auto,
    /// Terms are always written as built: reading gives the same term.
    Never,
    /// Everything that saves text is shared: reading with [`crate::Lets::Expand`] gives the same term.
    Always,
}

/// Whether long terms are broken into lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// One line per command.
    #[default]
    Compact,
    /// Lines of about a hundred characters, indented.
    Readable,
}

/// The target width of a readable layout.
const LINE: usize = 100;

/// Maximum indentation depth, so that lines stay readable.
const DEEPEST: usize = 60;

/// Writes terms of a store as text.
#[derive(Clone, Copy)]
pub struct Printer<'s> {
    store: &'s Store,
    dialect: Dialect,
    sharing: Sharing,
    layout: Layout,
}

/// The remaining work.
enum Item {
    Term(TermId),
    /// A term whose name must not be used, because it is being defined or annotated.
    Whole(TermId),
    /// A function of so many arguments that stands where all of them are given together.
    Joined(TermId, usize),
    Text(String),
    Str(&'static str),
    /// A space, or a line break at this depth if the parent is broken.
    Break(Option<usize>),
    /// The scope of shared names ends.
    EndScope,
}

impl<'s> Printer<'s> {
    /// A compact printer with current names.
    #[must_use]
    pub fn new(store: &'s Store) -> Printer<'s> {
        Printer { store, dialect: STANDARD, sharing: Sharing::Auto, layout: Layout::Compact }
    }

    /// The same in a dialect.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Printer<'s> {
        Printer { dialect, ..self }
    }

    /// The same with another policy for shared subterms.
    #[must_use]
    pub fn sharing(self, sharing: Sharing) -> Printer<'s> {
        Printer { sharing, ..self }
    }

    /// The same with another layout.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Printer<'s> {
        Printer { layout, ..self }
    }

    /// A term.
    #[must_use]
    pub fn term(&self, term: TermId) -> String {
        let mut out = String::new();
        self.write_term(term, &mut out);
        out
    }

    /// A sort.
    #[must_use]
    pub fn sort(&self, sort: SortId) -> String {
        self.store.sort_name_with(sort, self.dialect.reglan, self.dialect.functions.arrows())
    }

    /// Appends a term.
    pub fn write_term(&self, term: TermId, out: &mut String) {
        let plan = Plan::new(self.store, term, self.sharing);
        let mut work =
            Work { printer: self, plan, items: Vec::new(), out, line_start: 0, indent: 0 };
        work.line_start = work.out.rfind('\n').map_or(0, |at| at + 1);
        work.run(term);
    }

    /// The text of a function at the head of an application, or alone.
    fn head(&self, func: FuncId, sort: SortId, args: &[TermId], out: &mut String) {
        match self.store.func(func) {
            Func::Op(strings::CHAR, indices) => {
                let _ = write!(out, "(_ char #x{:x})", indices.first().copied().unwrap_or(0));
            }
            Func::Op(op, indices) => {
                let name = self.dialect.spelling(*op);
                let ascribed = self.needs_ascription(func, args);
                if ascribed {
                    out.push_str("(as ");
                }
                if indices.is_empty() {
                    out.push_str(name);
                } else {
                    let _ = write!(out, "(_ {name}");
                    for index in indices {
                        let _ = write!(out, " {index}");
                    }
                    out.push(')');
                }
                if ascribed {
                    let _ = write!(out, " {})", self.sort(sort));
                }
            }
            Func::Constructor(..) if self.needs_ascription(func, args) => {
                let _ = write!(
                    out,
                    "(as {} {})",
                    quoted(self.store.func_symbol(func)),
                    self.sort(sort)
                );
            }
            Func::Update(..) => {
                let field = quoted(self.store.func_symbol(func));
                let _ = write!(out, "(_ {} {field})", self.dialect.update);
            }
            _ => out.push_str(&self.store.func_name(func)),
        }
    }

    /// Whether the arguments do not determine the sort of the result.
    fn needs_ascription(&self, func: FuncId, args: &[TermId]) -> bool {
        match self.store.func(func) {
            Func::Op(op, _) => op
                .row()
                .sigs
                .iter()
                .any(|sig| matches!(sig.result, assay_term::op::Pat::Ascribed(_))),
            Func::Constructor(decl, index) => {
                let datatype = self.store.sorts.decl(*decl).datatype.as_ref();
                let datatype = datatype.expect("only datatypes have constructors");
                let fields = &datatype.constructors[*index as usize].fields;
                debug_assert_eq!(fields.len(), args.len());
                let mentioned = |param| {
                    let is_param = |sort: &Sort| *sort == Sort::Param(param);
                    fields.iter().any(|&(_, sort)| occurs(self.store, sort, &is_param))
                };
                !datatype.params.iter().all(|&param| mentioned(param))
                    || self.store.is_ambiguous(func)
            }
            _ => false,
        }
    }

    fn literal(&self, value: &Value, out: &mut String) {
        match value {
            Value::Field(sort, residue) => {
                let _ = write!(out, "(as ff{residue} {})", self.sort(*sort));
            }
            Value::Int(n) => {
                let _ = write!(out, "{n}");
            }
            Value::Real(x) => decimal(x, out),
            Value::BitVec(bits) => bit_vector(bits, out),
            Value::Str(text) => {
                out.push('"');
                self.dialect.write_string(text, out);
                out.push('"');
            }
            _ => unreachable!("values of other sorts are not literals"),
        }
    }

    fn variables(&self, vars: &[TermId], out: &mut String) {
        out.push('(');
        for (i, &var) in vars.iter().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            let _ = write!(out, "({} {})", self.variable(var), self.sort(self.store.sort(var)));
        }
        out.push(')');
    }

    fn variable(&self, var: TermId) -> std::borrow::Cow<'s, str> {
        match self.store.get(var) {
            Term::Var(name) => quoted(self.store.symbols.name(name)),
            _ => unreachable!("binders bind variables"),
        }
    }

    fn pattern(&self, pattern: &MatchPattern, scrutinee: TermId) -> String {
        let name = |var: &Option<TermId>| var.map_or("_".into(), |var| self.variable(var));
        match pattern {
            MatchPattern::Any(var) => name(var).into_owned(),
            MatchPattern::Constructor(index, vars) => {
                let datatype = self.store.sorts.datatype(self.store.sort(scrutinee));
                let (_, datatype, _) = datatype.expect("a match is on a datatype");
                let constructor =
                    quoted(self.store.symbols.name(datatype.constructors[*index as usize].name));
                if vars.is_empty() {
                    return constructor.into_owned();
                }
                let vars: Vec<_> = vars.iter().map(name).collect();
                format!("({constructor} {})", vars.join(" "))
            }
        }
    }
}

/// Whether a part of the sort, as written, satisfies the test; fields of datatypes do not count.
fn occurs(store: &Store, sort: SortId, test: &dyn Fn(&Sort) -> bool) -> bool {
    let shape = store.sorts.get(sort);
    test(shape) || shape.parts().into_iter().any(|part| occurs(store, part, test))
}

fn decimal(x: &BigRational, out: &mut String) {
    let _ = write!(out, "{}.", x.trunc().numer());
    let mut fraction = x.fract();
    if fraction.is_zero() {
        out.push('0');
        return;
    }
    let digits = decimal_places(fraction.denom());
    let scale = BigInt::from(10).pow(digits);
    fraction *= scale;
    let _ = write!(out, "{:0>width$}", fraction.numer().to_string(), width = digits as usize);
}

/// The number of decimal places of a fraction with this denominator: the larger of its powers of two
/// and five.
fn decimal_places(denominator: &BigInt) -> u32 {
    let twos = denominator.trailing_zeros().unwrap_or(0);
    let rest: BigInt = denominator >> twos;
    // A factor of five takes a bit more than two bits.
    let least = u32::try_from(rest.bits().saturating_sub(1) * 3 / 7).unwrap_or(u32::MAX);
    let mut fives = least;
    let mut power = BigInt::from(5).pow(least);
    while power < rest {
        power *= 5;
        fives += 1;
    }
    debug_assert_eq!(power, rest, "a decimal has no other factors");
    fives.max(u32::try_from(twos).unwrap_or(u32::MAX))
}

fn bit_vector(bits: &BitVec, out: &mut String) {
    let _ = write!(out, "{bits}");
}

/// The state of writing one term.
struct Work<'p, 's> {
    printer: &'p Printer<'s>,
    plan: Plan,
    items: Vec<Item>,
    out: &'p mut String,
    /// The start of the current line in `out`.
    line_start: usize,
    indent: usize,
}

impl Work<'_, '_> {
    fn run(&mut self, root: TermId) {
        self.items.push(Item::Term(root));
        while let Some(item) = self.items.pop() {
            match item {
                Item::Str(text) => self.out.push_str(text),
                Item::Text(text) => self.out.push_str(&text),
                Item::Break(None) => self.out.push(' '),
                Item::Break(Some(indent)) => {
                    self.out.push('\n');
                    self.line_start = self.out.len();
                    self.indent = indent;
                    self.out.extend(std::iter::repeat_n(' ', indent));
                }
                Item::EndScope => self.plan.leave(),
                Item::Term(term) => match self.plan.name(term) {
                    Some(name) => self.out.push_str(name),
                    None => self.open(term),
                },
                Item::Whole(term) => self.open(term),
                Item::Joined(term, arguments) => self.joined(term, arguments),
            }
        }
    }

    /// The indentation of a part of this term on its own line, if the term does not fit on one.
    fn broken(&self, term: TermId) -> Option<usize> {
        if self.printer.layout == Layout::Compact {
            return None;
        }
        let column = self.out.len() - self.line_start;
        let fits = self
            .plan
            .flat_length(term)
            .is_some_and(|length| length <= LINE && column + length <= LINE);
        (!fits).then_some((self.indent + 2).min(DEEPEST))
    }

    fn open(&mut self, term: TermId) {
        let store = self.printer.store;
        // Shared subterms are bound inside annotations, so patterns stay with their quantifier.
        if !matches!(store.get(term), Term::Annotated(..)) && self.plan.enters(term) {
            return self.open_shared(term);
        }
        let broken = self.broken(term);
        match store.get(term) {
            Term::Literal(value) => self.printer.literal(value, self.out),
            Term::Var(name) => self.out.push_str(&quoted(store.symbols.name(name))),
            Term::App(func, []) => self.printer.head(func, store.sort(term), &[], self.out),
            Term::App(func, [function, arg])
                if matches!(store.func(func), Func::Op(functions::APPLY, _)) =>
            {
                match self.printer.dialect.functions {
                    Functions::Values => self.application(*function, *arg, broken),
                    Functions::Arrays => self.selection(*function, *arg, broken),
                }
            }
            Term::App(func, args) => {
                self.out.push('(');
                self.printer.head(func, store.sort(term), args, self.out);
                self.items.push(Item::Str(")"));
                let arguments = self.arguments_of_first(func);
                for (at, &arg) in args.iter().enumerate().rev() {
                    let item = match arguments {
                        Some(arguments) if at == 0 => Item::Joined(arg, arguments),
                        _ => Item::Term(arg),
                    };
                    self.items.extend([item, Item::Break(broken)]);
                }
            }
            Term::Let(bindings, body) => {
                self.out.push_str("(let (");
                self.items.extend([
                    Item::Str(")"),
                    Item::Term(body),
                    Item::Break(broken),
                    Item::Str(")"),
                ]);
                for (i, pair) in bindings.chunks(2).enumerate().rev() {
                    let open = format!(
                        "{}({} ",
                        if i == 0 { "" } else { " " },
                        self.printer.variable(pair[0])
                    );
                    self.items.extend([Item::Str(")"), Item::Term(pair[1]), Item::Text(open)]);
                }
            }
            Term::Quant(which, vars, body) => {
                let head = match which {
                    Quantifier::Forall => "(forall ",
                    Quantifier::Exists => "(exists ",
                };
                self.binder(head, vars, body, broken);
            }
            Term::Lambda(vars, body) => self.lambda(term, vars, body, broken),
            Term::Annotated(inner, attributes) => {
                self.out.push_str("(! ");
                self.items.push(Item::Str(")"));
                for attribute in attributes.iter().rev() {
                    self.attribute(attribute);
                }
                self.items.push(Item::Term(inner));
            }
            Term::Match(scrutinee, patterns, bodies) => {
                self.out.push_str("(match ");
                self.items.push(Item::Str("))"));
                for (i, (pattern, &body)) in patterns.iter().zip(bodies).enumerate().rev() {
                    let open = format!("({} ", self.printer.pattern(pattern, scrutinee));
                    self.plan.add_body(store, body);
                    self.items.extend([Item::Str(")"), Item::Term(body), Item::Text(open)]);
                    if i > 0 {
                        self.items.push(Item::Break(broken));
                    }
                }
                self.items.extend([Item::Str(" ("), Item::Term(scrutinee)]);
            }
        }
    }

    /// Repeated applications of function values are written as one: `(f x y)` if a symbol is applied,
    /// otherwise `(@ t x y)`.
    fn application(&mut self, function: TermId, arg: TermId, broken: Option<usize>) {
        let store = self.printer.store;
        let (mut head, mut args) = (function, vec![arg]);
        while let (Some((functions::APPLY, [function, arg])), None) =
            (store.operator(head), self.plan.name(head))
        {
            head = *function;
            args.push(*arg);
        }
        let symbol = match store.get(head) {
            Term::Var(_) => true,
            Term::App(func, []) => matches!(store.func(func), Func::Declared { .. }),
            _ => self.plan.name(head).is_some(),
        };
        self.out.push_str(if symbol { "(" } else { "(@ " });
        self.items.push(Item::Str(")"));
        for arg in args {
            self.items.extend([Item::Term(arg), Item::Break(broken)]);
        }
        self.items.push(Item::Term(head));
    }

    /// A function value that is an array is read at one argument.
    fn selection(&mut self, function: TermId, arg: TermId, broken: Option<usize>) {
        self.out.push_str("(select ");
        self.items.extend([
            Item::Str(")"),
            Item::Term(arg),
            Item::Break(broken),
            Item::Term(function),
        ]);
    }

    /// How many arguments the function has that an operator on sequences takes first. Where functions are
    /// arrays, it is an array with as many indices, not an array of arrays.
    fn arguments_of_first(&self, func: FuncId) -> Option<usize> {
        let Func::Op(op, _) = self.printer.store.func(func) else { return None };
        match (self.printer.dialect.functions, *op) {
            (Functions::Values, _) => None,
            (_, functions::FOLD_SEQ | functions::MAP_SEQ_INDEXED) => Some(2),
            (_, functions::FOLD_SEQ_INDEXED) => Some(3),
            _ => None,
        }
    }

    /// A function of so many arguments with all of them in one binder, where it is written out.
    fn joined(&mut self, term: TermId, arguments: usize) {
        let store = self.printer.store;
        let (mut all, mut inner) = (Vec::new(), term);
        while let Term::Lambda(vars, body) = store.get(inner) {
            if self.plan.name(inner).is_some() || all.len() + vars.len() > arguments {
                break;
            }
            all.extend_from_slice(vars);
            inner = body;
        }
        match all.len() == arguments {
            true => self.binder("(lambda ", &all, inner, self.broken(term)),
            false => self.items.push(Item::Term(term)),
        }
    }

    /// A declared function without all its arguments is written so.
    fn lambda(&mut self, term: TermId, vars: &[TermId], body: TermId, broken: Option<usize>) {
        let store = self.printer.store;
        if self.printer.dialect.functions == Functions::Arrays {
            return self.binder("(lambda ", vars, body, broken);
        }
        if let Some((func, args)) = store.as_partial(term) {
            let name = store.func_name(func);
            if args.is_empty() {
                return self.out.push_str(&name);
            }
            let _ = write!(self.out, "({name}");
            self.items.push(Item::Str(")"));
            for &arg in args.iter().rev() {
                self.items.extend([Item::Term(arg), Item::Break(broken)]);
            }
            return;
        }
        let (mut all, mut inner) = (vars.to_vec(), body);
        while let (Term::Lambda(vars, body), true) = (store.get(inner), store.is_function(inner)) {
            let shared = self.plan.name(inner).is_some();
            if shared || !store.is_function(term) || store.as_partial(inner).is_some() {
                break;
            }
            all.extend_from_slice(vars);
            inner = body;
        }
        self.binder("(lambda ", &all, inner, broken);
    }

    fn binder(&mut self, head: &'static str, vars: &[TermId], body: TermId, broken: Option<usize>) {
        self.out.push_str(head);
        self.printer.variables(vars, self.out);
        self.plan.add_body(self.printer.store, body);
        self.items.extend([Item::Str(")"), Item::Term(body), Item::Break(broken)]);
    }

    /// Writes the bindings of a scope's shared subterms before the scope's term.
    fn open_shared(&mut self, term: TermId) {
        let definitions = self.plan.enter(self.printer.store, term);
        self.items.push(Item::EndScope);
        self.items.push(Item::Text(")".repeat(definitions.len())));
        self.items.push(Item::Whole(term));
        for (name, shared) in definitions.into_iter().rev() {
            let open = format!("(let (({name} ");
            self.items.extend([Item::Str(")) "), Item::Whole(shared), Item::Text(open)]);
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        let keyword = self.printer.store.symbols.name(attribute.keyword);
        match &attribute.value {
            AttributeValue::None => self.items.push(Item::Text(format!(" :{keyword}"))),
            AttributeValue::Text(text) => {
                self.items.push(Item::Text(format!(" :{keyword} {text}")))
            }
            AttributeValue::Name(name) => {
                let name = quoted(self.printer.store.symbols.name(*name));
                self.items.push(Item::Text(format!(" :{keyword} {name}")));
            }
            AttributeValue::Terms(terms) => {
                let sharing = match self.printer.sharing {
                    Sharing::Never => Sharing::Never,
                    // Matching is syntactic.
                    Sharing::Auto | Sharing::Always => Sharing::Auto,
                };
                let plain = Printer { sharing, layout: Layout::Compact, ..*self.printer };
                let terms: Vec<String> = terms.iter().map(|&t| plain.term(t)).collect();
                let text = match terms.as_slice() {
                    // `:no-pattern` takes a term, `:pattern` a list of them.
                    [term] if keyword == "no-pattern" => format!(" :{keyword} {term}"),
                    _ => format!(" :{keyword} ({})", terms.join(" ")),
                };
                self.items.push(Item::Text(text));
            }
        }
    }
}
