//! Places inside JSON documents of MySQL and MariaDB.

use sea_query::{Expr, ExprTrait};
use svc_model::{JsonPath, PathPart};

use super::types::{Type, type_of};
use crate::{
    Field,
    plan::{Comparison, Match, Place, PlaceTest, PlaceValue},
    query::{all_of, any_of, call, column, compared},
};

/// The most digits before and after the point of a number that compares exactly.
const EXACT: (usize, usize) = (35, 30);
/// Such a number.
const EXACT_NUMBER: &str = "^-?[0-9]{1,35}([.][0-9]{1,30})?$";

/// A test of a place as SQL; `matches` tests a text.
pub(super) fn tested(
    table: &str,
    field: &Field,
    place: &Place,
    matches: impl FnOnce(Expr, Match, &str) -> Expr,
) -> Expr {
    let found = Found::new(table, field, &place.path);
    let holds = match &place.test {
        PlaceTest::Null => {
            let there = found.when_there(Expr::cust("0"));
            return Expr::from(call("COALESCE").arg(there).arg(1)).eq(1);
        }
        PlaceTest::Equals(values) => found.equals(values),
        PlaceTest::Order(comparison, PlaceValue::Text(value)) => {
            found
                .is_text()
                .and(compared(found.bytes(), *comparison, bytes(value)))
        }
        PlaceTest::Order(comparison, value) => found.number(*comparison, &value.json()),
        PlaceTest::Match(how, needle) => found.is_text().and(matches(found.text(), *how, needle)),
    };
    found.when_there(holds)
}

/// What is at a place.
struct Found {
    /// It, as JSON.
    json: Expr,
    /// Whether the values on the way are what the path says: a position leads to a value that is no array, too.
    guards: Vec<Expr>,
    /// How values that it is compared with are written, where JSON is kept as text.
    as_text: Option<AsText>,
}

/// How JSON is written that is kept as text.
#[derive(Clone, Copy)]
struct AsText {
    /// Whether the minus that a name begins with is escaped: MariaDB finds no name that begins with one in a path.
    escapes_minus: bool,
}

impl Found {
    fn new(table: &str, field: &Field, path: &JsonPath) -> Self {
        let begins_with_minus =
            |part: &PathPart| matches!(part, PathPart::Member(name) if name.starts_with('-'));
        let as_text = (type_of(field) == Type::JsonText).then(|| AsText {
            escapes_minus: path.parts().iter().any(begins_with_minus),
        });
        let plain = column(table, &field.name);
        let document = match as_text {
            Some(as_text) => as_text.read(&plain),
            None => plain,
        };
        let escapes_minus = as_text.is_some_and(|as_text| as_text.escapes_minus);
        let inside = |count: usize| -> Expr {
            let parts = path.parts().get(..count).unwrap_or_default();
            let steps = steps(parts, escapes_minus);
            call("JSON_EXTRACT").arg(document.clone()).arg(steps).into()
        };
        let parts = path.parts().iter().enumerate();
        let positions = parts.filter(|(_, part)| matches!(part, PathPart::Element(_)));
        let guards = positions
            .map(|(count, _)| Expr::from(call("JSON_TYPE").arg(inside(count))).eq("ARRAY"))
            .collect();
        Self {
            json: inside(path.parts().len()),
            guards,
            as_text,
        }
    }

    fn kind(&self) -> Expr {
        call("JSON_TYPE").arg(self.json.clone()).into()
    }

    /// A value where something is at the place, else NULL.
    fn when_there(&self, value: Expr) -> Expr {
        let mut tests = self.guards.clone();
        tests.push(self.kind().ne("NULL"));
        Expr::cust_with_exprs("CASE WHEN ? THEN ? END", [all_of(tests), value])
    }

    /// The types of MySQL beyond JSON are shown as texts.
    fn is_text(&self) -> Expr {
        Expr::cust_with_exprs(
            "(? NOT IN ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL', 'BOOLEAN', 'OBJECT', 'ARRAY'))",
            [self.kind()],
        )
    }

    fn is_number(&self) -> Expr {
        Expr::cust_with_exprs(
            "(? IN ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'))",
            [self.kind()],
        )
    }

    fn text(&self) -> Expr {
        let text = call("JSON_UNQUOTE").arg(self.json.clone());
        Expr::cust_with_exprs("CONVERT(? USING utf8mb4)", [text.into()])
    }

    /// The text in the form in which texts compare: by code points, and with their blanks at the end.
    fn bytes(&self) -> Expr {
        self.text().cast_as("BINARY")
    }

