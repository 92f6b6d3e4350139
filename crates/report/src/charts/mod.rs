//! Charts as inline pictures: drawn here, coloured by the page's style.
//!
//! All are designed for the width of a phone and may be enlarged a little.

mod answers;
mod findings;
mod times;
mod versions;

pub(crate) use answers::answers;
pub(crate) use findings::findings;
pub(crate) use times::times;
pub(crate) use versions::versions;

use maud::{Markup, html};

/// The design width of charts.
const WIDTH: f64 = 400.0;

/// A chart with its title and a caption.
fn figure(title: &str, about: &str, picture: &Markup, note: &Markup) -> Markup {
    html! {
        figure {
            figcaption { strong { (title) } " " span.dim { (about) } }
            (picture)
            (note)
        }
    }
}

fn picture(height: f64, label: &str, content: &Markup) -> Markup {
    html! {
        svg role="img" aria-label=(label) viewBox=(format!("0 0 {WIDTH} {}", round(height))) {
            (content)
        }
    }
}

/// A coordinate without unnecessary digits.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A round number at least this large, for the end of an axis.
fn ceiling(value: f64) -> f64 {
    let magnitude = 10f64.powf(value.max(1.0).log10().floor());
    let steps = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].map(|step| step * magnitude);
    steps.into_iter().find(|step| *step >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let table =
            [(0.0, 1.0), (1.0, 1.0), (3.0, 3.0), (7.0, 8.0), (78.0, 80.0), (1001.0, 2000.0)];
        for (value, end) in table {
            assert_eq!(ceiling(value), end, "{value}");
        }
    }
}
