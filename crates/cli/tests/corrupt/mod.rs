//! Proofs as data: read from z3's and cvc5's text, corrupted in one place, and printed again.

use std::collections::HashMap;

/// A text in parentheses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tree {
    Atom(String),
    List(Vec<Tree>),
}

impl Tree {
    /// The expressions in a text. Symbols in bars and strings do not occur in these proofs.
    pub fn all(text: &str) -> Vec<Tree> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut open: Vec<Vec<Tree>> = vec![Vec::new()];
        for word in spaced.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let items = open.pop().expect("an open list");
                    open.last_mut().expect("balanced").push(Tree::List(items));
                }
                atom => open.last_mut().expect("balanced").push(Tree::Atom(atom.to_owned())),
            }
        }
        open.pop().expect("the roots")
    }

    pub fn items(&self) -> &[Tree] {
        match self {
            Tree::Atom(_) => &[],
            Tree::List(items) => items,
        }
    }

    pub fn head(&self) -> &str {
        match self.items() {
            [Tree::Atom(head), ..] => head,
            _ => "",
        }
    }

    /// The same with terms in place of names.
    fn expanded(&self, names: &HashMap<String, Tree>) -> Tree {
        match self {
            Tree::Atom(name) => names.get(name).cloned().unwrap_or_else(|| self.clone()),
            Tree::List(items) => Tree::List(items.iter().map(|it| it.expanded(names)).collect()),
        }
    }

    /// The places of all parts, each as the way from the top.
    fn places(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new()];
        for (at, item) in self.items().iter().enumerate() {
            found.extend(item.places().into_iter().map(|rest| [vec![at], rest].concat()));
        }
        found
    }

    fn at(&self, place: &[usize]) -> &Tree {
        place.iter().fold(self, |tree, &at| &tree.items()[at])
    }

    fn with(&self, place: &[usize], part: Tree) -> Tree {
        let [first, rest @ ..] = place else { return part };
        let mut items = self.items().to_vec();
        items[*first] = items[*first].with(rest, part);
        Tree::List(items)
    }
}

impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tree::Atom(atom) => f.write_str(atom),
            Tree::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "({})", items.join(" "))
            }
        }
    }
}

/// A step. Its premises are earlier steps.
#[derive(Clone, Debug)]
pub struct Step {
    /// The command of cvc5, or the rule of z3.
    pub head: String,
    /// The rule of cvc5.
    rule: String,
    pub premises: Vec<usize>,
    /// `None` for a step of cvc5 that discharges a hypothesis and is printed without one.
    conclusion: Option<Tree>,
    /// The hypothesis that it discharges.
    hypothesis: Option<usize>,
}

impl Step {
    pub fn is_assumption(&self) -> bool {
        ["asserted", "assume"].contains(&&*self.head)
    }

    /// Whether it states a hypothesis.
    pub fn is_hypothesis(&self) -> bool {
        ["hypothesis", "assume-push"].contains(&&*self.head)
    }
}

/// The proof of a solver.
#[derive(Clone, Debug)]
pub struct Proof {
    pub steps: Vec<Step>,
    is_z3: bool,
}

impl Proof {
    pub fn read(text: &str) -> Proof {
        let trees = Tree::all(text);
        let all = trees.iter().flat_map(Tree::items).chain(&trees);
        match all.clone().find(|tree| tree.head() == "proof") {
            Some(proof) => {
                let mut reader = Z3::default();
                reader.read(&proof.items()[1]);
                Proof { steps: reader.steps, is_z3: true }
            }
            None => Proof { steps: cvc5(all), is_z3: false },
        }
    }

    /// What a step concludes.
    pub fn conclusion(&self, at: usize) -> Tree {
        let step = &self.steps[at];
        match (&step.conclusion, step.hypothesis) {
            (Some(conclusion), _) => conclusion.clone(),
            (None, Some(hypothesis)) => Tree::List(vec![
                Tree::Atom("=>".to_owned()),
                self.conclusion(hypothesis),
                self.conclusion(step.premises[0]),
            ]),
            (None, None) => panic!("step {at} concludes nothing"),
        }
    }

    /// Whether it ends with `false`.
    pub fn ends(&self) -> bool {
        self.conclusion(self.steps.len() - 1) == Tree::Atom("false".to_owned())
    }

    pub fn print(&self) -> String {
        let name = |at: usize| format!("@p{at}");
        let mut text = String::new();
        for (at, Step { head, rule, premises, conclusion, .. }) in self.steps.iter().enumerate() {
            let names: Vec<String> = premises.iter().map(|&premise| name(premise)).collect();
            let names = names.join(" ");
            let conclusion = conclusion.as_ref().map_or(String::new(), ToString::to_string);
            text += &match (self.is_z3, rule.is_empty()) {
                (true, _) => format!("(let (({} ({head} {names} {conclusion})))\n", name(at)),
                (false, true) => format!("({head} {} {conclusion})\n", name(at)),
                (false, false) => {
                    let name = name(at);
                    format!("({head} {name} {conclusion} :rule {rule} :premises ({names}))\n")
                }
            };
        }
        match self.is_z3 {
            true => {
                let last = name(self.steps.len() - 1);
                format!("((proof\n{text}{last}{}))", ")".repeat(self.steps.len()))
            }
            false => format!("(\n{text})"),
        }
    }

