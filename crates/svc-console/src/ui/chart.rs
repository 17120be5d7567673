//! Charts: drawn here as SVG, in the colours of the page, with their numbers as a table.

mod axis;
mod bars;
mod line;
mod pie;

use maud::{Markup, html};

use crate::{href::Href, texts::Texts, ui::table};

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Bar,
    Line,
    Pie,
    Number,
}

impl Shape {
    pub(crate) const ALL: [Self; 4] = [Self::Bar, Self::Line, Self::Pie, Self::Number];

    /// The word in addresses.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Bar => "bar",
            Self::Line => "line",
            Self::Pie => "pie",
            Self::Number => "number",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.word() == word)
    }

    pub(crate) fn name(self, texts: &Texts) -> String {
        match self {
            Self::Bar => texts.get("chart-bar"),
            Self::Line => texts.get("chart-line"),
            Self::Pie => texts.get("chart-pie"),
            Self::Number => texts.get("chart-number"),
        }
    }

    /// How many points are drawn at most, of those that have no order in time.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Bar => 24,
            Self::Line => 200,
            Self::Pie => 8,
            Self::Number => 1,
        }
    }
}

/// A label with its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    pub(crate) label: String,
    /// The number as the service wrote it, with all its digits.
    pub(crate) exact: String,
    /// The number as it is drawn; `None` for a point without a number.
    pub(crate) value: Option<f64>,
    /// Where that is which the number was computed of.
    pub(crate) href: Option<Href>,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) shape: Shape,
    /// What it shows, for who does not see it.
    pub(crate) title: String,
    /// What the labels are.
    pub(crate) label: String,
    /// What the numbers are.
    pub(crate) number: String,
    pub(crate) points: Vec<Point>,
    /// Whether the labels are points in time, in their order.
    pub(crate) is_time: bool,
}

/// The drawing with its numbers below.
pub(crate) fn chart(texts: &Texts, chart: &Chart) -> Markup {
    if chart.points.iter().all(|point| point.value.is_none()) {
        return html! { p.empty-state { (texts.get("chart-empty")) } };
    }
    // A part of a whole is never less than nothing.
    let has_negative = chart.points.iter().any(|point| value_of(point) < 0.0);
    html! {
        figure.chart {
            @match chart.shape {
                Shape::Number => (number(texts, chart)),
                Shape::Line => (line::line(texts, chart)),
                Shape::Pie if !has_negative => (pie::pie(texts, chart)),
                _ if chart.is_time => (bars::upright(texts, chart)),
                _ => (bars::lying(texts, chart)),
            }
        }
        @if chart.shape != Shape::Number { (numbers(texts, chart)) }
    }
}

fn value_of(point: &Point) -> f64 {
    point.value.unwrap_or_default()
}

fn number(texts: &Texts, chart: &Chart) -> Markup {
    let first = chart.points.first();
    let exact = first.map(|point| point.exact.as_str()).unwrap_or_default();
    html! {
        p.big-number {
            data value=(exact) title=(exact) { (texts.number(exact)) }
        }
    }
}

/// The numbers as a table.
fn numbers(texts: &Texts, chart: &Chart) -> Markup {
    html! {
        details.numbers {
            summary { (texts.get("chart-numbers")) }
            (table::table(
                &chart.title,
                &html! { tr { th scope="col" { bdi { (chart.label) } } th.number scope="col" { bdi { (chart.number) } } } },
                &html! {
                    @for point in &chart.points {
                        tr {
                            td {
                                @match &point.href {
                                    Some(href) => a href=(href) { bdi { (point.label) } },
                                    None => bdi { (point.label) },
                                }
                            }
                            td.number { (point.exact) }
                        }
                    }
                },
            ))
        }
    }
}

/// What a point says when it is pointed at.
fn hint(point: &Point) -> Markup {
    html! { title { (point.label) ": " (point.exact) } }
}

/// A text in so many characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => {
            let end = text
                .get(..at)
                .and_then(|text| text.char_indices().next_back());
            let end = end.map_or(0, |(at, _)| at);
            format!("{}…", text.get(..end).unwrap_or_default())
        }
        None => text.to_owned(),
    }
}

/// A coordinate, as short as it can be seen.
fn at(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn drawn(shape: Shape, values: &[(&str, Option<f64>)], is_time: bool) -> String {
        let points = values.iter().map(|(label, value)| Point {
            label: (*label).to_owned(),
            exact: value.map_or("NULL".to_owned(), |value| value.to_string()),
            value: *value,
            href: None,
        });
        let drawn = Chart {
            shape,
            title: "Orders <by> status".to_owned(),
            label: "status".to_owned(),
            number: "count".to_owned(),
            points: points.collect(),
            is_time,
        };
        chart(Texts::of(&HeaderMap::new()), &drawn).into_string()
    }

    #[test]
    fn every_shape_has_a_title_and_its_numbers_and_no_value_is_markup() {
        let values = [("<b>", Some(3.0)), ("paid", Some(4.5)), ("none", None)];
        for shape in [Shape::Bar, Shape::Line, Shape::Pie] {
            for is_time in [true, false] {
                let svg = drawn(shape, &values, is_time);
                assert!(svg.contains("role=\"img\""), "{svg}");
                assert!(svg.contains("Orders &lt;by&gt; status"), "{svg}");
                assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"), "{svg}");
                assert!(svg.contains("<td class=\"number\">4.5</td>"), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("style="), "{svg}");
            }
        }
        assert!(drawn(Shape::Number, &values, false).contains("value=\"3\""));
    }

    #[test]
    fn extremes_are_drawn_inside_the_picture() {
        for values in [
            &[("a", Some(0.0))][..],
            &[("a", Some(-5.0)), ("b", Some(7.0))],
            &[("a", Some(1e300)), ("b", Some(-1e300))],
            &[("a", Some(1e-9)), ("b", Some(2e-9))],
            &[("a", Some(f64::INFINITY)), ("b", Some(f64::NAN))],
        ] {
            for shape in [Shape::Bar, Shape::Line, Shape::Pie] {
                for is_time in [true, false] {
                    let svg = drawn(shape, values, is_time);
                    for number in ["=\"NaN", "=\"inf", "=\"-inf", "width=\"-"] {
                        assert!(!svg.contains(number), "{number}: {svg}");
                    }
                }
            }
        }
        assert!(drawn(Shape::Bar, &[], false).contains("empty-state"));
    }

    #[test]
    fn long_labels_are_shortened_at_characters() {
        assert_eq!(shortened("äöüß", 4), "äöüß");
        assert_eq!(shortened("äöüßx", 4), "äöü…");
    }
}
