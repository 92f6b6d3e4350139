//! Sorts: narrower bit-vectors and floating-point formats, functions of fewer arguments, datatypes
//! with fewer constructors and fields.

use super::recast::{Changes, NewConstructor, Recast};
use crate::search::{Gain, Search, Step};
use crate::state::State;
use assay_smtlib::{Command, DatatypeSyntax};
use assay_term::float::Format;
use assay_term::{Constructor, Datatype, Func, Sort, SortDeclId, SortId, Store};
use rustc_hash::FxHashMap;

/// Narrows bit-vectors and floating-point formats.
pub(crate) fn widths(search: &mut Search<'_>) {
    loop {
        let sorts = leaf_sorts(&search.home, &search.state);
        let mut maps: Vec<FxHashMap<SortId, SortId>> = Vec::new();
        for factor in [16, 8, 4, 2] {
            let scaled = |width: u32| width.div_ceil(factor).max(1);
            let store = &mut search.home;
            let map: FxHashMap<SortId, SortId> = sorts
                .iter()
                .filter_map(|&(sort, shape)| Some((sort, scale(store, shape, scaled)?)))
                .filter(|(old, new)| old != new)
                .collect();
            maps.push(map);
        }
        for &(sort, shape) in &sorts {
            let narrower: &[fn(u32) -> u32] =
                &[|_| 1, |width| width.div_ceil(2), |width| width - 1];
            for narrow in narrower {
                if let Some(new) = scale(&mut search.home, shape, narrow).filter(|&it| it != sort) {
                    maps.push(FxHashMap::from_iter([(sort, new)]));
                }
            }
        }
        maps.retain(|map| !map.is_empty());
        let step = |store: &mut Store, state: &State, at: usize| -> Option<State> {
            let changes = Changes { sorts: maps[at].clone(), ..Changes::default() };
            Recast::new(&changes).state(store, state)
        };
        if search.first_of(maps.len(), &step, Gain::Smaller).is_none() {
            return;
        }
    }
}

#[derive(Clone, Copy)]
enum Leaf {
    Bits(u32),
    Float(Format),
}

fn scale(store: &mut Store, leaf: Leaf, by: impl Fn(u32) -> u32) -> Option<SortId> {
    match leaf {
        Leaf::Bits(width) => Some(store.sorts.bit_vec(by(width))),
        Leaf::Float(format) => {
            let exponent = by(format.exponent_bits()).max(2);
            let significand = by(format.significand_bits()).max(3);
            Some(store.sorts.float(Format::new(exponent, significand)?))
        }
    }
}

/// The bit-vector and floating-point sorts of terms that are larger than the minimum.
fn leaf_sorts(store: &Store, state: &State) -> Vec<(SortId, Leaf)> {
    let mut found = Vec::new();
    for term in store.postorder(&state.roots()) {
        let sort = store.sort(term);
        let leaf = match store.sorts.get(sort) {
            Sort::BitVec(width) if *width > 1 => Leaf::Bits(*width),
            Sort::Float(format) => Leaf::Float(*format),
            _ => continue,
        };
        if !found.iter().any(|&(known, _)| known == sort) {
            found.push((sort, leaf));
        }
    }
    found
}

/// Drops parameters of declared and defined functions.
pub(crate) fn arities(search: &mut Search<'_>) {
    loop {
        let mut steps: Vec<Box<Step<'_>>> = Vec::new();
        for command in &search.state.commands {
            let funcs = match command {
                Command::DeclareFun(func) => vec![*func],
                command => crate::state::definitions(command).iter().map(|it| it.func).collect(),
            };
            for func in funcs {
                let Func::Declared { params, .. } = search.home.func(func) else { continue };
                for gone in 0..params.len() {
                    steps.push(Box::new(move |store, state| {
                        let without = FxHashMap::from_iter([(func, gone)]);
                        let changes = Changes { without, ..Changes::default() };
                        Recast::new(&changes).state(store, state)
                    }));
                }
            }
        }
        if search.first(&steps, Gain::Smaller).is_none() {
            return;
        }
    }
}

