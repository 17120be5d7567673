//! Exact sums and averages: SQLite would add decimals in floating point, and refuses an integer sum
//! beyond 64 bits.

use rusqlite::{
    Connection, Error, Result,
    functions::{Aggregate, Context, FunctionFlags},
    types::{Value, ValueRef},
};

/// The most digits after the point that are followed.
const MAX_SCALE: u32 = 18;
/// The digits that an average has more than its column.
const AVERAGE_DIGITS: u32 = 6;

/// Adds `svc_sum(value, scale)` and `svc_avg(value, scale)` to a connection.
pub(crate) fn register(connection: &Connection, flags: FunctionFlags) -> Result<()> {
    connection.create_aggregate_function("svc_sum", 2, flags, Exact { average: false })?;
    connection.create_aggregate_function("svc_avg", 2, flags, Exact { average: true })
}

/// The sum of several sums of a column with so many digits after the point. `None` where it has too many digits.
pub(crate) fn sum_of(sums: &[Value], scale: u32) -> Option<Value> {
    let mut all = Sum::new(scale.min(MAX_SCALE));
    for sum in sums {
        all.add_value(sum.into())?;
    }
    Some(all.value())
}

struct Exact {
    average: bool,
}

/// A sum of decimals: `units` at `scale` digits after the point.
#[derive(Clone, Copy)]
struct Sum {
    units: i128,
    scale: u32,
    /// The units of one.
    factor: f64,
    count: i128,
}

impl Aggregate<Sum, Value> for Exact {
    fn init(&self, context: &mut Context<'_>) -> Result<Sum> {
        let scale = u32::try_from(context.get::<i64>(1)?).unwrap_or(0);
        Ok(Sum::new(scale.min(MAX_SCALE)))
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut Sum) -> Result<()> {
        let added = sum.add_value(context.get_raw(0));
        added.ok_or_else(out_of_range)
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<Sum>) -> Result<Value> {
        let Some(sum) = sum.filter(|sum| sum.count > 0) else {
            return Ok(Value::Null);
        };
        if !self.average {
            return Ok(sum.value());
        }
        let scale = sum.scale + AVERAGE_DIGITS;
        let units = scaled(sum.units, AVERAGE_DIGITS).ok_or_else(out_of_range)?;
        // Rounded half away from zero.
        let half = sum.count / 2 * units.signum();
        Ok(Value::Text(text((units + half) / sum.count, scale)))
    }
}

/// Adding it to a number of less than 2^51 and subtracting it rounds the number to a whole one.
const ROUNDS: f64 = 6_755_399_441_055_744.0;

impl Sum {
    fn new(scale: u32) -> Self {
        Self {
            units: 0,
            scale,
            factor: 10_f64.powi(scale.cast_signed()),
            count: 0,
        }
    }

    /// Adds what a cell holds; what is no number adds nothing.
    fn add_value(&mut self, value: ValueRef<'_>) -> Option<()> {
        match value {
            ValueRef::Integer(number) => self.add(number.into(), 0),
            ValueRef::Real(number) => match self.units_of(number) {
                Some(units) => self.add_units(units.into()),
                None => self.add_text(&format!("{number}")),
            },
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => self.add_text(text.trim()),
                Err(_) => Some(()),
            },
            ValueRef::Null | ValueRef::Blob(_) => Some(()),
        }
    }

    fn value(&self) -> Value {
        match (self.scale, i64::try_from(self.units)) {
            (0, Ok(units)) => Value::Integer(units),
            _ => Value::Text(text(self.units, self.scale)),
        }
    }

    /// The units of a number where it has no more digits than the sum: money has few. Reading its text takes longer.
    fn units_of(&self, number: f64) -> Option<i64> {
        let units = number * self.factor + ROUNDS - ROUNDS;
        let is_exact = units.abs() < 2e15 && units / self.factor == number;
        is_exact.then_some(units as i64)
    }

    fn add_units(&mut self, units: i128) -> Option<()> {
        self.units = self.units.checked_add(units)?;
        self.count += 1;
        Some(())
    }

    /// Adds what is written; what is no number adds nothing.
    fn add_text(&mut self, text: &str) -> Option<()> {
        match parse(text) {
            Some((units, scale)) => self.add(units, scale),
            None => Some(()),
        }
    }

    fn add(&mut self, units: i128, scale: u32) -> Option<()> {
        if scale > self.scale {
            self.units = scaled(self.units, scale - self.scale)?;
            self.scale = scale;
            self.factor = 10_f64.powi(scale.cast_signed());
        }
        self.add_units(scaled(units, self.scale - scale)?)
    }
}

fn out_of_range() -> Error {
    Error::UserFunctionError("integer overflow".into())
}

fn scaled(units: i128, digits: u32) -> Option<i128> {
    units.checked_mul(10_i128.checked_pow(digits)?)
}

/// A number as units and the digits behind its point; `None` for what is no number.
fn parse(text: &str) -> Option<(i128, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.get(..fraction.len().min(MAX_SCALE as usize))?;
    let digits = whole.trim_start_matches(['-', '+']);
    if digits.len() + fraction.len() == 0
        || !digits
            .bytes()
            .chain(fraction.bytes())
            .all(|byte| byte.is_ascii_digit())
        || whole.len() - digits.len() > 1
    {
        return None;
    }
    let units: i128 = format!("{digits}{fraction}").parse().ok()?;
    let units = if whole.starts_with('-') {
        -units
    } else {
        units
    };
    Some((units, u32::try_from(fraction.len()).ok()?))
}

fn text(units: i128, scale: u32) -> String {
    let scale = scale as usize;
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(sql: &str) -> Value {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection, FunctionFlags::SQLITE_UTF8).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn sum(values: &str, scale: u32) -> Value {
        ask(&format!(
            "SELECT svc_sum(column1, {scale}) FROM (VALUES {values})"
        ))
    }

    #[test]
    fn decimals_are_added_exactly() {
        let tenths = vec!["(0.1)"; 10_000].join(",");
        assert_eq!(sum(&tenths, 2), Value::Text("1000.00".into()));
        assert_eq!(
            sum("(1.1), (-2), ('3.333'), (NULL), ('x')", 2),
            Value::Text("2.433".into())
        );
        assert_eq!(sum("(-0.05), (0.01)", 2), Value::Text("-0.04".into()));
    }

    #[test]
    fn numbers_with_more_digits_than_the_column_are_added_exactly_too() {
        for (values, expected) in [
            ("(0.125), (0.01), (1e15), (-0.5)", "999999999999999.635"),
            ("(2251799813685248.5), (0.5)", "2251799813685249.00"),
        ] {
            assert_eq!(sum(values, 2), Value::Text(expected.into()));
        }
    }

    #[test]
    fn integers_are_added_beyond_64_bits() {
        assert_eq!(sum("(1), (2)", 0), Value::Integer(3));
        let large = "(9223372036854775807), (9223372036854775807)";
        assert_eq!(sum(large, 0), Value::Text("18446744073709551614".into()));
        assert_eq!(sum("(NULL)", 0), Value::Null);
    }

    #[test]
    fn an_average_is_rounded_half_away_from_zero() {
        let average = |values: &str| {
            ask(&format!(
                "SELECT svc_avg(column1, 2) FROM (VALUES {values})"
            ))
        };
        assert_eq!(average("(1), (2)"), Value::Text("1.50000000".into()));
        assert_eq!(average("(1), (1), (0)"), Value::Text("0.66666667".into()));
        assert_eq!(
            average("(-1), (-1), (0)"),
            Value::Text("-0.66666667".into())
        );
    }
}
