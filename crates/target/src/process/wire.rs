//! Messages between a worker and its keeper, as bytes. Both ends are the same program.

use super::command::{CommandLine, Containment};
use super::sandbox::{Confinement, NetworkWall, Sandbox};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

/// Messages from the worker.
#[derive(PartialEq, Debug)]
pub(super) enum Request {
    /// The first message.
    Open { containment: Option<Containment>, sandbox: Sandbox },
    /// Starts a job; three descriptors are attached.
    Spawn { command: CommandLine, memory: Option<u64> },
    /// Ends the job.
    Kill,
}

/// Messages from the keeper.
#[derive(PartialEq, Debug)]
pub(super) enum Reply {
    /// The answer to `Open`.
    Ready { containment: Containment, confinement: Confinement, scratch: PathBuf },
    /// `Open` or `Spawn` failed.
    Refused(String),
    /// The job runs.
    Started,
    /// The last process of the job is dead.
    Ended { how: How, cpu: Duration, peak_memory: Option<u64> },
}

/// How the first process of a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    Exited(i32),
    Signalled(i32),
    OutOfMemory,
    TooManyProcesses,
    FileTooLarge,
    /// Killed by us at the worker's request.
    Killed,
}

/// A message in either direction.
pub(super) trait Message: Sized {
    fn write(&self, to: &mut Writer);
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

/// The bytes of a message, with room for its length at the beginning.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    fn number(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// The unread rest of a message.
pub(super) struct Reader<'m>(&'m [u8]);

impl<'m> Reader<'m> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }

    fn bytes(&mut self) -> Option<&'m [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }

    fn text(&mut self) -> Option<OsString> {
        Some(OsString::from_vec(self.bytes()?.to_vec()))
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            _ => read(self).map(Some),
        }
    }
}

impl Message for Containment {
    fn write(&self, to: &mut Writer) {
        to.byte(match self {
            Containment::CgroupV2 => 0,
            Containment::CgroupV1 => 1,
            Containment::Subreaper => 2,
        });
    }

    fn read(from: &mut Reader<'_>) -> Option<Containment> {
        Some(match from.byte()? {
            0 => Containment::CgroupV2,
            1 => Containment::CgroupV1,
            2 => Containment::Subreaper,
            _ => return None,
        })
    }
}

impl Message for Sandbox {
    fn write(&self, to: &mut Writer) {
        to.byte(match self {
            Sandbox::On => 0,
            Sandbox::Off => 1,
        });
    }

    fn read(from: &mut Reader<'_>) -> Option<Sandbox> {
        Some(match from.byte()? {
            0 => Sandbox::On,
            1 => Sandbox::Off,
            _ => return None,
        })
    }
}

