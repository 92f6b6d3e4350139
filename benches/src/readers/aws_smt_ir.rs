//! `aws-smt-ir`: a fork of `smt2parser`'s grammar that builds interned terms.
//!
//! Operators become enum variants and every symbol, constant and term is looked up in a
//! process-wide table behind a lock, whose entries are never freed. No sorts are checked. Each
//! annotation `(! t ...)` is dropped with a line on the standard error, which is why whoever runs
//! this reader should send that to nowhere.

use super::{Product, Reader, Retention, Script};
use aws_smt_ir::Term;

pub(super) struct AwsSmtIr;

impl Reader for AwsSmtIr {
    fn name(&self) -> &'static str {
        "aws-smt-ir"
    }

    fn product(&self) -> Product {
        Product::Shared
    }

    fn retention(&self) -> Retention {
        Retention::Process
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let script: aws_smt_ir::Script<Term> =
            aws_smt_ir::Script::parse(text.as_bytes()).map_err(|error| error.to_string())?;
        look(&script);
        Ok(())
    }
}

impl Script for aws_smt_ir::Script<Term> {
    fn commands(&self) -> usize {
        self.as_ref().len()
    }

    fn print(&self) -> Option<String> {
        Some(self.to_string())
    }
}
