//! What the runner makes of tools that misbehave, each as documented; and that none leaves a
//! process behind.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod support;

use assay_case::{Ending, Quota};
use assay_target::process::{
    CommandLine, Containment, HarnessError, Keeper, Launcher, Limits, Process, Sandbox, Stop,
};
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;
use support::{FAKE, eventually, generous, limits, mark, processes_of, with_each_containment};

const MARKER: &[u8] = b"assay-marker-1";

#[test]
fn answers_come_through() {
    with_each_containment("answers", |bench| {
        let said = bench.run(&["say", "sat", "é"], &generous());
        assert_eq!(said.stdout, "sat é\n".as_bytes());
        assert_eq!((said.stderr.as_slice(), said.ending), (&b""[..], Ending::Exited(0)));
        assert!(!said.flooded);
        assert_eq!(said.containment, bench.keeper.containment().expect("the keeper runs"));

        let slow = bench.run(&["sleep-then", "sat", "300"], &generous());
        assert_eq!(slow.stdout, b"sat\n");
        // It sleeps without using the processor, which the kernel counts in ticks.
        let asleep = Duration::from_millis(300);
        let tick = Duration::from_secs(1) / rustix::param::clock_ticks_per_second() as u32;
        assert!(slow.elapsed >= asleep, "{:?}", slow.elapsed);
        assert!(slow.cpu <= slow.elapsed - asleep + 2 * tick, "{slow:?}");
    });
}

#[test]
fn hanging_tools_are_ended_in_time() {
    with_each_containment("hang", |bench| {
        for way in [&["hang"][..], &["spin"], &["close-output"]] {
            let finished = bench.run(way, &limits(Duration::from_millis(250)));
            // A tool that ends and leaves a child does not have to be waited for.
            let ended_itself = way == ["close-output"];
            let expected = if ended_itself { Ending::Exited(0) } else { Ending::TimedOut };
            assert_eq!(finished.ending, expected, "{way:?}");
        }
        // On a busy machine it takes a while to get any time of the processor.
        let uses_time = |wall| bench.run(&["spin"], &limits(wall)).cpu > Duration::from_millis(50);
        assert!([500, 5_000, 50_000].map(Duration::from_millis).into_iter().any(uses_time));
    });
}

#[test]
fn malformed_output_arrives_unchanged() {
    with_each_containment("garbage", |bench| {
        let garbage = bench.run(&["garbage"], &generous());
        assert_eq!(garbage.stdout, b"\xff\0)\xc3(\n\x1b[\xfe\"");
        let half = bench.run(&["half-model"], &generous());
        assert_eq!(half.stdout, b"sat\n(\n  (define-fun x () Int\n    (- ");
        let error = bench.run(&["error-then-sat"], &generous());
        assert_eq!(error.stdout, b"(error \"line 1 column 2: unknown logic\")\nsat\n");
        assert_eq!(error.ending, Ending::Exited(0));
    });
}

#[test]
fn floods_are_cut_without_growing() {
    with_each_containment("flood", |bench| {
        let bound = 1 << 20;
        let before = own_peak_memory();
        let flood = bench.run(&["flood", "1000000000"], &generous());
        assert!(flood.flooded);
        assert_eq!(flood.stdout.len(), bound);
        let grown = own_peak_memory() - before;
        assert!(grown < 64 << 20, "grew by {grown} bytes");

        let errors = bench.run(&["flood-errors"], &generous());
        assert!(errors.flooded);
        assert_eq!((errors.stdout.len(), errors.stderr.len()), (0, bound));

        let exactly = bench.run(&["flood", &bound.to_string()], &generous());
        assert!(!exactly.flooded);
        assert_eq!((exactly.stdout.len(), exactly.ending), (bound, Ending::Exited(0)));
        let one_more = bench.run(&["flood", &(bound + 1).to_string()], &generous());
        assert!(one_more.flooded);
        assert_eq!(one_more.stdout.len(), bound);
    });
}

fn own_peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line =
        status.lines().find(|line| line.starts_with("VmHWM:")).expect("the kernel tells the peak");
    line.split_whitespace()
        .nth(1)
        .expect("the line has a value")
        .parse::<u64>()
        .expect("it is a number")
        * 1024
}

#[test]
fn every_signal_and_exit_code_is_reported() {
    with_each_containment("signals", assert_endings_are_told);
}

