//! Proofs as lists of commands: Alethe, and the format of cvc5 (CPC) with conclusions.

use crate::proof::{Conclusion, Proof, Role, shorten};
use crate::scope::{Read, Scope, Unread};
use crate::tree::{At, Tree};
use crate::z3::Malformed;
use assay_smtlib::Meaning;
use assay_term::TermId;
use assay_term::theories::core;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rules by which the solver gives no reason.
const TRUSTED: [&str; 8] = [
    "hole",
    "trust",
    "trust_theory_rewrite",
    "all_simplify",
    "lia_generic",
    "nla_generic",
    "theory_infer",
    "undefined",
];

/// Rules that introduce symbols.
const DEFINITIONS: [&str; 6] =
    ["skolemize", "skolem_intro", "sko_ex", "sko_forall", "macro_skolemize", "exists_skolemize"];

/// Operators with indices, as CPC writes them: `(extract 3 0 x)`.
const INDEXED: [(&str, usize, &str); 12] = [
    ("extract", 2, "extract"),
    ("zero_extend", 1, "zero_extend"),
    ("sign_extend", 1, "sign_extend"),
    ("repeat", 1, "repeat"),
    ("rotate_left", 1, "rotate_left"),
    ("rotate_right", 1, "rotate_right"),
    ("int_to_bv", 1, "int_to_bv"),
    ("int2bv", 1, "int2bv"),
    ("@bit", 1, "bit2bool"),
    ("bitOf", 1, "bit2bool"),
    ("re.^", 1, "re.^"),
    ("re.loop", 2, "re.loop"),
];

/// Whether a text is a proof in one of these formats.
pub(crate) fn is_proof(tree: &Tree<'_>) -> bool {
    let mut commands = commands(tree);
    commands.any(|at| matches!(tree.head(at), Some("assume" | "step")))
}

/// The maximum length of a text that stands for a name: names in names may make it grow without
/// bound.
const LONGEST: usize = 20_000;

/// The text, or a name that means nothing if it is too long.
fn limited(text: String) -> String {
    if text.len() > LONGEST { "@too-long".to_owned() } else { text }
}

/// The commands, which may stand in one list.
fn commands<'a>(tree: &'a Tree<'_>) -> impl Iterator<Item = At> + 'a {
    let alone = tree.roots.len() == 1 && tree.head(tree.roots[0]).is_none();
    let list = if alone { tree.items(tree.roots[0]) } else { &tree.roots[..] };
    list.iter().copied()
}

/// An open subproof.
struct Level<'t> {
    /// The step that closes it, in Alethe.
    closes: Option<&'t str>,
    hypotheses: Vec<usize>,
    hidden: Vec<(&'t str, Meaning)>,
    vars: Vec<TermId>,
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    scope: &'a mut Scope,
    proof: Proof,
    named: FxHashMap<&'t str, usize>,
    /// Terms that were named under a binder, by name: their text stands for them.
    macros: FxHashMap<&'t str, String>,
    /// Those of them that mention variables.
    open: FxHashSet<&'t str>,
    /// The sorts of variables, by the names that they have here.
    sorts: FxHashMap<String, String>,
    levels: Vec<Level<'t>>,
}

/// Reads a proof.
///
/// # Errors
/// What is not understood.
pub(crate) fn read(tree: &Tree<'_>, scope: &mut Scope) -> Result<Proof, Malformed> {
    let mut reader = Reader {
        tree,
        scope,
        proof: Proof::default(),
        named: FxHashMap::default(),
        macros: FxHashMap::default(),
        open: FxHashSet::default(),
        sorts: FxHashMap::default(),
        levels: Vec::new(),
    };
    for at in commands(tree) {
        reader.command(at)?;
    }
    reader.proof.last = reader.proof.steps.len().checked_sub(1);
    Ok(reader.proof)
}

