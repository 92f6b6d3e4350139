//! Functions with a specification that a known solution satisfies.

use crate::draft::Draft;
use assay_horn::is_number;
use assay_mutate::Draw;
use assay_term::theories::{core, ints};
use assay_term::{Replacements, SortId, TermId};
use std::fmt::Write;

/// How a function is specified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// By an equation, or by bounds that meet.
    Defined,
    /// By some of its values.
    Examples,
    /// By properties that several functions may have.
    Properties,
}

/// The function and its constraints, in the text of a task.
pub(crate) fn draw(draft: &mut Draft<'_>, shape: Shape) -> Option<()> {
    let arity = 1 + draft.draw.below(2);
    let sorts: Vec<SortId> = (0..arity).map(|_| draft.words.sort(draft.draw)).collect();
    let result = draft.words.sort(draft.draw);
    let params: Vec<TermId> =
        sorts.iter().enumerate().map(|(at, &sort)| draft.symbol(&format!("p{at}"), sort)).collect();
    let depth = 1 + draft.draw.below(2) as u32;
    let body = draft.words.term(&mut draft.store, draft.draw, result, &params, depth);
    let grammar = draft.draw.one_in(2).then(|| grammar(draft, &params, body));
    let shown: String = params
        .iter()
        .enumerate()
        .map(|(at, &param)| format!("(p{at} {})", draft.store.sort_name(draft.store.sort(param))))
        .collect::<Vec<_>>()
        .join(" ");
    let result_name = draft.store.sort_name(result);
    let known = format!("((define-fun f ({shown}) {result_name} {}))", draft.shown(body));
    draft.text.insert_str(0, &format!("(set-info :solution {known})\n"));
    let grammar = grammar.unwrap_or_default();
    draft.line(&format!("(synth-fun f ({shown}) {result_name}{grammar})"));
    let function = draft.store.declare("f", &sorts, result);
    let mut variables = Vec::new();
    if shape != Shape::Examples {
        for (at, &sort) in sorts.iter().enumerate() {
            let sort_name = draft.store.sort_name(sort);
            draft.line(&format!("(declare-var v{at} {sort_name})"));
            variables.push(draft.symbol(&format!("v{at}"), sort));
        }
    }
    let mut about = Constraint { params: &params, body, function };
    let constraints = match shape {
        Shape::Examples => about.examples(draft, &sorts)?,
        Shape::Defined => about.definition(draft, &variables)?,
        Shape::Properties => about.properties(draft, &variables)?,
    };
    for constraint in constraints {
        let line = format!("(constraint {})", draft.shown(constraint));
        draft.line(&line);
    }
    draft.line("(check-synth)");
    Some(())
}

/// What constraints are made of.
struct Constraint<'c> {
    params: &'c [TermId],
    body: TermId,
    function: assay_term::FuncId,
}

