//! Supervised processes: one process tree per job, with limits for the whole tree.
//!
//! A worker has a [`Keeper`]: a process of its own that starts each job, watches it, and reports
//! only after the last process of the job's tree is dead. The keeper outlives its worker just long
//! enough to clean up, so nothing is left behind even if we are killed. A job's input and output go
//! through pipes between the worker and the job; the keeper relays nothing.
//!
//! A control group enforces memory limits if there is one that we may divide: one that the variable
//! `ASSAY_CGROUP` names, the topmost visible one, as in a container, or one that was delegated to a
//! user who is not root. Otherwise the keeper sums the memory of the tree. The variable
//! `ASSAY_CONTAINMENT` selects `cgroup-v2`, `cgroup-v1` or `subreaper`. Each run reports which one
//! was used.
//!
//! This module starts and ends processes, and knows nothing of solvers, cases and answers.
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

mod calls;
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
