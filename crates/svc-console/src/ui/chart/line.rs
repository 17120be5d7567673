//! A line through points.

use maud::{Markup, html};

use super::{Chart, at, bars::Plane, hint};
use crate::texts::Texts;

/// How many points are marked on the line; more would hide it.
const MARKED: usize = 60;

/// The line, which ends where a point has no number and begins again after it.
pub(super) fn line(texts: &Texts, chart: &Chart) -> Markup {
    let plane = Plane::of(texts, chart);
    let count = chart.points.len();
    let mut path = String::new();
    let mut is_drawing = false;
    for (index, point) in chart.points.iter().enumerate() {
        if let Some(value) = point.value {
            let step = if is_drawing { 'L' } else { 'M' };
            let (x, y) = (at(plane.x(index, count)), at(plane.y(value)));
            path.push_str(&format!("{step}{x} {y}"));
        }
        is_drawing = point.value.is_some();
    }
    plane.picture(texts, chart, &html! {
        path.line d=(path) {}
        @for (index, point) in chart.points.iter().enumerate() {
            @if let Some(value) = point.value {
                circle.mark.quiet[count > MARKED] cx=(at(plane.x(index, count))) cy=(at(plane.y(value))) r="3.5" { (hint(point)) }
            }
        }
    })
}
