//! Every format, on a small campaign whose names are as unpleasant as names can be.
//!
//! `ASSAY_BLESS=1` rewrites the expected texts to what is written.

mod stage;

use assay_campaign::bisect::Timeline;
use assay_case::{
    Answer, CaseId, Category, CrashSignature, Death, Expected, Formula, MakeError, Oracle, Origin,
    Selection, Suite, TestCase, Why, Witness, check_model,
};
use assay_report::{Issue, Report};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Formulas about one number, in categories that no format likes.
struct Unpleasant;

impl Suite for Unpleasant {
    fn name(&self) -> &str {
        "less<than> & \"more\""
    }

    fn categories(&self) -> Vec<Category> {
        let category = |name: &str, group: &str, expected| Category {
            name: name.into(),
            group: group.into(),
            expected,
        };
        vec![category("a<b>&'c'", "x|y*z", Expected::Sat), category("広い", "", Expected::Unsat)]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let ids = [(0, 6), (1, 3)]
            .into_iter()
            .flat_map(|(category, count)| (0..count).map(move |index| CaseId { category, index }));
        selection.cut(ids)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let index = id.index;
        let fault = |error: &dyn std::fmt::Display| MakeError::fault(error);
        let text = match id.category {
            0 => {
                format!("(declare-const x Int)\n(assert (< (* x x) {}))\n(check-sat)\n", index + 1)
            }
            _ => format!(
                "(declare-const s String)\n(assert (< (str.len s) (- {index})))\n(check-sat)\n"
            ),
        };
        let mut formula = Formula::read(text).map_err(|error| fault(&error))?;
        let oracle = match id.category {
            0 => {
                let model = formula.read_model("((define-fun x () Int 0))");
                let model = model.map_err(|error| fault(&error))?;
                let checked = check_model(&formula, model).map_err(|error| fault(&error))?;
                Oracle::Sat(Witness::Checked(checked))
            }
            _ => Oracle::Unsat { why: Why::Certified(vec!["length-<-0".into()]), core: None },
        };
        let Category { name, group, .. } = self.categories().swap_remove(id.category as usize);
        let origin = Origin { category: name.clone(), index, ..Origin::default() };
        let name = [name, group, index.to_string()].join("/").replace("//", "/");
        TestCase::formula(name, formula, oracle, origin).map_err(|error| fault(&error))
    }
}

type Said = Result<(Answer, String, Duration), String>;

fn said(answer: Answer, stdout: &str, millis: u64) -> Said {
    Ok((answer, stdout.to_owned(), Duration::from_millis(millis)))
}

/// Wrong twice, dead once, too slow once, and once not asked.
fn bad(case: &TestCase) -> Said {
    let is_sat = matches!(case.as_formula().expect("a formula").oracle(), Oracle::Sat(_));
    match (is_sat, case.origin().index) {
        (true, 1 | 2) => said(Answer::Unsat, "unsat\n; <b>&\u{7}\n", 12),
        (true, 3) => {
            let words = "ASSERTION VIOLATION <&\"]]>\u{1b}";
            said(Answer::Crash(CrashSignature::new(Death::Signal(6), words, "")), "", 30)
        }
        (true, 4) => said(Answer::Timeout, "", 2000),
        (true, 5) => Err("no `<` here & there".into()),
        (true, _) => said(Answer::Sat, "sat\n", 3),
        (false, 0) => said(Answer::Unknown(Some("(incomplete <)".into())), "unknown\n", 250),
        (false, _) => said(Answer::Unsat, "unsat\n", 1),
    }
}

/// Right, but for one complaint.
fn good(case: &TestCase) -> Said {
    match case.as_formula().expect("a formula").oracle() {
        Oracle::Sat(_) if case.origin().index == 0 => {
            said(Answer::Rejected("line 1: what is <x>?".into()), "(error \"…\")\n", 1)
        }
        Oracle::Sat(_) => said(Answer::Sat, "sat\n", 2),
        _ => said(Answer::Unsat, "unsat\n", 2),
    }
}

fn campaign(folder: &Path, selection: Selection) -> Report {
    let mut header = stage::header(Unpleasant.name());
    header.choice.categories.push("it's".into());
    let actors: [(&str, &str, &stage::Part); 2] =
        [("bad@1.0", "Bad <1.0> & older", &bad), ("good@2.0:fast", "Good 2.0", &good)];
    stage::play(folder, &header, &Unpleasant, selection, &actors);
    let mut report = stage::report(folder);
    // How clusters are described is not what is tested here.
    for cluster in &mut report.clusters {
        cluster.sentence = format!("`*` & <what> is {}", cluster.kind.name());
        cluster.id = format!("cluster-{}", cluster.kind.name());
        (cluster.operators, cluster.arguments) = (vec!["<".into()], vec!["zero|one".into()]);
        cluster.rules = Vec::new();
    }
    report
}

