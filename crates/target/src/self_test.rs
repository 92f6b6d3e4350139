//! Two programs of a few lines whose truth everybody knows. An analyzer that gets one wrong does not
//! know the error function, or its answers are misread: nothing that it says then counts.

use assay_case::Answer;
use std::collections::HashMap;
use std::sync::Mutex;

/// What both programs begin with. The wrap-around and the conversions are well defined: tools that
/// warn about them all the same must not have the warning taken for the error.
const HEAD: &str = "extern unsigned int __VERIFIER_nondet_uint(void);\n\
    extern void abort(void);\n\
    void reach_error(void) { abort(); }\n\
    static unsigned int wrapped(unsigned int x) { return (unsigned char)(x - 1U) + (x * 3U); }\n";

/// A program whose error is reached where `test` holds.
fn program(test: &str) -> String {
    format!(
        "{HEAD}int main(void) {{\n  unsigned int x = __VERIFIER_nondet_uint();\n  \
         unsigned int y = wrapped(x);\n  int limit = 3;\n  if (y == 7U) {{ x = 5U; }}\n  \
         if ({test}) {{ reach_error(); }}\n  return 0;\n}}\n"
    )
}

/// A program whose error can be reached.
pub(crate) fn reachable() -> String {
    program("x == 5U")
}

/// A program whose error cannot be reached, as every analysis can tell. Not by `if (0)`, which an analysis
/// of intervals need not look at.
pub(crate) fn unreachable() -> String {
    program("limit > 5")
}

/// Whether this is right of [`reachable`].
pub(crate) fn sees(answer: &Answer) -> bool {
    matches!(answer, Answer::Reachable | Answer::Alarm)
}

/// Whether this is right of [`unreachable`].
pub(crate) fn clears(answer: &Answer) -> bool {
    matches!(answer, Answer::Unreachable | Answer::Silent)
}

/// Whether the answer depends on how busy the machine is, and says nothing of the tool.
pub(crate) fn is_passing(answer: &Answer) -> bool {
    matches!(answer, Answer::Timeout | Answer::OutOfMemory)
}

/// What was found, by command line, in this process: every worker of a campaign has the same tools.
static KNOWN: Mutex<Option<HashMap<String, Result<(), String>>>> = Mutex::new(None);

pub(crate) fn known(command: &str) -> Option<Result<(), String>> {
    let known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.as_ref()?.get(command).cloned()
}

pub(crate) fn remember(command: String, verdict: Result<(), String>) {
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.get_or_insert_with(HashMap::new).insert(command, verdict);
}
