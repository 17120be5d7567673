//! What a declared type of SQLite, which may be any text, means to us.

use svc_model::resources::FieldType;

use super::temporal::last_moment;
use crate::structure::{EngineValues, Field, Kind, Storage};

/// What SQLite knows of values.
static VALUES: EngineValues = EngineValues {
    special: |field, text| match field.storage {
        Storage::Temporal { form, .. } if field.kind == Kind::DateTime => last_moment(text, form),
        _ => None,
    },
    covers: false,
};

/// A declared type, understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) field_type: FieldType,
    pub(crate) kind: Kind,
    pub(crate) max_length: Option<u32>,
    pub(crate) precision: Option<u32>,
    pub(crate) scale: Option<u32>,
}

impl Declared {
    /// A column of this type, of which no more is known.
    pub(crate) fn field(&self, name: String, declared: &str) -> Field {
        let mut field = Field::new(name, self.field_type, self.kind, declared);
        field.precision = self.precision;
        field.scale = self.scale;
        field.detail.values = Some(&VALUES);
        field
    }

    pub(crate) fn parse(declared: &str) -> Self {
        let upper = declared.to_ascii_uppercase();
        let (before, rest) = upper.split_once('(').unwrap_or((&upper, ""));
        let (params, after) = rest.split_once(')').unwrap_or((rest, ""));
        let name = format!("{} {}", before.trim(), after.trim());
        let name = name.trim();
        let mut numbers = params.split(',').map(|n| n.trim().parse::<u32>().ok());
        let first = numbers.next().flatten();
        let second = numbers.next().flatten();
        let word = name.split_whitespace().next().unwrap_or("");
        let plain = |field_type, kind| Self {
            field_type,
            kind,
            max_length: None,
            precision: None,
            scale: None,
        };
        let sized = |field_type, kind| Self {
            max_length: first,
            ..plain(field_type, kind)
        };
        match word {
            "" | "ANY" => plain(FieldType::TextField, Kind::Any),
            "BOOL" | "BOOLEAN" | "BIT" => plain(FieldType::BooleanField, Kind::Boolean),
            "TINYINT" if first == Some(1) => plain(FieldType::BooleanField, Kind::Boolean),
            "DATE" => plain(FieldType::DateField, Kind::Date),
            "TIME" | "TIMETZ" => plain(FieldType::TimeField, Kind::Time),
            _ if word.starts_with("DATETIME") || word.starts_with("TIMESTAMP") => {
                plain(FieldType::DateTimeField, Kind::DateTime)
            }
            "JSON" | "JSONB" => plain(FieldType::JsonField, Kind::Json),
            "UUID" | "GUID" | "UNIQUEIDENTIFIER" => plain(FieldType::UuidField, Kind::Uuid),
            "DECIMAL" | "DEC" | "NUMERIC" | "NUM" | "NUMBER" | "MONEY" => Self {
                precision: first,
                scale: second,
                ..plain(FieldType::DecimalField, Kind::Decimal)
            },
            "INTERVAL" => plain(FieldType::TextField, Kind::Any),
            "GEOMETRY" | "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING"
            | "MULTIPOLYGON" | "GEOMETRYCOLLECTION" => plain(FieldType::GeometryField, Kind::Any),
            "STRING" | "ENUM" => sized(FieldType::CharField, Kind::Text),
            // From here on SQLite's own rules of affinity, in their order.
            _ if name.contains("INT") => plain(FieldType::IntegerField, Kind::Integer),
            _ if name.contains("CHAR") => {
                let varying = name.contains("VAR") || name.contains("VARYING");
                if varying || first.is_none() {
                    sized(FieldType::CharField, Kind::Text)
                } else {
                    sized(FieldType::FixedCharField, Kind::Text)
                }
            }
            _ if name.contains("CLOB") || name.contains("TEXT") => {
                sized(FieldType::TextField, Kind::Text)
            }
            _ if name.contains("BLOB") || name.contains("BINARY") || word == "BYTEA" => {
                sized(FieldType::BinaryField, Kind::Binary)
            }
            _ if name.contains("REAL") || name.contains("FLOA") || name.contains("DOUB") => {
                plain(FieldType::FloatField, Kind::Float)
            }
            _ => plain(FieldType::TextField, Kind::Any),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_understood_whatever_their_spelling() {
        for (declared, field_type) in [
            ("INTEGER", FieldType::IntegerField),
            ("unsigned big int", FieldType::IntegerField),
            ("varchar(20)", FieldType::CharField),
            ("CHARACTER VARYING(9)", FieldType::CharField),
            ("char(2)", FieldType::FixedCharField),
            ("NVARCHAR", FieldType::CharField),
            ("text", FieldType::TextField),
            ("DOUBLE PRECISION", FieldType::FloatField),
            ("Decimal(10, 2)", FieldType::DecimalField),
            ("bool", FieldType::BooleanField),
            ("tinyint(1)", FieldType::BooleanField),
            ("tinyint(4)", FieldType::IntegerField),
            ("timestamp with time zone", FieldType::DateTimeField),
            ("datetime(6)", FieldType::DateTimeField),
            ("date", FieldType::DateField),
            ("time", FieldType::TimeField),
            ("jsonb", FieldType::JsonField),
            ("varbinary(16)", FieldType::BinaryField),
            ("uuid", FieldType::UuidField),
            ("POINT", FieldType::GeometryField),
            ("", FieldType::TextField),
            ("whatever", FieldType::TextField),
        ] {
            assert_eq!(
                Declared::parse(declared).field_type,
                field_type,
                "{declared}"
            );
        }
        let decimal = Declared::parse("DECIMAL(10,2)");
        assert_eq!((decimal.precision, decimal.scale), (Some(10), Some(2)));
        assert_eq!(Declared::parse("VARCHAR(20)").max_length, Some(20));
    }
}
