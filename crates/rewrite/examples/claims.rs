//! Pipes many simplifications through one process of a solver and reports what differs.
//!
//! `claims DIALECT CLAIMS RNG PARAMETERS PROGRAM [ARGUMENT …]`: parameters such as `som=true,flat=false` or `-`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use assay_mutate::Draw;
use assay_rewrite::{
    Attack, Config, Effort, Generator, Promise, Relation, Request, Subject, attack, read,
};
use assay_smtlib::{Dialect, Printer};
use assay_term::{Interpretation, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

const MARK: &str = "assay-mark";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dialect, claims, rng, how, program, rest @ ..] = arguments.as_slice() else {
        return Err("usage: claims DIALECT CLAIMS RNG HOW PROGRAM [ARGUMENT …]".into());
    };
    let dialect = Dialect::by_name(dialect).ok_or("no such dialect")?;
    let (claims, rng): (u64, u64) = (claims.parse()?, rng.parse()?);
    let request = request(how);
    let seeds = match std::env::var("SEEDS") {
        Ok(folder) => std::fs::read_dir(folder)?.flatten().map(|e| e.path()).collect(),
        Err(_) => Vec::new(),
    };
    let only = std::env::var("ONLY").unwrap_or_default();
    // What the program refuses by itself is left out of terms.
    let mut avoid = FxHashSet::default();
    for _ in 0..2 {
        let generator =
            Generator::new(Config { avoid: avoid.clone(), rng, depth: 1, ..Config::default() })?;
        let parts = generator.parts().len();
        let mut tried: FxHashMap<Op, u32> = FxHashMap::default();
        let subjects: Vec<Subject> = (0..600)
            .flat_map(|index| (0..parts).map(move |part| (part, index)))
            .filter_map(|(part, index)| generator.make(part, index))
            .filter(|subject| {
                let ops = operators(subject);
                ops.len() == 1
                    && ops.into_iter().all(|op| {
                        let count = tried.entry(op).or_default();
                        *count += 1;
                        *count < 6
                    })
            })
            .collect();
        let answers = ask(program, rest, dialect, &subjects, &Request::SIMPLIFY)?;
        let (mut good, mut bad) = (FxHashSet::default(), FxHashSet::default());
        for (subject, answer) in subjects.iter().zip(&answers) {
            let set = if answer.contains("rror") { &mut bad } else { &mut good };
            set.extend(operators(subject));
        }
        avoid.extend(bad.difference(&good).copied());
    }
    let mut names: Vec<&str> = avoid.iter().map(|op: &Op| op.name()).collect();
    names.sort_unstable();
    println!("avoided: {}", names.join(" "));

    let began = Instant::now();
    let generator = Generator::new(Config { avoid, rng, seeds, ..Config::default() })?;
    println!("generator: {:?}", began.elapsed());
    let parts = generator.parts();
    let wanted: Vec<usize> = (0..parts.len())
        .filter(|&p| {
            only.is_empty() || parts[p].group.contains(&only) || parts[p].source.name() == only
        })
        .collect();
    let began = Instant::now();
    let mut made: Vec<(usize, u64, Subject)> = Vec::new();
    for index in 0..claims / wanted.len() as u64 {
        for &part in &wanted {
            if let Some(subject) = generator.make(part, index) {
                if request.suits(&subject)
                    && dialect.refusal(subject.store(), &[subject.term()]).is_none()
                {
                    made.push((part, index, subject));
                }
            }
        }
    }
    println!("made {} in {:?}", made.len(), began.elapsed());
    let began = Instant::now();
    let subjects: Vec<Subject> = made.iter().map(|(_, _, s)| s.clone()).collect();
    let answers = ask(program, rest, dialect, &subjects, &request)?;
    println!("asked in {:?}", began.elapsed());
    let began = Instant::now();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let mut shown: FxHashMap<String, u32> = FxHashMap::default();
    let effort = Effort { last_character: dialect.last_character, ..Effort::default() };
    for ((part, index, subject), answer) in made.iter().zip(&answers) {
        let (mut store, mut env) = subject.scope();
        let claimed = match read(&mut store, &mut env, subject, &request, dialect, answer) {
            Ok(claimed) => claimed,
            Err(skipped) => {
                *counts.entry("skipped".into()).or_default() += 1;
                let mut reason = format!("{skipped}");
                if let Some((_, rest)) = reason.split_once("column ") {
                    reason = rest
                        .trim_start_matches(|c: char| c.is_ascii_digit() || c == ':')
                        .to_owned();
                }
                let e = reasons.entry(reason.chars().take(90).collect()).or_default();
                *e += 1;
                continue;
            }
        };
        let relation = match &request {
            Request::Apply { promise: Promise::Entailed, .. } => Relation::Implies,
            Request::Apply { promise: Promise::Equisatisfiable, .. } if claimed.constant => {
                Relation::Implies
            }
            Request::Apply { promise: Promise::Equisatisfiable, .. } => continue,
            _ => Relation::Equal,
        };
        if store.sort(claimed.term) != store.sort(subject.term()) {
            *reasons.entry("another sort".into()).or_default() += 1;
            continue;
        }
        let terms = [subject.term(), claimed.term];
        let mut draw = Draw::new(&[rng, *index]);
        let at = Instant::now();
        let outcome = attack(&mut store, subject.functions(), terms, relation, effort, &mut draw);
        if at.elapsed().as_millis() > 200 {
            println!(
                "SLOW {:?} {} => {answer}",
                at.elapsed(),
                Printer::new(&store).term(subject.term())
            );
        }
        match outcome {
            Attack::Withstood { decided: 0, unknown: 0, .. } => {
                *counts.entry("same".into()).or_default() += 1
            }
            Attack::Withstood { decided: 0, .. } => {
                *counts.entry("undecided".into()).or_default() += 1
            }
            Attack::Withstood { .. } => *counts.entry("withstood".into()).or_default() += 1,
            Attack::Refuted(difference) => {
                *counts.entry("REFUTED".into()).or_default() += 1;
                let mut ops: Vec<&str> = operators(subject).iter().map(|o| o.name()).collect();
                ops.sort_unstable();
                let seen = shown
                    .entry(format!("{} {}", parts[*part].group, ops.first().unwrap_or(&"")))
                    .or_default();
                *seen += 1;
                if *seen > 3 {
                    continue;
                }
                let printer = Printer::new(&store);
                println!("REFUTED {} {} #{index}", parts[*part].source.name(), parts[*part].group);
                println!("  {}", printer.term(subject.term()));
                println!("  => {}", answer.split_whitespace().collect::<Vec<_>>().join(" "));
                for &func in subject.functions() {
                    if let Some(Interpretation::Value(value)) = difference.assignment.get(func) {
                        println!("  {} = {}", store.func_name(func), shown_value(&store, value));
                    }
                }
                let [left, right] = difference
                    .values
                    .map(|v| v.map(|v| shown_value(&store, &v)).unwrap_or_default());
                println!("  {left} vs {right}");
            }
        }
    }
    println!("attacked in {:?}: {counts:?}", began.elapsed());
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    for (reason, n) in reasons.iter().take(60) {
        println!("  {n:6} {reason}");
    }
    Ok(())
}

