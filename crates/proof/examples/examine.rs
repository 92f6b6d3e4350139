fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut total: std::collections::BTreeMap<String, assay_case::RuleCount> = Default::default();
    let mut unread: std::collections::BTreeMap<String, u64> = Default::default();
    let (mut complete, mut n) = (0, 0);
    for pair in args.chunks(2) {
        let script = std::fs::read_to_string(&pair[0]).unwrap();
        let proof = std::fs::read_to_string(&pair[1]).unwrap();
        let proof = proof.trim_start().strip_prefix("unsat").unwrap_or(&proof);
        let mut budget = assay_term::Budget::new(400_000_000, u64::MAX);
        let begun = std::time::Instant::now();
        let report = assay_proof::examine(&script, proof, assay_smtlib::STANDARD, &mut budget);
        n += 1;
        complete += usize::from(report.is_complete);
        if let Some(fault) = &report.fault { println!("FAULT {} {}: {fault}", pair[0], pair[1]); }
        if report.is_cut_short { println!("CUT {}", pair[1]); }
        let t = begun.elapsed();
        if t.as_secs() > 2 { println!("SLOW {:?} {}", t, pair[1]); }
        for (r, c) in &report.unread { *unread.entry(r.clone()).or_insert(0) += c; }
        for (rule, count) in report.rules { total.entry(rule).or_default().add(&count); }
    }
    let mut all = assay_case::RuleCount::default();
    for (rule, count) in &total { all.add(count); println!("{rule:40} {:6} checked {:6} attacked {:6} skipped {:6} unread {:6} trusted {:6} refuted {:4} assignments {:6}", count.steps(), count.checked, count.attacked, count.skipped, count.unread, count.trusted, count.refuted, count.assignments); }
    let mut u: Vec<_> = unread.into_iter().collect(); u.sort_by_key(|x| std::cmp::Reverse(x.1));
    for (r, c) in u.iter().take(40) { println!("UNREAD {c} {r}"); }
    println!("proofs {n} complete {complete} steps {} {all:?}", all.steps());
}