    fn equals(&self, values: &[PlaceValue]) -> Expr {
        let mut tests = Vec::new();
        let mut texts = Vec::new();
        for value in values {
            tests.push(match value {
                PlaceValue::Text(text) => {
                    texts.push(bytes(text));
                    continue;
                }
                PlaceValue::Number(digits) => self.number(Comparison::Equal, digits),
                PlaceValue::Boolean(truth) => {
                    let same = self.text().eq(truth.to_string());
                    self.kind().eq("BOOLEAN").and(same)
                }
                PlaceValue::Composite(json) => self.is_same(json),
            });
        }
        if !texts.is_empty() {
            tests.push(self.is_text().and(self.bytes().is_in(texts)));
        }
        any_of(tests)
    }

    /// Whether it is the same object or array.
    fn is_same(&self, json: &str) -> Expr {
        let here = self.json.clone();
        match self.as_text {
            None => here.eq(Expr::val(json).cast_as("JSON")),
            Some(as_text) => {
                let there = as_text.written(Expr::val(json));
                Expr::from(call("JSON_EQUALS").arg(here).arg(there)).eq(1)
            }
        }
    }

    /// Whether it is a number that compares so: exactly, where both have few enough digits.
    fn number(&self, comparison: Comparison, digits: &str) -> Expr {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_exact = whole.trim_start_matches('-').len() <= EXACT.0 && fraction.len() <= EXACT.1;
        // A number that is too large for a floating point number is as large as the largest one, as the server has it.
        let value = digits.parse::<f64>().unwrap_or_default();
        let value = Expr::val(value.clamp(f64::MIN, f64::MAX));
        let floating = Expr::cust_with_exprs("(? + 0e0)", [self.text()]);
        let floating = compared(floating, comparison, value);
        let same = match is_exact {
            false => floating,
            true => {
                let exact = |digits: Expr| digits.cast_as("DECIMAL(65,30)");
                let exactly = compared(exact(self.text()), comparison, exact(Expr::val(digits)));
                let pattern = Expr::val(EXACT_NUMBER);
                Expr::cust_with_exprs(
                    "CASE WHEN ? REGEXP ? THEN ? ELSE ? END",
                    [self.text(), pattern, exactly, floating],
                )
            }
        };
        Expr::cust_with_exprs("CASE WHEN ? THEN ? ELSE 0 END", [self.is_number(), same]).eq(1)
    }
}

/// A text of a client in the form in which texts compare.
fn bytes(text: &str) -> Expr {
    Expr::cust_with_exprs("CONVERT(? USING utf8mb4)", [Expr::val(text)]).cast_as("BINARY")
}

impl AsText {
    /// A document with each character that needs no escape as itself: MariaDB compares names and texts as they are written.
    fn read(self, document: &Expr) -> Expr {
        // Read as a text, in which the escapes that stay are escaped. Those that go follow an even number of backslashes,
        // of which there are now twice as many.
        const NEEDLESS: &str = r"(?<!\\)((?:\\{4})*)\\\\(u(?!00[01]|0022|005[cC])|/)";
        let compact = Expr::from(call("JSON_COMPACT").arg(document.clone()));
        let escaped = call("REPLACE").arg(compact.clone()).arg("\\").arg("\\\\");
        let escaped = call("REPLACE").arg(escaped).arg("\"").arg("\\\"");
        let text = call("REGEXP_REPLACE").arg(escaped).arg(NEEDLESS);
        let text = call("CONCAT").arg("\"").arg(text.arg(r"\1\\\2")).arg("\"");
        let text = call("JSON_UNQUOTE").arg(text).into();
        let decoded = Expr::cust_with_exprs(
            "CASE WHEN INSTR(?, ?) > 0 OR INSTR(?, ?) > 0 THEN ? ELSE ? END",
            [
                document.clone(),
                Expr::val("\\u"),
                document.clone(),
                Expr::val("\\/"),
                text,
                match self.escapes_minus {
                    true => compact,
                    false => document.clone(),
                },
            ],
        );
        self.written(decoded)
    }

    /// JSON without blanks between its values, as documents are [read](Self::read).
    fn written(self, json: Expr) -> Expr {
        const BEGINS_WITH_MINUS: &str = r#"([{,]")-([^"\\]*+(?:\\.[^"\\]*+)*+":)"#;
        if !self.escapes_minus {
            return json;
        }
        let escaped = call("REGEXP_REPLACE").arg(json).arg(BEGINS_WITH_MINUS);
        escaped.arg(r"\1\\u002d\2").into()
    }
}

/// Names and positions as a path of the server.
fn steps(parts: &[PathPart], escapes_minus: bool) -> String {
    let mut path = String::from("$");
    for part in parts {
        match part {
            PathPart::Member(name) => {
                let name = serde_json::Value::from(name.as_str()).to_string();
                path.push('.');
                match name.strip_prefix("\"-") {
                    Some(rest) if escapes_minus => path.push_str(&format!(r#""\u002d{rest}"#)),
                    _ => path.push_str(&name),
                }
            }
            PathPart::Element(position) => path.push_str(&format!("[{position}]")),
            _ => {}
        }
    }
    path
}
