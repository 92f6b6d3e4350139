//! Renders a campaign as HTML, a table, Markdown, JSON, JUnit or SARIF, a finding as a bug report, and a
//! diagnosis of axioms or of the stability of queries as text; what is known of a tool and of a file.
//!
//! Data in, text out: nothing is run, judged, printed or timed here, and campaigns are read only
//! through `assay-campaign`.

mod baseline;
mod charts;
mod checked;
mod clusters;
mod comparison;
mod data;
mod diagnosis;
mod domains;
mod example;
mod extent;
mod health;
mod highlight;
mod issue;
mod json;
mod judged;
mod junit;
mod markdown;
mod page;
mod sarif;
mod stability;
mod table;
mod tool;
mod words;

pub use baseline::{baseline_record, baseline_words};
pub use checked::{file_extent, truths};
pub use clusters::{cluster_listing, cluster_record};
pub use comparison::{compared, compared_records};
pub use data::Report;
pub use diagnosis::Diagnosed;
pub use domains::{searched, searched_record, stored_record, violation};
pub use example::{explained, explained_record};
pub use extent::guarantee;
pub use health::{Examination, health_record, health_row, sandbox};
pub use issue::{Issue, issue};
pub use json::{json, summary_record};
pub use judged::{Replay, judged_record};
pub use junit::junit;
pub use markdown::markdown;
pub use page::html;
pub use sarif::sarif;
pub use stability::{Gating, Robustness, Subject};
pub use table::{evolution, steps, table};
pub use tool::{tool, tool_line, tool_version};
