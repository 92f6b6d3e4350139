//! Uninterpreted functions by Ackermann's reduction: each application reads its own result, and equal
//! arguments require equal results.

use super::{Kind, Low, LoweredStep, Lowerer, Refusal};
use crate::c::{Expr, Name, Stmt};
use assay_term::{FuncId, TermId};

impl Lowerer<'_> {
    pub(super) fn application(
        &mut self,
        func: FuncId,
        term: TermId,
        args: &[TermId],
    ) -> Result<Low, Refusal> {
        let kind = self.kind(self.store.sort(term))?;
        let kinds: Result<Vec<Kind>, Refusal> =
            args.iter().map(|&arg| self.kind(self.store.sort(arg))).collect();
        let kinds = kinds?;
        if kinds.iter().chain([&kind]).any(|kind| matches!(kind, Kind::Array(..))) {
            return Err(Refusal::ArrayFunction);
        }
        let args: Vec<Low> = args.iter().map(|&arg| self.low(arg)).collect();
        let args: Vec<Low> = args.into_iter().map(|arg| self.named(arg)).collect();
        let name = self.fresh_name("f");
        let place = self.place(term);
        let scalar = self.scalar(&kind);
        let mut reading = self.read(&kind, Expr::var(&name), place)?.into_iter();
        if let Some(Stmt::Assign(_, value)) = reading.next() {
            let declared = Stmt::Declare(scalar.into(), Name::clone(&name), Some(value));
            self.steps.push(LoweredStep::Do(declared));
        }
        self.steps.extend(reading.map(LoweredStep::Do));
        let result = self.input(&kind, &name);
        let earlier = self.calls.get(&func).cloned().unwrap_or_default();
        // Each call is compared with all earlier ones.
        self.size += earlier.len();
        if self.size > super::LARGEST {
            return Err(Refusal::Size);
        }
        for (known, value) in &earlier {
            let mut same = Expr::truth(true);
            for ((a, b), kind) in known.iter().zip(&args).zip(&kinds) {
                same = same.both(self.equal(a, b, kind)?);
            }
            let agree = self.equal(value, &result, &kind)?;
            self.require(same.negated().either(agree));
        }
        self.calls.entry(func).or_default().push((args, result.clone()));
        Ok(result)
    }
}
