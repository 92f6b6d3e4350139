//! A campaign as a Slurm job array: one task for each shard, and a job that merges them.
//!
//! Only scripts are made here and passed to `sbatch`. Each task enforces our own time and memory
//! limits per case; Slurm's limits apply to the whole task.

use crate::file::FileError;
use crate::merge::RESULTS;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A campaign to run with Slurm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobArray {
    /// The job's name in the queue.
    pub name: String,
    /// The program, with its full path.
    pub program: PathBuf,
    /// The working directory.
    pub folder: PathBuf,
    /// The arguments of `assay run`, without shard, jobs and folder.
    pub arguments: Vec<String>,
    /// The arguments of `assay merge`, without folders.
    pub merge_arguments: Vec<String>,
    /// The list of cases, if they are drawn beforehand.
    pub cases: Option<PathBuf>,
    /// The number of shards.
    pub shards: u64,
    /// The number of cases that run in parallel in a task.
    pub jobs: usize,
    /// The memory limit of a case, in bytes.
    pub memory: u64,
    /// The output folder; a full path.
    pub out: PathBuf,
    /// Further options of `sbatch`, such as `--partition=long`.
    pub options: Vec<String>,
}

/// The memory that a task needs in addition to its cases, in bytes.
const OVERHEAD: u64 = 1 << 30;

/// The time limit for `sbatch`.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why nothing was submitted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// Slurm is not installed.
    #[error(
        "sbatch cannot be started: {0} (is Slurm installed here? --dry-run prints the scripts)"
    )]
    NoSlurm(std::io::Error),
    /// Slurm refused the job.
    #[error("sbatch refused {script}: {words}")]
    Refused {
        /// The script.
        script: PathBuf,
        /// Slurm's message.
        words: String,
    },
}

/// The jobs that were submitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submitted {
    /// The array's job number.
    pub array: String,
    /// The number of the job that merges the shards.
    pub merge: String,
}

impl JobArray {
    /// The folder with the shards' folders.
    #[must_use]
    pub fn shards_folder(&self) -> PathBuf {
        self.out.join("shards")
    }

    /// The folder for the merged campaign.
    #[must_use]
    pub fn whole(&self) -> PathBuf {
        self.out.join("whole")
    }

    /// The script of a task.
    #[must_use]
    pub fn tasks(&self) -> String {
        let log = self.out.join("logs").join("%a.txt");
        let mut script = self.head(&self.name, &log);
        let bytes = self.memory.saturating_mul(self.jobs as u64).saturating_add(OVERHEAD);
        let _ = writeln!(script, "#SBATCH --array=1-{}", self.shards);
        let _ = writeln!(script, "#SBATCH --cpus-per-task={}", self.jobs);
        let _ = writeln!(script, "#SBATCH --mem={}M", bytes.div_ceil(1 << 20));
        for option in &self.options {
            let _ = writeln!(script, "#SBATCH {option}");
        }
        let (program, out) = (path(&self.program), path(&self.shards_folder()));
        let (mut words, shards, jobs) = (words(&self.arguments), self.shards, self.jobs);
        if let Some(list) = &self.cases {
            let _ = write!(words, " --cases {}", path(list));
        }
        let _ = write!(
            script,
            r#"
# A task that was lost may be run again: it goes on where its results end.
shard=$SLURM_ARRAY_TASK_ID
out={out}/$shard
resume=()
[ -e "$out/{RESULTS}" ] && resume=(--resume)
{program} run {words} --shard "$shard/{shards}" --jobs {jobs} --out "$out" "${{resume[@]}}"
code=$?
# Findings are a result, not a failure of the task.
[ "$code" -eq 1 ] && exit 0
exit "$code"
"#
        );
        script
    }

