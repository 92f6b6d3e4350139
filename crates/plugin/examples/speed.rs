//! What the tester costs beside the library under test.
//!
//! ```text
//! cargo run --release -p assay-plugin --example speed -- FOLDER [DOMAIN...]
//! ```
//!
//! FOLDER has the libraries of APRON or PPL. Each domain is searched as a worker does it: inputs are
//! drawn, decoded, written as a heartbeat, and tried. The calls of the library that this makes are
//! recorded, and made again in a plain loop that does nothing else: no copy of an element is made,
//! nothing is decoded, drawn or compared. Both are told in checks per second of processor time; the
//! last column is what part of the plain loop's speed the tester has.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use assay_lattice::{
    Constraint, Domain, Engine, Linear, Profile, Search, Tester, TraceOptions, Truth, decode,
    laws_for,
};
use assay_plugin::{Apron, Ppl, Variables};
use std::cell::RefCell;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// A call of the library; elements are numbers.
enum Call {
    Top(usize),
    Bottom(usize),
    Leq(usize, usize),
    Eq(usize, usize),
    IsBottom(usize),
    IsTop(usize),
    Join(usize, usize),
    Meet(usize, usize),
    Widen(usize, usize),
    Narrow(usize, usize),
    Assign(usize, usize, Linear),
    Project(usize, usize),
    Guard(usize, Constraint),
    Close(usize),
    Copy(usize),
    Drop(usize),
}

#[derive(Default)]
struct Log {
    calls: Vec<Call>,
    elements: usize,
}

/// A domain that writes down how it is used.
struct Recorder<'d, D>(&'d D, Rc<RefCell<Log>>);

struct Recorded<E> {
    inner: E,
    number: usize,
    log: Rc<RefCell<Log>>,
}

impl<E: Clone> Clone for Recorded<E> {
    fn clone(&self) -> Self {
        made(&self.log, self.inner.clone(), Call::Copy(self.number))
    }
}

impl<E> Drop for Recorded<E> {
    fn drop(&mut self) {
        self.log.borrow_mut().calls.push(Call::Drop(self.number));
    }
}

fn made<E>(log: &Rc<RefCell<Log>>, inner: E, call: Call) -> Recorded<E> {
    let mut open = log.borrow_mut();
    open.calls.push(call);
    let number = open.elements;
    open.elements += 1;
    Recorded { inner, number, log: Rc::clone(log) }
}

impl<D: Domain> Recorder<'_, D> {
    fn asked(&self, call: Call) {
        self.1.borrow_mut().calls.push(call);
    }
}

impl<D: Domain> Domain for Recorder<'_, D> {
    type Element = Recorded<D::Element>;

    fn profile(&self) -> &Profile {
        Domain::profile(self.0)
    }
    fn top(&self, dimensions: usize) -> Self::Element {
        made(&self.1, self.0.top(dimensions), Call::Top(dimensions))
    }
    fn bottom(&self, dimensions: usize) -> Self::Element {
        made(&self.1, self.0.bottom(dimensions), Call::Bottom(dimensions))
    }
    fn leq(&self, x: &Self::Element, y: &Self::Element) -> Truth {
        self.asked(Call::Leq(x.number, y.number));
        self.0.leq(&x.inner, &y.inner)
    }
    fn eq(&self, x: &Self::Element, y: &Self::Element) -> Truth {
        self.asked(Call::Eq(x.number, y.number));
        self.0.eq(&x.inner, &y.inner)
    }
    fn is_bottom(&self, x: &Self::Element) -> Truth {
        self.asked(Call::IsBottom(x.number));
        self.0.is_bottom(&x.inner)
    }
    fn is_top(&self, x: &Self::Element) -> Truth {
        self.asked(Call::IsTop(x.number));
        self.0.is_top(&x.inner)
    }
    fn join(&self, x: &Self::Element, y: &Self::Element) -> Self::Element {
        made(&self.1, self.0.join(&x.inner, &y.inner), Call::Join(x.number, y.number))
    }
    fn meet(&self, x: &Self::Element, y: &Self::Element) -> Self::Element {
        made(&self.1, self.0.meet(&x.inner, &y.inner), Call::Meet(x.number, y.number))
    }
    fn widen(&self, x: &Self::Element, y: &Self::Element) -> Self::Element {
        made(&self.1, self.0.widen(&x.inner, &y.inner), Call::Widen(x.number, y.number))
    }
    fn narrow(&self, x: &Self::Element, y: &Self::Element) -> Self::Element {
        made(&self.1, self.0.narrow(&x.inner, &y.inner), Call::Narrow(x.number, y.number))
    }
    fn assign(&self, x: &Self::Element, variable: usize, sum: &Linear) -> Self::Element {
        let call = Call::Assign(x.number, variable, sum.clone());
        made(&self.1, self.0.assign(&x.inner, variable, sum), call)
    }
    fn project(&self, x: &Self::Element, variable: usize) -> Self::Element {
        made(&self.1, self.0.project(&x.inner, variable), Call::Project(x.number, variable))
    }
    fn guard(&self, x: &Self::Element, constraint: &Constraint) -> Self::Element {
        let call = Call::Guard(x.number, constraint.clone());
        made(&self.1, self.0.guard(&x.inner, constraint), call)
    }
    fn close(&self, x: &Self::Element) -> Self::Element {
        made(&self.1, self.0.close(&x.inner), Call::Close(x.number))
    }
    fn remembers(&self) -> bool {
        self.0.remembers()
    }
    fn approximated(&self) -> bool {
        self.0.approximated()
    }
    fn show(&self, _: &Self::Element) -> String {
        String::new()
    }
}

