//! Reduces rewriting claims: the target must rewrite the smaller term wrongly too. The judge
//! decides that by evaluation, so the result is as certain as the finding.
//!
//! The inside of a term is reduced as a script that mentions it once: `(assert (claim TERM))`. Its
//! sort and the request are edited here.

use super::answered::{Course, SubjectTester, outside, reduce_answered, tested};
use super::{Job, Reduction, ReductionError, Watch};
use assay_case::RewriteTest;
use assay_case::rewrite::Request;
use assay_reduce::{Candidate, Learnt, Original, ReduceError, ScriptTester, reduce};
use assay_rewrite::with_assignments;
use assay_search::{Counts, Tested, Tester};
use assay_smtlib::{Command, Lets, Printer, read_script};
use assay_term::{Func, SortId, Store, Term, TermId};

/// The predicate that holds a term in a script; the underscores avoid clashes with the term's
/// symbols.
const PREDICATE: &str = "claim";

/// The smallest term that the target still rewrites wrongly.
///
/// Fails if the target does not show a finding, or cannot be run.
pub(crate) fn reduce_claim(
    job: Job<'_>,
    watch: &mut Watch<'_>,
) -> Result<Reduction, ReductionError> {
    reduce_answered(job, watch, smallest)
}

/// Reduces the request and the sort of the term, then its inside, until nothing gets smaller.
fn smallest(
    given: &RewriteTest,
    course: &mut Course<'_, RewriteTest>,
) -> Result<(RewriteTest, Counts), ReductionError> {
    let mut counts = Counts::default();
    let mut test = given.clone();
    for round in 0.. {
        let (outside, done) = outside(test, course, smaller)?;
        test = outside;
        counts += done;
        if round > 0 && done.taken == 0 || (course.stop)() {
            break;
        }
        let Some(script) = script(&test) else { break };
        let original = Original { asks: false, ..Original::new(script) };
        let testers = (0..course.jobs).map(|_| -> ScriptTester<'_> {
            Box::new(Inside { tester: (course.tester)(), request: test.request().clone() })
        });
        let reduced = match reduce(&original, testers.collect(), course.stop, course.progress) {
            Ok(reduced) => reduced,
            // The term within a predicate is printed with other names, which matter to the target.
            Err(ReduceError::Refused(_)) => break,
            Err(error) => return Err(error.into()),
        };
        counts += reduced.counts;
        match claim(&reduced.text, test.request()) {
            Some(smaller) if reduced.counts.taken > 0 => test = smaller,
            _ => break,
        }
    }
    Ok((test, counts))
}

/// The same claim about a part of the term, or with fewer parameters.
fn smaller(test: &RewriteTest) -> Vec<RewriteTest> {
    let (store, request) = (test.store(), test.request());
    let about = |term: TermId, request: Request| {
        with_assignments(RewriteTest::new(store.clone(), term, request))
    };
    let closed = |part: &&TermId| !store.mentions_variables(**part) && request.suits(store, **part);
    let parts = store.children(test.term()).iter().filter(closed);
    let mut edits: Vec<RewriteTest> = parts.map(|&part| about(part, request.clone())).collect();
    if let Request::Simplify { parameters } = request {
        for at in 0..parameters.len() {
            let mut parameters = parameters.clone();
            parameters.remove(at);
            edits.push(about(test.term(), Request::Simplify { parameters }));
        }
    }
    edits
}

/// A script that mentions the term of a claim once; `None` if the term's symbols clash with it.
fn script(test: &RewriteTest) -> Option<String> {
    let mut store = test.store().clone();
    let taken = |name: &String| test.functions().iter().any(|&f| store.func_name(f) == *name);
    let name = (0..test.functions().len() + 1).map(|n| PREDICATE.to_owned() + &"_".repeat(n));
    let name = name.into_iter().find(|name| !taken(name))?;
    let predicate = store.declare(&name, &[store.sort(test.term())], SortId::BOOL);
    let assertion = store.app(predicate, &[test.term()]).ok()?;
    let mut commands = test.declarations();
    commands.extend([Command::DeclareFun(predicate), Command::Assert(assertion)]);
    let printer = Printer::new(&store);
    Some(commands.iter().map(|command| printer.command(command) + "\n").collect())
}

/// The claim about the term in such a script.
fn claim(script: &str, request: &Request) -> Option<RewriteTest> {
    let mut store = Store::new();
    let (script, _) = read_script(&mut store, script.as_bytes(), Lets::Expand).ok()?;
    let asserted = |command: &Command| match command {
        Command::Assert(term) => Some(*term),
        _ => None,
    };
    let mut assertions = script.commands.iter().filter_map(asserted);
    let (assertion, None) = (assertions.next()?, assertions.next()) else { return None };
    let Term::App(func, [term]) = store.get(assertion) else { return None };
    let is_predicate = matches!(store.func(func), Func::Declared { .. });
    let term = *term;
    let test = (is_predicate && request.suits(&store, term))
        .then(|| RewriteTest::new(store, term, request.clone()))?;
    // Only the text is stored, so it must parse to the same claim.
    let again = RewriteTest::read(test.text()).ok()?;
    (again.text() == test.text()).then(|| with_assignments(again))
}

/// Tests scripts that contain the term of a claim.
struct Inside {
    tester: SubjectTester<RewriteTest>,
    request: Request,
}

impl Tester<Candidate, Learnt> for Inside {
    fn test(&mut self, candidate: &Candidate) -> Tested<Learnt> {
        let test = claim(&candidate.text, &self.request);
        tested(test.map_or(Err("it holds no claim".to_owned()), |test| self.tester.shows(&test)))
    }
}
