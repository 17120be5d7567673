//! Names of a database as names of a language, and as its texts and comments.

use std::collections::HashSet;

use heck::{ToShoutySnakeCase as _, ToSnakeCase as _, ToUpperCamelCase as _};

/// Names that are taken, so that each is given once.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// No names but those that mean something already.
    pub(super) fn without(reserved: &[&str]) -> Self {
        Self(reserved.iter().map(|&name| name.to_owned()).collect())
    }

    /// This name, with a number where it is taken together with one of these endings.
    pub(super) fn unique(&mut self, name: &str, endings: &[&str]) -> String {
        let all = |name: &str| -> Vec<String> {
            let endings = endings.iter().map(|ending| format!("{name}{ending}"));
            std::iter::once(name.to_owned()).chain(endings).collect()
        };
        let mut given = name.to_owned();
        let mut number = 2_u64;
        while all(&given).iter().any(|name| self.0.contains(name)) {
            given = format!(
                "{name}{}{number}",
                if name.ends_with('_') { "" } else { "_" }
            );
            number += 1;
        }
        self.0.extend(all(&given));
        given
    }
}

/// `order_items` as the name of a type: `OrderItems`.
pub(super) fn type_name(name: &str) -> String {
    identifier(&name.to_upper_camel_case())
}

/// `createdAt` as the name of a variable: `created_at`.
pub(super) fn variable_name(name: &str) -> String {
    identifier(&name.to_snake_case())
}

/// `createdAt` as the name of a constant: `CREATED_AT`.
pub(super) fn constant_name(name: &str) -> String {
    identifier(&name.to_shouty_snake_case())
}

/// A name with `_` for what an identifier cannot have.
fn identifier(name: &str) -> String {
    let mut identifier = String::with_capacity(name.len() + 1);
    for character in name.chars() {
        if identifier.is_empty() && !unicode_ident::is_xid_start(character) {
            identifier.push('_');
        }
        match unicode_ident::is_xid_continue(character) {
            true => identifier.push(character),
            false => identifier.push('_'),
        }
    }
    match identifier.chars().all(|character| character == '_') {
        true => "_unnamed".to_owned(),
        false => identifier,
    }
}

/// A name inside a comment of one line: nothing in it ends the comment, or is shown as something else than it is.
pub(super) fn in_comment(name: &str) -> String {
    let shown = name
        .chars()
        .flat_map(char::escape_debug)
        .collect::<String>();
    shown
        .replace("\\'", "'")
        .replace("\\\"", "\"")
        .replace("*/", "* /")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_database_become_identifiers() {
        for (name, expected) in [
            ("order_items", "OrderItems"),
            ("orderItems", "OrderItems"),
            ("ORDER_ITEMS", "OrderItems"),
            ("sales.order items", "SalesOrderItems"),
            ("2024", "_2024"),
            ("größe", "Größe"),
            ("½", "_unnamed"),
            ("a½b", "A_b"),
            ("", "_unnamed"),
            ("?!", "_unnamed"),
        ] {
            assert_eq!(type_name(name), expected, "{name}");
        }
        assert_eq!(variable_name("createdAt"), "created_at");
        assert_eq!(constant_name("createdAt"), "CREATED_AT");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut names = Names::without(&["Json"]);
        assert_eq!(names.unique("Json", &["Create"]), "Json_2");
        assert_eq!(names.unique("Orders", &["Create"]), "Orders");
        assert_eq!(names.unique("Orders", &["Create"]), "Orders_2");
        assert_eq!(names.unique("OrdersCreate", &["Create"]), "OrdersCreate_2");
    }

    #[test]
    fn a_comment_is_not_ended_by_a_name() {
        assert_eq!(
            in_comment("a */ b\n\u{202e}\"c'"),
            "a * / b\\n\\u{202e}\"c'"
        );
    }

    proptest::proptest! {
        #[test]
        fn every_name_becomes_an_identifier(name in "\\PC*|.*") {
            for name in [type_name(&name), variable_name(&name), constant_name(&name)] {
                let mut characters = name.chars();
                let first = characters.next().unwrap();
                proptest::prop_assert!(first == '_' || unicode_ident::is_xid_start(first));
                proptest::prop_assert!(characters.all(unicode_ident::is_xid_continue));
                proptest::prop_assert_ne!(name, "_");
            }
        }
    }
}
