//! Supervised processes: one tree of processes per job, with limits that hold for the whole tree.
//!
//! A worker has a [`Keeper`]: a process of its own that starts each job, watches it, and reports
//! only after the last process of the job's tree is dead. The keeper outlives whoever started it
//! just long enough to clean up, so nothing is left behind even if we are killed. What the job
//! reads and writes goes through pipes between the worker and the job; the keeper relays nothing.
//!
//! Limits of memory are enforced by a control group where there is one that we may divide: one that
//! the variable `ASSAY_CGROUP` names, the topmost that can be seen, as in a container, or one that
//! was given to a user who is not root. Otherwise the keeper adds up what the tree uses. The
//! variable `ASSAY_CONTAINMENT` chooses among `cgroup-v2`, `cgroup-v1` and `subreaper`. Each run
//! says which it was.
//!
//! This room starts and ends processes, and knows nothing of solvers, cases and answers.
//!
//! ```no_run
//! use assay_target::process::{CommandLine, Keeper, Launcher, Limits};
//! use std::time::Duration;
//!
//! let mut keeper = Keeper::start(&Launcher::this_program()?)?;
//! let limits = Limits { wall: Duration::from_secs(15), memory: Some(2 << 30), output: 16 << 20 };
//! let finished = keeper.run(&CommandLine::new("z3").arg("-in"), b"(check-sat)\n", &limits)?;
//! assert_eq!(finished.stdout, b"sat\n");
//! # Ok::<(), assay_target::process::HarnessError>(())
//! ```

mod command;
pub(crate) mod confine;
mod error;
mod keeper;
mod keeper_process;
mod link;
mod orphans;
mod running;
mod sandbox;
mod stream;
mod wire;

pub use command::{CommandLine, Containment, Launcher, Limits};
pub use error::HarnessError;
pub use keeper::Keeper;
pub use keeper_process::keep;
pub use running::{Bounds, Ended, Exchange, Finished, Process, Stop};
pub use sandbox::{Barrier, Confinement, NetworkWall, Sandbox, State};
