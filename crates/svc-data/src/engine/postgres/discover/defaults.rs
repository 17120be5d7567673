//! The defaults of columns.

use serde_json::value::RawValue;

use crate::structure::{Default, Kind};

/// Reads the expression of a default.
pub(super) fn read_default(kind: Kind, sql: String) -> Default {
    let lower = sql.to_ascii_lowercase();
    if lower.starts_with("nextval(") {
        return Default::AutoIncrement;
    }
    let words = [
        "now()",
        "current_timestamp",
        "current_date",
        "current_time",
        "localtime",
        "transaction_timestamp()",
        "statement_timestamp()",
        "clock_timestamp()",
    ];
    if words.iter().any(|word| lower.contains(word)) {
        return Default::Now(sql);
    }
    let json = match literal(&sql) {
        Some(None) => Some(serde_json::Value::Null.to_string()),
        Some(Some(text)) => match kind {
            Kind::Json if serde_json::from_str::<&RawValue>(&text).is_ok() => Some(text),
            Kind::Integer if text.parse::<i64>().is_ok() => Some(text),
            Kind::Float => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    Some(serde_json::Value::from(number).to_string())
                }
                _ => None,
            },
            Kind::Boolean => Some(text).filter(|text| matches!(text.as_str(), "true" | "false")),
            _ => Some(serde_json::Value::from(text).to_string()),
        },
        None => None,
    };
    match json.and_then(|json| RawValue::from_string(json).ok()) {
        Some(json) => Default::Literal(sql, json),
        None => Default::Expression(sql),
    }
}

/// The text of a constant such as `'a'::text`, `5` or `NULL`; the inner none is NULL.
fn literal(sql: &str) -> Option<Option<String>> {
    let rest = match sql.strip_prefix('\'') {
        Some(rest) => rest,
        None => {
            let word = sql.split("::").next().unwrap_or_default();
            let word = word.trim_start_matches('(').trim_end_matches(')');
            return match word {
                "NULL" => Some(None),
                "true" | "false" => Some(Some(word.to_owned())),
                _ => word
                    .parse::<f64>()
                    .is_ok_and(f64::is_finite)
                    .then(|| Some(word.to_owned())),
            };
        }
    };
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\'' {
            text.push(c);
            continue;
        }
        match rest.get(at + 1..) {
            Some(after) if after.starts_with('\'') => {
                text.push('\'');
                chars.next();
            }
            // Nothing but the type may follow.
            Some("") => return Some(Some(text)),
            Some(after) if after.starts_with("::") && !after.contains(['(', '|', '+']) => {
                return Some(Some(text));
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_told_from_expressions() {
        let default = |kind, sql: &str| match read_default(kind, sql.to_owned()) {
            Default::Literal(_, json) => json.get().to_owned(),
            other => format!("{other:?}")
                .split('(')
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        for (kind, sql, expected) in [
            (Kind::Text, "'it''s'::text", "\"it's\""),
            (Kind::Integer, "5", "5"),
            (Kind::Integer, "'-1'::integer", "-1"),
            (Kind::Integer, "(- 1)", "Expression"),
            (Kind::Decimal, "0.50", "\"0.50\""),
            (Kind::Boolean, "true", "true"),
            (Kind::Json, "'{\"a\": 1}'::jsonb", "{\"a\": 1}"),
            (Kind::Text, "NULL::character varying", "null"),
            (Kind::Text, "('a'::text || 'b'::text)", "Expression"),
            (Kind::Text, "upper('a'::text)", "Expression"),
            (Kind::DateTime, "timezone('utc'::text, now())", "Now"),
            (Kind::Integer, "nextval('a_seq'::regclass)", "AutoIncrement"),
            (Kind::Uuid, "gen_random_uuid()", "Expression"),
        ] {
            assert_eq!(default(kind, sql), expected, "{sql}");
        }
    }
}
