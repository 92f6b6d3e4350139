//! A private output channel: libraries may print anything to standard output.

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// Returns the original standard output and redirects standard output to standard error.
///
/// # Errors
/// If no file descriptor is left.
pub fn private_channel() -> io::Result<File> {
    // SAFETY: both calls take plain numbers; the first makes a new descriptor, which no other code
    // knows and which is owned from here on.
    unsafe {
        let channel = libc::dup(1);
        if channel < 0 || libc::dup2(2, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from(OwnedFd::from_raw_fd(channel)))
    }
}
