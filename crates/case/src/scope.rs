//! What of a script is in force at its last `check-sat`, levels respected: definitions and
//! objectives. (Assertions the script itself knows.)
//!
//! A name may be defined anew after a `pop`; evaluating with the wrong definition would turn into
//! a false alarm.

use crate::formula::{Goal, Objective};
use crate::number::number;
use assay_smtlib::{Command, Definition, Environment, Plain, Script, Setting, read_term};
use assay_term::theories::{core, ints};
use assay_term::{AttributeValue, Evaluator, Func, Interpretation, Model, Store, Term, TermId};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Whether a command asks for a verdict.
pub(crate) fn is_check(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
}

fn until_last_check(script: &Script) -> &[Command] {
    let last = script.commands.iter().rposition(is_check);
    &script.commands[..last.map_or(script.commands.len(), |at| at + 1)]
}

/// Items that live as long as the level they were made on.
struct Levels<T> {
    depth: u64,
    /// Level and item; levels ascend.
    items: Vec<(u64, T)>,
}

impl<T> Levels<T> {
    fn new() -> Levels<T> {
        Levels { depth: 0, items: Vec::new() }
    }

    fn add(&mut self, item: T) {
        self.items.push((self.depth, item));
    }

    fn follow(&mut self, command: &Command) {
        match command {
            Command::Push(n) => self.depth += u64::from(*n),
            Command::Pop(n) => {
                self.depth = self.depth.saturating_sub(u64::from(*n));
                let alive = self.items.partition_point(|(level, _)| *level <= self.depth);
                self.items.truncate(alive);
            }
            _ => {}
        }
    }

    fn in_force(self) -> impl Iterator<Item = T> {
        self.items.into_iter().map(|(_, item)| item)
    }
}

fn ends_scopes(command: &Command) -> bool {
    matches!(command, Command::Pop(_) | Command::Plain(Plain::Reset | Plain::ResetAssertions))
}

/// The definitions in force, those that `:named` makes included.
pub(crate) fn definitions(store: &mut Store, script: &Script) -> Model {
    if !script.commands.iter().any(ends_scopes) {
        return script.definitions.clone();
    }
    let mut levels = Levels::new();
    let mut kept = Vec::new();
    let mut global = false;
    for command in until_last_check(script) {
        levels.follow(command);
        match command {
            Command::Plain(Plain::Reset) => {
                (levels, kept, global) = (Levels::new(), Vec::new(), false);
            }
            Command::Plain(Plain::ResetAssertions) if !global => levels = Levels::new(),
            Command::SetOption(Setting { keyword, value }) if keyword == ":global-declarations" => {
                global = value.as_deref() == Some("true");
            }
            _ => {}
        }
        for definition in made_by(store, command) {
            if global {
                kept.push(definition);
            } else {
                levels.add(definition);
            }
        }
    }
    let mut model = Model::new();
    for Definition { func, params, body } in kept.into_iter().chain(levels.in_force()) {
        model.set(func, Interpretation::Definition { params, body });
    }
    model
}

fn made_by(store: &mut Store, command: &Command) -> Vec<Definition> {
    let mut found: Vec<Definition> = match command {
        Command::DefineFun(definition)
        | Command::DefineConst(definition)
        | Command::DefineFunRec(definition) => vec![definition.clone()],
        Command::DefineFunsRec(definitions) => definitions.clone(),
        _ => Vec::new(),
    };
    let roots: Vec<TermId> = match command {
        Command::Assert(term)
        | Command::AssertSoft { term, .. }
        | Command::Minimize(term, _)
        | Command::Maximize(term, _) => vec![*term],
        Command::CheckSatAssuming(terms) | Command::GetValue(terms) => terms.clone(),
        _ => found.iter().map(|definition| definition.body).collect(),
    };
    let mut named = Vec::new();
    for term in store.postorder(&roots) {
        if let Term::Annotated(inner, attributes) = store.get(term) {
            named.extend(attributes.iter().filter_map(|attribute| match attribute.value {
                AttributeValue::Name(name) => Some((name, inner)),
                _ => None,
            }));
        }
    }
    for (name, body) in named {
        let result = store.sort(body);
        let func = store.intern_func(Func::Declared { name, params: Box::new([]), result });
        found.push(Definition { func, params: Box::new([]), body });
    }
    found
}

/// The objectives in force. Soft assertions of one group are one objective.
pub(crate) fn objectives(
    store: &mut Store,
    env: &mut Environment,
    script: &Script,
) -> Vec<Objective> {
    let mut levels = Levels::new();
    for command in until_last_check(script) {
        levels.follow(command);
        match command {
            Command::Plain(Plain::Reset | Plain::ResetAssertions) => levels = Levels::new(),
            Command::Minimize(term, _) => levels.add(Part::Term(Goal::Minimize, *term)),
            Command::Maximize(term, _) => levels.add(Part::Term(Goal::Maximize, *term)),
            Command::AssertSoft { term, attributes } => {
                let group = attribute(attributes, ":id").unwrap_or_default();
                let group = group.trim_matches('|').to_owned();
                let cost = penalty(store, env, *term, attributes);
                levels.add(Part::Soft(group, cost));
            }
            _ => {}
        }
    }
    let mut objectives: Vec<Objective> = Vec::new();
    for part in levels.in_force() {
        let (group, cost) = match part {
            Part::Term(goal, term) => {
                objectives.push(Objective { goal, group: None, cost: Some(term) });
                continue;
            }
            Part::Soft(group, cost) => (group, cost),
        };
        let known = objectives.iter_mut().find(|o| o.group.as_ref() == Some(&group));
        match known {
            Some(objective) => {
                objective.cost = match (objective.cost, cost) {
                    (Some(sum), Some(more)) => store.op(ints::ADD, &[sum, more]).ok(),
                    _ => None,
                };
            }
            None => {
                objectives.push(Objective { goal: Goal::Minimize, group: Some(group), cost });
            }
        }
    }
    objectives
}

enum Part {
    Term(Goal, TermId),
    Soft(String, Option<TermId>),
}

fn attribute<'a>(attributes: &'a [Setting], keyword: &str) -> Option<&'a str> {
    attributes.iter().find(|a| a.keyword == keyword)?.value.as_deref()
}

/// What a soft assertion costs: nothing where it holds, its weight where it fails.
fn penalty(
    store: &mut Store,
    env: &mut Environment,
    term: TermId,
    attributes: &[Setting],
) -> Option<TermId> {
    let known = |a: &Setting| [":weight", ":id"].contains(&a.keyword.as_str());
    if !attributes.iter().all(known) {
        return None;
    }
    let weight = read_term(store, env, attribute(attributes, ":weight").unwrap_or("1")).ok()?;
    let nothing = Model::new();
    let weight = number(&Evaluator::new(store, &nothing).eval(weight).ok()?)?;
    // Solvers disagree about what a negative weight adds to the sum.
    if weight.is_negative() {
        return None;
    }
    let (zero, weight) = (store.real(&BigRational::zero()), store.real(&weight));
    store.op(core::ITE, &[term, zero, weight]).ok()
}
