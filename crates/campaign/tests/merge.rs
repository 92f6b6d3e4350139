//! Divided campaigns, joined again: lost, repeated and contradicting parts.

mod puppets;

use assay_campaign::{
    Drawn, FindingRecord, Header, MergeError, Merged, Outcome, RESULTS, Results, Stop, list_cases,
    merge,
};
use assay_case::{Answer, CaseId, Selection, Shard, Suite};
use puppets::{Behaviour, Numbers, folder, play_part, record};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const CASES: u128 = 101;
const PARTS: u64 = 8;

/// Wrong about every tenth number, slow with every seventh.
fn answer(n: u128) -> Answer {
    match n {
        n if n % 10 == 3 => Answer::Unsat,
        n if n % 7 == 1 => Answer::Timeout,
        _ => Answer::Sat,
    }
}

fn shard(index: u64) -> Shard {
    Shard { index, of: PARTS }
}

fn play(folder: &Path, shard: Option<Shard>, behaviour: &Behaviour<'_>) {
    let going = AtomicBool::new(false);
    let puppets: [(&str, &Behaviour<'_>); 2] =
        [("puppet@1", behaviour), ("puppet@2", &|_, _| Ok(Answer::Sat))];
    let played = play_part(folder, &Numbers(CASES), shard, (false, &going), &puppets);
    assert_eq!(played.stop, Ok(Stop::Finished));
}

/// All parts in folders of their own.
fn play_parts(root: &Path) -> Vec<PathBuf> {
    let part = |index| {
        let folder = root.join(format!("part-{index}"));
        play(&folder, Some(shard(index)), &|n, _| Ok(answer(n)));
        folder
    };
    (0..PARTS).map(part).collect()
}

/// The files of a campaign's findings, without the time that each took.
fn findings(campaign: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for folder in fs::read_dir(campaign.join("findings")).expect("findings") {
        let folder = folder.expect("an entry").path();
        for file in fs::read_dir(&folder).expect("a finding") {
            let file = file.expect("an entry").path();
            let name = file.strip_prefix(campaign).expect("it is within").display().to_string();
            files.insert(name, fs::read_to_string(&file).expect("text"));
        }
    }
    files
}

/// What is stored, without times.
fn rows(campaign: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(campaign.join(RESULTS)).expect("a store");
    let query = "SELECT target || ' ' || ordinal || ' ' || category || ' ' || number || ' ' ||
                        outcome || ' ' || shows || ' ' || ifnull(kind, '') || ' ' ||
                        ifnull(stability, '') || ' ' || ifnull(detail, '')
                 FROM result ORDER BY target, ordinal";
    let mut statement = connection.prepare(query).expect("a query");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("text")
}

fn assert_equal(one: &Path, other: &Path) {
    assert_eq!(rows(one), rows(other));
    assert_eq!(findings(one), findings(other));
    let open = |folder: &Path| Results::open(&folder.join(RESULTS)).expect("a store");
    let (one, other) = (open(one), open(other));
    assert_eq!(one.summary().expect("a table"), other.summary().expect("a table"));
    assert_eq!(one.header().expect("a header"), other.header().expect("a header"));
    assert_eq!(one.finished().expect("an end"), other.finished().expect("an end"));
}

fn joined(parts: &[PathBuf], out: &Path) -> Merged {
    merge(parts, out, false).expect("they are parts of one campaign")
}

fn refusal(parts: &[PathBuf], out: &Path) -> MergeError {
    let refused = merge(parts, out, false).err().expect("they cannot be joined");
    assert!(!out.exists(), "nothing is left behind");
    assert!(!out.with_extension("merging").exists(), "nothing is left behind");
    refused
}

#[test]
fn merged_shards_equal_one_whole_run() {
    let root = folder();
    let whole = root.path().join("whole");
    play(&whole, None, &|n, _| Ok(answer(n)));
    let mut parts = play_parts(root.path());
    let out = root.path().join("joined");
    let merged = joined(&parts, &out);
    assert_eq!((merged.parts, merged.repeated, merged.settled.len()), (8, 0, 0));
    assert_equal(&out, &whole);
    let finding = FindingRecord::read(&out.join("findings/000013-puppet-1")).expect("a finding");
    assert_eq!(finding.campaign.shard(), Shard::WHOLE, "it is a finding of the whole");

    // In any order, and with parts that came twice.
    parts.reverse();
    let again = root.path().join("again");
    play(&again, Some(shard(2)), &|n, _| Ok(answer(n)));
    parts.push(again);
    let out = root.path().join("repeated");
    let merged = joined(&parts, &out);
    assert_eq!((merged.repeated, merged.settled.len()), (26, 0), "13 cases on two targets");
    assert_equal(&out, &whole);
}

#[test]
fn missing_shards_are_named_and_can_be_added_later() {
    let root = folder();
    let whole = root.path().join("whole");
    play(&whole, None, &|n, _| Ok(answer(n)));
    let mut parts = play_parts(root.path());
    let lost = parts.remove(5);
    // Killed in the middle: begun, but not finished.
    let stop = AtomicBool::new(false);
    let seen = AtomicU64::new(0);
    let dying = |n, _| {
        if seen.fetch_add(1, Ordering::Relaxed) == 5 {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(answer(n))
    };
    let killed = root.path().join("killed");
    let right = |_: u128, _: assay_target::Mode| Ok(Answer::Sat);
    let puppets: [(&str, &Behaviour<'_>); 2] = [("puppet@1", &dying), ("puppet@2", &right)];
    let played = play_part(&killed, &Numbers(CASES), Some(shard(1)), (false, &stop), &puppets);
    assert_eq!(played.stop, Ok(Stop::Interrupted));
    parts[1] = killed;
    // Dead before it began.
    let empty = root.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    parts.push(empty.clone());

    let out = root.path().join("joined");
    let MergeError::Incomplete(missing) = refusal(&parts, &out) else { panic!("it is incomplete") };
    assert_eq!(missing.absent, [shard(5)]);
    assert_eq!(missing.unfinished.len(), 1);
    assert_eq!(missing.lost, [empty]);
    assert_eq!((missing.least, missing.most), (101, Some(102)), "the lost part has 12 or 13");
    assert!(missing.places.iter().all(|place| [1, 5].contains(&(place % PARTS))));
    assert!((0..12).all(|n| missing.places.contains(&(n * PARTS + 5))), "{missing}");

    let partial = merge(&parts, &out, true).expect("a part is better than nothing");
    assert!(!partial.missing.is_nothing());
    assert_eq!(partial.results.finished().expect("a store"), None);
    drop(partial);
    // The late part completes it, and so does the whole campaign's own command, going on.
    let late = root.path().join("late");
    let complete = [vec![out.clone(), lost], play_parts(&root.path().join("more"))].concat();
    joined(&complete, &late);
    assert_equal(&late, &whole);
    let going = AtomicBool::new(false);
    let behaviour = |n, _| Ok(answer(n));
    let puppets: [(&str, &Behaviour<'_>); 2] = [("puppet@1", &behaviour), ("puppet@2", &right)];
    let played = play_part(&out, &Numbers(CASES), None, (true, &going), &puppets);
    assert_eq!(played.stop, Ok(Stop::Finished));
    assert_equal(&out, &whole);
}

#[test]
fn contradicting_repeats_are_settled_independently_of_order() {
    let root = folder();
    let slow = root.path().join("slow");
    let quick = root.path().join("quick");
    // What the one machine was too slow for, the other one answered; one saw a wrong answer twice.
    play(&slow, None, &|n, _| {
        Ok(match n {
            13 => Answer::Unsat,
            n if n < 50 => Answer::Timeout,
            _ => Answer::Sat,
        })
    });
    play(&quick, None, &|n, _| {
        Ok(match n {
            n if n < 10 => Answer::Unknown(None),
            n if n >= 90 => Answer::Timeout,
            _ => Answer::Sat,
        })
    });
    let (one, two) = (root.path().join("one"), root.path().join("two"));
    let merged = joined(&[slow.clone(), quick.clone()], &one);
    assert_eq!(merged.repeated, 202);
    assert_eq!(merged.settled.len(), 61, "50 below fifty, 11 from ninety on");
    let kept = |id: u128| {
        let settled = merged.settled.iter().find(|settled| settled.id.index == id);
        settled.map(|settled| (settled.kept, settled.dropped))
    };
    assert_eq!(kept(5), Some((Outcome::Unknown, Outcome::Timeout)));
    assert_eq!(kept(13), Some((Outcome::Unsat, Outcome::Sat)), "what was confirmed stands");
    assert_eq!(kept(20), Some((Outcome::Sat, Outcome::Timeout)));
    assert_eq!(kept(60), None);
    assert_eq!(kept(95), Some((Outcome::Sat, Outcome::Timeout)));
    assert_eq!(merged.results.summary().expect("a table").totals()[0].certified.soundness, 1);
    assert!(one.join("findings/000013-puppet-1/finding.json").exists());
    // Folders are sorted, so another order of names is another order of parts.
    let renamed = root.path().join("a-quick");
    fs::rename(&quick, &renamed).expect("it is ours");
    joined(&[renamed, slow], &two);
    assert_equal(&one, &two);
}

#[test]
fn parts_of_different_campaigns_are_refused() {
    let root = folder();
    let parts = play_parts(root.path());
    let out = root.path().join("joined");
    let header = |change: &dyn Fn(&mut Header)| {
        let folder = root.path().join("other");
        fs::create_dir_all(&folder).expect("a folder");
        let _ = fs::remove_file(folder.join(RESULTS));
        let mut header = Results::open(&parts[1].join(RESULTS))
            .and_then(|results| results.header())
            .expect("a header");
        change(&mut header);
        let targets = [record("puppet@1"), record("puppet@2")];
        let categories = Numbers(1).categories();
        Results::create(&folder.join(RESULTS), &header, &categories, &targets).expect("a store");
        let refused = refusal(&[parts[0].clone(), folder], &out);
        let MergeError::Differs { what, .. } = refused else { panic!("{refused}") };
        what
    };
    assert_eq!(header(&|header| header.suite = "words".into()), "the suite");
    assert_eq!(header(&|header| header.limits.memory.0 = 7), "the limits");
    assert_eq!(header(&|header| header.draw.rng = 9), "the choice of cases");
    assert_eq!(header(&|header| header.assay = "9".into()), "the version of assay");
    let others: [(&str, &Behaviour<'_>); 1] = [("puppet@3", &|_, _| Ok(Answer::Sat))];
    let other = root.path().join("targets");
    let going = AtomicBool::new(false);
    play_part(&other, &Numbers(CASES), Some(shard(1)), (false, &going), &others);
    let refused = refusal(&[parts[0].clone(), other], &out);
    assert!(
        matches!(refused, MergeError::Differs { what: "the list of targets", .. }),
        "{refused}"
    );

    let missing = refusal(&[root.path().join("nowhere")], &out);
    assert!(missing.to_string().contains("there is no such folder"), "{missing}");
    fs::create_dir(root.path().join("empty")).expect("a folder");
    assert!(matches!(refusal(&[root.path().join("empty")], &out), MergeError::Nothing));
    let occupied = merge(&parts, &parts[0], false).err().expect("it is in use");
    assert!(matches!(occupied, MergeError::Occupied(_)), "{occupied}");
}

#[test]
fn shards_that_count_cases_from_zero_are_refused() {
    let root = folder();
    let parts = play_parts(root.path());
    let connection = rusqlite::Connection::open(parts[3].join(RESULTS)).expect("a store");
    connection.execute_batch("UPDATE result SET ordinal = (ordinal - 3) / 8").expect("an update");
    drop(connection);
    let refused = refusal(&parts, &root.path().join("joined")).to_string();
    assert!(refused.contains("part-3: it counts its cases from zero"), "{refused}");
}

#[test]
fn a_shard_reads_its_cases_from_the_list() {
    let root = folder();
    let list = root.path().join("cases.txt");
    let suite = Numbers(CASES);
    let all: Vec<CaseId> = suite.cases(&Selection::default()).collect();
    let header = puppets::header();
    let count = list_cases(&list, &header, all.iter().copied()).expect("a list");
    assert_eq!(u128::from(count), CASES);
    let part = |index| {
        let mut header = header.clone();
        header.choice.shard = Some(shard(index));
        let drawn = Drawn::read(&list, &header, &suite).expect("a list");
        drawn.cases(&Selection::default()).collect::<Vec<_>>()
    };
    for index in 0..PARTS {
        let selection = Selection { shard: Some(shard(index)), ..Selection::default() };
        assert_eq!(part(index), suite.cases(&selection).collect::<Vec<_>>());
    }
    let refusal = |header: &Header| Drawn::read(&list, header, &suite).err().map(|e| e.to_string());
    let other = Header { suite: "words".into(), ..header.clone() };
    assert!(
        refusal(&other).is_some_and(|words| words.contains("the suite was numbers, now words"))
    );
    let text = fs::read_to_string(&list).expect("text");
    fs::write(&list, text.replace("\n0.2\n", "\nx\n")).expect("a file");
    assert!(refusal(&header).is_some_and(|words| words.contains("line 4: `x`")));
}