/// Makes the calls, and nothing else.
fn replay<D: Domain>(domain: &D, log: &Log) {
    let mut elements: Vec<Option<Rc<D::Element>>> = Vec::with_capacity(log.elements);
    for call in &log.calls {
        let x = |at: usize| elements[at].as_deref().expect("it was made before");
        let new = match call {
            Call::Top(dimensions) => domain.top(*dimensions),
            Call::Bottom(dimensions) => domain.bottom(*dimensions),
            Call::Join(a, b) => domain.join(x(*a), x(*b)),
            Call::Meet(a, b) => domain.meet(x(*a), x(*b)),
            Call::Widen(a, b) => domain.widen(x(*a), x(*b)),
            Call::Narrow(a, b) => domain.narrow(x(*a), x(*b)),
            Call::Assign(a, variable, sum) => domain.assign(x(*a), *variable, sum),
            Call::Project(a, variable) => domain.project(x(*a), *variable),
            Call::Guard(a, constraint) => domain.guard(x(*a), constraint),
            Call::Close(a) => domain.close(x(*a)),
            Call::Copy(a) => {
                let same = elements[*a].clone();
                elements.push(same);
                continue;
            }
            other => {
                match other {
                    Call::Leq(a, b) => drop(domain.leq(x(*a), x(*b))),
                    Call::Eq(a, b) => drop(domain.eq(x(*a), x(*b))),
                    Call::IsBottom(a) => drop(domain.is_bottom(x(*a))),
                    Call::IsTop(a) => drop(domain.is_top(x(*a))),
                    Call::Drop(a) => elements[*a] = None,
                    _ => unreachable!("the others make elements"),
                }
                continue;
            }
        };
        elements.push(Some(Rc::new(new)));
    }
}

fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// How long each of the two is measured.
const SPAN: Duration = Duration::from_secs(5);

fn measure<D: Domain>(name: &str, domain: &D, engine: Engine) {
    let config = TraceOptions::preset("C2").expect("it is a preset");
    let heartbeat = tempfile::tempfile().expect("there is room for a file");
    let mut search =
        Search::new(domain, config.clone(), engine.inputs(&config, 7).expect("it is our own"), &[]);
    let laws = laws_for(domain, &[]);
    let shape = Domain::profile(domain).shape;
    let (mut ours, mut plain) = (Duration::ZERO, Duration::ZERO);
    while ours < SPAN {
        let mut tried = Vec::new();
        let begun = cpu();
        for _ in 0..100 {
            let hit = search.step_after(|input| {
                tried.push(input.to_vec());
                heartbeat.write_all_at(input, 0)
            });
            let _ = hit.expect("the heartbeat is written");
        }
        ours += cpu() - begun;
        let logs: Vec<Log> = tried
            .iter()
            .map(|input| {
                let log = Rc::new(RefCell::new(Log::default()));
                let recorder = Recorder(domain, Rc::clone(&log));
                let case = decode(input, shape, &config, &laws);
                let _ = recorder.run(&case, &mut Default::default());
                log.take()
            })
            .collect();
        let begun = cpu();
        logs.iter().for_each(|log| replay(domain, log));
        plain += cpu() - begun;
    }
    let rate = |time: Duration| search.tally.checked as f64 / time.as_secs_f64();
    println!(
        "| {name} | {} | {:.0} | {:.0} | {:.0} % |",
        engine.name(),
        rate(ours),
        rate(plain),
        100.0 * plain.as_secs_f64() / ours.as_secs_f64()
    );
}

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = words.next().expect("the first argument is the folder of the libraries");
    let folder = Path::new(&folder);
    let mut names: Vec<String> = words.collect();
    if names.is_empty() {
        names = ["apron/boxD", "apron/octD", "apron/polkaMPQ"].map(str::to_owned).to_vec();
    }
    println!("| domain | engine | checks per second | plain loop | part |");
    println!("|---|---|--:|--:|--:|");
    for name in names {
        for engine in [Engine::Random, Engine::Guided] {
            match name.split_once('/') {
                Some(("apron", own)) => match Apron::load(Some(folder), own, Variables::Reals) {
                    Ok(domain) => measure(&name, &domain, engine),
                    Err(error) => println!("{name}: {error}"),
                },
                Some(("ppl", own)) => match Ppl::load(Some(folder), own) {
                    Ok(domain) => measure(&name, &domain, engine),
                    Err(error) => println!("{name}: {error}"),
                },
                _ => println!("{name} is none of apron/… and ppl/…"),
            }
        }
    }
}
