//! What the tests of bit-vectors share: definitions of every operator that owe nothing to the
//! implementation, and the comparison of a term's value with them.

pub mod definitions;

use assay_term::bitvec::BitVec;
use assay_term::{Evaluator, Int, Model, Op, Store, TermId, Value};
use definitions::{Meaning, Thing, meaning_of};
use num_bigint::BigInt;

/// Applications waiting to be compared with what the definitions say.
pub struct Cases {
    store: Store,
    waiting: Vec<(TermId, Value)>,
}

impl Cases {
    pub fn new() -> Cases {
        Cases { store: Store::new(), waiting: Vec::new() }
    }

    /// Adds an application. Typing must accept it exactly where the definition has a value for it;
    /// returns whether it did.
    pub fn add(&mut self, op: Op, indices: &[u64], args: &[Thing]) -> bool {
        let Some(meaning) = meaning_of(op.name()) else {
            panic!("{} has no independent definition", op.name())
        };
        let expected = folded(meaning, indices, args);
        let terms: Vec<TermId> = args.iter().map(|arg| self.literal(arg)).collect();
        let built = self.store.op_indexed(op, indices, &terms);
        assert_eq!(
            built.is_ok(),
            expected.is_some(),
            "typing of {} {indices:?} {args:?}: {built:?}",
            op.name()
        );
        if let (Ok(term), Some(expected)) = (built, expected) {
            self.waiting.push((term, value(&expected)));
            return true;
        }
        false
    }

    fn literal(&mut self, thing: &Thing) -> TermId {
        match value(thing) {
            Value::BitVec(bits) => self.store.bit_vec(bits),
            Value::Int(n) => self.store.int(&n),
            other => panic!("no argument is {other:?}"),
        }
    }

    /// Evaluates them all; returns how many there were.
    pub fn check(&self) -> usize {
        let model = Model::new();
        let mut evaluator = Evaluator::new(&self.store, &model);
        for (term, expected) in &self.waiting {
            let got = evaluator.eval(*term);
            assert_eq!(got.as_ref(), Ok(expected), "{}", self.describe(*term));
        }
        self.waiting.len()
    }

    fn describe(&self, term: TermId) -> String {
        let assay_term::Term::App(func, args) = self.store.get(term) else {
            panic!("an application")
        };
        let args: Vec<_> = args.iter().map(|&arg| self.store.get(arg)).collect();
        format!("{} {args:?}", self.store.func_name(func))
    }
}

/// Many arguments to the left, as `:left-assoc` says.
fn folded(meaning: Meaning, indices: &[u64], args: &[Thing]) -> Option<Thing> {
    let Some((first_two, rest)) = args.split_at_checked(2) else {
        return meaning(indices, args);
    };
    let mut total = meaning(indices, first_two)?;
    for arg in rest {
        total = meaning(indices, &[total, arg.clone()])?;
    }
    Some(total)
}

fn value(thing: &Thing) -> Value {
    match thing {
        Thing::Truth(b) => Value::Bool(*b),
        Thing::Number(n) => Value::Int(Int::from(n.clone())),
        Thing::Bits(bits) => {
            let digits: String = bits.iter().rev().map(|&b| if b { '1' } else { '0' }).collect();
            Value::BitVec(BitVec::from_binary(&digits).expect("binary digits"))
        }
    }
}

/// A bit-vector, as the definitions see it.
pub fn vector(width: u32, n: impl Into<BigInt>) -> Thing {
    Thing::Bits(definitions::int2bv(width as usize, &n.into()))
}