/// Signals that a program started by `nohup`, a shell or a job scheduler may find ignored or blocked;
/// all but those that the processor sends for a fault, which end a program even so.
const INHERITED: &str = "HUP,INT,QUIT,TRAP,ABRT,BUS,USR1,USR2,PIPE,ALRM,TERM,STKFLT,CHLD,CONT,TSTP,\
    TTIN,TTOU,URG,XCPU,XFSZ,VTALRM,PROF,WINCH,IO,PWR,SYS";

#[test]
fn a_tool_inherits_neither_ignored_nor_blocked_signals() {
    let fake: [std::ffi::OsString; 2] = [FAKE.into(), "__keep".into()];
    let started = |options: &[String]| Launcher {
        args: options.iter().map(Into::into).chain(fake.clone()).collect(),
        ..Launcher::of("env")
    };
    let ignoring = format!("--ignore-signal={INHERITED}");
    let blocking = format!("--block-signal={INHERITED}");
    let both = [ignoring, blocking];
    for options in [&both[..1], &both[1..], &both] {
        let mut bench = support::Bench::of("inherited", &started(options)).expect("a keeper");
        let command = CommandLine::new("cat").arg("/proc/self/status");
        let shown = bench.keeper.run(&command, b"", &generous()).expect("the keeper does its work");
        let status = String::from_utf8(shown.stdout).expect("it is text");
        for field in ["SigBlk:", "SigIgn:"] {
            let mask = status.lines().find_map(|line| line.strip_prefix(field)).expect("a mask");
            let mask = u64::from_str_radix(mask.trim(), 16).expect("a hexadecimal number");
            // Later ones are real-time signals, some of which the C library keeps to itself.
            assert_eq!(mask & 0x7fff_ffff, 0, "{field} {mask:x} {options:?}");
        }
        assert_endings_are_told(&mut bench);
    }
}

/// Runs tools that end by each signal and with various exit codes.
fn assert_endings_are_told(bench: &mut support::Bench) {
    // Those whose default is to end the process, and which a Rust program does not ignore.
    let others = [13, 17, 18, 19, 20, 21, 22, 23, 28];
    for signal in (1..32).filter(|signal| !others.contains(signal)) {
        let died = bench.run(&["signal", &signal.to_string()], &generous());
        let expected = match signal {
            // What the kernel sends for a file that is larger than the sandbox allows.
            25 => Ending::OverLimit(Quota::FileSize(1 << 30)),
            _ => Ending::Signalled(signal),
        };
        assert_eq!(died.ending, expected);
    }
    let pipe = CommandLine::new("sh").arg("-c").arg("kill -13 $$");
    let pipe = bench.keeper.run(&pipe, b"", &generous()).expect("the keeper does its work");
    assert_eq!(pipe.ending, Ending::Signalled(13));
    for code in [0, 1, 2, 42, 134, 255] {
        let ended = bench.run(&["exit", &code.to_string()], &generous());
        assert_eq!(ended.ending, Ending::Exited(code));
    }
    let late = bench.run(&["answer-then-signal", "11"], &generous());
    assert_eq!((late.stdout.as_slice(), late.ending), (&b"sat\n"[..], Ending::Signalled(11)));
    // Stopped is not ended.
    let stopped = bench.run(&["signal", "19"], &limits(Duration::from_millis(200)));
    assert_eq!(stopped.ending, Ending::TimedOut);
}

#[test]
fn descendants_do_not_outlive_their_job() {
    with_each_containment("orphans", |bench| {
        // The orphan holds the output open, and we do not wait for that.
        let orphaned = bench.run(&["orphan"], &generous());
        assert_eq!(
            (orphaned.stdout.as_slice(), orphaned.ending),
            (&b"sat\n"[..], Ending::Exited(0))
        );
        let bomb = bench.run(&["fork-bomb", "20"], &limits(Duration::from_millis(300)));
        assert!(matches!(bomb.ending, Ending::Exited(0) | Ending::TimedOut), "{}", bomb.ending);
        // Ended while it grows, and when it is grown.
        for wall in [5, 20, 80, 320] {
            let tree = bench.run(&["fork-tree", "6"], &limits(Duration::from_millis(wall)));
            assert_eq!(tree.ending, Ending::TimedOut);
        }
    });
}

