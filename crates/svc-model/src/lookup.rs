//! Lookups: how a filter compares a field with a value.

use std::{fmt, str::FromStr};

macro_rules! lookups {
    ($( $(#[$doc:meta])* $variant:ident => $word:literal, )*) => {
        /// How a filter compares a field with a value; `{field}__{lookup}` in a query string.
        ///
        /// ```
        /// use svc_model::Lookup;
        ///
        /// assert_eq!("icontains".parse(), Ok(Lookup::Icontains));
        /// assert_eq!(Lookup::Gte.as_str(), "gte");
        /// assert!("like".parse::<Lookup>().is_err());
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Lookup {
            $( $(#[$doc])* $variant, )*
        }

        impl Lookup {
            /// Every lookup.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }

        impl FromStr for Lookup {
            type Err = UnknownLookup;

            fn from_str(word: &str) -> Result<Self, UnknownLookup> {
                match word {
                    $( $word => Ok(Self::$variant), )*
                    _ => Err(UnknownLookup(())),
                }
            }
        }
    };
}

lookups! {
    /// Equal; the default when no lookup is named.
    #[default]
    Exact => "exact",
    /// Not equal; a NULL is neither equal nor unequal.
    Ne => "ne",
    /// Greater than.
    Gt => "gt",
    /// Greater than or equal.
    Gte => "gte",
    /// Less than.
    Lt => "lt",
    /// Less than or equal.
    Lte => "lte",
    /// Equal to one of several values.
    In => "in",
    /// Between two values, both included.
    Range => "range",
    /// Contains the text, ignoring case.
    Icontains => "icontains",
    /// Begins with the text, ignoring case.
    Istartswith => "istartswith",
    /// Ends with the text, ignoring case.
    Iendswith => "iendswith",
    /// Contains the text, case-sensitively.
    Contains => "contains",
    /// Begins with the text, case-sensitively.
    Startswith => "startswith",
    /// Ends with the text, case-sensitively.
    Endswith => "endswith",
    /// Is NULL (a true word) or is not (a false word).
    Isnull => "isnull",
    /// Is NULL or the empty text (a true word), or is neither (a false word).
    Isempty => "isempty",
    /// The JSON, written as text, contains the text, ignoring case.
    JsonIcontains => "json_icontains",
    /// Matches the regular expression, on engines that support regular expressions.
    Regex => "regex",
    /// The geometry lies within the given geometry (PostGIS).
    Coveredby => "coveredby",
    /// The array has all of the values (PostgreSQL).
    ContainsAll => "contains_all",
    /// The array has at least one of the values (PostgreSQL).
    ContainsAny => "contains_any",
    /// The array has no other values than these (PostgreSQL).
    ContainedBy => "contained_by",
    /// The array has so many elements (PostgreSQL).
    Len => "len",
    /// The array has more elements (PostgreSQL).
    LenGt => "len__gt",
    /// The array has so many elements or more (PostgreSQL).
    LenGte => "len__gte",
    /// The array has fewer elements (PostgreSQL).
    LenLt => "len__lt",
    /// The array has so many elements or fewer (PostgreSQL).
    LenLte => "len__lte",
}

impl Lookup {
    /// Whether the value is a list: of two values for `range`, of any number for the others.
    pub fn takes_list(self) -> bool {
        matches!(self, Self::In | Self::Range) || self.takes_elements()
    }

    /// Whether the value is a list of elements that an array is compared with. It may be empty, and is a JSON array or a
    /// comma list.
    pub fn takes_elements(self) -> bool {
        matches!(
            self,
            Self::ContainsAll | Self::ContainsAny | Self::ContainedBy
        )
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a word that is not the name of a [`Lookup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown lookup; known are {}", Lookup::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", "))]
pub struct UnknownLookup(());

/// Reads a boolean word of the wire: `true t yes y on 1` or `false f no n off 0`, in any case.
///
/// ```
/// assert_eq!(svc_model::parse_bool("Yes"), Some(true));
/// assert_eq!(svc_model::parse_bool("0"), Some(false));
/// assert_eq!(svc_model::parse_bool("maybe"), None);
/// ```
pub fn parse_bool(word: &str) -> Option<bool> {
    const TRUE: [&str; 6] = ["true", "t", "yes", "y", "on", "1"];
    const FALSE: [&str; 6] = ["false", "f", "no", "n", "off", "0"];
    let is = |known: &&str| known.eq_ignore_ascii_case(word);
    if TRUE.iter().any(is) {
        Some(true)
    } else if FALSE.iter().any(is) {
        Some(false)
    } else {
        None
    }
}
