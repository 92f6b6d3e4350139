//! Targets that contradict each other about cases whose truth nobody knows.

mod puppets;

use assay_campaign::replay::judge_all;
use assay_campaign::{FindingRecord, Results, Stability, Verdict};
use assay_case::{
    Answer, CaseId, Category, Expected, FindingKind, Formula, FormulaTest, Grade, Judgement,
    MakeError, Observation, Oracle, Origin, Selection, Subject, Suite, TestCase, Witness,
};
use assay_target::Mode;
use puppets::{Behaviour, Played, folder, play_suite};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// One formula, many times; its truth is left open.
struct Open(u128);

impl Suite for Open {
    fn name(&self) -> &str {
        "open"
    }

    fn categories(&self) -> Vec<Category> {
        let expected = Expected::Open;
        vec![Category { name: "open".into(), group: "open".into(), expected }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut((0..self.0).map(|index| CaseId { category: 0, index }))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let formula = Formula::read("(declare-const x Int)(assert (> x 4))(check-sat)");
        let origin = Origin { index: id.index, ..Origin::default() };
        let formula = formula.map_err(MakeError::fault)?;
        TestCase::formula(id.index.to_string(), formula, Oracle::Open, origin)
            .map_err(MakeError::fault)
    }
}

fn dispute(folder: &Path, cases: u128, puppets: &[(&str, &Behaviour<'_>)]) -> Played {
    play_suite(folder, &Open(cases), false, &AtomicBool::new(false), puppets)
}

/// The kind, stability and evidence of the finding about a target, if there is one.
fn found(played: &Played, number: u128, target: usize) -> Option<(FindingKind, Stability, String)> {
    let Verdict::Ran { judgement, stability, .. } = played.verdict(number, target) else {
        panic!("it was run");
    };
    let Judgement::Finding(finding) = judgement else { return None };
    assert!(finding.kind != FindingKind::Disagreement || finding.grade == Grade::Declared);
    Some((finding.kind, *stability, finding.evidence.to_string()))
}

fn confirmed(evidence: &str) -> Option<(FindingKind, Stability, String)> {
    Some((FindingKind::Disagreement, Stability::Confirmed, evidence.to_owned()))
}

#[test]
fn two_targets_that_disagree_are_both_reported() {
    let folder = folder();
    let yes = |_, _| Ok(Answer::Sat);
    let no = |n, _| Ok(if n == 1 { Answer::Unsat } else { Answer::Sat });
    let played = dispute(folder.path(), 3, &[("yes@1", &yes), ("no@2", &no)]);
    let evidence = "yes@1 says sat; no@2 says unsat";
    assert_eq!(found(&played, 1, 0), confirmed(evidence));
    assert_eq!(found(&played, 1, 1), confirmed(evidence));
    assert_eq!(played.verdicts.len(), 6);
    for number in [0, 2] {
        assert_eq!((found(&played, number, 0), found(&played, number, 1)), (None, None));
    }
    for total in played.summary.totals() {
        assert_eq!((total.declared.soundness, total.certified.soundness), (1, 0));
        assert_eq!(total.total(), 3);
    }
    let Verdict::Ran { folder: Some(path), .. } = played.verdict(1, 1) else { panic!("a finding") };
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    let record: FindingRecord = serde_json::from_str(&read("finding.json")).expect("a record");
    assert_eq!((record.kind.name(), record.expected.name()), ("disagreement", "open"));
    let other = &record.against[0];
    assert_eq!((other.target.as_str(), other.answer.as_str()), ("yes@1", "sat"));
    let words = read("README.txt");
    assert!(words.contains("  assay replay .\n"), "{words}");
    let results = Results::open(&folder.path().join("results.sqlite")).expect("the store");
    assert_eq!(results.findings().expect("findings").len(), 2);
}

#[test]
fn one_target_against_two_is_reported_alone() {
    let folder = folder();
    let yes = |_, _| Ok(Answer::Sat);
    let no = |_, _| Ok(Answer::Unsat);
    let puppets: [(&str, &Behaviour<'_>); 3] = [("a@1", &yes), ("b@1", &no), ("c@1", &yes)];
    let played = dispute(folder.path(), 1, &puppets);
    assert_eq!(found(&played, 0, 1), confirmed("only b@1 says unsat; a@1, c@1 say sat"));
    assert_eq!((found(&played, 0, 0), found(&played, 0, 2)), (None, None));
}

#[test]
fn targets_without_a_verdict_contradict_no_other() {
    let folder = folder();
    let no = |_, _| Ok(Answer::Unsat);
    let vague = |n, _| {
        Ok(match n {
            0 => Answer::Timeout,
            1 => Answer::Unknown(None),
            2 => Answer::OutOfMemory,
            3 => Answer::Rejected("what?".into()),
            4 => Answer::Garbled("!".into()),
            _ => Answer::Garbled("skip".into()),
        })
    };
    let played = dispute(folder.path(), 6, &[("no@1", &no), ("vague@1", &vague)]);
    assert_eq!(played.verdicts.len(), 12);
    for number in 0..6 {
        assert_eq!(found(&played, number, 0), None);
    }
    assert!(!played.summary.has_findings());
}

#[test]
fn a_disagreement_that_only_a_session_shows_is_not_counted() {
    let folder = folder();
    let yes = |_, _| Ok(Answer::Sat);
    // Wrong only in its session; and one that is too slow on its own.
    let leaky = |_, mode| Ok(if mode == Mode::Session { Answer::Unsat } else { Answer::Sat });
    let played = dispute(folder.path(), 1, &[("yes@1", &yes), ("leaky@1", &leaky)]);
    for target in [0, 1] {
        let verdict = played.verdict(0, target);
        let Verdict::Ran { judgement, stability, answer, .. } = verdict else { panic!("ran") };
        assert_eq!((*stability, answer.name()), (Stability::SessionOnly, "sat"));
        assert!(matches!(judgement, Judgement::Inconclusive(_)), "{judgement:?}");
    }
    let slow = |_, mode| Ok(if mode == Mode::Session { Answer::Unsat } else { Answer::Timeout });
    let folder = self::folder();
    let played = dispute(folder.path(), 1, &[("yes@1", &yes), ("slow@1", &slow)]);
    let [first, second] = played.summary.totals()[..] else { panic!("two targets") };
    assert_eq!((first.certified.soundness, second.certified.soundness), (0, 0));
    assert_eq!((first.declared.soundness, second.declared.soundness), (0, 0));
}

#[test]
fn a_disagreement_that_does_not_repeat_is_unstable() {
    let folder = folder();
    let turns = AtomicU64::new(0);
    let fickle = |_, _| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        Ok(if turn % 2 == 0 { Answer::Unsat } else { Answer::Sat })
    };
    let yes = |_, _| Ok(Answer::Sat);
    let played = dispute(folder.path(), 1, &[("yes@1", &yes), ("fickle@1", &fickle)]);
    let evidence = "yes@1 says sat; fickle@1 says unsat".to_owned();
    let expected = Some((FindingKind::Disagreement, Stability::Unstable, evidence));
    assert_eq!(found(&played, 0, 1), expected);
}

#[test]
fn a_resumed_run_compares_with_stored_answers() {
    let folder = folder();
    let stop = AtomicBool::new(false);
    let yes = |_, _| Ok(Answer::Sat);
    let no = |n, _| {
        if n == 3 {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(Answer::Unsat)
    };
    let puppets: [(&str, &Behaviour<'_>); 2] = [("yes@1", &yes), ("no@1", &no)];
    let mut sittings = 0;
    let mut told = 0;
    loop {
        stop.store(false, Ordering::Relaxed);
        let played = play_suite(folder.path(), &Open(8), sittings > 0, &stop, &puppets);
        told += played.verdicts.len();
        sittings += 1;
        if played.summary.totals().iter().all(|total| total.total() == 8) {
            assert!(played.summary.totals().iter().all(|total| total.declared.soundness == 8));
            break;
        }
        assert!(sittings < 20, "it goes on");
    }
    assert_eq!(told, 16, "nothing is told twice");
}

/// One formula over three bits, of which somebody says that it is satisfiable.
struct Declared(&'static str);

impl Suite for Declared {
    fn name(&self) -> &str {
        "declared"
    }

    fn categories(&self) -> Vec<Category> {
        let expected = Expected::Sat;
        vec![Category { name: "declared".into(), group: "declared".into(), expected }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut([CaseId { category: 0, index: 0 }].into_iter())
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let formula = Formula::read(self.0).map_err(MakeError::fault)?;
        let oracle = Oracle::Sat(Witness::Declared("the seed's own status".into()));
        TestCase::formula("0", formula, oracle, Origin::default()).map_err(MakeError::fault)
    }
}

/// What a campaign says about each target: the finding, or the doubt.
fn told(played: &Played, target: usize) -> String {
    let Verdict::Ran { judgement, stability, .. } = played.verdict(0, target) else {
        panic!("it was run");
    };
    match judgement {
        Judgement::Finding(finding) => format!("{finding} ({})", stability.name()),
        Judgement::Inconclusive(doubt) => format!("inconclusive: {doubt}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_wrong_unsat_is_certified_by_trying_every_assignment() {
    let text = "(declare-const v0 (_ BitVec 3))
        (assert (= #b000 (bvadd (bvshl (bvshl #b111 v0) v0) (bvshl #b111 v0))))(check-sat)";
    let folder = folder();
    let no = |_, _| Ok(Answer::Unsat);
    let played = play_suite(
        folder.path(),
        &Declared(text),
        false,
        &AtomicBool::new(false),
        &[("no@1", &no)],
    );
    let words = "wrong-unsat (certified): the truth is sat, a model that was checked by evaluation \
                 (confirmed)";
    assert_eq!(told(&played, 0), words);
    let total = played.summary.totals()[0];
    assert_eq!((total.certified.soundness, total.declared.soundness), (1, 0));
    let Verdict::Ran { folder: Some(path), .. } = played.verdict(0, 0) else { panic!("a finding") };
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    let record: FindingRecord = serde_json::from_str(&read("finding.json")).expect("a record");
    assert_eq!((record.grade, record.expected), (Some(Grade::Certified), Expected::Sat));
    assert!(read("witness.smt2").contains("v0"), "{}", read("witness.smt2"));
}

/// The file is wrong: who is right is not reported, and who believes the file is.
#[test]
fn a_refuted_declaration_blames_only_targets_that_agree_with_it() {
    let text = "(declare-const v (_ BitVec 3))(assert (= (bvmul v #b010) #b001))(check-sat)";
    let folder = folder();
    let (right, wrong) = (|_, _| Ok(Answer::Unsat), |_, _| Ok(Answer::Sat));
    let played = play_suite(
        folder.path(),
        &Declared(text),
        false,
        &AtomicBool::new(false),
        &[("right@1", &right), ("wrong@1", &wrong)],
    );
    assert_eq!(
        told(&played, 0),
        "inconclusive: mislabelled: none of the 8 assignments satisfies the formula, so sat, declared by the \
         seed's own status, is wrong"
    );
    assert_eq!(
        told(&played, 1),
        "wrong-sat (certified): the truth is unsat, certified by trying all 8 assignments \
         (confirmed)"
    );
    let totals = played.summary.totals();
    assert_eq!((totals[0].certified.soundness, totals[0].declared.soundness), (0, 0));
    assert_eq!((totals[0].inconclusive, totals[1].certified.soundness), (1, 1));
}

/// Different tools contradict the file and none supports it: the file is wrong, not they. Versions of
/// one tool, or a single supporter, settle nothing.
#[test]
fn a_file_that_different_tools_contradict_is_mislabelled() {
    let text = "(declare-const x Int)(assert (> (* x x) 4))(check-sat)";
    let no = |_, _| Ok(Answer::Unsat);
    let yes = |_, _| Ok(Answer::Sat);
    let vague = |_, _| Ok(Answer::Unknown(None));
    let stop = AtomicBool::new(false);
    let play = |puppets: &[(&str, &Behaviour<'_>)]| {
        let folder = folder();
        let played = play_suite(folder.path(), &Declared(text), false, &stop, puppets);
        let soundness: u64 = played
            .summary
            .totals()
            .iter()
            .map(|t| t.certified.soundness + t.declared.soundness)
            .sum();
        (told(&played, 0), soundness)
    };
    let (words, wrong) = play(&[("a@1", &no), ("b@1:fast", &no), ("c@1", &vague)]);
    assert_eq!(
        words,
        "inconclusive: mislabelled: a@1 and b@1:fast agree on unsat and no tool answers sat, so sat, \
         declared by the seed's own status, is wrong"
    );
    assert_eq!(wrong, 0);
    for puppets in [
        &[("a@1", &no as &Behaviour<'_>), ("a@2", &no), ("a@1:fast", &no)][..],
        &[("a@1", &no), ("b@1", &no), ("c@1", &yes)],
        &[("a@1", &no), ("b@1", &vague)],
    ] {
        let (words, wrong) = play(puppets);
        assert!(words.starts_with("wrong-unsat (declared)"), "{words}");
        assert_ne!(wrong, 0);
    }
}

/// The same for one case on several tools, as `replay FILE` runs it.
#[test]
fn replayed_files_can_be_mislabelled_too() {
    let judged = |text: &str, said: &[(&str, Answer)]| {
        let formula = Formula::read(text).expect("the text is a formula");
        let test = FormulaTest::declared(formula).expect("its status fits");
        let case = TestCase::new("file", Subject::Formula(Box::new(test)), Origin::default());
        let seen = |answer: &Answer| Observation::new(answer.clone(), Duration::from_millis(1));
        let seen: Vec<_> = said.iter().map(|(who, answer)| (*who, seen(answer))).collect();
        let seen: Vec<_> = seen.iter().map(|(who, seen)| (*who, seen)).collect();
        let all = judge_all(&case, &seen);
        let findings =
            all.judgements.iter().filter(|one| matches!(one, Judgement::Finding(_))).count();
        (findings, all.refuted.map(|refuted| refuted.to_string()))
    };
    let declare = "(set-info :status sat)(declare-const x Int)";
    let bounded = format!("{declare}(assert (and (> x 3) (< x 4)))(check-sat)");
    let open = format!("{declare}(assert (> (* x x) 4))(check-sat)");
    let one = [("z3@5.4.0", Answer::Unsat)];
    assert_eq!(
        judged(&bounded, &one),
        (
            0,
            Some(
                "the bounds of a constant contradict each other, so sat, declared by the file's \
                  :status, is wrong"
                    .to_owned()
            )
        )
    );
    assert_eq!(judged(&open, &one), (1, None));
    let two = [("z3@5.4.0", Answer::Unsat), ("cvc5", Answer::Unsat), ("cvc4", Answer::Timeout)];
    let (findings, refuted) = judged(&open, &two);
    assert_eq!(findings, 1, "the timeout alone");
    let refuted = refuted.expect("two tools agree");
    assert!(refuted.starts_with("z3@5.4.0 and cvc5 agree on unsat"), "{refuted}");
    let divided = [("z3", Answer::Unsat), ("cvc5", Answer::Unsat), ("cvc4", Answer::Sat)];
    assert_eq!(judged(&open, &divided), (2, None));
}

/// Nothing decides: the finding stays declared, and in a column of its own.
#[test]
fn undecided_findings_stay_declared() {
    let text = "(declare-const x Int)(assert (> x 4))(check-sat)";
    let folder = folder();
    let no = |_, _| Ok(Answer::Unsat);
    let played = play_suite(
        folder.path(),
        &Declared(text),
        false,
        &AtomicBool::new(false),
        &[("no@1", &no)],
    );
    assert!(told(&played, 0).starts_with("wrong-unsat (declared)"), "{}", told(&played, 0));
    let total = played.summary.totals()[0];
    assert_eq!((total.certified.soundness, total.declared.soundness), (0, 1));
    assert!(played.summary.legend().contains("declared:"), "{}", played.summary.legend());
}
