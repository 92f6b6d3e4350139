//! The clusters of a campaign, as text and as JSON.

use assay_campaign::cluster::Cluster;
use assay_campaign::shortened;
use assay_campaign::units::counted;
use assay_case::Grade;
use serde_json::{Value, json};
use std::path::Path;

/// A cluster as a JSON record.
///
/// # Panics
/// Never: a cluster is plain data.
#[must_use]
pub fn cluster_record(cluster: &Cluster) -> Value {
    let mut record = serde_json::to_value(cluster).expect("a cluster is plain data");
    record["count"] = json!(cluster.count());
    record
}

/// The clusters in words: for each the sentence, and its smallest case.
#[must_use]
pub fn cluster_listing(clusters: &[Cluster], campaign: &Path) -> String {
    let mut out = String::new();
    let mut target = None;
    for cluster in clusters {
        if target.replace(&cluster.target) != Some(&cluster.target) {
            let own = || clusters.iter().filter(|other| other.target == cluster.target);
            let parts = [(Grade::Certified, ""), (Grade::Declared, " by a declared truth")];
            let parts = parts.iter().filter_map(|(grade, words)| {
                let own = || own().filter(|other| other.grade == *grade);
                let findings = counted(own().map(Cluster::count).sum::<usize>(), "finding");
                let clusters = counted(own().count(), "cluster");
                (own().count() > 0).then(|| format!("{findings}{words} in {clusters}"))
            });
            let parts: Vec<String> = parts.collect();
            out += &format!("\n{}: {}\n", cluster.target, parts.join(", "));
        }
        let known = cluster.known.as_ref().map_or_else(String::new, |known| {
            let link = known.link.as_ref().map_or_else(String::new, |link| format!(", {link}"));
            format!(" [known: {}{link}]", known.id)
        });
        let (essence, member) = cluster.essence();
        let agreed = cluster.agreement().map_or_else(String::new, |who| {
            format!("    unsatisfiable by agreement of {who}: sat is wrong, not only the model\n")
        });
        let versions =
            cluster.versions().map_or_else(String::new, |words| format!("    {words}\n"));
        let grade = if cluster.grade == Grade::Declared { ", declared" } else { "" };
        out += &format!(
            "  {} ({}{grade}){known}\n    {}\n{agreed}{versions}    {}\n",
            cluster.sentence,
            counted(cluster.count(), "case"),
            shortened(essence),
            campaign.join(&member.folder).display()
        );
    }
    out
}