/// The report on the whole campaign.
fn whole() -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    campaign(folder.path(), Selection::default())
}

/// The report on a campaign in which nothing was run.
fn empty() -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    campaign(folder.path(), Selection { limit: Some(0), ..Selection::default() })
}

/// Compares a text with the expected one of this name.
fn expect(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(&file, text).expect("the expected text can be written");
        return;
    }
    let expected = std::fs::read_to_string(&file).expect("the expected text is in the repository");
    assert_eq!(text, expected, "{name} (ASSAY_BLESS=1 rewrites it)");
}

#[test]
fn markdown_and_issues_match_their_expected_texts() {
    let report = whole();
    expect("report.md", &assay_report::markdown(&report));
    expect("empty.md", &assay_report::markdown(&empty()));
    let issues = report.clusters.iter().map(|cluster| {
        let dossier = &report.dossiers[&cluster.members[0].folder];
        assay_report::issue(&Issue {
            dossier,
            reported: Some("Bad <1.0> & older"),
            obtained: Some("the Python wheel bad-solver"),
            timeline: None,
        })
    });
    expect("issues.md", &issues.collect::<Vec<_>>().join("\n---\n\n"));
}

#[test]
fn junit_is_xml_with_correct_counts() {
    let text = assay_report::junit(&whole());
    expect("report.xml", &text);
    for text in [text, assay_report::junit(&empty())] {
        let document = roxmltree::Document::parse(&text).expect("it is XML");
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "testsuites");
        let tagged = |node: roxmltree::Node<'_, '_>, name: &str| {
            node.descendants().filter(|child| child.has_tag_name(name)).count().to_string()
        };
        let suites: Vec<_> =
            root.children().filter(|node| node.has_tag_name("testsuite")).collect();
        assert_eq!(suites.len(), 2);
        for node in suites.into_iter().chain([root]) {
            assert_eq!(node.attribute("tests"), Some(&*tagged(node, "testcase")));
            assert_eq!(node.attribute("failures"), Some(&*tagged(node, "failure")));
            assert_eq!(node.attribute("errors"), Some(&*tagged(node, "error")));
            assert_eq!(node.attribute("skipped"), Some(&*tagged(node, "skipped")));
        }
        for case in root.descendants().filter(|node| node.has_tag_name("testcase")) {
            assert!(case.attribute("name").is_some_and(|name| !name.is_empty()));
            assert!(case.attribute("classname").is_some_and(|name| name.contains('.')));
            let time: Option<f64> = case.attribute("time").and_then(|time| time.parse().ok());
            assert!(time.is_some_and(|time| time >= 0.0));
        }
    }
}

#[test]
fn junit_names_read_back() {
    let text = assay_report::junit(&whole());
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let failure = document.descendants().find(|node| node.has_tag_name("failure"));
    let failure = failure.expect("there is a failure");
    let case = failure.parent().expect("of a case");
    assert_eq!(case.attribute("name"), Some("a<b>&'c'/x|y*z/1"));
    assert_eq!(failure.attribute("type"), Some("wrong-unsat"));
    assert!(failure.text().is_some_and(|text| text.contains("(assert (< (* x x) 2))")));
}

/// What the schema of SARIF 2.1.0 requires of the parts that we write.
#[test]
fn sarif_has_what_its_schema_requires() {
    for (report, findings) in [(whole(), 3), (empty(), 0)] {
        let text = assay_report::sarif(&report);
        let log: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(log["version"], "2.1.0");
        let runs = log["runs"].as_array().expect("runs are a list");
        let driver = &runs[0]["tool"]["driver"];
        assert_eq!(driver["name"], "assay");
        let rules = driver["rules"].as_array().expect("rules are a list");
        let ids: BTreeSet<&str> =
            rules.iter().map(|rule| rule["id"].as_str().expect("an id")).collect();
        assert_eq!(ids.len(), rules.len(), "rules differ");
        for rule in rules {
            assert!(rule["shortDescription"]["text"].is_string());
            assert_level(&rule["defaultConfiguration"]["level"]);
        }
        let results = runs[0]["results"].as_array().expect("results are a list");
        assert_eq!(results.len(), findings);
        for result in results {
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
            assert_level(&result["level"]);
            let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[rule]["id"], result["ruleId"]);
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a reference");
            assert!(uri.starts_with("findings/") && uri.ends_with("/case.smt2"), "{uri}");
            assert!(!uri.contains([' ', '<', '"', ':']), "{uri}");
            let base = place["artifactLocation"]["uriBaseId"].as_str().expect("a base");
            assert!(runs[0]["originalUriBaseIds"][base].is_object());
            assert!(place["region"]["startLine"].as_u64() >= Some(1));
            let prints = result["partialFingerprints"].as_object().expect("fingerprints");
            assert!(prints.values().all(Value::is_string));
        }
    }
}

