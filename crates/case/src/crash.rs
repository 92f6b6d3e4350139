//! Crash signatures: equal crashes compare equal, despite different addresses, numbers and paths.

use std::fmt;

/// How a process died, and its message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CrashSignature {
    /// How it died.
    pub death: Death,
    /// The most informative line, normalised; empty if there was no output.
    pub message: String,
}

/// How a crashed process ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Death {
    /// By this signal.
    Signal(i32),
    /// With this exit code.
    Exit(i32),
}

impl fmt::Display for CrashSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.death {
            Death::Signal(number) => write!(f, "signal {number}")?,
            Death::Exit(code) => write!(f, "exit code {code}")?,
        }
        if self.message.is_empty() {
            return Ok(());
        }
        write!(f, ", {}", self.message)
    }
}

/// Phrases with which programs report their own failure.
const CONFESSIONS: &[&str] = &[
    "ASSERTION VIOLATION",
    "UNEXPECTED CODE WAS REACHED",
    "Failed to verify",
    "Fatal failure",
    "FATAL ERROR",
    "Internal error",
    "internal error",
    "Unhandled exception",
    "terminate called",
    "suffered a segfault",
    "Segmentation fault",
    "Sanitizer",
    "runtime error:",
    "panicked at",
    "stack overflow",
    "Assertion `",
    "Assertion failed",
];

/// The maximum length of a normalised message, in characters.
const LONGEST: usize = 200;

/// Whether the text reports an internal failure of the program.
pub(crate) fn reports_failure(text: &str) -> bool {
    CONFESSIONS.iter().any(|words| text.contains(words))
}

impl CrashSignature {
    /// The signature of a crash, given the program's output.
    #[must_use]
    pub fn new(death: Death, stderr: &str, stdout: &str) -> CrashSignature {
        let message = relevant_line(stderr)
            .or_else(|| relevant_line(stdout))
            .or_else(|| last_line(stderr))
            .unwrap_or_default();
        CrashSignature { death, message: normalised(&message) }
    }
}

/// The first line that reports a failure, with the place that follows it. z3 prints the file, the
/// line and the assertion on three lines; a sanitizer prints a stack.
fn relevant_line(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| !reports_failure(line));
    let line = lines.next()?;
    let rest: Vec<&str> = lines.collect();
    Some(match rest.as_slice() {
        [file, line_number, assertion, ..]
            if file.starts_with("File: ") && line_number.starts_with("Line: ") =>
        {
            format!("{line} {file}: {assertion}")
        }
        [file, ..] if file.starts_with("File: ") => format!("{line} {file}"),
        rest if line.contains("Sanitizer") => match rest.iter().find_map(|line| own_frame(line)) {
            Some(frame) => format!("{line} {frame}"),
            None => line.to_owned(),
        },
        _ => line.to_owned(),
    })
}

/// The function and the source file of a frame of a sanitizer's stack (`#1 0x55d0 in f(int)
/// /src/smt/f.cpp:12:3`); `None` for frames outside of the program's own sources.
fn own_frame(line: &str) -> Option<String> {
    let frame = line.strip_prefix('#')?.split_once(" in ")?.1;
    let (function, place) = frame.rsplit_once(' ')?;
    let file = place.split(':').next()?;
    let library = ["/include/", "compiler-rt", "/sysdeps/"].iter().any(|word| file.contains(word));
    let is_source = file.rsplit_once('.').is_some_and(|(_, end)| SOURCES.contains(&end));
    let name = function.split('(').next().unwrap_or(function);
    (is_source && !library).then(|| format!("in {name} {file}"))
}

fn last_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
}

/// The line with single spaces, without parts that differ between runs: directories, addresses,
/// numbers.
fn normalised(line: &str) -> String {
    let words: Vec<String> =
        line.split_whitespace().map(|word| masked(&without_path(word))).collect();
    words.join(" ").chars().take(LONGEST).collect()
}

/// Extensions of source files, which name a place in the program.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "h", "hpp", "rs", "py", "ml", "java", "so"];

/// The word with its path reduced to the name of a source file, or masked for other files.
fn without_path(word: &str) -> String {
    let Some(slash) = word.rfind('/') else {
        return word.to_owned();
    };
    let start = word[..slash].rfind(['(', '"', '\'', '`', '[', '=']).map_or(0, |at| at + 1);
    let file = &word[slash + 1..];
    let is_source = file.split_once('.').is_some_and(|(_, rest)| {
        let extension = rest.split(|c: char| !c.is_ascii_alphanumeric()).next();
        extension.is_some_and(|extension| SOURCES.contains(&extension))
    });
    let name = if is_source { file } else { "<path>" };
    format!("{}{name}", &word[..start])
}

