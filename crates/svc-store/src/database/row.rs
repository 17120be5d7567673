//! Reading rows: each type from the form that the store's tables keep it in.

use jiff::Timestamp;
use svc_data::Row;
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope};
use uuid::Uuid;

use crate::clock;
use crate::error::{Error, Result};

/// What a column of the store's tables holds.
pub(crate) trait Column: Sized {
    fn read(row: &Row, column: &str) -> Result<Self>;
}

/// The value of a column.
pub(crate) fn get<T: Column>(row: &Row, column: &str) -> Result<T> {
    T::read(row, column)
}

macro_rules! column {
    ($($type:ty: $kept:ty => $read:expr;)+) => {$(
        impl Column for $type {
            fn read(row: &Row, column: &str) -> Result<Self> {
                $read(row.get::<$kept>(column)?)
            }
        }

        impl Column for Option<$type> {
            fn read(row: &Row, column: &str) -> Result<Self> {
                row.get::<Option<$kept>>(column)?.map($read).transpose()
            }
        }
    )+};
}

column! {
    String: String => Ok;
    bool: bool => Ok;
    i64: i64 => Ok;
    Uuid: String => |text: String| parse_uid(&text);
    Timestamp: String => |text: String| clock::from_text(&text);
    ProjectName: String => |name: String| Ok(name.into());
    EnvironmentName: String => |name: String| Ok(name.into());
    ResourceName: String => |name: String| Ok(name.into());
}

/// The environment that the columns `project` and `environment` name.
pub(crate) fn scope(row: &Row) -> Result<Scope> {
    let project: ProjectName = get(row, "project")?;
    Ok(Scope::new(
        project,
        get::<EnvironmentName>(row, "environment")?,
    ))
}

fn parse_uid(text: &str) -> Result<Uuid> {
    text.parse::<Uuid>().map_err(Error::caused(
        "the store holds an identifier that cannot be read",
    ))
}

/// Makes a struct of a row: a field is read from the column of its name, or has the value that is given.
macro_rules! columns {
    ($row:ident => $type:ident { $($field:ident $(: $value:expr)?),+ $(,)? }) => {
        Ok($type { $($field: $crate::database::columns!(@ $row, $field $(, $value)?)),+ })
    };
    (@ $row:ident, $field:ident) => {
        $crate::database::row::get($row, stringify!($field))?
    };
    (@ $row:ident, $field:ident, $value:expr) => {
        $value
    };
}
pub(crate) use columns;

/// Gives the variants of an enum their names, and reads it from the column that keeps its name.
macro_rules! stored_by_name {
    ($type:ident, $unknown:literal, { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them, in the order of lists.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name in the store, in lists and on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The one that has a name in the store.
            pub(crate) fn stored(name: &str) -> $crate::error::Result<Self> {
                let named = Self::ALL.iter().find(|one| one.as_str() == name);
                let unknown = || $crate::error::Error::internal($unknown);
                named.copied().ok_or_else(unknown)
            }
        }

        impl $crate::database::row::Column for $type {
            fn read(row: &svc_data::Row, column: &str) -> $crate::error::Result<Self> {
                Self::stored(&row.get::<String>(column)?)
            }
        }
    };
}
pub(crate) use stored_by_name;
