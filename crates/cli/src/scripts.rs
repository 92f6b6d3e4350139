//! Files of a command line that are examined in parallel and reported in order.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files of a command line, with those of folders in the order of their names.
pub(crate) fn scripts(given: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let place = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(place)? {
                let entry = entry.map_err(place)?;
                let path = entry.path();
                match entry.file_type().map_err(place)? {
                    kind if kind.is_dir() => folders.push(path),
                    _ if path.extension().is_some_and(|end| end == "smt2") => found.push(path),
                    _ => {}
                }
            }
        }
        if found.is_empty() {
            return Err(format!("{}: it holds no *.smt2 file", path.display()).into());
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// Does some numbered work on several threads, by default one for each processor; `put` gets each
/// result as soon as all results before it are there.
pub(crate) fn in_order<T: Send>(
    jobs: Option<u16>,
    count: usize,
    work: &(dyn Fn(usize) -> T + Sync),
    put: &mut (dyn FnMut(usize, T) + Send),
) {
    let jobs = match jobs {
        Some(jobs) => usize::from(jobs),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let started = AtomicUsize::new(0);
    let waiting = Mutex::new((BTreeMap::new(), 0, put));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            scope.spawn(|| {
                loop {
                    let at = started.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    let done = work(at);
                    let mut guard =
                        waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    let (results, next, put) = &mut *guard;
                    results.insert(at, done);
                    while let Some(done) = results.remove(next) {
                        put(*next, done);
                        *next += 1;
                    }
                }
            });
        }
    });
}
