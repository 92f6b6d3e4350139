//! A campaign over one formula on a fake, for the tests of what a verdict comes to.
#![allow(dead_code, reason = "each test uses a part")]

use crate::targets::settings;
use assay_campaign::suites::Askers;
use assay_campaign::tool::Toolbox;
use assay_campaign::{Campaign, FollowUp, Header, Results, Summary, TargetRecord};
use assay_case::{
    CaseId, Category, Expected, Formula, MakeError, Oracle, Origin, Selection, Suite, TestCase,
    Why, Witness, check_model,
};
use assay_target::process::Limits;
use assay_target::{Catalog, Installer, Resolved, Solver, Target};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const SAT: &str = "(declare-const x Int)(assert (= x 5))(check-sat)";
const UNSAT: &str = "(declare-const x Int)(assert (! (< x 5) :named a))\
                     (assert (! (> x 5) :named b))(check-sat)";

/// One formula with a certain truth.
struct Formulas(Expected);

impl Suite for Formulas {
    fn name(&self) -> &str {
        "one"
    }

    fn categories(&self) -> Vec<Category> {
        vec![Category { name: "one".into(), group: "one".into(), expected: self.0 }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut([CaseId { category: 0, index: 0 }].into_iter())
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let sat = self.0 == Expected::Sat;
        let mut formula = Formula::read(if sat { SAT } else { UNSAT }).expect("the text is right");
        let oracle = match sat {
            true => {
                let model = formula.read_model("((define-fun x () Int 5))").expect("a model");
                Oracle::Sat(Witness::Checked(check_model(&formula, model).expect("true")))
            }
            false => Oracle::Unsat { why: Why::Certified(Vec::new()), core: None },
        };
        Ok(TestCase::formula("one", formula, oracle, Origin::default()).expect("a case"))
    }
}

/// What a campaign over one formula comes to on a fake: the table and the findings.
pub fn campaign(folder: &Path, expected: Expected, fake: Resolved) -> (Summary, Vec<String>) {
    let results = results(folder, expected, fake);
    let found = results.findings().expect("findings").into_iter();
    let words = |f: assay_campaign::Listed| {
        format!("{} {} {}: {}", f.kind.name(), f.grade.name(), f.stability.name(), f.detail)
    };
    (results.summary().expect("a table"), found.map(words).collect())
}

/// What it keeps.
pub fn results(folder: &Path, expected: Expected, fake: Resolved) -> Results {
    followed(folder, expected, fake, 0)
}

/// The same where findings are followed up in this percentage of the time.
pub fn followed(folder: &Path, expected: Expected, fake: Resolved, share: u8) -> Results {
    let limits =
        Limits { wall: Duration::from_millis(700), memory: Some(1 << 30), output: 1 << 20 };
    let suite = Formulas(expected);
    let header = Header::constructed("one");
    let target = Arc::new(fake);
    let records = [TargetRecord { name: target.name.to_string(), reported: "1".into() }];
    let mut results =
        Results::create(&folder.join("results.sqlite"), &header, &suite.categories(), &records)
            .expect("a store");
    let solver = || -> Box<dyn Target> {
        Box::new(Solver::new(Arc::clone(&target), settings(limits, false)))
    };
    let catalog = Catalog::load(&[folder.to_owned()]).expect("descriptions");
    let (installer, askers) = (Installer::new(folder.join("cache")), Askers::default());
    let follow = FollowUp {
        folder: folder.to_owned(),
        share,
        toolbox: Toolbox { catalog: &catalog, installer: &installer },
        askers: &askers,
        settings: settings(limits, false),
    };
    let campaign = Campaign {
        suite: &suite,
        selection: Selection::default(),
        header,
        factory: &|| Ok(vec![solver()]),
        targets: 1,
        jobs: 1,
        count: false,
        budget: None,
        give_up: None,
        findings: folder.join("findings"),
        follow: (share > 0).then_some(follow),
        stop: &AtomicBool::new(false),
    };
    campaign.run(&mut results, &mut |_| {}).expect("it runs");
    results
}