impl Constraint<'_> {
    /// The function and its known result on these arguments.
    fn both(&mut self, draft: &mut Draft<'_>, args: &[TermId]) -> Option<[TermId; 2]> {
        let mut by = Replacements::from_iter(self.params.iter().copied().zip(args.iter().copied()));
        let right = draft.store.replaced(self.body, &mut by).ok()?;
        Some([draft.store.app(self.function, args).ok()?, right])
    }

    fn definition(&mut self, draft: &mut Draft<'_>, variables: &[TermId]) -> Option<Vec<TermId>> {
        let [left, right] = self.both(draft, variables)?;
        Some(match is_number(&draft.store, left) && draft.draw.one_in(2) {
            true => vec![draft.op(ints::LE, &[left, right]), draft.op(ints::GE, &[left, right])],
            false => vec![draft.op(core::EQ, &[left, right])],
        })
    }

    fn examples(&mut self, draft: &mut Draft<'_>, sorts: &[SortId]) -> Option<Vec<TermId>> {
        let mut examples = Vec::new();
        for _ in 0..2 + draft.draw.below(4) {
            let args: Vec<TermId> = sorts
                .iter()
                .map(|&sort| match is_number_sort(sort) {
                    true => draft.small(sort),
                    false => draft.words.constant(&mut draft.store, draft.draw, sort),
                })
                .collect();
            let [left, right] = self.both(draft, &args)?;
            examples.push(draft.op(core::EQ, &[left, right]));
        }
        Some(examples)
    }

    /// Weaker forms of the definition: under a condition, as a bound, or about two calls.
    fn properties(&mut self, draft: &mut Draft<'_>, variables: &[TermId]) -> Option<Vec<TermId>> {
        let [left, right] = self.both(draft, variables)?;
        let mut properties = Vec::new();
        for _ in 0..1 + draft.draw.below(2) {
            let condition = draft.formula(variables);
            let equation = draft.op(core::EQ, &[left, right]);
            properties.push(match draft.draw.below(3) {
                0 if is_number(&draft.store, left) => {
                    let op = [ints::LE, ints::GE][draft.draw.below(2)];
                    draft.op(op, &[left, right])
                }
                1 => {
                    let sort = draft.store.sort(left);
                    let other = draft.words.constant(&mut draft.store, draft.draw, sort);
                    let second = draft.op(core::EQ, &[left, other]);
                    draft.op(core::OR, &[equation, second])
                }
                _ => draft.op(core::IMPLIES, &[condition, equation]),
            });
        }
        Some(properties)
    }
}

fn is_number_sort(sort: SortId) -> bool {
    matches!(sort, SortId::INT | SortId::REAL)
}

/// A grammar with every operation of the vocabulary and what the known solution needs.
fn grammar(draft: &mut Draft<'_>, params: &[TermId], body: TermId) -> String {
    let first = draft.store.sort(body);
    let mut sorts = vec![first];
    for &sort in &draft.words.sorts {
        if !sorts.contains(&sort) {
            sorts.push(sort);
        }
    }
    if !sorts.contains(&SortId::BOOL) {
        sorts.push(SortId::BOOL);
    }
    let name = |sort: SortId, sorts: &[SortId]| {
        sorts.iter().position(|&s| s == sort).map(|at| format!("N{at}"))
    };
    let values: Vec<TermId> = draft
        .store
        .postorder(&[body])
        .into_iter()
        .filter(|&part| draft.store.children(part).is_empty() && !params.contains(&part))
        .collect();
    let (mut names, mut rules) = (String::new(), String::new());
    for (at, &sort) in sorts.iter().enumerate() {
        let sort_name = draft.store.sort_name(sort);
        let mut productions: Vec<String> = Vec::new();
        let leaves = params.iter().chain(&values).filter(|&&leaf| draft.store.sort(leaf) == sort);
        productions.extend(leaves.map(|&leaf| draft.shown(leaf)));
        productions.extend(constant(draft, sort));
        for maker in draft.words.makers.iter().filter(|maker| maker.result == sort) {
            let args: Option<Vec<String>> =
                maker.args.iter().map(|&arg| name(arg, &sorts)).collect();
            let Some(args) = args else { continue };
            let head = draft.store.func_name(maker.func);
            productions.push(match args.is_empty() {
                true => head,
                false => format!("({head} {})", args.join(" ")),
            });
        }
        productions.dedup();
        let mut seen = Vec::new();
        productions.retain(|p| {
            !seen.contains(p) && {
                seen.push(p.clone());
                true
            }
        });
        write!(names, "(N{at} {sort_name}) ").expect("text can be written");
        write!(rules, "(N{at} {sort_name} ({})) ", productions.join(" "))
            .expect("text can be written");
    }
    format!(" ({}) ({})", names.trim_end(), rules.trim_end())
}

/// A constant, so that every sort has a term.
fn constant(draft: &mut Draft<'_>, sort: SortId) -> Option<String> {
    let mut own = Draw::new(&[0]);
    let term = draft.words.constant(&mut draft.store, &mut own, sort);
    Some(draft.shown(term))
}