fn assert_level(level: &Value) {
    assert!(matches!(level.as_str(), Some("none" | "note" | "warning" | "error")), "{level}");
}

#[test]
fn json_has_everything() {
    let report = whole();
    let text = assay_report::json(&report);
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["schema"], "assay-report/2");
    assert_eq!(document["campaign"]["suite"], Unpleasant.name());
    assert_eq!(document["targets"][0]["reported"], "Bad <1.0> & older");
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), 18);
    assert_eq!(results[1]["case"], "a<b>&'c'/x|y*z/1");
    assert_eq!(
        (&results[1]["kind"], &results[1]["grade"]),
        (&"wrong-unsat".into(), &"certified".into())
    );
    assert_eq!(document["table"][0]["all"]["soundness-findings"], 2);
    assert_eq!(document["table"][1]["all"]["rejected"], 1);
    assert_eq!(document["rejections"][0]["words"], "what is <x>?");
    assert_eq!(
        (&document["time"]["late-timeouts"], &document["time"]["judging"]),
        (&15.0.into(), &0.0.into())
    );
    let clusters = document["clusters"].as_array().expect("clusters");
    let ids: Vec<&Value> = clusters.iter().map(|cluster| &cluster["id"]).collect();
    assert!(ids.contains(&&results[1]["cluster"]), "{ids:?}");
    let findings = document["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 3);
    let first = &findings[0];
    assert!(first["witness"].as_str().is_some_and(|model| model.contains("define-fun x")));
    assert_eq!(first["stdout"], "unsat\n; <b>&\u{7}\n");
    assert_eq!(first["record"]["kind"], "wrong-unsat");
}

#[test]
fn the_page_escapes_names_and_needs_nothing_else() {
    for report in [whole(), empty()] {
        let page = assay_report::html(&report);
        for raw in [
            "<than>",
            "a<b>",
            "<b>&",
            "<1.0>",
            "\u{7}",
            "]]>\u{1b}",
            "http:",
            "<link rel=\"stylesheet",
        ] {
            assert!(!page.contains(raw), "{raw:?}");
        }
        let ids: Vec<&str> = page
            .split(" id=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().expect("an end"))
            .collect();
        let different: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), different.len(), "{ids:?}");
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().expect("an end");
            assert!(ids.contains(&id), "#{id} leads nowhere");
        }
        for heading in 1..4 {
            let is_there = page.contains(&format!("<h{heading}"));
            assert!(is_there || heading == 3 && report.clusters.is_empty(), "h{heading}");
        }
    }
}

#[test]
fn the_page_keeps_its_cases_as_data() {
    let page = assay_report::html(&whole());
    let (_, rest) = page.split_once("type=\"application/json\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    let data: Value = serde_json::from_str(data).expect("it is JSON");
    let column = |name: &str| data["rows"][name].as_array().expect(name).len();
    for name in ["ordinal", "target", "category", "index", "outcome", "micros", "kind", "cluster"] {
        assert_eq!(column(name), 18, "{name}");
    }
    assert_eq!(data["categories"][0][0], "a<b>&'c'");
}

#[test]
fn issues_list_the_versions_of_a_timeline() {
    let mut report = whole();
    let folder = report.clusters[0].members[0].folder.clone();
    let records = r#"
{"target":"z3","version":"4.8.7","reading":"right","kind":null,"detail":"sat","seconds":0.1,"runs":3}
{"target":"z3","version":"4.8.8","reading":"wrong","kind":"wrong-unsat","detail":"<unsat>","seconds":0.1,"runs":3}
{"target":"z3","version":"4.12.6","reading":"right","kind":null,"detail":"sat","seconds":0.1,"runs":3}
{"summary":{"target":"z3","changes":[],"story":"it is told from the records"}}
"#;
    let timeline = Timeline::read(records).expect("a timeline");
    let error = Timeline::read("\n{}\n").expect_err("no timeline").to_string();
    assert!(error.starts_with("line 2: "), "{error}");
    let dossier = report.dossiers[&folder].clone();
    let (reported, obtained) = (None, None);
    let issue = Issue { dossier: &dossier, reported, obtained, timeline: Some(&timeline) };
    let issue = assay_report::issue(&issue);
    assert!(issue.contains("- 4.8.8: wrong"), "{issue}");
    report.timelines.insert(folder, timeline.clone());
    let page = assay_report::html(&report);
    assert!(page.contains("4.8.8: wrong &lt;unsat&gt;"), "the chart has the versions");
    for text in [page, assay_report::markdown(&report), issue] {
        assert!(text.to_lowercase().contains("introduced in 4.8.8 (4.8.7 right)"), "{text}");
    }
}