fn shown_value(store: &assay_term::Store, value: &assay_term::Value) -> String {
    let mut store = store.clone();
    match store.value(value) {
        Some(term) => Printer::new(&store).term(term),
        None => format!("{value:?}"),
    }
}

fn request(how: &str) -> Request {
    let promise = |name: &str| match name {
        "equivalent" => Promise::Equivalent,
        "entailed" => Promise::Entailed,
        _ => Promise::Equisatisfiable,
    };
    if let Some(tactic) = how.strip_prefix("apply:") {
        let (name, tactic) = tactic.split_once(':').unwrap_or(("equivalent", tactic));
        return Request::Apply { tactic: tactic.into(), promise: promise(name) };
    }
    let parameters = how.split(',').filter_map(|pair| pair.split_once('='));
    Request::Simplify { parameters: parameters.map(|(p, v)| (p.into(), v.into())).collect() }
}

fn operators(subject: &Subject) -> FxHashSet<Op> {
    let store = subject.store();
    let constants = |term: &assay_term::TermId| !store.children(*term).is_empty();
    let parts = store.postorder(&[subject.term()]);
    let ops = parts.iter().filter(|t| constants(t)).filter_map(|&t| store.operator(t));
    ops.map(|(op, _)| op).filter(|op| op.name() != "-" || parts.len() > 2).collect()
}

fn ask(
    program: &str,
    arguments: &[String],
    dialect: Dialect,
    subjects: &[Subject],
    request: &Request,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let prelude = std::env::var("PRELUDE").unwrap_or_default();
    let mut answers = Vec::new();
    let mut deaths = 0;
    while answers.len() < subjects.len() && deaths < 3000 {
        let rest = &subjects[answers.len()..];
        let mut text = prelude.clone();
        for subject in rest {
            text.push_str("(push 1)\n");
            text.push_str(&subject.prelude(dialect));
            text.push_str(&request.text(subject, dialect));
            text.push_str("(pop 1)\n");
            text.push_str(&format!("(echo \"{MARK}\")\n"));
        }
        let more = run(program, arguments, text)?;
        if more.len() <= rest.len() {
            deaths += 1;
            let last = more.last().cloned().unwrap_or_default();
            answers.extend(more);
            if !last.contains("rror") {
                let subject = &rest[answers.len() - (subjects.len() - rest.len()) - 1];
                println!("DIED: {}{}", subject.prelude(dialect), request.text(subject, dialect));
                if let Some(last) = answers.last_mut() {
                    *last = "(error \"died\")".into();
                }
            }
        } else {
            answers.extend(more.into_iter().take(rest.len()));
        }
    }
    Ok(answers)
}

fn run(
    program: &str,
    arguments: &[String],
    text: String,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut child = Command::new("timeout")
        .arg("60")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(text.as_bytes());
    });
    let mut output = Vec::new();
    child.stdout.take().ok_or("no stdout")?.read_to_end(&mut output)?;
    let _ = writer.join();
    child.wait()?;
    let output = String::from_utf8_lossy(&output).into_owned();
    let output = output.replace(&format!("\"{MARK}\""), MARK);
    Ok(output.split(MARK).map(str::to_owned).collect())
}
