//! The worker's end of the connection to a running keeper.

use super::HarnessError;
use super::command::{Containment, Launcher};
use super::orphans;
use super::sandbox::Confinement;
use super::wire::{Inbox, Reply, Request, send};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time limit for a keeper's reply: it may have to wait for the kernel to tear down a large
/// process on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running keeper.
pub(super) struct Link {
    /// `None` once the keeper was told to leave.
    socket: Option<UnixStream>,
    inbox: Inbox,
    child: Child,
    pub(super) containment: Containment,
    pub(super) confinement: Confinement,
    pub(super) scratch: PathBuf,
}

impl Link {
    /// Starts a keeper.
    pub(super) fn open(launcher: &Launcher) -> Result<Link, HarnessError> {
        let failed = |source| HarnessError::Keeper { program: launcher.program.clone(), source };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let child = Command::new(&launcher.program)
            .args(&launcher.args)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is for us; the keeper has to live on and clean up.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let mut link = Link {
            socket: Some(ours),
            inbox: Inbox::default(),
            child,
            containment: Containment::Subreaper,
            confinement: Confinement::Off,
            scratch: PathBuf::new(),
        };
        let request =
            Request::Open { containment: launcher.containment, sandbox: launcher.sandbox };
        let reply = link.ask(&request, &[]).map_err(failed)?;
        match reply {
            Reply::Ready { containment, confinement, scratch } => {
                link.containment = containment;
                link.confinement = confinement;
                link.scratch = scratch;
                Ok(link)
            }
            Reply::Refused(why) => Err(HarnessError::Containment { why }),
            _ => Err(failed(io::ErrorKind::InvalidData.into())),
        }
    }

    fn socket(&self) -> &UnixStream {
        self.socket.as_ref().expect("taken only when the link is dropped")
    }

    /// Whether a reply was already received, which polling does not show.
    pub(super) fn has_reply(&self) -> bool {
        self.inbox.has_message()
    }

    /// The descriptor to poll: readable when a reply arrives.
    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket().as_fd()
    }

    /// Sends a request.
    pub(super) fn send(&self, request: &Request, with: &[BorrowedFd<'_>]) -> io::Result<()> {
        send(self.socket(), request, with)
    }

    /// The next reply, within the time limit.
    pub(super) fn reply(&mut self) -> io::Result<Reply> {
        let socket = self.socket.as_ref().expect("taken only when the link is dropped");
        if !self.inbox.has_message() && !readable(socket.as_fd(), PATIENCE)? {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let reply = self.inbox.receive(socket)?;
        reply.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "it ended"))
    }

    /// Sends a request and waits for the reply.
    pub(super) fn ask(&mut self, request: &Request, with: &[BorrowedFd<'_>]) -> io::Result<Reply> {
        self.send(request, with)?;
        self.reply()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Closing the connection tells the keeper to kill the job and leave.
        self.socket = None;
        let pid = Pid::from_child(&self.child);
        let gone = pidfd_open(pid, PidfdFlags::empty())
            .is_ok_and(|pidfd| readable(pidfd.as_fd(), PATIENCE).unwrap_or(false));
        // If it has ended, this only reaps it.
        let cleaned_up = !gone || self.child.wait().is_ok_and(|status| status.success());
        if !cleaned_up && self.scratch != Path::new("") {
            orphans::clear(&self.scratch);
        }
    }
}

/// Whether something can be read before the timeout.
fn readable(fd: BorrowedFd<'_>, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    loop {
        let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
        match poll(&mut fds, Some(&timespec(deadline.saturating_duration_since(Instant::now())))) {
            Err(rustix::io::Errno::INTR) => {}
            result => return Ok(result? > 0),
        }
    }
}

/// The duration in the kernel's format.
pub(super) fn timespec(duration: Duration) -> Timespec {
    // A limit of more than a day is as good as none, and this cannot overflow.
    let duration = duration.min(Duration::from_secs(86_400));
    Timespec::try_from(duration).expect("a day fits")
}
