//! Values of statements, as the store's tables keep them.

use jiff::Timestamp;
use svc_data::Value;
use svc_model::{EnvironmentName, ModelName, PageUid, ProjectName, ResourceName};
use uuid::Uuid;

use crate::clock;

/// A value as the store's tables keep it: identifiers and times as text.
pub(crate) trait Bind {
    fn bind(&self) -> Value;
}

macro_rules! bind {
    ($($type:ty: $value:ident => $bound:expr),+ $(,)?) => {$(
        impl Bind for $type {
            fn bind(&self) -> Value {
                let $value = self;
                Value::from($bound)
            }
        }
    )+};
}

bind! {
    str: text => text,
    String: text => text,
    bool: truth => *truth,
    i64: number => *number,
    Uuid: uid => uid.to_string(),
    Timestamp: time => clock::to_text(*time),
    ProjectName: name => name.as_str(),
    EnvironmentName: name => name.as_str(),
    ResourceName: name => name.as_str(),
    ModelName: name => name.as_str(),
    PageUid: uid => uid.as_str(),
}

impl<T: Bind + ?Sized> Bind for &T {
    fn bind(&self) -> Value {
        (**self).bind()
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind(&self) -> Value {
        self.as_ref().map_or(Value::Null, Bind::bind)
    }
}

/// The values of a statement, each as [`Bind`] says.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        [$($crate::database::Bind::bind(&$value)),*]
    };
}
pub(crate) use values;

/// A row to be inserted: columns, each with its value, which may be a variable of its name.
macro_rules! row {
    ($($column:ident $(: $value:expr)?),+ $(,)?) => {
        [$((stringify!($column), $crate::database::row!(@ $column $(, $value)?))),+]
    };
    (@ $column:ident) => {
        $crate::database::Bind::bind(&$column)
    };
    (@ $column:ident, $value:expr) => {
        $crate::database::Bind::bind(&$value)
    };
}
pub(crate) use row;