    /// The script of the job that merges the shards.
    #[must_use]
    pub fn merge(&self) -> String {
        let mut script = self.head(&format!("{}-merge", self.name), &self.out.join("merge.txt"));
        for option in &self.options {
            let _ = writeln!(script, "#SBATCH {option}");
        }
        let (program, shards) = (path(&self.program), path(&self.shards_folder()));
        let (words, whole) = (words(&self.merge_arguments), path(&self.whole()));
        let words = if words.is_empty() { words } else { format!(" {words}") };
        let _ = write!(
            script,
            r#"
{program} merge {shards}/* --out {whole}{words}
code=$?
[ "$code" -eq 1 ] && exit 0
exit "$code"
"#
        );
        script
    }

    fn head(&self, name: &str, log: &Path) -> String {
        format!(
            "#!/bin/bash\n\
             #SBATCH --job-name={name}\n\
             #SBATCH --chdir={}\n\
             #SBATCH --output={}\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --requeue\n",
            path(&self.folder),
            path(log)
        )
    }

    /// Writes the scripts into the folder and hands them to `sbatch`.
    ///
    /// # Errors
    /// Fails if Slurm is not installed, or refuses the job.
    pub fn submit(&self) -> Result<Submitted, SubmitError> {
        for folder in [self.out.join("logs"), self.shards_folder()] {
            std::fs::create_dir_all(&folder).map_err(|error| FileError::new(folder, error))?;
        }
        let array = self.submit_script("shards.sbatch", &self.tasks(), &[])?;
        // The merge runs even if tasks fail: it reports what is missing.
        let after = format!("--dependency=afterany:{array}");
        let merge = self.submit_script("merge.sbatch", &self.merge(), &[&after])?;
        Ok(Submitted { array, merge })
    }

    fn submit_script(
        &self,
        name: &str,
        text: &str,
        options: &[&str],
    ) -> Result<String, SubmitError> {
        let script = self.out.join(name);
        std::fs::write(&script, text).map_err(|error| FileError::new(&script, error))?;
        let mut command = Command::new("sbatch");
        command.arg("--parsable").args(options).arg(&script);
        let said = assay_target::ask(&mut command, PATIENCE).map_err(SubmitError::NoSlurm)?;
        let words = said.map_err(|words| SubmitError::Refused { script, words })?;
        // The cluster's name may follow.
        Ok(words.trim().split(';').next().unwrap_or_default().to_owned())
    }
}

/// A path quoted for a shell's command line.
fn path(path: &Path) -> String {
    word(&path.display().to_string())
}

/// Words of a shell's command line.
fn words(all: &[String]) -> String {
    all.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ")
}

/// A word of a shell's command line, quoted if necessary.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array() -> JobArray {
        JobArray {
            name: "assay-strings".into(),
            program: "/opt/assay".into(),
            folder: "/home/me/my project".into(),
            arguments: ["strings", "--sample", "9", "--target", "z3@4.8.0"].map(Into::into).into(),
            merge_arguments: vec!["--partial".into()],
            cases: None,
            shards: 8,
            jobs: 3,
            memory: 2 << 30,
            out: "/scratch/it's".into(),
            options: vec!["--partition=long".into()],
        }
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        for (text, quoted) in
            [("z3@4.8.0", "z3@4.8.0"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(word(text), quoted);
        }
    }

    #[test]
    fn scripts_have_the_resources_folders_and_commands() {
        let tasks = array().tasks();
        for line in [
            "#!/bin/bash",
            "#SBATCH --array=1-8",
            "#SBATCH --cpus-per-task=3",
            "#SBATCH --mem=7168M",
            "#SBATCH --partition=long",
            "#SBATCH --requeue",
            "#SBATCH --chdir='/home/me/my project'",
            r"out='/scratch/it'\''s/shards'/$shard",
            r#"/opt/assay run strings --sample 9 --target z3@4.8.0 --shard "$shard/8" --jobs 3 --out "$out" "${resume[@]}""#,
        ] {
            assert!(tasks.lines().any(|known| known == line), "{line}\nin\n{tasks}");
        }
        let listed = JobArray { cases: Some("/scratch/a list".into()), ..array() }.tasks();
        assert!(listed.contains("z3@4.8.0 --cases '/scratch/a list' --shard"), "{listed}");
        let merge = array().merge();
        let line = r"/opt/assay merge '/scratch/it'\''s/shards'/* --out '/scratch/it'\''s/whole' --partial";
        assert!(merge.lines().any(|known| known == line), "{merge}");
    }

    /// The shell itself reads the script, for a new shard and for a resumed one.
    #[test]
    fn a_task_starts_resumes_and_reports_failures() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("it's here");
        let run = |program: &str, begun: bool| {
            let array = JobArray { program: program.into(), out: out.clone(), ..array() };
            let script = folder.path().join("script");
            std::fs::write(&script, array.tasks()).expect("a file");
            std::fs::create_dir_all(out.join("shards/2")).expect("a folder");
            let results = out.join("shards/2").join(RESULTS);
            if begun {
                std::fs::write(results, "").expect("a file");
            }
            let mut command = Command::new("bash");
            command.arg(&script).env("SLURM_ARRAY_TASK_ID", "2");
            assay_target::ask(&mut command, Duration::from_secs(20)).expect("there is a shell")
        };
        let begun = run("/bin/echo", false).expect("it succeeds");
        let expected = format!(
            "run strings --sample 9 --target z3@4.8.0 --shard 2/8 --jobs 3 --out {}/shards/2\n",
            out.display()
        );
        assert_eq!(begun, expected);
        let again = run("/bin/echo", true).expect("it succeeds");
        assert_eq!(again, expected.replace('\n', " --resume\n"));
        assert!(run("/bin/false", true).is_ok(), "findings are no failure");
        assert!(run("/bin/nothing", true).is_err(), "a program that cannot be run is one");
    }
}
