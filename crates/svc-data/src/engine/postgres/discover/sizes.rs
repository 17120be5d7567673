//! The sizes that columns are declared with.

use crate::engine::postgres::types::Type;

/// The sizes that a type is declared with.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::engine::postgres) struct Sizes {
    pub(in crate::engine::postgres) max_length: Option<u32>,
    pub(in crate::engine::postgres) precision: Option<u32>,
    pub(in crate::engine::postgres) scale: Option<u32>,
}

impl Sizes {
    /// Reads them out of the number that PostgreSQL keeps them in.
    pub(in crate::engine::postgres) fn of(sort: Type, typmod: i32) -> Self {
        let mut sizes = Self {
            max_length: None,
            precision: None,
            scale: None,
        };
        match sort {
            Type::Text | Type::FixedText if typmod >= 4 => {
                sizes.max_length = u32::try_from(typmod - 4).ok();
            }
            Type::Decimal if typmod >= 4 => {
                sizes.precision = u32::try_from((typmod - 4) >> 16 & 0xffff).ok();
                // Eleven bits with a sign; less than zero rounds before the point.
                let scale = (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
                sizes.scale = u32::try_from(scale).ok();
            }
            Type::Time | Type::Timestamp | Type::TimestampTz => {
                sizes.precision = u32::try_from(typmod).ok();
            }
            _ => {}
        }
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_modifier() {
        assert_eq!(Sizes::of(Type::Text, 14).max_length, Some(10));
        assert_eq!(Sizes::of(Type::Text, -1).max_length, None);
        let numeric = Sizes::of(Type::Decimal, (10 << 16 | 2) + 4);
        assert_eq!((numeric.precision, numeric.scale), (Some(10), Some(2)));
        assert_eq!(Sizes::of(Type::TimestampTz, 3).precision, Some(3));
        assert_eq!(Sizes::of(Type::TimestampTz, -1).precision, None);
    }
}
