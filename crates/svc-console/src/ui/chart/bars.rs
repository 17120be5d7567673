//! Bars: upright for what follows in time, lying where labels are words.

use maud::{Markup, html};

use super::{Chart, at, axis::Axis, hint, shortened, value_of};
use crate::texts::Texts;

/// The width of the picture.
pub(super) const WIDTH: f64 = 480.0;
/// The height of a picture that is not as high as it has rows.
pub(super) const HEIGHT: f64 = 250.0;
/// The width of a character, about.
pub(super) const CHARACTER: f64 = 7.2;
/// The space above and beside the drawing.
const MARGIN: f64 = 10.0;
/// The space below it.
const BELOW: f64 = 26.0;
/// The height of a lying bar with its space.
const ROW: f64 = 26.0;
/// The longest label beside a lying bar, in characters.
const LABEL: usize = 18;

/// What is around upright bars and lines.
pub(super) struct Plane {
    axis: Axis,
    left: f64,
}

impl Plane {
    pub(super) fn of(texts: &Texts, chart: &Chart) -> Self {
        let axis = Axis::of(chart);
        let longest = axis.ticks().into_iter();
        let longest = longest
            .map(|tick| texts.number(&axis.text(tick)).chars().count())
            .max();
        Self {
            axis,
            left: longest.unwrap_or_default() as f64 * CHARACTER + 12.0,
        }
    }

    /// Where the number of a point is.
    pub(super) fn y(&self, value: f64) -> f64 {
        let height = HEIGHT - MARGIN - BELOW;
        MARGIN + height * (1.0 - self.axis.place(value))
    }

    /// The width that each of so many points has.
    pub(super) fn slot(&self, count: usize) -> f64 {
        (WIDTH - MARGIN - self.left) / count.max(1) as f64
    }

    /// The middle of the slot of a point.
    pub(super) fn x(&self, index: usize, count: usize) -> f64 {
        self.left + self.slot(count) * (index as f64 + 0.5)
    }

    /// The picture with its axes around `marks`.
    pub(super) fn picture(&self, texts: &Texts, chart: &Chart, marks: &Markup) -> Markup {
        let count = chart.points.len();
        let longest = chart
            .points
            .iter()
            .map(|point| point.label.chars().count())
            .max();
        let width = longest.unwrap_or_default().min(16) as f64 * CHARACTER + 10.0;
        let every = (width / self.slot(count)).ceil().max(1.0) as usize;
        html! {
            svg role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) aria-label=(chart.title) {
                title { (chart.title) }
                @for tick in self.axis.ticks() {
                    line.grid x1=(at(self.left)) x2=(at(WIDTH - MARGIN)) y1=(at(self.y(tick))) y2=(at(self.y(tick))) {}
                    text.end x=(at(self.left - 6.0)) y=(at(self.y(tick) + 4.0)) { (texts.number(&self.axis.text(tick))) }
                }
                (marks)
                line.base x1=(at(self.left)) x2=(at(WIDTH - MARGIN)) y1=(at(self.y(0.0))) y2=(at(self.y(0.0))) {}
                @for (index, point) in chart.points.iter().enumerate().step_by(every) {
                    @let label = shortened(&point.label, 16);
                    @let half = label.chars().count() as f64 * CHARACTER / 2.0;
                    @let x = self.x(index, count).clamp(half, (WIDTH - half).max(half));
                    text.middle x=(at(x)) y=(at(HEIGHT - 6.0)) { (label) }
                }
            }
        }
    }
}

/// Bars beside each other.
pub(super) fn upright(texts: &Texts, chart: &Chart) -> Markup {
    let plane = Plane::of(texts, chart);
    let count = chart.points.len();
    let width = (plane.slot(count) * 0.78).min(56.0);
    plane.picture(texts, chart, &html! {
        @for (index, point) in chart.points.iter().enumerate() {
            @let (zero, y) = (plane.y(0.0), plane.y(value_of(point)));
            rect.mark x=(at(plane.x(index, count) - width / 2.0)) y=(at(zero.min(y))) width=(at(width)) height=(at((zero - y).abs())) {
                (hint(point))
            }
        }
    })
}

/// Bars below each other, each with its label and its number.
pub(super) fn lying(texts: &Texts, chart: &Chart) -> Markup {
    let axis = Axis::of(chart);
    let labels = chart
        .points
        .iter()
        .map(|point| shortened(&point.label, LABEL));
    let labels: Vec<String> = labels.collect();
    let numbers = chart
        .points
        .iter()
        .map(|point| shortened(&texts.number(&point.exact), LABEL));
    let numbers: Vec<String> = numbers.collect();
    let widest = |texts: &[String]| {
        let longest = texts.iter().map(|text| text.chars().count()).max();
        longest.unwrap_or_default() as f64 * CHARACTER + 8.0
    };
    let (left, right) = (widest(&labels), widest(&numbers));
    let width = (WIDTH - left - right).max(80.0);
    let x = |value: f64| left + width * axis.place(value);
    let height = ROW * chart.points.len() as f64 + 4.0;
    html! {
        svg role="img" viewBox=(format!("0 0 {WIDTH} {height}")) aria-label=(chart.title) {
            title { (chart.title) }
            @for (index, (point, (label, number))) in chart.points.iter().zip(labels.iter().zip(&numbers)).enumerate() {
                @let y = ROW * index as f64 + 2.0;
                @let (zero, end) = (x(0.0), x(value_of(point)));
                text.end x=(at(left - 8.0)) y=(at(y + 17.0)) { (label) }
                rect.mark x=(at(zero.min(end))) y=(at(y + 3.0)) width=(at((end - zero).abs())) height=(at(ROW - 8.0)) { (hint(point)) }
                text x=(at(zero.max(end) + 6.0)) y=(at(y + 17.0)) { (number) }
            }
            line.base x1=(at(x(0.0))) x2=(at(x(0.0))) y1="0" y2=(at(height)) {}
        }
    }
}