#[test]
fn memory_is_limited_for_the_whole_tree() {
    with_each_containment("memory", |bench| {
        let limits = Limits { memory: Some(128 << 20), ..generous() };
        let ways: [&[&str]; 3] = [
            &["eat-memory", "4000"],
            &["eat-memory-in-child", "4000"],
            &["eat-memory-in-many", "4", "60"],
        ];
        for way in ways {
            let ate = bench.run(way, &limits);
            assert_eq!(ate.ending, Ending::OutOfMemory, "{way:?}");
            let peak = ate.peak_memory.expect("the memory of a limited job is measured");
            assert!((100 << 20..400 << 20).contains(&peak), "{way:?}: {peak}");
        }
        let peak = peak_of_survivor(bench, 60, &limits);
        assert!((55 << 20..128 << 20).contains(&peak), "{peak}");
        // What one job has used is not held against the next, and neither is its limit.
        let small = bench.run(&["say", "sat"], &limits);
        assert_eq!(small.ending, Ending::Exited(0));
        assert!(small.peak_memory.is_none_or(|peak| peak < 50 << 20), "{:?}", small.peak_memory);
        let peak = peak_of_survivor(bench, 150, &Limits { memory: Some(512 << 20), ..limits });
        assert!((145 << 20..250 << 20).contains(&peak), "{peak}");
        let tiny = bench.run(&["eat-memory", "200"], &Limits { memory: Some(5 << 20), ..limits });
        assert_eq!(tiny.ending, Ending::OutOfMemory);
        let short = Limits { memory: None, wall: Duration::from_millis(400), ..limits };
        assert_eq!(bench.run(&["eat-memory", "200"], &short).ending, Ending::TimedOut);
    });
}

/// The peak of a tool that takes this much and is not ended for it, on a machine of any speed.
fn peak_of_survivor(bench: &mut support::Bench, megabytes: u64, limits: &Limits) -> u64 {
    let mut peak = 0;
    for wall in [400, 1_600, 6_400, 25_600] {
        let limits = Limits { wall: Duration::from_millis(wall), ..*limits };
        let ate = bench.run(&["eat-memory", &megabytes.to_string()], &limits);
        assert_eq!(ate.ending, Ending::TimedOut);
        peak = ate.peak_memory.expect("the memory of a limited job is measured");
        if peak > megabytes << 20 {
            break;
        }
    }
    peak
}

#[test]
fn a_kill_from_outside_is_not_reported_as_out_of_memory() {
    with_each_containment("killed-by-others", |bench| {
        let limits = Limits { memory: Some(64 << 20), ..generous() };
        assert_eq!(bench.run(&["eat-memory", "4000"], &limits).ending, Ending::OutOfMemory);
        let command = CommandLine::new("sh").arg("-c").arg("echo $$; echo told; exec sleep 60");
        let mut process = bench.keeper.spawn(&command, limits.memory).expect("it can be started");
        let told = process
            .exchange(b"", Some(b"told"), limits.wall, 1000)
            .expect("the keeper does its work");
        let pid = String::from_utf8(told.stdout)
            .expect("it speaks plainly")
            .trim_end()
            .parse()
            .expect("it is a number");
        kill_process(Pid::from_raw(pid).expect("no process has the number zero"), Signal::KILL)
            .expect("no process has the number zero");
        let killed =
            process.exchange(b"", None, limits.wall, 1000).expect("the keeper does its work");
        assert_eq!(killed.stop, Stop::Ended(Ending::Signalled(9)));
    });
}

#[test]
fn jobs_of_one_keeper_have_their_own_group() {
    with_each_containment("group", |bench| {
        let containment = bench.keeper.containment().expect("the keeper runs");
        let command = CommandLine::new("cat").arg("/proc/self/cgroup");
        let shown = bench.keeper.run(&command, b"", &generous()).expect("the keeper does its work");
        let shown = String::from_utf8(shown.stdout).expect("it speaks plainly");
        let group = group_in(&shown);
        assert_eq!(group.is_some(), containment != Containment::Subreaper, "{shown}");
        let Some(group) = group else {
            return;
        };
        assert!(is_there(group), "{group}");
        let mut other = support::Bench::new("group-other", Some(containment))
            .expect("this containment was there before");
        let shown = other.keeper.run(&command, b"", &generous()).expect("the keeper does its work");
        assert_ne!(
            group_in(&String::from_utf8(shown.stdout).expect("it speaks plainly")),
            Some(group)
        );
        *bench = other;
        assert!(!is_there(group), "{group}");
    });
}

