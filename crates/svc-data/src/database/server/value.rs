//! Values as the server takes and gives them.

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::database::Value;

/// A value, written as the type that the statement has at its place.
#[derive(Debug)]
pub(in crate::database) struct Param<'a>(pub(in crate::database) &'a Value);

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let wrong = || format!("{:?} is no value of the type {ty}", self.0).into();
        match (self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Bool(truth), &Type::BOOL) => truth.to_sql(ty, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out),
            (Value::Int(number), &Type::INT4) => {
                i32::try_from(*number).map_err(|_| wrong())?.to_sql(ty, out)
            }
            (Value::Int(number), &Type::INT2) => {
                i16::try_from(*number).map_err(|_| wrong())?.to_sql(ty, out)
            }
            (Value::Float(number), &Type::FLOAT8) => number.to_sql(ty, out),
            (Value::Text(text), ty) if <&str as ToSql>::accepts(ty) => {
                // No text on the server holds U+0000, and what stands for it is looked for in vain.
                text.replace('\0', "\u{FFFD}").as_str().to_sql(ty, out)
            }
            (Value::Blob(bytes), &Type::BYTEA) => bytes.as_slice().to_sql(ty, out),
            _ => Err(wrong()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value that was read.
pub(in crate::database) struct Read(pub(in crate::database) Value);

impl<'a> FromSql<'a> for Read {
    fn from_sql(
        ty: &Type,
        raw: &'a [u8],
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        let value = match *ty {
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::FLOAT8 => Value::Float(f64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::JSON => Value::Text(std::str::from_utf8(raw)?.to_owned()),
            _ => Value::Text(String::from_sql(ty, raw)?),
        };
        Ok(Self(value))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::BOOL
                | Type::INT2
                | Type::INT4
                | Type::INT8
                | Type::FLOAT8
                | Type::BYTEA
                | Type::JSON
        ) || <String as FromSql<'a>>::accepts(ty)
    }
}
