//! The output of a process, as far as it was read.

use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The number of bytes read at once: the capacity of a pipe.
const CHUNK: usize = 1 << 16;

/// The reading end of a pipe.
pub(super) struct Stream {
    /// `None` at the end of the stream.
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
    /// The start of the first line that was not yet searched for a marker.
    line: usize,
}

/// The result of reading from a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Read {
    /// Some data was read.
    Some,
    /// No data is available now.
    Nothing,
    /// The stream has ended.
    End,
}

impl Stream {
    /// Reads from this pipe, which must not block.
    pub(super) fn new(pipe: OwnedFd) -> Stream {
        Stream { pipe: Some(pipe), bytes: Vec::new(), line: 0 }
    }

    /// The descriptor to poll; `None` at the end of the stream.
    pub(super) fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// The number of bytes that were read and not yet taken.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Reads once.
    pub(super) fn read(&mut self) -> rustix::io::Result<Read> {
        let Some(pipe) = &self.pipe else {
            return Ok(Read::End);
        };
        self.bytes.reserve(CHUNK);
        loop {
            match rustix::io::read(pipe, rustix::buffer::spare_capacity(&mut self.bytes)) {
                Ok(0) => {
                    self.pipe = None;
                    return Ok(Read::End);
                }
                Ok(_) => return Ok(Read::Some),
                Err(Errno::AGAIN) => return Ok(Read::Nothing),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The output before the line with the marker, if that line has arrived. The line itself is
    /// dropped if it holds only the marker, perhaps in quotes.
    pub(super) fn take_until(&mut self, marker: &[u8]) -> Option<Vec<u8>> {
        loop {
            let rest = &self.bytes[self.line..];
            let length = rest.iter().position(|byte| *byte == b'\n')? + 1;
            let line = rest[..length].trim_ascii();
            let next = self.line + length;
            if contains(line, marker) {
                let line = line.strip_prefix(b"\"").unwrap_or(line);
                let line = line.strip_suffix(b"\"").unwrap_or(line);
                let end = if line == marker { self.line } else { next };
                let taken = self.bytes[..end].to_vec();
                self.bytes.drain(..next);
                self.line = 0;
                return Some(taken);
            }
            self.line = next;
        }
    }

    /// All that was read, truncated to `bound`.
    pub(super) fn take(&mut self, bound: usize) -> Vec<u8> {
        self.line = 0;
        if self.bytes.is_empty() {
            // The buffer is kept for the next exchange.
            return Vec::new();
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.truncate(bound);
        bytes.shrink_to_fit();
        bytes
    }
}

fn contains(line: &[u8], marker: &[u8]) -> bool {
    line.windows(marker.len().max(1)).any(|window| window == marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(text: &str) -> Stream {
        Stream { pipe: None, bytes: text.into(), line: 0 }
    }

    #[test]
    fn markers_must_be_whole_lines() {
        let table: [(&str, Option<&str>, &str); 9] = [
            ("sat\nmark\n", Some("sat\n"), ""),
            ("sat\n\"mark\"\r\nunsat\n", Some("sat\n"), "unsat\n"),
            ("mark\n", Some(""), ""),
            ("sat\nmark", None, "sat\nmark"),
            ("sat\n", None, "sat\n"),
            ("", None, ""),
            ("(error \"no mark\")\nx", Some("(error \"no mark\")\n"), "x"),
            ("mar\nk\n", None, "mar\nk\n"),
            ("\n\n  mark  \nmark\n", Some("\n\n"), "mark\n"),
        ];
        for (text, expected, rest) in table {
            let mut stream = stream(text);
            let taken = stream.take_until(b"mark");
            assert_eq!(taken.as_deref(), expected.map(str::as_bytes), "{text:?}");
            assert_eq!(stream.take(100), rest.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn a_line_may_arrive_in_pieces() {
        let text = b"sat\nma line\nmark\nnext\nmark\n";
        let mut stream = stream("");
        let mut taken = Vec::new();
        for byte in text {
            stream.bytes.push(*byte);
            taken.extend(stream.take_until(b"mark"));
        }
        assert_eq!(taken, [&b"sat\nma line\n"[..], b"next\n"]);
        assert_eq!(stream.len(), 0);
    }

    #[test]
    fn take_returns_at_most_the_given_length() {
        assert_eq!(stream("abcdef").take(4), b"abcd");
    }
}