/// The control group that a keeper has made, in what the kernel says of the groups of a process.
fn group_in(groups: &str) -> Option<&str> {
    let mut paths = groups.lines().filter_map(|line| line.split(':').nth(2));
    paths.find(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with("assay-")))
}

/// Whether there is such a control group.
fn is_there(group: &str) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").expect("Linux tells");
    mounts.lines().any(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let exists = || std::fs::exists(format!("{}{group}", fields[1])).expect("one can look");
        fields[2].starts_with("cgroup") && exists()
    })
}

#[test]
fn the_user_can_choose_the_containment() {
    let launcher = |choice: &str| Launcher {
        program: "env".into(),
        args: vec![format!("ASSAY_CONTAINMENT={choice}").into(), FAKE.into(), "__keep".into()],
        containment: None,
        sandbox: Sandbox::On,
    };
    let mut keeper = Keeper::start(&launcher("subreaper")).expect("a keeper can be started");
    assert_eq!(keeper.containment().expect("the keeper runs"), Containment::Subreaper);
    let error = Keeper::start(&launcher("prison")).err().expect("a keeper can be started");
    assert_eq!(
        error.to_string(),
        "cannot contain processes as asked: ASSAY_CONTAINMENT: `prison` is not a containment; \
         expected one of cgroup-v2, cgroup-v1, subreaper"
    );
}

#[test]
fn every_run_is_a_fresh_process() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("been-here");
    let fickle = CommandLine::new(FAKE).arg("fickle").arg(file);
    // What it remembers lies outside of its folder.
    let launcher = Launcher::of(FAKE).sandboxed(Sandbox::Off);
    let mut keeper = Keeper::start(&launcher).expect("a keeper can be started");
    let mut answer =
        || keeper.run(&fickle, b"", &generous()).expect("the keeper does its work").stdout;
    assert_eq!([(); 3].map(|()| answer()), [&b"sat\n"[..], b"unsat\n", b"unsat\n"]);
}

#[test]
fn files_left_by_a_job_are_removed() {
    with_each_containment("litter", |bench| {
        let scratch = bench.keeper.scratch().expect("the keeper has a folder").to_owned();
        std::fs::write(scratch.join("input"), "x").expect("a folder of the test's own");
        let littered = bench.run(&["litter"], &generous());
        assert_eq!(
            littered.stdout.trim_ascii_end(),
            scratch.to_str().expect("the path is plain text").as_bytes()
        );
        assert_eq!(std::fs::read_dir(&scratch).expect("a folder of the test's own").count(), 0);
        bench.run(&["litter"], &generous());
    });
}

#[test]
fn input_is_written_while_output_is_read() {
    with_each_containment("input", |bench| {
        // Far more than pipes hold, to one who reads, one who does not, and one who floods.
        let input = vec![b'x'; 8 << 20];
        let command = bench.fake(&["count-input"]);
        let counted =
            bench.keeper.run(&command, &input, &generous()).expect("the keeper does its work");
        assert_eq!(counted.stdout, format!("{}\n", input.len()).as_bytes());
        let command = bench.fake(&["hang"]);
        let hung = bench
            .keeper
            .run(&command, &input, &limits(Duration::from_millis(200)))
            .expect("the keeper does its work");
        assert_eq!(hung.ending, Ending::TimedOut);
        let command = bench.fake(&["say", "sat"]);
        let deaf =
            bench.keeper.run(&command, &input, &generous()).expect("the keeper does its work");
        assert_eq!((deaf.stdout.as_slice(), deaf.ending), (&b"sat\n"[..], Ending::Exited(0)));
        let command = bench.fake(&["flood", "100000000"]);
        let flood =
            bench.keeper.run(&command, &input, &generous()).expect("the keeper does its work");
        assert!(flood.flooded);
    });
}

