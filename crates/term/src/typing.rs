//! The sort of an application, for every kind of function. Operators have their typing as data in
//! their row; declared functions, constructors, selectors and testers are typed here.

use crate::op::{Expected, Mismatch};
use crate::sort::{Constructor, Sort, SortDeclId, SortId, Sorts};
use crate::term::Func;

/// The sort of `func` applied to arguments of these sorts; `ascribed` is the sort of `(as f sort)`.
pub(crate) fn result_sort(
    func: &Func,
    sorts: &mut Sorts,
    args: &[SortId],
    ascribed: Option<SortId>,
) -> Result<SortId, Mismatch> {
    let sort = any_result_sort(func, sorts, args, ascribed)?;
    if sorts.is_moderate(sort) {
        Ok(sort)
    } else {
        Err(Mismatch::Condition("a result sort of moderate size"))
    }
}

fn any_result_sort(
    func: &Func,
    sorts: &mut Sorts,
    args: &[SortId],
    ascribed: Option<SortId>,
) -> Result<SortId, Mismatch> {
    match func {
        Func::Op(op, indices) => op.typing(sorts, indices, args, ascribed),
        Func::Declared { params, result, .. } => {
            let result = &match exact(params, args) {
                Ok(()) => *result,
                Err(mismatch) => polymorphic(sorts, params, *result, args).ok_or(mismatch)?,
            };
            match ascribed {
                Some(sort) if sort != *result => {
                    Err(Mismatch::Condition("the sort that the symbol was declared with"))
                }
                _ => Ok(*result),
            }
        }
        Func::Constructor(decl, index) => constructed(sorts, *decl, *index, args, ascribed),
        Func::Selector(decl, constructor, field) => {
            count(1, args)?;
            field_sort(sorts, *decl, *constructor, *field, args[0])
        }
        Func::Tester(decl, _) => {
            count(1, args)?;
            of_datatype(sorts, *decl, args[0])?;
            Ok(SortId::BOOL)
        }
        Func::Update(decl, constructor, field) => {
            count(2, args)?;
            let expected = field_sort(sorts, *decl, *constructor, *field, args[0])?;
            exact(&[args[0], expected], args)?;
            Ok(args[0])
        }
    }
}

fn count(expected: usize, args: &[SortId]) -> Result<(), Mismatch> {
    if args.len() == expected {
        Ok(())
    } else {
        Err(Mismatch::Arity { expected, open: false, got: args.len() })
    }
}

fn exact(params: &[SortId], args: &[SortId]) -> Result<(), Mismatch> {
    count(params.len(), args)?;
    match params.iter().zip(args).position(|(p, a)| p != a) {
        None => Ok(()),
        Some(position) => {
            Err(Mismatch::Argument { position, expected: Expected::Sort(params[position]) })
        }
    }
}

/// The result of a function whose signature mentions sort parameters, if the arguments fit.
fn polymorphic(
    sorts: &mut Sorts,
    params: &[SortId],
    result: SortId,
    args: &[SortId],
) -> Option<SortId> {
    if params.len() != args.len() {
        return None;
    }
    let mut names = Vec::new();
    for &param in params {
        sorts.collect_params(param, &mut names);
    }
    let mut binding = vec![None; names.len()];
    let fits = params.iter().zip(args).all(|(&p, &a)| sorts.unify(p, a, &names, &mut binding));
    let bound: Option<Vec<SortId>> = binding.into_iter().collect();
    if names.is_empty() || !fits {
        return None;
    }
    Some(sorts.substitute(result, &names, &bound?))
}

fn of_datatype(sorts: &Sorts, decl: SortDeclId, sort: SortId) -> Result<Box<[SortId]>, Mismatch> {
    match sorts.get(sort) {
        Sort::Declared(id, args) if *id == decl => Ok(args.clone()),
        _ => {
            let expected = match sorts.find(&Sort::Declared(decl, Box::new([]))) {
                Some(sort) => Expected::Sort(sort),
                None => Expected::Kind("a value of the datatype"),
            };
            Err(Mismatch::Argument { position: 0, expected })
        }
    }
}

fn constructor_of(sorts: &Sorts, decl: SortDeclId, index: u32) -> Constructor {
    let datatype = sorts.decl(decl).datatype.as_ref();
    datatype.expect("only datatypes have constructors").constructors[index as usize].clone()
}

fn field_sort(
    sorts: &mut Sorts,
    decl: SortDeclId,
    constructor: u32,
    field: u32,
    owner: SortId,
) -> Result<SortId, Mismatch> {
    let args = of_datatype(sorts, decl, owner)?;
    let field = constructor_of(sorts, decl, constructor).fields[field as usize].1;
    let params = sorts.params(decl);
    Ok(sorts.substitute(field, &params, &args))
}

fn constructed(
    sorts: &mut Sorts,
    decl: SortDeclId,
    index: u32,
    args: &[SortId],
    ascribed: Option<SortId>,
) -> Result<SortId, Mismatch> {
    let fields = constructor_of(sorts, decl, index).fields;
    count(fields.len(), args)?;
    let params = sorts.params(decl);
    let mut binding: Vec<Option<SortId>> = vec![None; params.len()];
    if let Some(sort) = ascribed {
        let given = of_datatype(sorts, decl, sort)
            .map_err(|_| Mismatch::Condition("an ascribed sort of its own datatype"))?;
        binding = given.iter().copied().map(Some).collect();
    }
    for (position, (field, &arg)) in fields.iter().zip(args).enumerate() {
        if !sorts.unify(field.1, arg, &params, &mut binding) {
            let expected = if sorts.mentions(field.1, |s| matches!(s, Sort::Param(_))) {
                Expected::Kind("a sort that agrees with the other arguments")
            } else {
                Expected::Sort(field.1)
            };
            return Err(Mismatch::Argument { position, expected });
        }
    }
    let bound: Option<Box<[SortId]>> = binding.into_iter().collect();
    let bound = bound.ok_or(Mismatch::NeedsAscription)?;
    Ok(sorts.intern(Sort::Declared(decl, bound)))
}
