//! An equation that holds, and its test case: constants stay, variables are declared, and their
//! values are the witness, which is checked by evaluation.

use crate::operation::Head;
use crate::theory::{Constant, Theory};
use assay_case::{Formula, MakeError, Oracle, Origin, TestCase, Witness, check_model};
use assay_smtlib::{Command, Plain};
use assay_term::theories::core;
use assay_term::{Interpretation, Sort, SortId, Store, TermId, Value};

/// A term to be built.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// A constant of a pool, as written there.
    Constant(Constant),
    /// Some other value.
    Value(Value),
    /// A variable of the equation.
    Variable(usize),
    /// An application.
    Apply(Head, Vec<Tree>),
}

/// An equation that holds if its variables have their values.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub(crate) left: Tree,
    pub(crate) right: Tree,
    pub(crate) variables: Vec<(SortId, Value)>,
    /// The operations in it.
    pub(crate) rules: Vec<String>,
}

impl Equation {
    /// The test case.
    pub(crate) fn into_case(
        self,
        theory: &Theory,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let (mut store, mut env) = (theory.store.clone(), theory.env.clone());
        let (mut script, mut model) = (theory.prelude.clone(), theory.model.clone());
        let mut variables: Vec<(TermId, &str)> = Vec::with_capacity(self.variables.len());
        for (sort, value) in &self.variables {
            let stem = stem(&store, *sort);
            let number = variables.iter().filter(|(_, other)| *other == stem).count();
            let name = format!("{stem}{number}");
            let func = store.declare(&name, &[], *sort);
            if !env.add_declared(&mut store, func) {
                return Err(MakeError::fault(format!(
                    "the prelude declares `{name}`, a variable's name"
                )));
            }
            script.push(Command::DeclareConst(func), 0);
            model.set(func, Interpretation::Value(value.clone()));
            variables.push((store.constant(&name, *sort), stem));
        }
        let sides = [&self.left, &self.right].map(|tree| build(&mut store, tree, &variables));
        let [Some(left), Some(right)] = sides else {
            return Err(MakeError::fault(format!("{name}: a value that cannot be written")));
        };
        let holds = store.op(core::EQ, &[left, right]);
        let holds = holds.map_err(|error| MakeError::fault(store.explain(&error)))?;
        script.push(Command::Assert(holds), 0);
        script.push(Command::CheckSat, 0);
        script.push(Command::Plain(Plain::GetModel), 0);
        let formula = Formula::from_parts(store, script, env);
        let witness = check_model(&formula, model)
            .map_err(|fault| MakeError::fault(format!("{name}: the witness is wrong: {fault}")))?;
        let origin = Origin { rules: self.rules, ..origin };
        TestCase::formula(name, formula, Oracle::Sat(Witness::Checked(witness)), origin)
            .map_err(MakeError::fault)
    }
}

/// Builds the term of a tree. Descriptions bound the depth of a tree, so recursion is safe.
pub(crate) fn build(
    store: &mut Store,
    tree: &Tree,
    variables: &[(TermId, &str)],
) -> Option<TermId> {
    match tree {
        Tree::Constant(constant) => Some(constant.term),
        Tree::Value(value) => store.value(value),
        Tree::Variable(index) => Some(variables[*index].0),
        Tree::Apply(head, args) => {
            let args: Option<Vec<TermId>> =
                args.iter().map(|arg| build(store, arg, variables)).collect();
            store.app_as(head.func, &args?, head.ascribed).ok()
        }
    }
}

/// The prefix of variable names for a sort.
pub(crate) fn stem(store: &Store, sort: SortId) -> &'static str {
    match store.sorts.get(sort) {
        Sort::Bool => "bool",
        Sort::Int => "int",
        Sort::Real => "real",
        Sort::String => "str",
        Sort::RegLan => "re",
        Sort::RoundingMode => "rm",
        Sort::BitVec(_) => "bv",
        Sort::Float(_) => "fp",
        Sort::Array(..) => "arr",
        Sort::Seq(_) => "seq",
        Sort::Fun(..) => "fun",
        Sort::Set(_) => "set",
        Sort::Bag(_) => "bag",
        Sort::Tuple(_) => "tup",
        Sort::Nullable(_) => "opt",
        Sort::FiniteField(_) => "field",
        Sort::Declared(..) | Sort::Param(_) => "x",
    }
}
