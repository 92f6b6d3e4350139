//! The text that a target receives for a case.

use crate::needs::{needs, operators};
use crate::resolve::{Ask, Resolved};
use crate::spec::Feature;
use assay_case::{Formula, Oracle, Part, Priority};
use assay_smtlib::{Command, Fragment, Plain, Printer};
use assay_term::{Store, TermId};

/// The requests for a formula with this truth: a model if there is one, a core if there are names,
/// a minimal one if the unique minimal core is known.
#[must_use]
pub fn ask<'a>(target: &Resolved, formula: &Formula, oracle: &Oracle) -> Ask<'a> {
    let has = |feature| target.behaviour.features.contains(&feature);
    let named = formula.assertions().iter().any(|assertion| !assertion.names.is_empty());
    let (sat, unsat, minimal) = match oracle {
        Oracle::Sat(_) | Oracle::Optimum { .. } => (true, false, false),
        Oracle::Unsat { core, .. } => (false, true, core.is_some()),
        Oracle::Open => (true, true, false),
    };
    // A solver need not offer a core of what it proves.
    let proofs = unsat && formula.asks_for_proof() && !target.behaviour.proof_options.is_empty();
    let named = named && !proofs;
    Ask {
        models: sat && has(Feature::Models),
        proofs,
        cores: unsat && named && has(Feature::Cores),
        minimal_cores: unsat && named && minimal && has(Feature::MinimalCores),
        incremental: formula.checks() > 1,
        ..Ask::default()
    }
}

/// The formula in the target's dialect, with all requests; or the reason why the target cannot
/// handle it.
///
/// The case's own information and questions are left out: a `:status` would tell the target the
/// answer. Only options that the target accepts are kept. A formula without a question is checked
/// as a whole.
///
/// # Errors
/// The features or operators that the target lacks, or what its dialect cannot express.
pub fn text(target: &Resolved, formula: &Formula, ask: &Ask<'_>) -> Result<String, String> {
    let script = formula.script();
    let terms = script.terms();
    refusal(target, formula.store(), &script.commands, &terms)?;
    refuse_priority(target, formula, ask)?;
    let printer = Printer::new(formula.store()).dialect(target.behaviour.dialect);
    let mut text = target.prelude(ask);
    ask.options.iter().for_each(|option| text += &format!("{option}\n"));
    // A target may reject operators beyond the declared logic.
    let needed = Fragment::of(formula.store(), &script.commands, &terms);
    let logic = script.logic().map(|declared| needed.logic(declared));
    if let Some(logic) = target.logic(logic) {
        text += &format!("(set-logic {logic})\n");
    }
    let queries: String = parts(formula, ask).into_iter().map(query).collect();
    let mut checks = 0;
    for command in script.commands.iter().filter(|command| is_kept(command)) {
        match command {
            // A tactic is specific to one solver; the question is for all.
            Command::Query(_) => text += "(check-sat)",
            _ => text += &printer.command(command),
        }
        text.push('\n');
        checks += usize::from(command.is_check());
        if asks_for_front(formula) && command.is_check() && checks < formula.checks() {
            text += &queries;
        }
    }
    if formula.checks() == 0 {
        text += "(check-sat)\n";
    }
    if !asks_for_front(formula) {
        text += &queries;
    }
    Ok(text)
}

/// Whether the formula asks for the points of a Pareto front, one after the other. Each `sat` is a
/// point; after the last question nothing is asked, because there should be no other point.
fn asks_for_front(formula: &Formula) -> bool {
    formula.priority() == Priority::Pareto && formula.checks() > 1
}

fn query(part: Part) -> &'static str {
    match part {
        Part::Model => "(get-model)\n",
        Part::Objectives => "(get-objectives)\n",
        Part::Core => "(get-unsat-core)\n",
        Part::Proof => "(get-proof)\n",
    }
}

/// A target that does not take the option for another priority would be asked something else.
fn refuse_priority(target: &Resolved, formula: &Formula, ask: &Ask<'_>) -> Result<(), String> {
    let priority = formula.priority();
    let is_taken = ask.options.iter().any(|option| option.contains(Priority::OPTION));
    let matters = !formula.objectives().is_empty();
    match priority {
        Priority::Box | Priority::Pareto if matters && !is_taken => {
            Err(format!("{} does not offer the priority `{}`", target.name, priority.word()))
        }
        _ => Ok(()),
    }
}

/// Whether the target supports these commands and terms.
///
/// # Errors
/// The features or operators that the target lacks, or what its dialect cannot express.
pub fn refusal(
    target: &Resolved,
    store: &Store,
    commands: &[Command],
    terms: &[TermId],
) -> Result<(), String> {
    let missing: Vec<&str> = needs(store, commands, terms)
        .difference(&target.behaviour.features)
        .map(|feature| feature.name())
        .collect();
    if !missing.is_empty() {
        return Err(format!("{} does not offer {}", target.name, missing.join(", ")));
    }
    let unknown = &target.behaviour.without_operators;
    let unknown: Vec<&str> = if unknown.is_empty() {
        Vec::new()
    } else {
        operators(store, terms).intersection(unknown).map(|op| op.name()).collect()
    };
    if !unknown.is_empty() {
        return Err(format!("{} does not know {}", target.name, unknown.join(", ")));
    }
    target.behaviour.dialect.refusal(store, terms).map_or(Ok(()), Err)
}

/// The questions after the last `check-sat`, in order.
#[must_use]
pub fn parts(formula: &Formula, ask: &Ask<'_>) -> Vec<Part> {
    let objectives = ask.models && !formula.objectives().is_empty();
    let all = [
        (ask.models, Part::Model),
        (objectives, Part::Objectives),
        (ask.cores, Part::Core),
        (ask.proofs, Part::Proof),
    ];
    all.into_iter().filter_map(|(asked, part)| asked.then_some(part)).collect()
}

fn is_kept(command: &Command) -> bool {
    match command {
        Command::SetLogic(_)
        | Command::SetInfo(_)
        | Command::GetValue(_)
        | Command::Echo(_)
        | Command::GetInfo(_)
        | Command::GetOption(_) => false,
        Command::SetOption(option) => option.keyword == ":global-declarations",
        Command::Query(_) => command.is_check(),
        Command::Plain(plain) => matches!(plain, Plain::Reset | Plain::ResetAssertions),
        _ => true,
    }
}