impl<'t> Reader<'_, 't> {
    fn command(&mut self, at: At) -> Result<(), Malformed> {
        let tree = self.tree;
        let items = tree.items(at);
        let malformed = || format!("`{}`", shorten(tree.text(at)));
        match (tree.head(at).ok_or_else(malformed)?, items) {
            ("assume", [_, name, formula]) => {
                let role = if self.levels.is_empty() { Role::Assumed } else { Role::Hypothesis };
                let step = self.add(tree.text(*name), "assume", Vec::new(), *formula, role);
                if let Some(level) = self.levels.last_mut() {
                    level.hypotheses.push(step);
                }
            }
            ("assume-push", [_, name, formula]) => {
                let rule = "assume";
                let step = self.add(tree.text(*name), rule, Vec::new(), *formula, Role::Hypothesis);
                self.levels.push(Level {
                    closes: None,
                    hypotheses: vec![step],
                    hidden: Vec::new(),
                    vars: Vec::new(),
                });
            }
            ("step" | "step-pop", [head, name, rest @ ..]) => {
                let pops = tree.text(*head) == "step-pop";
                self.step(tree.text(*name), rest, pops)?;
            }
            ("anchor", items) => self.anchor(items)?,
            ("define", [_, name, _, term]) => self.define(tree.text(*name), *term),
            ("declare-const", [_, name, sort]) => self.declare(*name, *sort),
            ("declare-fun", [_, name, params, result]) => {
                let params: Vec<&str> =
                    tree.items(*params).iter().map(|&at| tree.text(at)).collect();
                self.scope.declare(tree.text(*name), &params, tree.text(*result));
            }
            // A symbol that stands for a choice.
            ("define-fun", _) => {}
            ("declare-sort" | "declare-type" | "declare-datatype" | "declare-datatypes", _) => {}
            ("set-logic" | "set-info" | "include" | "reference", _) => {}
            _ => return Err(malformed()),
        }
        Ok(())
    }

    /// Names a term, or text if it mentions variables that no binder in it binds.
    fn define(&mut self, name: &'t str, term: At) {
        let text = self.standard(term);
        if self.mentions_variables(term) {
            self.macros.insert(name, limited(text));
            self.open.insert(name);
        } else {
            let term = self.scope.term(&text);
            self.scope.bind(name, term);
        }
    }

    /// Whether a term may mention variables that are bound elsewhere.
    fn mentions_variables(&self, term: At) -> bool {
        let tree = self.tree;
        let mut work = vec![term];
        while let Some(at) = work.pop() {
            if tree.is_atom(at) && self.open.contains(tree.text(at))
                || matches!(tree.head(at), Some("@var" | "@list"))
            {
                return true;
            }
            work.extend(tree.items(at));
        }
        false
    }

    fn declare(&mut self, name: At, sort: At) {
        let tree = self.tree;
        let (params, result) = match (tree.head(sort), tree.items(sort)) {
            (Some("->"), [_, params @ .., result]) => (params.to_vec(), *result),
            _ => (Vec::new(), sort),
        };
        let params: Vec<&str> = params.iter().map(|&at| tree.text(at)).collect();
        self.scope.declare(tree.text(name), &params, tree.text(result));
    }

    fn anchor(&mut self, items: &[At]) -> Result<(), Malformed> {
        let tree = self.tree;
        let closes = tree.keyword(items, ":step").ok_or("an anchor without a step")?;
        let mut level = Level {
            closes: Some(tree.text(closes)),
            hypotheses: Vec::new(),
            hidden: Vec::new(),
            vars: Vec::new(),
        };
        let args = tree.keyword(items, ":args").map_or(&[][..], |args| tree.items(args));
        for &arg in args {
            match tree.items(arg) {
                [mark, variable, value] if tree.text(*mark) == ":=" => {
                    let name = tree.items(*variable).first().unwrap_or(variable);
                    if tree.text(*name) != tree.text(*value) {
                        let value = self.term(*value);
                        let name = tree.text(*name);
                        level.hidden.extend(self.scope.bind(name, value).map(|m| (name, m)));
                    }
                }
                [name, sort] => {
                    let (name, sort_text) = (tree.text(*name), tree.text(*sort));
                    let constant = match self.scope.sort(sort_text) {
                        Some(sort) => Ok(self.scope.fresh(name, sort)),
                        None => Err(format!("sort {sort_text}")),
                    };
                    level.vars.extend(constant.as_ref().ok());
                    level.hidden.extend(self.scope.bind(name, constant).map(|m| (name, m)));
                }
                _ => {}
            }
        }
        self.levels.push(level);
        Ok(())
    }

    fn step(&mut self, name: &'t str, rest: &[At], pops: bool) -> Result<(), Malformed> {
        let tree = self.tree;
        let rule = tree.keyword(rest, ":rule").ok_or_else(|| format!("step {name} has no rule"))?;
        let rule = tree.text(rule);
        let names = tree.keyword(rest, ":premises").map_or(&[][..], |at| tree.items(at));
        let mut premises = Vec::new();
        for &premise in names {
            let text = tree.text(premise);
            let step = self.named.get(text);
            premises.push(
                *step.ok_or_else(|| format!("step {name} mentions {text}, which is no step"))?,
            );
        }
        let closed = match self.levels.last() {
            Some(level) if pops || level.closes == Some(name) => self.levels.pop(),
            _ => None,
        };
        let (mut discharged, mut vars) = (Vec::new(), Vec::new());
        if let Some(level) = closed {
            if !pops {
                // The premise is the last step of the subproof.
                premises.extend(self.proof.steps.len().checked_sub(1));
            }
            for (name, meaning) in level.hidden.into_iter().rev() {
                self.scope.restore(name, meaning);
            }
            discharged = level.hypotheses;
            vars = level.vars;
        }
        let role = match rule {
            _ if !vars.is_empty() => Role::Bind,
            _ if !discharged.is_empty() => Role::Discharge,
            _ if DEFINITIONS.contains(&rule) => Role::Definition,
            _ if TRUSTED.contains(&rule) => Role::Trusted,
            _ => Role::Plain,
        };
        let step = match rest.first() {
            Some(&at) if !tree.text(at).starts_with(':') => {
                self.add(name, rule, premises, at, role)
            }
            _ => {
                let conclusion = self.scoped(rule, &premises, &discharged);
                self.push(name, rule, premises, conclusion, role)
            }
        };
        let step = &mut self.proof.steps[step];
        step.discharged = discharged;
        step.vars = vars;
        Ok(())
    }

    /// The conclusion of a step that is printed without one: a hypothesis implies the premise.
    fn scoped(&mut self, rule: &str, premises: &[usize], discharged: &[usize]) -> Conclusion {
        let formula = |step: &usize| match self.proof.steps[*step].conclusion {
            Conclusion::Formula(formula) => Some(formula),
            _ => None,
        };
        let parts = (premises.first().and_then(formula), discharged.first().and_then(formula));
        let (Some(premise), Some(hypothesis), "scope") = (parts.0, parts.1, rule) else {
            return Conclusion::Unread("a step without a conclusion".to_owned());
        };
        let implied = self.scope.store.op(core::IMPLIES, &[hypothesis, premise]);
        implied.map_or_else(
            |_| Conclusion::Unread("a step without a conclusion".to_owned()),
            Conclusion::Formula,
        )
    }

    fn add(
        &mut self,
        name: &'t str,
        rule: &str,
        premises: Vec<usize>,
        conclusion: At,
        role: Role,
    ) -> usize {
        let tree = self.tree;
        let conclusion = match (tree.head(conclusion), tree.items(conclusion)) {
            (Some("cl"), [_, literals @ ..]) => {
                let literals: Result<Vec<TermId>, Unread> =
                    literals.iter().map(|&at| self.term(at)).collect();
                literals.map_or_else(Conclusion::Unread, Conclusion::Clause)
            }
            _ => Conclusion::of(self.term(conclusion)),
        };
        self.push(name, rule, premises, conclusion, role)
    }

    fn push(
        &mut self,
        name: &'t str,
        rule: &str,
        premises: Vec<usize>,
        conclusion: Conclusion,
        role: Role,
    ) -> usize {
        let step = self.proof.add(rule, premises, conclusion, role);
        name.clone_into(&mut self.proof.steps[step].name);
        self.named.insert(name, step);
        step
    }

    /// A term, whose parts may be given names.
    fn term(&mut self, at: At) -> Read {
        let text = self.standard(at);
        self.scope.term(&text)
    }

    /// A term as standard SMT-LIB. Parts that it names are bound to their names, or, under binders,
    /// written out.
    fn standard(&mut self, at: At) -> String {
        enum Todo {
            Term(At, bool),
            Text(&'static str),
            /// The part that was written since then has a name.
            Named(At, usize, bool),
        }
        let tree = self.tree;
        let mut out = String::new();
        let mut work = vec![Todo::Term(at, false)];
        while let Some(todo) = work.pop() {
            let (at, bound) = match todo {
                Todo::Text(text) => {
                    out += text;
                    continue;
                }
                Todo::Named(name, begin, bound) => {
                    let name = tree.text(name);
                    if bound {
                        self.macros.insert(name, limited(out[begin..].to_owned()));
                    } else {
                        let term = self.scope.term(&out[begin..]);
                        self.scope.bind(name, term);
                        out.truncate(begin);
                        out += name;
                    }
                    continue;
                }
                Todo::Term(at, bound) => (at, bound),
            };
            if tree.is_atom(at) {
                match (tree.text(at), self.macros.get(tree.text(at))) {
                    (_, Some(text)) => out += text,
                    ("@bit_of" | "bit_of" | "@bitOf" | "bitOf", None) => out += "bit2bool",
                    (text, None) => out += text,
                }
                continue;
            }
            let items = tree.items(at);
            match (tree.head(at), items) {
                (Some("!"), [_, inner, key, name]) if tree.text(*key) == ":named" => {
                    work.push(Todo::Named(*name, out.len(), bound));
                    work.push(Todo::Term(*inner, bound));
                    continue;
                }
                (Some("@var"), [_, name, sort]) => {
                    let variable = variable(tree.text(*name), tree.text(*sort));
                    out += &variable;
                    self.sorts.insert(variable, tree.text(*sort).to_owned());
                    continue;
                }
                (Some("@list"), [_, variables @ ..]) => {
                    let named = |at: &At| self.macros.get(tree.text(*at)).cloned();
                    let names: Option<Vec<String>> = variables.iter().map(named).collect();
                    let declared = names.and_then(|names| {
                        let one =
                            |name: &String| Some(format!("({name} {})", self.sorts.get(name)?));
                        names.iter().map(one).collect::<Option<Vec<String>>>()
                    });
                    if let Some(declared) = declared {
                        out += &format!("({})", declared.join(" "));
                        continue;
                    }
                }
                (Some("@from_bools" | "@bbterm" | "bbT" | "bbterm"), [_, bits @ ..])
                    if !bits.is_empty() =>
                {
                    // The first is the least significant.
                    if bits.len() > 1 {
                        out += "(concat";
                        work.push(Todo::Text(")"));
                    }
                    for &bit in bits {
                        work.push(Todo::Text(" #b1 #b0)"));
                        work.push(Todo::Term(bit, bound));
                        work.push(Todo::Text(" (ite "));
                    }
                    continue;
                }
                _ => {}
            }
            let indexed = tree.head(at).and_then(|head| {
                INDEXED.iter().find(|(name, count, _)| *name == head && items.len() > count + 1)
            });
            out.push('(');
            work.push(Todo::Text(")"));
            let rest = match indexed {
                Some((_, count, name)) => {
                    out += &format!("(_ {name}");
                    for &index in &items[1..=*count] {
                        out.push(' ');
                        out += tree.text(index);
                    }
                    out.push(')');
                    &items[1 + count..]
                }
                None => items,
            };
            let bound = bound || matches!(tree.head(at), Some("forall" | "exists" | "lambda"));
            for &item in rest.iter().rev() {
                work.push(Todo::Term(item, bound));
                work.push(Todo::Text(" "));
            }
        }
        out
    }
}

/// The name of a bound variable, which is no constant of the formula, whatever that is called.
fn variable(name: &str, sort: &str) -> String {
    format!("|bound {}|", format!("{} {sort}", name.trim_matches('"')).replace('|', "!"))
}
