//! The barriers between a tool and the rest of the machine: plain data, for reports.

use std::fmt;
use std::str::FromStr;

/// Whether tools run in the sandbox.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sandbox {
    /// In the sandbox, as far as the kernel supports it.
    #[default]
    On,
    /// As the user would run them, with limits only on time, memory and output.
    Off,
}

impl FromStr for Sandbox {
    type Err = String;

    fn from_str(word: &str) -> Result<Sandbox, String> {
        match word {
            "on" => Ok(Sandbox::On),
            "off" => Ok(Sandbox::Off),
            _ => Err(format!("expected `on` or `off`, got `{word}`")),
        }
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sandbox::On => "on",
            Sandbox::Off => "off",
        })
    }
}

/// How the jobs of a keeper are confined, as the kernel of this machine allows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Confinement {
    /// Not at all, by the user's choice.
    Off,
    /// In the sandbox.
    On {
        /// The Landlock ABI version in force, or zero without Landlock.
        landlock: u8,
        /// How the network is blocked.
        network: NetworkWall,
        /// Whether the kernel filters system calls.
        calls: bool,
    },
}

/// How jobs are kept from the network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NetworkWall {
    /// A network namespace without any device.
    Namespace,
    /// Landlock, which covers only TCP, on kernels that support it.
    Landlock,
}

/// Something that the sandbox denies to tools.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Barrier {
    /// Environment variables that the target's description does not name.
    Environment,
    /// Files: reading outside the system and the tool's installation, writing outside the scratch
    /// folder.
    Files,
    /// The network.
    Network,
    /// Signals to outside processes, and their sockets without a file.
    Signals,
    /// System calls that no tool needs and that other barriers do not cover.
    Calls,
    /// More processes than a job's limit.
    Processes,
    /// Files larger than a job's limit.
    FileSize,
}

/// Whether a barrier is in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// In force, by this mechanism.
    Up(&'static str),
    /// In force, with this exception.
    Partly(&'static str),
    /// The kernel does not support it; this would be needed.
    Missing(&'static str),
}

impl Barrier {
    /// All of them.
    pub const ALL: [Barrier; 7] = [
        Barrier::Environment,
        Barrier::Files,
        Barrier::Network,
        Barrier::Signals,
        Barrier::Calls,
        Barrier::Processes,
        Barrier::FileSize,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Barrier::Environment => "environment",
            Barrier::Files => "files",
            Barrier::Network => "network",
            Barrier::Signals => "signals",
            Barrier::Calls => "system calls",
            Barrier::Processes => "processes",
            Barrier::FileSize => "file size",
        }
    }

    fn state(self, landlock: u8, network: NetworkWall, calls: bool) -> State {
        match (self, landlock, network) {
            (Barrier::Environment, ..) => State::Up("cleared"),
            (Barrier::Files, 0, _) => State::Missing("Landlock, in Linux 5.13 and later"),
            (Barrier::Files, 1 | 2, _) => State::Partly("truncating files needs Linux 6.2"),
            (Barrier::Files, ..) => State::Up("Landlock"),
            (Barrier::Network, _, NetworkWall::Namespace) => State::Up("network namespace"),
            (Barrier::Network, ..) if calls => State::Up("seccomp"),
            (Barrier::Network, 0..4, NetworkWall::Landlock) => {
                State::Missing("user namespaces, or Landlock in Linux 6.7 and later")
            }
            (Barrier::Network, ..) => State::Partly("TCP only; the rest needs user namespaces"),
            (Barrier::Signals, 0..6, _) => State::Missing("Landlock, in Linux 6.12 and later"),
            (Barrier::Signals, ..) => State::Up("Landlock"),
            (Barrier::Calls, ..) if calls => State::Up("seccomp"),
            (Barrier::Calls, ..) => State::Missing("seccomp filters in the kernel"),
            (Barrier::Processes, ..) => State::Up("counted by the keeper"),
            (Barrier::FileSize, ..) => State::Up("resource limit"),
        }
    }
}

impl Confinement {
    /// Every barrier with its state; empty if the sandbox is off.
    #[must_use]
    pub fn barriers(self) -> Vec<(Barrier, State)> {
        match self {
            Confinement::Off => Vec::new(),
            Confinement::On { landlock, network, calls } => Barrier::ALL
                .map(|barrier| (barrier, barrier.state(landlock, network, calls)))
                .to_vec(),
        }
    }

    /// Whether a barrier is fully in force.
    #[must_use]
    pub fn has(self, barrier: Barrier) -> bool {
        self.barriers().iter().any(|(at, state)| *at == barrier && matches!(state, State::Up(_)))
    }
}

/// `on` with what is missing, or `off`.
impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Confinement::Off {
            return f.write_str("off");
        }
        f.write_str("on")?;
        for (barrier, state) in self.barriers() {
            match state {
                State::Up(_) => {}
                State::Partly(gap) => write!(f, "; {}: {gap}", barrier.name())?,
                State::Missing(need) => {
                    write!(f, "; no barrier for {}: needs {need}", barrier.name())?
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_barriers_are_named() {
        use Barrier::{Calls, Environment, FileSize, Files, Network, Processes, Signals};
        let always = [Environment, Processes, FileSize];
        let without = "; no barrier for system calls: needs seccomp filters in the kernel";
        let table: [(u8, NetworkWall, &[Barrier], &str); 6] = [
            (7, NetworkWall::Namespace, &[Files, Network, Signals], "on"),
            (
                7,
                NetworkWall::Landlock,
                &[Files, Signals],
                "on; network: TCP only; the rest needs user namespaces",
            ),
            (
                4,
                NetworkWall::Namespace,
                &[Files, Network],
                "on; no barrier for signals: needs Landlock, in Linux 6.12 and later",
            ),
            (
                1,
                NetworkWall::Namespace,
                &[Network],
                "on; files: truncating files needs Linux 6.2; no barrier for signals: needs Landlock, in Linux 6.12 and later",
            ),
            (
                0,
                NetworkWall::Namespace,
                &[Network],
                "on; no barrier for files: needs Landlock, in Linux 5.13 and later; no barrier for signals: needs Landlock, in Linux 6.12 and later",
            ),
            (
                3,
                NetworkWall::Landlock,
                &[Files],
                "on; no barrier for network: needs user namespaces, or Landlock in Linux 6.7 and later; no barrier for signals: needs Landlock, in Linux 6.12 and later",
            ),
        ];
        for (landlock, network, up, words) in table {
            let confinement = Confinement::On { landlock, network, calls: false };
            assert_eq!(confinement.to_string(), format!("{words}{without}"));
            for barrier in Barrier::ALL {
                let expected = always.contains(&barrier) || up.contains(&barrier);
                assert_eq!(confinement.has(barrier), expected, "{barrier:?} with {landlock}");
            }
            // A filter of system calls is another wall before the network.
            let confinement = Confinement::On { landlock, network, calls: true };
            assert!(confinement.has(Network) && confinement.has(Calls));
            assert_eq!(confinement.has(Files), up.contains(&Files));
        }
        assert_eq!(Confinement::Off.to_string(), "off");
        assert!(Barrier::ALL.iter().all(|barrier| !Confinement::Off.has(*barrier)));
    }

    #[test]
    fn the_sandbox_flag_takes_on_or_off() {
        for word in ["on", "off"] {
            assert_eq!(word.parse::<Sandbox>().map(|sandbox| sandbox.to_string()), Ok(word.into()));
        }
        assert_eq!("maybe".parse::<Sandbox>(), Err("expected `on` or `off`, got `maybe`".into()));
    }
}
