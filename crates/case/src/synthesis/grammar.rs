//! Whether a grammar generates the body of a function.

use super::test::{SynthesisTest, Wanted, parts};
use crate::formula::Formula;
use crate::rewrite::list;
use assay_term::theories::ints;
use assay_term::{SortId, Store, Term, TermId};
use rustc_hash::FxHashMap;

/// The right side of a rule.
enum Production {
    /// `(Constant sort)`: any value of the sort.
    AnyValue(SortId),
    /// `(Variable sort)`: any parameter of the sort.
    AnyParameter(SortId),
    /// A term over nonterminals and parameters.
    Pattern(TermId),
}

/// Whether the grammar of a function generates this body over these parameters; `None` if it has no
/// grammar, or one that cannot be read.
pub(crate) fn generates(
    test: &SynthesisTest,
    wanted: &Wanted,
    params: &[[String; 2]],
    body: &str,
) -> Option<bool> {
    let [_, rules] = wanted.grammar.as_ref()?;
    if params != wanted.params {
        return None;
    }
    let rules: Vec<[&str; 3]> = parts(rules)?
        .into_iter()
        .map(|rule| parts(rule)?.try_into().ok())
        .collect::<Option<_>>()?;
    let is_constant = |line: &&str| !line.starts_with("(declare-const");
    let mut text: String = test
        .declarations()
        .lines()
        .filter(is_constant)
        .map(|line| line.to_owned() + "\n")
        .collect();
    let nonterminals = rules.iter().map(|[name, sort, _]| (*name, *sort));
    let own = params.iter().map(|[name, sort]| (name.as_str(), sort.as_str()));
    for (name, sort) in own.chain(nonterminals) {
        text += &format!("(declare-const {name} {sort})\n");
    }
    // Equations tell the reader each term; a rule stands for its nonterminal.
    let mut said = 0;
    let mut say = |term: &str| {
        text += &format!("(assert (= {term} {term}))\n");
        said += 1;
        said - 1
    };
    let root = say(body);
    let mut own: Vec<usize> = params.iter().map(|[name, _]| say(name)).collect();
    let mut sides = Vec::new();
    for [name, _, productions] in &rules {
        let nonterminal = say(name);
        for production in parts(productions)? {
            let side = match (list(production, "Constant"), list(production, "Variable")) {
                (Some(_), _) => Err(true),
                (_, Some(_)) => Err(false),
                _ => Ok(say(production)),
            };
            sides.push((nonterminal, side));
        }
    }
    let formula = Formula::read(text).ok()?;
    let store = formula.store();
    let term = |at: usize| store.children(formula.assertions()[at].term).first().copied();
    let own = own.drain(..).map(term).collect::<Option<Vec<_>>>()?;
    let mut grammar: Vec<(TermId, Production)> = Vec::new();
    for (nonterminal, side) in sides {
        let nonterminal = term(nonterminal)?;
        let sort = store.sort(nonterminal);
        grammar.push((
            nonterminal,
            match side {
                Ok(at) => Production::Pattern(term(at)?),
                Err(true) => Production::AnyValue(sort),
                Err(false) => Production::AnyParameter(sort),
            },
        ));
    }
    let first = grammar.first()?.0;
    let root = term(root)?;
    Some(derived(store, &grammar, &own, root).contains(&(first, root)))
}

/// Which nonterminals generate which parts of a term.
fn derived(
    store: &Store,
    grammar: &[(TermId, Production)],
    own: &[TermId],
    root: TermId,
) -> rustc_hash::FxHashSet<(TermId, TermId)> {
    let nonterminals: FxHashMap<TermId, ()> = grammar.iter().map(|(name, _)| (*name, ())).collect();
    let mut derived = rustc_hash::FxHashSet::default();
    for part in store.postorder(&[root]) {
        // A rule that is only another nonterminal may need what a later rule gives.
        loop {
            let before = derived.len();
            for (nonterminal, production) in grammar {
                let fits = match production {
                    Production::AnyValue(sort) => {
                        store.sort(part) == *sort && is_value(store, part)
                    }
                    Production::AnyParameter(sort) => {
                        store.sort(part) == *sort && own.contains(&part)
                    }
                    Production::Pattern(pattern) => matches(store, *pattern, part, |name, part| {
                        nonterminals.contains_key(&name).then(|| derived.contains(&(name, part)))
                    }),
                };
                if fits {
                    derived.insert((*nonterminal, part));
                }
            }
            if derived.len() == before {
                break;
            }
        }
    }
    derived
}

/// Whether a term is an instance of a pattern. `generated` knows whether a nonterminal generates a part,
/// and which names are nonterminals.
fn matches(
    store: &Store,
    pattern: TermId,
    term: TermId,
    generated: impl Fn(TermId, TermId) -> Option<bool>,
) -> bool {
    let mut open = vec![(pattern, term)];
    while let Some((pattern, term)) = open.pop() {
        match generated(pattern, term) {
            Some(true) => continue,
            Some(false) => return false,
            None if pattern == term => continue,
            None => {}
        }
        let (Term::App(f, args), Term::App(g, parts)) = (store.get(pattern), store.get(term))
        else {
            return false;
        };
        if f != g || args.len() != parts.len() {
            return false;
        }
        open.extend(args.iter().copied().zip(parts.iter().copied()));
    }
    true
}

/// Whether a term is a value as it is written.
fn is_value(store: &Store, term: TermId) -> bool {
    let negated = match store.operator(term) {
        Some((ints::SUB, &[inner])) => inner,
        _ => term,
    };
    matches!(store.get(negated), Term::Literal(_)) || matches!(store.operator(term), Some((_, [])))
}
