//! Objects of JSON that commands write, each named where it is written.

/// A value that serializes as an object with these properties, in this order.
macro_rules! row {
    ($($name:ident: $value:expr),+ $(,)?) => {{
        #[allow(non_camel_case_types, reason = "the type of a property has its name")]
        let row = {
            #[derive(serde::Serialize)]
            struct Row<$($name),+> {
                $($name: $name),+
            }
            Row { $($name: $value),+ }
        };
        row
    }};
}
pub(crate) use row;