/// Drops constructors and fields of datatypes.
pub(crate) fn datatypes(search: &mut Search<'_>) {
    loop {
        let mut steps: Vec<Box<Step<'_>>> = Vec::new();
        for (place, command) in search.state.commands.iter().enumerate() {
            let Command::DeclareDatatypes(group, syntax) = command else { continue };
            if group.len() == 1 && *syntax == DatatypeSyntax::Group {
                let group = group.clone();
                steps.push(Box::new(move |_, state| {
                    let mut commands = state.commands.clone();
                    commands[place] =
                        Command::DeclareDatatypes(group.clone(), DatatypeSyntax::Single);
                    Some(state.with(commands))
                }));
            }
            for (position, &decl) in group.iter().enumerate() {
                let Some(datatype) = &search.home.sorts.decl(decl).datatype else { continue };
                for (at, constructor) in datatype.constructors.iter().enumerate() {
                    let group = group.clone();
                    if datatype.constructors.len() > 1 {
                        let group = group.clone();
                        steps.push(Box::new(move |store, state| {
                            without(store, state, &group, (position, at, None))
                        }));
                    }
                    for field in 0..constructor.fields.len() {
                        let group = group.clone();
                        steps.push(Box::new(move |store, state| {
                            without(store, state, &group, (position, at, Some(field)))
                        }));
                    }
                }
            }
        }
        if search.first(&steps, Gain::Smaller).is_none() {
            return;
        }
    }
}

/// The script without one constructor or field of a datatype in a group.
fn without(
    store: &mut Store,
    state: &State,
    group: &[SortDeclId],
    (position, at, field): (usize, usize, Option<usize>),
) -> Option<State> {
    let gone = |number: usize, constructor: usize, which: Option<usize>| {
        (number, constructor, which) == (position, at, field)
    };
    let mut changes = Changes::default();
    declare(store, group, &mut changes, gone)?;
    // This store now has two datatypes with the same constructors; the new store has only the new
    // one.
    Recast::new(&changes).state(store, state)?.reread(store)
}

/// Redeclares a group of datatypes under their new names, without some constructors (given without
/// a field) and fields.
pub(super) fn declare(
    store: &mut Store,
    group: &[SortDeclId],
    changes: &mut Changes,
    gone: impl Fn(usize, usize, Option<usize>) -> bool,
) -> Option<()> {
    let renamed = |changes: &Changes, name| changes.names.get(&name).copied().unwrap_or(name);
    let old: Vec<Datatype> =
        group.iter().map(|&decl| store.sorts.decl(decl).datatype.clone()).collect::<Option<_>>()?;
    let names: Vec<_> = group
        .iter()
        .map(|&decl| store.sorts.decl(decl))
        .map(|decl| (renamed(changes, decl.name), decl.arity))
        .collect();
    let new = store.sorts.begin_datatypes(&names);
    let moved: FxHashMap<SortDeclId, SortDeclId> =
        group.iter().copied().zip(new.iter().copied()).collect();
    let mut datatypes = Vec::new();
    let mut places = Vec::new();
    for (number, datatype) in old.iter().enumerate() {
        let mut constructors = Vec::new();
        let mut here: Vec<NewConstructor> = Vec::new();
        for (index, constructor) in datatype.constructors.iter().enumerate() {
            if gone(number, index, None) {
                here.push(None);
                continue;
            }
            let mut fields = Vec::new();
            let mut kept = Vec::new();
            for (field, &(name, sort)) in constructor.fields.iter().enumerate() {
                if gone(number, index, Some(field)) {
                    kept.push(None);
                } else {
                    kept.push(Some(fields.len() as u32));
                    fields.push((renamed(changes, name), resettled(store, sort, &moved)));
                }
            }
            here.push(Some((constructors.len() as u32, kept)));
            constructors.push(Constructor { name: renamed(changes, constructor.name), fields });
        }
        places.push(here);
        let (params, codata) = (datatype.params.clone(), datatype.codata);
        datatypes.push(Datatype { params, constructors, codata });
    }
    let settled = store.sorts.finish_datatypes(new, datatypes);
    for ((&old, new), places) in group.iter().zip(settled).zip(places) {
        changes.datatypes.insert(old, (new, places));
    }
    Some(())
}

/// The sort of a field over the new datatypes.
fn resettled(store: &mut Store, sort: SortId, moved: &FxHashMap<SortDeclId, SortDeclId>) -> SortId {
    match store.sorts.get(sort).clone() {
        Sort::Declared(decl, args) => {
            let args = args.iter().map(|&arg| resettled(store, arg, moved)).collect();
            let decl = moved.get(&decl).copied().unwrap_or(decl);
            store.sorts.intern(Sort::Declared(decl, args))
        }
        shape => {
            let parts = shape.parts().into_iter().map(|part| resettled(store, part, moved));
            let parts: Vec<SortId> = parts.collect();
            store.sorts.intern(shape.with_parts(&parts))
        }
    }
}
