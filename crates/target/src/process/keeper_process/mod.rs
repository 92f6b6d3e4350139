//! The keeper's side: a small program that serves its worker and outlives it only to clean up.
//!
//! It prints nothing and has one thread, so that every orphan of a job becomes a child of that
//! thread, and a job is over exactly when there are no children. That holds with every containment;
//! a control group, if available, limits and measures memory better than we can.

mod group;
mod group_parent;
mod job;
mod scratch;
mod signals;
mod tree;

use super::command::Containment;
use super::confine::confine_keeper;
use super::sandbox::{Confinement, Sandbox};
use super::wire::{Inbox, Reply, Request, send};
use group::Group;
use group_parent::{GroupParent, Version};
use job::{Job, JobEnd, Premises};
use rustix::process::{Resource, Rlimit, getpid, set_child_subreaper, setrlimit};
use scratch::Scratch;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

/// Serves the worker at the other end of standard input, a socket, until that end is closed.
///
/// This is the whole life of the hidden subcommand that a [`Launcher`](super::Launcher) names.
#[must_use]
pub fn keep() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // The error cannot be reported: the worker sees that the connection is closed.
        Err(_) => ExitCode::from(2),
    }
}

fn serve() -> io::Result<()> {
    let mut worker = Worker::connect()?;
    signals::reset_for_jobs()?;
    set_child_subreaper(Some(getpid()))?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let Some(Request::Open { containment, sandbox }) = worker.receive()? else {
        return Ok(());
    };
    let group = match contain(containment) {
        Ok(group) => group,
        Err(why) => return worker.send(&Reply::Refused(why)),
    };
    let scratch = Scratch::make()?;
    // Last, because leftovers of killed keepers could not be seen from within.
    let confinement = match sandbox {
        Sandbox::On => confine_keeper(scratch.path())?,
        Sandbox::Off => Confinement::Off,
    };
    let ready = Reply::Ready {
        containment: group
            .as_ref()
            .map_or(Containment::Subreaper, |group| group.version().containment()),
        confinement,
        scratch: scratch.path().to_owned(),
    };
    worker.send(&ready)?;
    loop {
        match worker.receive()? {
            None => return Ok(()),
            Some(Request::Spawn { command, memory }) => {
                let streams = worker.streams()?;
                let place = Premises { scratch: &scratch, sandbox, group: group.as_ref() };
                let job = match Job::start(&command, streams, memory, place) {
                    Ok(job) => job,
                    Err(error) => {
                        worker.send(&Reply::Refused(error.to_string()))?;
                        continue;
                    }
                };
                let outcome = job.run(&mut worker);
                scratch.empty();
                match outcome? {
                    JobEnd::Ended(reply) => worker.send(&reply)?,
                    JobEnd::Deserted => return Ok(()),
                }
            }
            // The job ended while the worker asked for its end.
            Some(Request::Kill | Request::Open { .. }) => {}
        }
    }
}

/// The variable by which a user chooses the containment, unless the worker does.
const VARIABLE: &str = "ASSAY_CONTAINMENT";

/// The group for the requested containment; `None` if it needs no group.
fn contain(asked: Option<Containment>) -> Result<Option<Group>, String> {
    let chosen = || match std::env::var(VARIABLE) {
        Ok(name) => name.parse().map(Some).map_err(|why| format!("{VARIABLE}: {why}")),
        Err(_) => Ok(None),
    };
    match asked.map_or_else(chosen, |asked| Ok(Some(asked)))? {
        Some(Containment::CgroupV2) => make_group(Version::V2).map(Some),
        Some(Containment::CgroupV1) => make_group(Version::V1).map(Some),
        Some(Containment::Subreaper) => Ok(None),
        None => Ok(make_group(Version::V2).or_else(|_| make_group(Version::V1)).ok()),
    }
}

fn make_group(version: Version) -> Result<Group, String> {
    Group::make(GroupParent::find(version)?).map_err(|error| error.to_string())
}

/// The connection to the worker.
struct Worker {
    socket: OwnedFd,
    inbox: Inbox,
}

impl Worker {
    fn connect() -> io::Result<Worker> {
        let socket = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Worker { socket, inbox: Inbox::default() })
    }

    /// The next request; `None` at the end.
    fn receive(&mut self) -> io::Result<Option<Request>> {
        self.inbox.receive(&self.socket)
    }

    fn send(&self, reply: &Reply) -> io::Result<()> {
        send(&self.socket, reply, &[])
    }

    /// The standard streams that came with a request for a job.
    fn streams(&mut self) -> io::Result<[OwnedFd; 3]> {
        let streams = std::mem::take(&mut self.inbox.descriptors);
        streams.try_into().map_err(|_| io::ErrorKind::InvalidData.into())
    }
}