#[test]
fn sessions_exchange_many_formulas() {
    with_each_containment("session", |bench| {
        let command = bench.fake(&["session"]);
        let mut process = bench.keeper.spawn(&command, Some(1 << 30)).expect("it can be started");
        let mut ask = |text: &str| {
            let input = format!("{text}(echo \"assay-marker-1\")\n");
            let wall = Duration::from_secs(20);
            process
                .exchange(input.as_bytes(), Some(MARKER), wall, 1 << 20)
                .expect("the keeper does its work")
        };
        for _ in 0..200 {
            let sat = ask("(check-sat)\n");
            assert_eq!((sat.stdout.as_slice(), sat.stop), (&b"sat\n"[..], Stop::Marker));
            let unsat = ask("(assert false)\n(check-sat)\n");
            assert_eq!(unsat.stdout, b"unsat\n");
            assert_eq!(ask("(reset)\n").stdout, b"");
        }
        let complained = ask("(complain)\n");
        assert_eq!(complained.stderr, b"warning: as you wish\n");
        assert_eq!(ask("(what)\n").stdout, b"(error \"unknown command: (what)\")\n");
        let left = ask("(exit)\n");
        assert_eq!(left.stop, Stop::Ended(Ending::Exited(0)));
        assert_eq!(
            process.finish(Duration::ZERO).expect("the keeper does its work").ending,
            Ending::Exited(0)
        );
    });
}

#[test]
fn sessions_end_in_every_way() {
    with_each_containment("session-ends", |bench| {
        let wall = Duration::from_secs(20);
        let ask = b"(check-sat)\n(echo \"assay-marker-1\")\n";

        let command = bench.fake(&["session-that-dies", "2"]);
        let mut process = bench.keeper.spawn(&command, None).expect("it can be started");
        let first =
            process.exchange(ask, Some(MARKER), wall, 1000).expect("the keeper does its work");
        assert_eq!((first.stdout.as_slice(), first.stop), (&b"sat\n"[..], Stop::Marker));
        let second =
            process.exchange(ask, Some(MARKER), wall, 1000).expect("the keeper does its work");
        assert_eq!(second.stop, Stop::Ended(Ending::Signalled(11)));
        // One more has the same end.
        let third =
            process.exchange(ask, Some(MARKER), wall, 1000).expect("the keeper does its work");
        assert_eq!(third.stop, Stop::Ended(Ending::Signalled(11)));
        drop(process);
        bench.assert_nothing_left();

        let hang = bench.fake(&["hang"]);
        let mut process = bench.keeper.spawn(&hang, None).expect("it can be started");
        let late = Duration::from_millis(100);
        assert_eq!(
            process.exchange(ask, Some(MARKER), late, 1000).expect("the keeper does its work").stop,
            Stop::Timeout
        );
        assert_eq!(process.ended().expect("it has ended").ending, Ending::TimedOut);
        drop(process);
        bench.assert_nothing_left();

        let flood = bench.fake(&["flood", "100000000"]);
        let mut process = bench.keeper.spawn(&flood, None).expect("it can be started");
        let flooded =
            process.exchange(ask, Some(MARKER), wall, 1000).expect("the keeper does its work");
        assert_eq!((flooded.stop, flooded.stdout.len()), (Stop::Flood, 1000));
        drop(process);
        bench.assert_nothing_left();

        let session = bench.fake(&["session"]);
        let process = bench.keeper.spawn(&session, None).expect("it can be started");
        assert_eq!(
            process.finish(wall).expect("the keeper does its work").ending,
            Ending::Exited(0)
        );
        let process = bench.keeper.spawn(&session, None).expect("it can be started");
        assert_eq!(process.kill().expect("the keeper does its work").ending, Ending::TimedOut);
        bench.assert_nothing_left();
        drop(bench.keeper.spawn(&session, None).expect("it can be started"));
    });
}

#[test]
fn a_process_can_own_its_keeper() {
    let bench = support::Bench::new("own", None).expect("this containment was there before");
    let command = bench.fake(&["session"]);
    let process = Process::spawn(bench.keeper, &command, None).expect("it can be started");
    let mut keeper = process.into_keeper().expect("the keeper lives on");
    let said = keeper
        .run(&CommandLine::new(FAKE).reads(FAKE).arg("say").arg("x"), b"", &generous())
        .expect("the keeper does its work");
    assert_eq!(said.stdout, b"x\n");
}

#[test]
fn a_missing_program_is_a_harness_error() {
    with_each_containment("missing", |bench| {
        let missing = CommandLine::new("/nowhere/z3");
        let error = bench.keeper.run(&missing, b"", &generous()).unwrap_err();
        assert!(matches!(error, HarnessError::Program { .. }), "{error}");
        assert!(error.to_string().starts_with("cannot start `/nowhere/z3`: "), "{error}");
        // The keeper goes on.
        assert_eq!(bench.run(&["say", "sat"], &generous()).stdout, b"sat\n");
    });
}