    /// Every proof that differs from this in one place, with the kind of the change and the number of the
    /// changed step.
    pub fn corrupted(&self) -> Vec<(&'static str, usize, Proof)> {
        let mut found = Vec::new();
        let mut plant = |what, at: usize, step: Step| {
            let mut proof = self.clone();
            proof.steps[at] = step;
            found.push((what, at, proof));
        };
        for (at, step) in self.steps.iter().enumerate() {
            if let Some(conclusion) = &step.conclusion {
                for place in conclusion.places() {
                    for (what, part) in changes(conclusion.at(&place)) {
                        let what = if step.is_assumption() { "assumption" } else { what };
                        let conclusion = Some(conclusion.with(&place, part));
                        plant(what, at, Step { conclusion, ..step.clone() });
                    }
                }
            }
            let premises = if step.hypothesis.is_some() { 0 } else { step.premises.len() };
            for premise in 0..premises {
                let mut fewer = step.premises.clone();
                fewer.remove(premise);
                plant("premise dropped", at, Step { premises: fewer, ..step.clone() });
                let mut other = step.premises.clone();
                other[premise] = (other[premise] + 1) % at;
                plant("premise swapped", at, Step { premises: other, ..step.clone() });
            }
        }
        let mut shorter = self.clone();
        shorter.steps.pop();
        let last = shorter.steps.len() - 1;
        found.push(("last step", last, shorter));
        found
    }
}

/// Other operators and constants in place of one.
fn changes(part: &Tree) -> Vec<(&'static str, Tree)> {
    const OPERATORS: [(&str, &str); 10] = [
        ("<", "<="),
        ("<=", "<"),
        (">", ">="),
        (">=", "<="),
        ("=", "distinct"),
        ("and", "or"),
        ("or", "and"),
        ("+", "-"),
        ("bvadd", "bvsub"),
        ("bvult", "bvule"),
    ];
    let Tree::Atom(atom) = part else { return Vec::new() };
    let operator = OPERATORS.iter().find(|(old, _)| old == atom);
    let operator = operator.map(|(_, new)| ("operator", Tree::Atom((*new).to_owned())));
    let number = atom.parse::<i64>().ok().filter(|&number| number >= 0);
    let number = number.map(|number| ("constant", Tree::Atom((number + 1).to_string())));
    let truth = (atom == "false").then(|| ("constant", Tree::Atom("true".to_owned())));
    operator.into_iter().chain(number).chain(truth).collect()
}

/// Reads the nested `let`s of z3.
#[derive(Default)]
struct Z3 {
    steps: Vec<Step>,
    terms: HashMap<String, Tree>,
    proofs: HashMap<String, usize>,
}

impl Z3 {
    fn read(&mut self, tree: &Tree) -> usize {
        if let Tree::Atom(name) = tree {
            return self.proofs[name];
        }
        if let ("let", [_, bindings, body]) = (tree.head(), tree.items()) {
            for binding in bindings.items() {
                let [Tree::Atom(name), value] = binding.items() else { panic!("{binding}") };
                if name.starts_with('@') {
                    let step = self.read(value);
                    self.proofs.insert(name.clone(), step);
                } else {
                    let term = value.expanded(&self.terms);
                    self.terms.insert(name.clone(), term);
                }
            }
            return self.read(body);
        }
        let [head, premises @ .., conclusion] = tree.items() else { panic!("{tree}") };
        let premises = premises.iter().map(|premise| self.read(premise)).collect();
        let conclusion = Some(conclusion.expanded(&self.terms));
        let (head, rule) = (head.to_string(), String::new());
        self.steps.push(Step { head, rule, premises, conclusion, hypothesis: None });
        self.steps.len() - 1
    }
}

/// Reads the commands of cvc5.
fn cvc5<'t>(commands: impl Iterator<Item = &'t Tree>) -> Vec<Step> {
    let mut terms: HashMap<String, Tree> = HashMap::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut steps = Vec::new();
    let mut open = Vec::new();
    for command in commands {
        let items = command.items();
        let head = command.head().to_owned();
        match &*head {
            "define" => {
                let term = items[3].expanded(&terms);
                terms.insert(items[1].to_string(), term);
            }
            "assume" | "assume-push" | "step" | "step-pop" => {
                let after = |key: &str| {
                    let at = items.iter().position(|item| item.to_string() == key);
                    at.map(|at| &items[at + 1])
                };
                let premises = after(":premises").map_or(&[][..], Tree::items);
                let premises = premises.iter().map(|it| names[&it.to_string()]).collect();
                let rule = after(":rule").map_or(String::new(), ToString::to_string);
                let conclusion = &items[2];
                let has_one = !conclusion.to_string().starts_with(':');
                let conclusion = has_one.then(|| conclusion.expanded(&terms));
                names.insert(items[1].to_string(), steps.len());
                let hypothesis = if head == "step-pop" { open.pop() } else { None };
                if head == "assume-push" {
                    open.push(steps.len());
                }
                steps.push(Step { head, rule, premises, conclusion, hypothesis });
            }
            _ => {}
        }
    }
    steps
}
