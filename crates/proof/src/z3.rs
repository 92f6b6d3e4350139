//! Proofs as z3 prints them: one term of nested `let`s, in which each rule is applied to proofs of
//! its premises and, last, to its conclusion.

use crate::proof::{Conclusion, Proof, Role};
use crate::scope::{Read, Scope};
use crate::tree::{At, Tree};
use assay_smtlib::Meaning;
use assay_term::TermId;
use rustc_hash::FxHashMap;

/// Why a text is not a proof.
pub(crate) type Malformed = String;

/// What is left to do.
enum Work<'t> {
    /// Read a proof.
    Read(At),
    /// Name the proof that was read last.
    Name(&'t str),
    /// Name a term.
    Term(&'t str, At),
    /// Apply a rule to the proofs that were read last.
    Apply(At),
    /// Leave the scope of bound variables, and generalize the proof that was read last.
    Leave(Vec<(&'t str, Meaning)>, Vec<TermId>),
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    scope: &'a mut Scope,
    proof: Proof,
    /// Steps by the names that `let` gives them.
    named: FxHashMap<&'t str, usize>,
    /// Functions from bound variables to proofs, by name.
    functions: FxHashMap<&'t str, At>,
    work: Vec<Work<'t>>,
    done: Vec<usize>,
}

/// Whether a text is a proof in this format.
pub(crate) fn is_proof(tree: &Tree<'_>) -> bool {
    body(tree).is_some()
}

/// The body of `(proof body)`, which may stand after declarations.
fn body(tree: &Tree<'_>) -> Option<At> {
    let inside = tree.roots.iter().flat_map(|&root| tree.items(root)).copied();
    let mut all = tree.roots.iter().copied().chain(inside);
    let proof = all.find(|&at| tree.head(at) == Some("proof"))?;
    tree.items(proof).get(1).copied()
}

/// Reads a proof.
///
/// # Errors
/// What is not understood.
pub(crate) fn read(tree: &Tree<'_>, scope: &mut Scope) -> Result<Proof, Malformed> {
    let body = body(tree).ok_or("expected `(proof …)`")?;
    for &root in &tree.roots {
        for &item in tree.items(root) {
            if let (Some("declare-fun"), [_, name, params, result]) =
                (tree.head(item), tree.items(item))
            {
                let params: Vec<&str> =
                    tree.items(*params).iter().map(|&at| tree.text(at)).collect();
                scope.declare(tree.text(*name), &params, tree.text(*result));
            }
        }
    }
    let mut reader = Reader {
        tree,
        scope,
        proof: Proof::default(),
        named: FxHashMap::default(),
        functions: FxHashMap::default(),
        work: vec![Work::Read(body)],
        done: Vec::new(),
    };
    while let Some(work) = reader.work.pop() {
        reader.take(work)?;
    }
    reader.proof.last = reader.done.pop();
    Ok(reader.proof)
}

impl<'t> Reader<'_, 't> {
    fn take(&mut self, work: Work<'t>) -> Result<(), Malformed> {
        match work {
            Work::Read(at) => return self.read(at),
            Work::Name(name) => {
                let step = self.done.pop().ok_or("a name without a proof")?;
                self.named.insert(name, step);
            }
            Work::Term(name, at) => {
                let term = self.scope.term(self.tree.text(at));
                self.scope.bind(name, term);
            }
            Work::Apply(at) => return self.apply(at),
            Work::Leave(hidden, vars) => {
                for (name, meaning) in hidden.into_iter().rev() {
                    self.scope.restore(name, meaning);
                }
                let inner = self.done.pop().ok_or("a binder without a proof")?;
                let step = self.proof.add("proof-bind", vec![inner], Conclusion::None, Role::Bind);
                self.proof.steps[step].vars = vars;
                self.done.push(step);
            }
        }
        Ok(())
    }

    /// Begins to read a proof: a name, a `let`, or a rule with its premises.
    fn read(&mut self, at: At) -> Result<(), Malformed> {
        let tree = self.tree;
        let text = tree.text(at);
        if tree.is_atom(at) {
            let step = self.named.get(text);
            let step = *step.ok_or_else(|| format!("`{text}` is not a step"))?;
            self.done.push(step);
            return Ok(());
        }
        match (tree.head(at), tree.items(at)) {
            (Some("let"), [_, bindings, body]) => {
                self.work.push(Work::Read(*body));
                for &binding in tree.items(*bindings).iter().rev() {
                    let [name, value] = tree.items(binding) else {
                        return Err("a binding has a name and a value".to_owned());
                    };
                    self.binding(tree.text(*name), *value);
                }
            }
            (Some("proof-bind"), [_, function]) => self.enter(*function)?,
            (_, [_, premises @ .., _]) => {
                self.work.push(Work::Apply(at));
                self.work.extend(premises.iter().rev().map(|&premise| Work::Read(premise)));
            }
            _ => return Err(format!("`{}` is not a step", crate::proof::shorten(text))),
        }
        Ok(())
    }

    fn binding(&mut self, name: &'t str, value: At) {
        let is_function = self.tree.head(value) == Some("lambda");
        if name.starts_with('@') {
            self.work.push(Work::Name(name));
            self.work.push(Work::Read(value));
        } else if is_function {
            self.functions.insert(name, value);
            self.work.push(Work::Term(name, value));
        } else {
            self.work.push(Work::Term(name, value));
        }
    }

    /// Enters the scope of a function from bound variables to a proof.
    fn enter(&mut self, function: At) -> Result<(), Malformed> {
        let tree = self.tree;
        let named = self.functions.get(tree.text(function)).copied();
        let function = named.unwrap_or(function);
        let [_, variables, body] = tree.items(function) else {
            return Err("expected a function from variables to a proof".to_owned());
        };
        let (mut hidden, mut vars) = (Vec::new(), Vec::new());
        for &variable in tree.items(*variables) {
            let [name, sort] = tree.items(variable) else {
                return Err("a variable has a name and a sort".to_owned());
            };
            let (name, sort_text) = (tree.text(*name), tree.text(*sort));
            let constant = match self.scope.sort(sort_text) {
                Some(sort) => Ok(self.scope.fresh(name, sort)),
                None => Err(format!("sort {sort_text}")),
            };
            vars.extend(constant.as_ref().ok());
            hidden.extend(self.scope.bind(name, constant).map(|meaning| (name, meaning)));
        }
        self.work.push(Work::Leave(hidden, vars));
        self.work.push(Work::Read(*body));
        Ok(())
    }

    /// Adds the step of a rule whose premises have been read.
    fn apply(&mut self, at: At) -> Result<(), Malformed> {
        let tree = self.tree;
        let (rule, parameters) = tree.rule(at).ok_or("a step has no rule")?;
        let items = tree.items(at);
        let premises = self.done.split_off(self.done.len() - (items.len() - 2));
        let conclusion = tree.text(items[items.len() - 1]);
        let role = match rule {
            "asserted" | "goal" => Role::Assumed,
            "hypothesis" => Role::Hypothesis,
            "lemma" => Role::Discharge,
            // Symbols that the step introduces make it true.
            "sk" | "skolemize" | "intro-def" => Role::Definition,
            "th-lemma" if parameters.len() < 2 => Role::Trusted,
            _ => Role::Plain,
        };
        let term: Read = self.scope.term(&equated(conclusion));
        let mut rule = rule.to_owned();
        if rule == "th-lemma" {
            for &parameter in parameters.iter().take(2) {
                rule += " ";
                rule += tree.text(parameter);
            }
        }
        let step = self.proof.add(&rule, premises, Conclusion::of(term), role);
        self.done.push(step);
        Ok(())
    }
}

/// A conclusion with `=` in place of `~`, which relates formulas that are equal, or equal for a
/// choice of the symbols that a step with [`Role::Definition`] introduces.
fn equated(text: &str) -> String {
    match text.strip_prefix("(~") {
        Some(rest) => format!("(={rest}"),
        None => text.to_owned(),
    }
}
