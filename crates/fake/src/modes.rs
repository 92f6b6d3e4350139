//! The ways to misbehave.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool speaks to its user")]
#![allow(clippy::zombie_processes, reason = "a bad tool does not care for its children")]

use rustix::process::{Signal, getpid, getppid, kill_process, setsid};
use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Misbehaves as told.
pub fn run(args: &[&str]) -> ExitCode {
    match args {
        ["say", words @ ..] => println!("{}", words.join(" ")),
        ["exit", code] => return ExitCode::from(number(code) as u8),
        ["hang"] => hang(),
        ["spin"] => spin(),
        ["sleep-then", answer, milliseconds] => {
            sleep(Duration::from_millis(number(milliseconds)));
            println!("{answer}");
        }
        ["garbage"] => write(&[0xff, 0x00, b')', 0xc3, 0x28, b'\n', 0x1b, b'[', 0xfe, b'"']),
        ["half-model"] => write(b"sat\n(\n  (define-fun x () Int\n    (- "),
        ["half-model-and-hang"] => {
            write(b"sat\n(\n  (define-fun x () Int\n    (- ");
            hang();
        }
        ["flood", bytes] => flood(number(bytes)),
        ["flood-errors"] => flood_errors(),
        ["signal", signal] => die(number(signal)),
        ["answer-then-signal", signal] => {
            println!("sat");
            die(number(signal));
        }
        ["orphan"] => orphan(),
        ["tell-parent-and-orphan"] => {
            println!("parent {}", getppid().expect("there is one").as_raw_nonzero());
            orphan();
            hang();
        }
        ["orphan-and-hang"] => {
            orphan();
            hang();
        }
        ["fork-tree", generations] => fork_tree(number(generations)),
        ["fork-bomb", generations] => fork_bomb(number(generations)),
        ["error-then-sat"] => println!("(error \"line 1 column 2: unknown logic\")\nsat"),
        ["fickle", file] => fickle(file),
        ["eat-memory", megabytes] => eat(number(megabytes)),
        ["eat-memory-in-child", megabytes] => {
            again(&["eat-memory", megabytes]).wait().expect("a child can be waited for");
            println!("unknown");
        }
        ["eat-memory-in-many", count, megabytes] => {
            let children: Vec<Child> =
                (0..number(count)).map(|_| again(&["eat-memory", megabytes])).collect();
            for mut child in children {
                child.wait().expect("a child can be waited for");
            }
        }
        ["litter"] => {
            fs::create_dir("deep").expect("the scratch folder can be written");
            fs::write("deep/trace", "x").expect("the scratch folder can be written");
            fs::write(std::env::temp_dir().join("core"), "x").expect("TMPDIR can be written");
            println!("{}", std::env::current_dir().expect("there is one").display());
        }
        ["close-output"] => close_output(),
        ["count-input"] => {
            let mut input = Vec::new();
            io::stdin().read_to_end(&mut input).expect("the input can be read");
            println!("{}", input.len());
        }
        [options @ .., "configured"] => return configured(options),
        ["session"] => session(),
        ["session-that-dies", after] => session_that_dies(number(after)),
        ["attack", words @ ..] if crate::hostile::attack(words, try_again).is_some() => {}
        ["cost", count] => cost(number(count)),
        ["run", seconds, command @ ..] => supervise(number(seconds), command),
        _ => {
            eprintln!("no such way to misbehave: {args:?}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number was given")
}

fn write(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    // Whoever reads may have had enough.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Starts this program in another way, with the same streams.
fn again(args: &[&str]) -> Child {
    try_again(args).expect("this program can be started")
}

fn try_again(args: &[&str]) -> io::Result<Child> {
    Command::new(std::env::current_exe()?).args(args).spawn()
}

fn hang() {
    loop {
        sleep(Duration::from_secs(60));
    }
}

fn spin() {
    let mut x = 1_u64;
    loop {
        x = std::hint::black_box(x.wrapping_mul(3));
    }
}

fn flood(bytes: u64) {
    let line = b"(define-fun x () Int 0)\n".repeat(1_000);
    let mut left = usize::try_from(bytes).expect("a size was given");
    while left > 0 {
        let count = left.min(line.len());
        write(&line[..count]);
        left -= count;
    }
}

fn flood_errors() {
    loop {
        // Whoever reads may have had enough.
        let _ = io::stderr().write_all(&[b'e'; 4096]);
    }
}

fn die(signal: u64) {
    let signal = i32::try_from(signal).ok().and_then(Signal::from_named_raw);
    let signal = signal.expect("a signal was given");
    loop {
        // Twice for some: the first one finds a handler, of those who look for stack overflows,
        // that takes itself away.
        kill_process(getpid(), signal).expect("one may kill oneself");
        sleep(Duration::from_millis(1));
    }
}

/// Leaves a process behind that is in a session of its own and holds the output open.
fn orphan() {
    if setsid().is_err() {
        // The leader of a group cannot have a new session: its child can.
        println!("sat");
        again(&["orphan"]);
        sleep(Duration::from_millis(20));
        return;
    }
    again(&["hang"]);
    // This process ends and makes the one that hangs an orphan.
}

/// Ever more processes, each in a session of its own, none of which ends.
fn fork_tree(generations: u64) {
    let _ = setsid();
    if generations > 0 {
        let next = (generations - 1).to_string();
        again(&["fork-tree", &next]);
        again(&["fork-tree", &next]);
    }
    hang();
}

/// Generations of processes, each in a session of its own, whose parents do not wait for them.
fn fork_bomb(generations: u64) {
    let _ = setsid();
    if generations > 0 {
        let next = (generations - 1).to_string();
        again(&["fork-bomb", &next]);
        if generations % 4 == 0 {
            again(&["fork-bomb", &next]);
        }
    }
    if generations % 3 == 0 {
        hang();
    }
}

/// Answers otherwise the second time.
fn fickle(file: &str) {
    if fs::exists(file).expect("one can look at the file") {
        println!("unsat");
    } else {
        fs::write(file, "").expect("the file can be written");
        println!("sat");
    }
}

fn eat(megabytes: u64) {
    let mut eaten = Vec::new();
    for _ in 0..megabytes {
        eaten.push(vec![1_u8; 1 << 20]);
    }
    hang();
    drop(eaten);
}

/// Lives on without its output.
fn close_output() {
    let program = std::env::current_exe().expect("this program has a path");
    Command::new(program)
        .arg("hang")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program can be started");
    println!("sat");
}

/// Right, except where its options make it wrong; one option it does not take at all.
fn configured(options: &[&str]) -> ExitCode {
    if options.iter().any(|option| option.starts_with("--refused=")) {
        println!("(error \"unrecognised option\")");
        return ExitCode::FAILURE;
    }
    let input = io::read_to_string(io::stdin()).expect("the input is text");
    let wrong = options.contains(&"--wrong=true") && input.contains("(declare-const x Int)");
    println!("{}", if input.contains("(not p)") || wrong { "unsat" } else { "sat" });
    ExitCode::SUCCESS
}

/// An honest session: it answers `check-sat`, `echo` and `reset`.
fn session() {
    session_that_dies(u64::MAX);
}

/// A session that crashes at its n-th `check-sat`.
fn session_that_dies(mut checks: u64) {
    let mut asserted_false = false;
    for line in io::stdin().lock().lines() {
        let line = line.expect("the input is text");
        if let Some(text) = line.strip_prefix("(echo \"") {
            println!("{}", text.trim_end_matches("\")"));
        } else if line == "(check-sat)" {
            checks -= 1;
            if checks == 0 {
                die(11);
            }
            println!("{}", if asserted_false { "unsat" } else { "sat" });
        } else if line == "(assert false)" {
            asserted_false = true;
        } else if line == "(reset)" {
            asserted_false = false;
        } else if line == "(exit)" {
            return;
        } else if line == "(complain)" {
            eprintln!("warning: as you wish");
        } else if !SILENT.iter().any(|start| line.starts_with(start)) && !line.is_empty() {
            println!("(error \"unknown command: {line}\")");
        }
    }
}

/// Commands that a session takes without a word.
const SILENT: [&str; 4] = ["(declare-", "(assert ", "(get-", "(set-"];

/// Runs this program in another way under a keeper, as a worker would.
fn supervise(seconds: u64, command: &[&str]) {
    use assay_target::process::{CommandLine, Keeper, Launcher, Limits};
    let program = std::env::current_exe().expect("this program has a path");
    let mut line = CommandLine::new(&program).reads(&program);
    line.args = command.iter().map(Into::into).collect();
    // The environment is clean in the sandbox; the test finds its processes by this.
    if let Some(mark) = std::env::var_os("ASSAY_FAKE_TEST") {
        line = line.env("ASSAY_FAKE_TEST", mark);
    }
    let limits =
        Limits { wall: Duration::from_secs(seconds), memory: Some(1 << 30), output: 1 << 20 };
    let mut keeper = Keeper::start(&Launcher::of(&program)).expect("a keeper can be started");
    println!("{}", keeper.scratch().expect("it is there").display());
    println!("{:?}", keeper.run(&line, b"", &limits).expect("the keeper does its work").ending);
}

/// Says what a process costs in the sandbox and without it, in turns, in microseconds.
fn cost(count: u64) {
    use assay_target::process::{CommandLine, Keeper, Launcher, Limits, Sandbox};
    let program = std::env::current_exe().expect("this program has a path");
    let limits = Limits { wall: Duration::from_secs(20), memory: Some(1 << 30), output: 1 << 20 };
    let sandboxes = [Sandbox::On, Sandbox::Off];
    let mut keepers = sandboxes.map(|sandbox| {
        Keeper::start(&Launcher::of(&program).sandboxed(sandbox)).expect("a keeper can be started")
    });
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..count {
        for (keeper, times) in keepers.iter_mut().zip(&mut times) {
            let start = std::time::Instant::now();
            keeper.run(&CommandLine::new("/bin/true"), b"", &limits).expect("the keeper works");
            times.push(start.elapsed());
        }
    }
    for (sandbox, times) in sandboxes.iter().zip(&mut times) {
        times.sort();
        let at =
            |part: usize| times.get(times.len() * part / 10).map_or(0, |time| time.as_micros());
        println!("sandbox {sandbox}: median {} us, least tenth {} us", at(5), at(1));
    }
}