#[test]
fn a_dead_keeper_is_a_harness_error_and_is_replaced() {
    with_each_containment("lost", |bench| {
        let command = bench.fake(&["tell-parent-and-orphan"]);
        let scratch = bench.keeper.scratch().expect("the keeper has a folder").to_owned();
        let mut process = bench.keeper.spawn(&command, None).expect("it can be started");
        let wall = Duration::from_secs(20);
        let told =
            process.exchange(b"", Some(b"parent "), wall, 1000).expect("the keeper does its work");
        let parent = String::from_utf8(told.stdout).expect("it speaks plainly");
        let pid = parent
            .trim_end()
            .strip_prefix("parent ")
            .expect("it says so")
            .parse()
            .expect("it is a number");
        let groups =
            std::fs::read_to_string(format!("/proc/{pid}/cgroup")).expect("the process lives");
        kill_process(Pid::from_raw(pid).expect("no process has the number zero"), Signal::KILL)
            .expect("no process has the number zero");
        let lost = process.exchange(b"", None, wall, 1000).unwrap_err();
        assert!(matches!(lost, HarnessError::Lost { .. }), "{lost}");
        let still_lost = process.kill().unwrap_err();
        assert!(matches!(still_lost, HarnessError::Lost { .. }), "{still_lost}");
        bench.assert_nothing_left();
        assert!(!std::fs::exists(scratch).expect("one can look"));
        assert_eq!(bench.run(&["say", "sat"], &generous()).stdout, b"sat\n");
        // The new one has cleared up behind the old one.
        assert!(!group_in(&groups).is_some_and(is_there), "{groups}");
    });
}

/// A worker whose job misbehaves in this way, all marked, and the scratch folder of its keeper.
fn worker(way: &[&str], (variable, value): (&str, &str)) -> (std::process::Child, String) {
    let mut worker = std::process::Command::new(FAKE)
        .args(["run", "60"])
        .args(way)
        .env(variable, value)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut scratch = String::new();
    let mut output = std::io::BufReader::new(worker.stdout.take().expect("it is piped"));
    std::io::BufRead::read_line(&mut output, &mut scratch).expect("it speaks plainly");
    (worker, scratch.trim_end().to_owned())
}

#[test]
fn nothing_is_left_when_the_worker_is_killed() {
    for way in [&["hang"][..], &["orphan-and-hang"], &["fork-bomb", "21"]] {
        let (variable, value) = mark(&format!("killed-{}", way[0]));
        let (mut worker, scratch) = worker(way, (variable, &value));
        assert!(std::fs::exists(&scratch).expect("one can look"), "{scratch}");
        // The worker, its keeper, and at least one process of the job.
        eventually("the job runs", || processes_of(&value).len() >= 3);
        worker.kill().expect("one may kill one's own");
        worker.wait().expect("a child can be waited for");
        eventually("all are gone", || processes_of(&value).is_empty());
        assert!(!std::fs::exists(&scratch).expect("one can look"), "{scratch}");
    }
}

#[test]
fn the_next_keeper_clears_up_when_worker_and_keeper_are_killed() {
    let (variable, value) = mark("both-killed");
    let (mut worker, scratch) = worker(&["tell-parent-and-orphan"], (variable, &value));
    eventually("the job runs", || processes_of(&value).len() >= 4);
    // The name of the folder says whose it is.
    let keeper =
        scratch.rsplit('-').nth(1).expect("its name has parts").parse().expect("it is a number");
    let worker_pid = Pid::from_child(&worker);
    let keeper = Pid::from_raw(keeper).expect("no process has the number zero");
    // Stopped first, so that neither sees the other's end.
    kill_process(worker_pid, Signal::STOP).expect("one may kill one's own");
    kill_process(keeper, Signal::KILL).expect("one may kill one's own");
    kill_process(worker_pid, Signal::KILL).expect("one may kill one's own");
    worker.wait().expect("a child can be waited for");
    let _next = support::Bench::new("next", None).expect("this containment was there before");
    eventually("all are gone", || processes_of(&value).is_empty());
    assert!(!std::fs::exists(&scratch).expect("one can look"), "{scratch}");
}
