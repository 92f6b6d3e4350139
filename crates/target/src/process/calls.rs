//! System calls that no tool needs and that reach past the other walls: sockets with a file and those
//! of virtual machines, keys of the kernel, limits and priorities of other processes, memory and
//! queues that outlive their maker, and the ring of requests that would go around this filter.

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::io;
use std::sync::OnceLock;

/// Calls that are denied whatever their arguments.
const NEVER: [libc::c_long; 11] = [
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_setxattr,
];

/// Further calls that change attributes of files, which Landlock does not cover.
const ATTRIBUTES: [libc::c_long; 5] = [
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Calls that may concern the calling process only, which is 0: the argument with the process.
const OWN: [(libc::c_long, u8); 5] = [
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];

/// Calls that may concern a process, not a group or a user: the word for a process.
const SINGLE: [(libc::c_long, u64); 2] =
    [(libc::SYS_setpriority, libc::PRIO_PROCESS as u64), (libc::SYS_ioprio_set, 1)];

/// Denies these calls to this thread and the processes that it starts from now on.
pub(super) fn give_up() -> io::Result<()> {
    static PROGRAM: OnceLock<Option<BpfProgram>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| filter().ok());
    let program = program.as_ref().ok_or_else(|| io::Error::other("no filter for this machine"))?;
    seccompiler::apply_filter(program).map_err(io::Error::other)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in NEVER.into_iter().chain(ATTRIBUTES) {
        rules.insert(call, Vec::new());
    }
    let not = |argument, value| SeccompCondition::new(argument, Dword, Ne, value);
    for (call, argument) in OWN {
        rules.entry(call).or_default().push(SeccompRule::new(vec![not(argument, 0)?])?);
    }
    for (call, word) in SINGLE {
        rules.entry(call).or_default().push(SeccompRule::new(vec![not(0, word)?])?);
    }
    // Its own limits, and asking for others'.
    let changes = SeccompCondition::new(2, Qword, Ne, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![not(0, 0)?, changes])?]);
    let denied = SeccompAction::Errno(libc::EPERM as u32);
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, denied, machine)?.try_into()
}
