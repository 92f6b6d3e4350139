//! Two tiny programs with an obvious truth. If an analyzer gets one wrong, it does not know the
//! error function, or its answers are misread; then none of its answers count.

use assay_case::Answer;
use std::collections::HashMap;
use std::sync::Mutex;

/// The beginning of both programs. The wrap-around and the conversions are well defined; if a tool
/// warns about them anyway, the warning must not be taken for the error.
const HEAD: &str = "extern unsigned int __VERIFIER_nondet_uint(void);\n\
    extern void abort(void);\n\
    void reach_error(void) { abort(); }\n\
    static unsigned int wrapped(unsigned int x) { return (unsigned char)(x - 1U) + (x * 3U); }\n";

/// A program whose error is reached if `test` holds.
fn program(test: &str) -> String {
    format!(
        "{HEAD}int main(void) {{\n  unsigned int x = __VERIFIER_nondet_uint();\n  \
         unsigned int y = wrapped(x);\n  int limit = 3;\n  if (y == 7U) {{ x = 5U; }}\n  \
         if ({test}) {{ reach_error(); }}\n  return 0;\n}}\n"
    )
}

/// A program with a reachable error.
pub(crate) fn reachable() -> String {
    program("x == 5U")
}

/// A program with an unreachable error, as every analysis can tell. It does not use `if (0)`, which
/// an interval analysis need not look at.
pub(crate) fn unreachable() -> String {
    program("limit > 5")
}

/// Whether this is the right answer for [`reachable`].
pub(crate) fn sees(answer: &Answer) -> bool {
    matches!(answer, Answer::Reachable | Answer::Alarm)
}

/// Whether this is the right answer for [`unreachable`].
pub(crate) fn clears(answer: &Answer) -> bool {
    matches!(answer, Answer::Unreachable | Answer::Silent)
}

/// Whether the answer depends on the load of the machine, and says nothing about the tool.
pub(crate) fn is_passing(answer: &Answer) -> bool {
    matches!(answer, Answer::Timeout | Answer::OutOfMemory)
}

/// The results in this process by command line: every worker of a campaign has the same tools.
static KNOWN: Mutex<Option<HashMap<String, Result<(), String>>>> = Mutex::new(None);

pub(crate) fn known(command: &str) -> Option<Result<(), String>> {
    let known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.as_ref()?.get(command).cloned()
}

pub(crate) fn remember(command: String, verdict: Result<(), String>) {
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.get_or_insert_with(HashMap::new).insert(command, verdict);
}
