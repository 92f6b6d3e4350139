//! A tool that attacks whoever runs it, and says how far it came: `possible`, or `denied` and why.
#![allow(clippy::print_stdout, reason = "a tool speaks to its user")]
#![allow(clippy::zombie_processes, reason = "a bad tool does not care for its children")]

use rustix::process::{Resource, Signal, getppid, kill_process};
use std::fs::{self, File};
use std::io::{self, Write};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::FileExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

/// Attacks as told; `None` if there is no such attack.
pub fn attack(words: &[&str], again: impl Fn(&[&str]) -> io::Result<Child>) -> Option<()> {
    let done: io::Result<()> = match words {
        ["environment", name] => match std::env::var_os(name) {
            Some(_) => Ok(()),
            None => Err(io::Error::other("no such variable")),
        },
        ["parent-environment"] => {
            let parent = getppid().expect("there is one").as_raw_nonzero();
            fs::read(format!("/proc/{parent}/environ")).map(drop)
        }
        ["read", path] => fs::read(path).map(drop),
        ["list", path] => fs::read_dir(path).map(drop),
        ["write", path] => fs::write(path, "x"),
        ["truncate", path] => File::options().write(true).truncate(true).open(path).map(drop),
        ["remove", path] => fs::remove_file(path),
        ["make-folder", path] => fs::create_dir(path),
        ["connect", address] => TcpStream::connect(address).map(drop),
        ["connect-abstract", name] => SocketAddr::from_abstract_name(name)
            .and_then(|address| UnixStream::connect_addr(&address))
            .map(drop),
        ["connect-path", path] => UnixStream::connect(path).map(drop),
        ["limit-parent"] => {
            let limit = rustix::process::getrlimit(Resource::Core);
            rustix::process::prlimit(getppid(), Resource::Core, limit).map(drop).map_err(Into::into)
        }
        ["renice-parent"] => {
            rustix::process::setpriority_process(getppid(), 19).map_err(Into::into)
        }
        ["kill-parent"] => {
            let parent = getppid().expect("there is one");
            let killed = kill_process(parent, Signal::KILL);
            // Whoever was killed takes us along.
            sleep(Duration::from_millis(if killed.is_ok() { 5_000 } else { 0 }));
            killed.map_err(Into::into)
        }
        ["kill-everybody", signal] => {
            let signal = signal.parse().ok().and_then(Signal::from_named_raw);
            let signal = signal.expect("a signal was given");
            // The thread that started us ends meanwhile; it alone could be reached.
            sleep(Duration::from_millis(300));
            kill_whoever_is_there(signal)
        }
        ["fill", bytes] => {
            let bytes = bytes.parse().expect("a number was given");
            File::create("large").and_then(|file| file.write_all_at(b"x", bytes))
        }
        ["fork", count] => {
            let count: u32 = count.parse().expect("a number was given");
            (0..count).try_for_each(|_| again(&["hang"]).map(drop)).map(|()| {
                // A limit that is looked at from time to time needs some.
                sleep(Duration::from_millis(1_000));
            })
        }
        _ => return None,
    };
    match done {
        Ok(()) => println!("possible"),
        Err(error) => println!("denied: {error}"),
    }
    // Whoever reads may have had enough.
    let _ = io::stdout().flush();
    Some(())
}

/// Signals every process that is neither this one nor below it; an error if none could be.
fn kill_whoever_is_there(signal: Signal) -> io::Result<()> {
    let own = std::process::id().to_string();
    let mut reached = Err(io::Error::other("nobody could be signalled"));
    for entry in fs::read_dir("/proc")?.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().filter(|name| **name != *own) else { continue };
        let Some(pid) = pid.parse().ok().and_then(rustix::process::Pid::from_raw) else { continue };
        // Threads, too: a thread's number is as good as a process'.
        for thread in fs::read_dir(entry.path().join("task")).into_iter().flatten().flatten() {
            let thread = thread.file_name().to_str().and_then(|name| name.parse().ok());
            let thread = thread.and_then(rustix::process::Pid::from_raw).unwrap_or(pid);
            if kill_process(thread, signal).is_ok() {
                reached = Ok(());
            }
        }
    }
    reached
}
