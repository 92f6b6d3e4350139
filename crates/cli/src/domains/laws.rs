//! The laws of abstract domains among the rules: `assay rules --theory domains`.

use crate::output;
use assay_lattice::{Certificate, LAWS, Law, certify};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What laws of domains are called among the theories.
pub(crate) const THEORY: &str = "domains";

/// Prints every law.
pub(crate) fn list(as_json: bool) {
    for law in LAWS {
        output::result(&match as_json {
            true => format!("{}\n", record(law)),
            false => {
                format!("{THEORY} {} {} [{}]\n    {law}\n", law.class.name(), law.name, source(law))
            }
        });
    }
}

/// Puts every law to the test, on all processors, and prints what it rests on; gives how many there
/// are, and how many fail.
pub(crate) fn certify_all(as_json: bool) -> (usize, usize) {
    let certificates = certificates();
    for certificate in &certificates {
        let Certificate { law, held, broken } = certificate;
        let grade = if certificate.stands() { "exhaustive" } else { "FAILED" };
        if as_json {
            let mut record = record(law);
            record["grade"] = json!(grade);
            record["evidence"] = json!([{ "held": held }]);
            if let Some(case) = broken {
                record["failure"] = json!(case.to_string());
            }
            output::result(&format!("{record}\n"));
            continue;
        }
        let mut text = format!("{grade:10} {THEORY} {}\n    held {held} times\n", law.name);
        if let Some(case) = broken {
            text += &format!("    broken by\n{case}\n");
        }
        output::result(&text);
    }
    let failed = certificates.iter().filter(|certificate| !certificate.stands()).count();
    (certificates.len(), failed)
}

fn certificates() -> Vec<Certificate> {
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(law) = LAWS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let certificate = certify(law);
                    made.lock().unwrap_or_else(PoisonError::into_inner).push(certificate);
                }
            });
        }
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_by_key(|certificate| LAWS.iter().position(|law| law.name == certificate.law.name));
    made
}

fn record(law: &Law) -> Value {
    json!({
        "rule": law.name,
        "theory": THEORY,
        "kind": law.class.name(),
        "source": source(law),
        "text": law.to_string(),
    })
}

fn source(law: &Law) -> String {
    match law.number {
        Some(number) => format!("ASE 2018, figure 2.3, {number}"),
        None => "own".to_owned(),
    }
}