/// The word with numbers and addresses masked.
fn masked(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let run = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let after_word = out.ends_with(|c: char| c.is_alphanumeric());
        let address = run >= 8 && !after_word && rest[..run].contains(|c: char| c.is_ascii_digit());
        let taken = if let Some(hexadecimal) = rest.strip_prefix("0x") {
            let end = hexadecimal.find(|c: char| !c.is_ascii_hexdigit());
            2 + end.unwrap_or(hexadecimal.len())
        } else if address {
            run
        } else {
            digits
        };
        if taken > 0 {
            out.push('#');
            rest = &rest[taken..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(stderr: &str) -> CrashSignature {
        CrashSignature::new(Death::Signal(6), stderr, "")
    }

    #[test]
    fn equal_crashes_compare_equal() {
        let same = [
            (
                "Fatal failure within f(CVC4::TNode) at ./src/fp/fp_converter.cpp:1700",
                "\nFatal failure within f(CVC4::TNode) at /build/a1/src/fp/fp_converter.cpp:1712\nmore",
            ),
            (
                "==17==ERROR: AddressSanitizer: heap-use-after-free on address 0x602f10 at pc 00007ffff7abc012",
                "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x7fffe at pc 00005bcdef123456",
            ),
            (
                "ASSERTION VIOLATION\nFile: ../src/smt/theory_str.cpp\nLine: 12\nx > 0",
                "ASSERTION VIOLATION\nFile: /build/x/src/smt/theory_str.cpp\nLine: 13\nx > 0",
            ),
            (
                "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x10\n\
                 #0 0x55d02 in smt::theory::f(int) /src/smt/theory.cpp:12:3",
                "==2==ERROR: AddressSanitizer: SEGV on unknown address 0x18\n\
                 #0 0x77d02 in smt::theory::f(int) /home/a/src/smt/theory.cpp:15:3",
            ),
            ("cannot open '/home/a/17.smt2'", "cannot open '/var/x_9/in.smt2'"),
        ];
        for (a, b) in same {
            assert_eq!(signature(a), signature(b), "{a}");
        }
    }

    #[test]
    fn different_crashes_differ() {
        let lines = [
            "Fatal failure within f at ./src/a.cpp:1",
            "Fatal failure within f at ./src/b.cpp:1",
            "Fatal failure within g at ./src/a.cpp:1",
            "terminate called after throwing an instance of 'std::bad_variant_access'",
            "ASSERTION VIOLATION\nFile: ../src/smt/theory_str.cpp\nLine: 12",
            "ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 12",
            "ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 12\nx > 0",
            "ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 12\ny != nullptr",
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602f10 at pc 0x1\n\
             READ of size 8 at 0x602f10 thread T0\n\
             #0 0x55d01 in memcpy /build/compiler-rt/lib/asan/memcpy.inc:1:2\n\
             #1 0x55d02 in smt::theory::f(int, char) /src/smt/theory.cpp:12:3",
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602f10 at pc 0x1\n\
             READ of size 8 at 0x602f10 thread T0\n\
             #0 0x55d02 in smt::theory::g(int, char) /src/smt/theory.cpp:12:3",
            "",
        ];
        for (i, a) in lines.iter().enumerate() {
            for b in &lines[i + 1..] {
                assert_ne!(signature(a), signature(b), "{a} / {b}");
            }
        }
        let segfault = CrashSignature::new(Death::Signal(11), "", "");
        assert_ne!(segfault, signature(""));
        assert_eq!(segfault.to_string(), "signal 11");
    }

    #[test]
    fn a_crash_signature_takes_the_relevant_line() {
        let table = [
            (
                "warning\nterminate called without reason\nAborted",
                "terminate called without reason",
            ),
            ("first\nlast\n\n", "last"),
            (
                "Failed to verify: x.is_int() in 3   steps",
                "Failed to verify: x.is_int() in # steps",
            ),
            ("deadbeef decade 12ab34cd5", "deadbeef decade #"),
        ];
        for (text, expected) in table {
            assert_eq!(signature(text).message, expected);
        }
        assert_eq!(signature(&"é".repeat(1_000)).message.chars().count(), LONGEST);
        let stdout = CrashSignature::new(Death::Exit(114), "", "sat\nASSERTION VIOLATION\nx");
        assert_eq!(stdout.to_string(), "exit code 114, ASSERTION VIOLATION");
    }
}
