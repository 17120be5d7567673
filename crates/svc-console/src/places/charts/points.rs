//! The points of a chart: read from what the service answers, and brought down to what can be looked at.

use serde_json::Value;
use svc_model::records::DateUnit;

use super::time;
use crate::{
    texts::Texts,
    ui::chart::{Point, Shape},
};

/// How many points in time are drawn at most.
const MOST_TIMES: usize = 200;

/// The points of a chart, with what is to be said about them.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    pub(super) points: Vec<Point>,
    /// The unit of time of the labels, in whose order they are.
    pub(super) unit: Option<DateUnit>,
    /// Whether numbers of several points can be added.
    pub(super) adds_up: bool,
    /// Whether they stay in their order, which a query has chosen.
    pub(super) keeps_order: bool,
    /// What is not drawn.
    pub(super) note: Option<String>,
}

/// The text of a label.
pub(super) fn label(texts: &Texts, value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(true) => texts.get("yes"),
        Value::Bool(false) => texts.get("no"),
        Value::String(text) if text.is_empty() => texts.get("empty"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A point with the number that the service has answered.
pub(super) fn point(label: String, value: &Value) -> Point {
    let exact = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Point {
        label,
        value: exact
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| !number.is_nan()),
        exact: if value.is_null() {
            "NULL".to_owned()
        } else {
            exact
        },
        href: None,
    }
}

impl Points {
    /// As many points as the shape can show.
    pub(super) fn bounded(mut self, texts: &Texts, shape: Shape) -> Self {
        if let Some(unit) = self.unit {
            let points = time::without_gaps(self.points, unit, self.adds_up, MOST_TIMES);
            self.points = points;
            if self.points.len() > MOST_TIMES {
                let left_out = self.points.len() - MOST_TIMES;
                self.points.drain(..left_out);
                self.note = Some(texts.with("chart-last", [("count", MOST_TIMES.into())]));
            }
            for point in &mut self.points {
                point.label = time::short(&point.label, unit);
            }
            return self;
        }
        if shape != Shape::Line && !self.keeps_order {
            let number = |point: &Point| point.value.unwrap_or(f64::NEG_INFINITY);
            self.points.sort_by(|a, b| number(b).total_cmp(&number(a)));
        }
        let most = shape.most();
        if self.points.len() > most {
            let rest = match self.adds_up && shape != Shape::Line {
                true => self.points.split_off(most - 1),
                false => self.points.split_off(most),
            };
            match self.adds_up && shape != Shape::Line {
                true => self.points.push(others(texts, &rest)),
                false => {
                    let text = texts.with("chart-more", [("count", rest.len().into())]);
                    self.note = Some(text);
                }
            }
        }
        self
    }
}

/// What is left as one point.
fn others(texts: &Texts, rest: &[Point]) -> Point {
    let exact = rest.iter().try_fold(Decimal::default(), |sum, point| {
        sum.plus(Decimal::read(&point.exact)?)
    });
    let value: f64 = rest.iter().filter_map(|point| point.value).sum();
    Point {
        label: texts.with("chart-others", [("count", rest.len().into())]),
        // Where the digits are too many for the exact sum it is said to be about so much.
        exact: exact.map_or_else(|| format!("≈ {value}"), Decimal::text),
        value: Some(value),
        href: None,
    }
}

/// An exact number with so many digits behind the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    scale: usize,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        if text == "NULL" {
            return Some(Self::default());
        }
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let is_plain = rest.bytes().all(|byte| byte.is_ascii_digit()) && rest.len() <= 30;
        let digits = is_plain.then(|| format!("{whole}{rest}").parse().ok())??;
        let scale = rest.len();
        Some(Self { digits, scale })
    }

    fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let scaled = |number: Self| {
            let by = u32::try_from(scale - number.scale).ok()?;
            number.digits.checked_mul(10_i128.checked_pow(by)?)
        };
        let digits = scaled(self)?.checked_add(scaled(other)?)?;
        Some(Self { digits, scale })
    }

    fn text(self) -> String {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = format!(
            "{:0>width$}",
            self.digits.unsigned_abs(),
            width = self.scale + 1
        );
        let (whole, rest) = digits.split_at(digits.len() - self.scale);
        match rest.is_empty() {
            true => format!("{sign}{whole}"),
            false => format!("{sign}{whole}.{rest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn texts() -> &'static Texts {
        Texts::of(&HeaderMap::new())
    }

    #[test]
    fn many_groups_become_the_largest_ones_and_the_others_with_their_exact_sum() {
        let points = (0..30).map(|at| point(at.to_string(), &json!(format!("{at}.10"))));
        let points = Points {
            points: points.collect(),
            adds_up: true,
            ..Points::default()
        };
        let bounded = points.clone().bounded(texts(), Shape::Pie);
        assert_eq!(bounded.points.len(), 8);
        assert_eq!(bounded.points[0].label, "29");
        // 0.10 to 22.10
        assert_eq!(bounded.points[7].exact, "255.30");
        let of_query = Points {
            keeps_order: true,
            ..points.clone()
        };
        let bounded = of_query.bounded(texts(), Shape::Bar);
        assert_eq!(bounded.points[1].label, "1");
        let averages = Points {
            adds_up: false,
            ..points
        };
        let bounded = averages.bounded(texts(), Shape::Bar);
        assert_eq!(
            (bounded.points.len(), bounded.points[23].label.as_str()),
            (24, "6")
        );
    }

    #[test]
    fn sums_keep_digits_and_say_where_they_cannot() {
        let sum = |texts: &[&str]| {
            texts
                .iter()
                .try_fold(Decimal::default(), |sum, text| {
                    sum.plus(Decimal::read(text)?)
                })
                .map(Decimal::text)
        };
        assert_eq!(
            sum(&["12345678901234567890.5", "0.05", "-1"]).unwrap(),
            "12345678901234567889.55"
        );
        assert_eq!(sum(&["-0.5", "0.25"]).unwrap(), "-0.25");
        assert_eq!(sum(&["NULL", "7"]).unwrap(), "7");
        assert_eq!(sum(&["1e5"]), None);
        assert_eq!(sum(&[&"9".repeat(38), &"9".repeat(38)]), None);
    }
}
