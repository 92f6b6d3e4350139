//! Renders a campaign as HTML, Markdown, JSON, JUnit or SARIF, or writes a bug report.
//!
//! Data in, text out: nothing is run, judged, printed or timed here, and campaigns are read only
//! through `assay-campaign`.

mod charts;
mod data;
mod highlight;
mod issue;
mod json;
mod junit;
mod markdown;
mod page;
mod sarif;
mod timeline;
mod words;

pub use data::Report;
pub use issue::{Issue, issue};
pub use json::{counts, json};
pub use junit::junit;
pub use markdown::markdown;
pub use page::html;
pub use sarif::sarif;
pub use timeline::{Timeline, TimelineError, Trial};
