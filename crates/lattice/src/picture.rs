//! A picture of a program over two variables: the integer points of each element.

use crate::domain::Truth;
use crate::linear::Linear;
use crate::points::Point;
use crate::program::{Step, Trace};
use crate::tester::Tester;
use std::fmt::Write;

/// Maximum half side of the square that is shown.
const SPAN: i128 = 20;

/// The width of one point, in pixels.
const CELL: i128 = 8;

const COLOURS: [&str; 6] = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"];

/// The elements of a program as an SVG picture, side by side; `None` if it has more than two variables,
/// or no elements.
#[must_use]
pub fn picture(tester: &dyn Tester, case: &Trace) -> Option<String> {
    let shown: Vec<usize> = (0..case.steps.len())
        .filter(|at| !matches!(case.steps[*at], Step::Top | Step::Bottom))
        .collect();
    if case.dimensions > 2 || shown.is_empty() {
        return None;
    }
    let span = span(case);
    let side: Vec<i128> = (-span..=span).collect();
    // One variable gives a line.
    let across = if case.dimensions == 2 { span } else { 0 };
    let points: Vec<Point> = (-across..=across)
        .flat_map(|y| side.iter().map(move |x| [*x, y][..case.dimensions].to_vec()))
        .collect();
    let names = case.names();
    let (width, gap) = ((2 * span + 1) * CELL, 30);
    let height = (2 * across + 1) * CELL;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         font-family=\"monospace\" font-size=\"12\">\n",
        (width + gap) * shown.len() as i128 + gap,
        height + 2 * gap
    );
    for (place, &step) in shown.iter().enumerate() {
        let left = gap + (width + gap) * place as i128;
        let colour = COLOURS[place % COLOURS.len()];
        let inside = tester.sample(case, step, &points);
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"18\">{}</text>\n<rect x=\"{left}\" y=\"{gap}\" \
             width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#bbb\"/>",
            names[step]
        );
        for (point, truth) in points.iter().zip(inside) {
            let opacity = match truth {
                Truth::Yes => "0.9",
                Truth::Unsure => "0.3",
                Truth::No => continue,
            };
            let up = point.get(1).copied().unwrap_or(0);
            let (x, y) = (left + (point[0] + span) * CELL, gap + (across - up) * CELL);
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{colour}\" \
                 fill-opacity=\"{opacity}\"/>"
            );
        }
    }
    Some(svg + "</svg>\n")
}

/// A little further from the origin than the program's small constants.
fn span(case: &Trace) -> i128 {
    let constants = |sum: &Linear| sum.constant.unsigned_abs();
    let of_step = |step: &Step| match step {
        Step::Element(constraints) => {
            constraints.iter().map(|c| constants(&c.sum)).max().unwrap_or(0)
        }
        Step::Assign(_, _, sum) => constants(sum),
        Step::Guard(_, constraint) => constants(&constraint.sum),
        _ => 0,
    };
    let far = case.steps.iter().map(of_step).max().unwrap_or(0);
    i128::try_from(far).unwrap_or(SPAN).saturating_add(3).min(SPAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn one_or_two_variables_make_a_picture() {
        let tester = reference::by_name("octagon", None).expect("it is built in");
        let text = "octagons, 2 variables\noct1 <- oct(x0 + x1 - 1 >= 0)\n\
                    oct2 <- project(oct1, x0)\nassert order-reflexive(oct2)\n";
        let case = Trace::read(text).expect("it is a program");
        let svg = picture(&*tester, &case).expect("it has two variables");
        assert!(svg.contains(">oct1</text>") && svg.contains(">oct2</text>"));
        // Nine by nine points: of the first element those with x + y >= 1, of the second all.
        let points = svg.matches("fill-opacity").count();
        assert_eq!(points, 36 + 81);
        let one = "octagons, 1 variable\noct1 <- oct(x0 - 1 >= 0)\nassert order-reflexive(oct1)\n";
        let one = picture(&*tester, &Trace::read(one).expect("it is a program"));
        let one = one.expect("it has one variable");
        assert_eq!(one.matches("fill-opacity").count(), 4);
        let none = Trace::read("octagons, 1 variable\nassert order-reflexive(top)\n");
        assert_eq!(picture(&*tester, &none.expect("it is a program")), None);
    }
}