impl Message for Confinement {
    fn write(&self, to: &mut Writer) {
        match *self {
            Confinement::Off => to.byte(0),
            Confinement::On { landlock, network, calls } => {
                to.byte(match network {
                    NetworkWall::Namespace => 1,
                    NetworkWall::Landlock => 2,
                });
                to.byte(landlock);
                to.byte(calls.into());
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Confinement> {
        let network = match from.byte()? {
            0 => return Some(Confinement::Off),
            1 => NetworkWall::Namespace,
            2 => NetworkWall::Landlock,
            _ => return None,
        };
        Some(Confinement::On { landlock: from.byte()?, network, calls: from.byte()? != 0 })
    }
}

impl Message for CommandLine {
    fn write(&self, to: &mut Writer) {
        to.bytes(self.program.as_os_str().as_bytes());
        to.number(self.args.len() as u64);
        for arg in &self.args {
            to.bytes(arg.as_bytes());
        }
        to.number(self.env.len() as u64);
        for (name, value) in &self.env {
            to.bytes(name.as_bytes());
            to.option(value.as_ref(), |to, value| to.bytes(value.as_bytes()));
        }
        to.option(self.dir.as_ref(), |to, dir| to.bytes(dir.as_os_str().as_bytes()));
        to.number(self.reads.len() as u64);
        for path in &self.reads {
            to.bytes(path.as_os_str().as_bytes());
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<CommandLine> {
        let program = from.text()?.into();
        let args = (0..from.number()?).map(|_| from.text()).collect::<Option<_>>()?;
        let env = (0..from.number()?)
            .map(|_| Some((from.text()?, from.option(Reader::text)?)))
            .collect::<Option<_>>()?;
        let dir = from.option(Reader::text)?.map(PathBuf::from);
        let reads =
            (0..from.number()?).map(|_| from.text().map(PathBuf::from)).collect::<Option<_>>()?;
        Some(CommandLine { program, args, env, dir, reads })
    }
}

impl Message for Request {
    fn write(&self, to: &mut Writer) {
        match self {
            Request::Open { containment, sandbox } => {
                to.byte(0);
                to.option(containment.as_ref(), |to, containment| containment.write(to));
                sandbox.write(to);
            }
            Request::Spawn { command, memory } => {
                to.byte(1);
                command.write(to);
                to.option(*memory, Writer::number);
            }
            Request::Kill => to.byte(2),
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Request> {
        Some(match from.byte()? {
            0 => Request::Open {
                containment: from.option(Containment::read)?,
                sandbox: Sandbox::read(from)?,
            },
            1 => Request::Spawn {
                command: CommandLine::read(from)?,
                memory: from.option(Reader::number)?,
            },
            2 => Request::Kill,
            _ => return None,
        })
    }
}

impl Message for How {
    fn write(&self, to: &mut Writer) {
        let (kind, number) = match *self {
            How::Exited(code) => (0, code),
            How::Signalled(signal) => (1, signal),
            How::OutOfMemory => (2, 0),
            How::Killed => (3, 0),
            How::TooManyProcesses => (4, 0),
            How::FileTooLarge => (5, 0),
        };
        to.byte(kind);
        to.0.extend_from_slice(&number.to_le_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Option<How> {
        let kind = from.byte()?;
        let (number, rest) = from.0.split_first_chunk::<4>()?;
        from.0 = rest;
        let number = i32::from_le_bytes(*number);
        Some(match kind {
            0 => How::Exited(number),
            1 => How::Signalled(number),
            2 => How::OutOfMemory,
            3 => How::Killed,
            4 => How::TooManyProcesses,
            5 => How::FileTooLarge,
            _ => return None,
        })
    }
}

impl Message for Reply {
    fn write(&self, to: &mut Writer) {
        match self {
            Reply::Ready { containment, confinement, scratch } => {
                to.byte(0);
                containment.write(to);
                confinement.write(to);
                to.bytes(scratch.as_os_str().as_bytes());
            }
            Reply::Refused(why) => {
                to.byte(1);
                to.bytes(why.as_bytes());
            }
            Reply::Started => to.byte(2),
            Reply::Ended { how, cpu, peak_memory } => {
                to.byte(3);
                how.write(to);
                to.number(u64::try_from(cpu.as_nanos()).unwrap_or(u64::MAX));
                to.option(*peak_memory, Writer::number);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Reply> {
        Some(match from.byte()? {
            0 => Reply::Ready {
                containment: Containment::read(from)?,
                confinement: Confinement::read(from)?,
                scratch: from.text()?.into(),
            },
            1 => Reply::Refused(String::from_utf8_lossy(from.bytes()?).into_owned()),
            2 => Reply::Started,
            3 => Reply::Ended {
                how: How::read(from)?,
                cpu: Duration::from_nanos(from.number()?),
                peak_memory: from.option(Reader::number)?,
            },
            _ => return None,
        })
    }
}

const LENGTH: usize = size_of::<u32>();
/// The standard streams of a job.
const DESCRIPTORS: usize = 3;
/// The number of bytes received at once; most messages are far shorter.
const CHUNK: usize = 4096;

/// Sends a message, and descriptors with it.
pub(super) fn send(
    socket: impl AsFd,
    message: &impl Message,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut writer = Writer(vec![0; LENGTH]);
    message.write(&mut writer);
    let mut bytes = writer.0;
    let length = u32::try_from(bytes.len() - LENGTH)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the command is too long"))?;
    bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let mut sent = 0;
    while sent < bytes.len() {
        let slice = [IoSlice::new(&bytes[sent..])];
        match sendmsg(&socket, &slice, &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(count) => sent += count,
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        ancillary.clear();
    }
    Ok(())
}

/// Data that has arrived but was not yet taken.
#[derive(Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    /// The attached descriptors, in order.
    pub(super) descriptors: Vec<OwnedFd>,
}

impl Inbox {
    /// Waits for the next message; `None` at the end of the connection.
    pub(super) fn receive<M: Message>(&mut self, socket: impl AsFd) -> io::Result<Option<M>> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(Some(message));
            }
            if !self.fill(&socket)? {
                return Ok(None);
            }
        }
    }

    /// Whether a message was already read together with the previous one.
    pub(super) fn has_message(&self) -> bool {
        self.bytes
            .split_first_chunk::<LENGTH>()
            .is_some_and(|(length, rest)| rest.len() >= u32::from_le_bytes(*length) as usize)
    }

    fn take<M: Message>(&mut self) -> io::Result<Option<M>> {
        let Some((length, rest)) = self.bytes.split_first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        let Some(bytes) = rest.get(..length) else {
            return Ok(None);
        };
        let message = M::read(&mut Reader(bytes)).ok_or(io::ErrorKind::InvalidData)?;
        self.bytes.drain(..LENGTH + length);
        Ok(Some(message))
    }

    /// Reads what is available; false at the end.
    fn fill(&mut self, socket: impl AsFd) -> io::Result<bool> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut chunk = [0; CHUNK];
        let received = loop {
            let mut slice = [IoSliceMut::new(&mut chunk)];
            match recvmsg(&socket, &mut slice, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => {}
                result => break result?,
            }
        };
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.descriptors.extend(descriptors);
            }
        }
        self.bytes.extend_from_slice(&chunk[..received.bytes]);
        Ok(received.bytes > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn round_trip<M: Message + PartialEq + std::fmt::Debug>(message: &M) {
        let (a, b) = UnixStream::pair().expect("sockets can be made");
        send(&a, message, &[]).expect("there is room for a message");
        drop(a);
        let mut inbox = Inbox::default();
        assert_eq!(inbox.receive::<M>(&b).expect("the message is whole").as_ref(), Some(message));
        assert_eq!(inbox.receive::<M>(&b).expect("the message is whole"), None);
    }

    #[test]
    fn messages_arrive_as_sent() {
        let command = CommandLine {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), "a\nb".into(), OsString::from_vec(vec![0xff, 0x80]), "".into()],
            env: vec![("A".into(), Some("1".into())), ("B".into(), None)],
            dir: Some("/".into()),
            reads: vec!["/opt/z3".into(), "/é".into()],
        };
        round_trip(&Request::Spawn { command, memory: Some(u64::MAX) });
        let long = CommandLine::new("x").arg("y".repeat(100_000));
        round_trip(&Request::Spawn { command: long, memory: None });
        round_trip(&Request::Kill);
        for containment in [Containment::CgroupV2, Containment::CgroupV1, Containment::Subreaper] {
            let (namespace, landlock) = (NetworkWall::Namespace, NetworkWall::Landlock);
            for confinement in [
                Confinement::Off,
                Confinement::On { landlock: 7, network: namespace, calls: true },
                Confinement::On { landlock: 0, network: landlock, calls: false },
            ] {
                round_trip(&Reply::Ready { containment, confinement, scratch: "/tmp/é".into() });
            }
            round_trip(&Request::Open { containment: Some(containment), sandbox: Sandbox::On });
        }
        round_trip(&Request::Open { containment: None, sandbox: Sandbox::Off });
        round_trip(&Reply::Refused("no such file".into()));
        round_trip(&Reply::Started);
        for how in [
            How::Exited(-1),
            How::Signalled(11),
            How::OutOfMemory,
            How::TooManyProcesses,
            How::FileTooLarge,
            How::Killed,
        ] {
            let cpu = Duration::from_nanos(12_345);
            round_trip(&Reply::Ended { how, cpu, peak_memory: None });
            round_trip(&Reply::Ended { how, cpu, peak_memory: Some(7) });
        }
    }

    #[test]
    fn messages_that_arrive_together_are_not_lost() {
        let (a, b) = UnixStream::pair().expect("sockets can be made");
        let mut inbox = Inbox::default();
        assert!(!inbox.has_message());
        send(&a, &Reply::Started, &[]).expect("there is room for a message");
        send(&a, &Reply::Refused("x".into()), &[]).expect("there is room for a message");
        assert_eq!(inbox.receive(&b).expect("the message is whole"), Some(Reply::Started));
        assert!(inbox.has_message());
        assert_eq!(
            inbox.receive(&b).expect("the message is whole"),
            Some(Reply::Refused("x".into()))
        );
        assert!(!inbox.has_message());
    }

    #[test]
    fn descriptors_arrive_with_their_message() {
        let (a, b) = UnixStream::pair().expect("sockets can be made");
        let (x, y) = UnixStream::pair().expect("sockets can be made");
        send(&a, &Request::Kill, &[x.as_fd(), y.as_fd(), a.as_fd()])
            .expect("there is room for a message");
        let mut inbox = Inbox::default();
        assert_eq!(
            inbox.receive::<Request>(&b).expect("the message is whole"),
            Some(Request::Kill)
        );
        assert_eq!(inbox.descriptors.len(), 3);
    }

    #[test]
    fn cut_messages_are_errors() {
        let (mut a, b) = UnixStream::pair().expect("sockets can be made");
        io::Write::write_all(&mut a, &[1, 0, 0, 0, 77]).expect("there is room for a message");
        assert!(Inbox::default().receive::<Request>(&b).is_err());
    }
}
