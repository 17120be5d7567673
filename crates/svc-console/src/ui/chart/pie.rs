//! Parts of a whole, each with a number that the list beside it has too.

use std::f64::consts::TAU;

use maud::{Markup, html};

use super::{Chart, at, hint, value_of};
use crate::texts::Texts;

/// The radius of the circle, and its middle.
const RADIUS: f64 = 108.0;
const MIDDLE: f64 = 112.0;
/// The smallest part that has its number in it.
const NUMBERED: f64 = 0.035;
/// How many colours there are.
const COLOURS: usize = 8;

pub(super) fn pie(texts: &Texts, chart: &Chart) -> Markup {
    let value = |point| {
        let value = value_of(point);
        if value.is_finite() { value } else { 0.0 }
    };
    let total: f64 = chart.points.iter().map(value).sum();
    let share = |point| {
        if total > 0.0 {
            value(point) / total
        } else {
            0.0
        }
    };
    let mut begin = 0.0;
    let mut parts = Vec::new();
    for (index, point) in chart.points.iter().enumerate() {
        let share = share(point);
        parts.push((index, point, begin, share));
        begin += share;
    }
    html! {
        div.pie {
            svg role="img" viewBox=(format!("0 0 {0} {0}", 2.0 * MIDDLE)) aria-label=(chart.title) {
                title { (chart.title) }
                @for (index, point, begin, share) in &parts {
                    @if *share > 0.999_9 {
                        circle class=(colour(*index)) cx=(MIDDLE) cy=(MIDDLE) r=(RADIUS) { (hint(point)) }
                    } @else if *share > 0.0 {
                        path class=(colour(*index)) d=(slice(*begin, *share)) { (hint(point)) }
                    }
                }
                @for (index, _, begin, share) in parts.iter().filter(|(_, _, _, share)| *share >= NUMBERED) {
                    @let (x, y) = on_circle(begin + share / 2.0, RADIUS * 0.72);
                    text.middle.on-slice x=(at(x)) y=(at(y + 5.0)) { (index + 1) }
                }
            }
            ol.legend {
                @for (index, point, _, share) in &parts {
                    li {
                        svg.swatch viewBox="0 0 20 20" aria-hidden="true" {
                            rect class=(colour(*index)) width="20" height="20" rx="4" {}
                            text.middle.on-slice x="10" y="15" { (index + 1) }
                        }
                        bdi { (point.label) }
                        span.muted { (texts.number(&point.exact)) " · " (texts.number(&format!("{:.1}", 100.0 * share))) " %" }
                    }
                }
            }
        }
    }
}

fn colour(index: usize) -> String {
    format!("slice slice-{}", index % COLOURS + 1)
}

/// A place on a circle; 0 and 1 are at the top, clockwise.
fn on_circle(turn: f64, radius: f64) -> (f64, f64) {
    let angle = turn * TAU;
    (MIDDLE + radius * angle.sin(), MIDDLE - radius * angle.cos())
}

fn slice(begin: f64, share: f64) -> String {
    let (x1, y1) = on_circle(begin, RADIUS);
    let (x2, y2) = on_circle(begin + share, RADIUS);
    let large = u8::from(share > 0.5);
    let (m, r) = (at(MIDDLE), at(RADIUS));
    let (x1, y1, x2, y2) = (at(x1), at(y1), at(x2), at(y2));
    format!("M{m} {m}L{x1} {y1}A{r} {r} 0 {large} 1 {x2} {y2}Z")
}
