//! Rust: a module for each resource, a struct for each model.

use svc_model::resources::{FieldDescription, ModelDescription};

use super::{
    names::{Names, constant_name, in_comment, type_name, variable_name},
    structure::{Kind, Resource, about, is_nullable, written},
};

const HEAD: &str = "\
// Made by `svc generate rust` from the structure of databases. After a change there, make it again.
";
/// What the names of the further types of a model end in.
const ENDINGS: &[&str] = &["Create", "Update", "Fields", "Relations"];
/// Types that the structs use themselves.
const RESERVED: &[&str] = &[
    "Deserialize",
    "Option",
    "Self",
    "Serialize",
    "String",
    "Vec",
];
/// Words that are no names (edition 2024).
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The types of all models.
pub(super) fn types(resources: &[Resource]) -> String {
    let mut out = HEAD.to_owned();
    let mut modules = Names::default();
    for resource in resources {
        let module = modules.unique(variable(resource.name.as_str()), &[]);
        let shown = in_comment(resource.name.as_str());
        let name = resource.name.as_str();
        out.push_str(&format!(
            "\n/// The models of the resource `{shown}`.\n#[allow(dead_code, missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]\n#[rustfmt::skip]\npub mod {module} {{\n    \
             use serde::{{Deserialize, Serialize}};\n\n    /// The resource.\n    pub const RESOURCE: &str = {name:?};\n"
        ));
        let mut names = Names::without(RESERVED);
        for model in &resource.models {
            let name = names.unique(type_name(&model.model), ENDINGS);
            push_model(&mut out, resource, model, &name);
        }
        out.push_str("}\n");
    }
    out
}

fn push_model(out: &mut String, resource: &Resource, model: &ModelDescription, name: &str) {
    let shown = in_comment(&model.model);
    let mut taken = Names::default();
    let fields = model.fields.iter();
    let variables: Vec<_> = fields
        .map(|field| taken.unique(variable(&field.name), &[]))
        .collect();
    let fields = || model.fields.iter().zip(&variables);

    out.push_str(&format!(
        "\n    /// A record of `{shown}`.\n    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]\n    pub struct {name} {{\n"
    ));
    for (field, variable) in fields() {
        push_field(
            out,
            field,
            variable,
            &in_record(field, resource.kind(field)),
            false,
        );
    }
    let model_name = &model.model;
    out.push_str(&format!(
        "    }}\n\n    impl {name} {{\n        /// The name of the model.\n        pub const MODEL: &'static str = {model_name:?};\n    }}\n"
    ));

    let written = written(model);
    let of = |written: &[&FieldDescription]| -> Vec<_> {
        let is_written = |field: &FieldDescription| written.iter().any(|it| it.name == field.name);
        fields().filter(|(field, _)| is_written(field)).collect()
    };
    if !written.created.is_empty() {
        push_create(out, resource, &shown, name, &of(&written.created));
    }
    if !written.updated.is_empty() {
        out.push_str(&format!(
            "\n    /// Changes of a record of `{shown}`.\n    #[derive(Clone, Debug, Default, PartialEq, Serialize)]\n    \
             pub struct {name}Update {{\n"
        ));
        for (field, variable) in of(&written.updated) {
            let type_name = optional(field, resource.kind(field));
            push_field(out, field, variable, &type_name, true);
        }
        out.push_str("    }\n");
    }

    let names = model.fields.iter().map(|field| (field.name.as_str(), None));
    let heading = format!("The names of the fields of `{shown}`.");
    push_constants(out, &heading, &format!("{name}Fields"), names);
    if !model.relations.is_empty() {
        let names = model
            .relations
            .iter()
            .map(|relation| (relation.name.as_str(), Some(about(relation))));
        let heading = format!("The names of the relations of `{shown}`.");
        push_constants(out, &heading, &format!("{name}Relations"), names);
    }
}

/// What a new record has, and a function that takes what it must have.
fn push_create(
    out: &mut String,
    resource: &Resource,
    shown: &str,
    name: &str,
    fields: &[(&FieldDescription, &String)],
) {
    out.push_str(&format!(
        "\n    /// A new record of `{shown}`. The database fills what is `None`.\n    \
         #[derive(Clone, Debug, PartialEq, Serialize)]\n    pub struct {name}Create {{\n"
    ));
    let (mut arguments, mut values) = (Vec::new(), Vec::new());
    for &(field, variable) in fields {
        let kind = resource.kind(field);
        let type_name = match field.required {
            true => nullable(type_of(kind), field.null && kind != Kind::Json),
            false => optional(field, kind),
        };
        push_field(out, field, variable, &type_name, !field.required);
        match field.required {
            true => {
                arguments.push(format!("{variable}: {type_name}"));
                values.push(variable.clone());
            }
            false => values.push(format!("{variable}: None")),
        }
    }
    out.push_str(&format!(
        "    }}\n\n    impl {name}Create {{\n        /// A record with what it must have.\n        pub fn new({}) -> Self {{\n            \
         Self {{ {} }}\n        }}\n    }}\n",
        arguments.join(", "),
        values.join(", ")
    ));
}

fn push_field(
    out: &mut String,
    field: &FieldDescription,
    variable: &str,
    type_name: &str,
    may_be_left_out: bool,
) {
    let mut settings = Vec::new();
    if variable != field.name {
        settings.push(format!("rename = {:?}", field.name));
    }
    if may_be_left_out {
        settings.push("skip_serializing_if = \"Option::is_none\"".to_owned());
    }
    if !settings.is_empty() {
        out.push_str(&format!("        #[serde({})]\n", settings.join(", ")));
    }
    out.push_str(&format!("        pub {variable}: {type_name},\n"));
}

/// Names as constants of a type.
fn push_constants<'a>(
    out: &mut String,
    about: &str,
    type_name: &str,
    names: impl Iterator<Item = (&'a str, Option<String>)>,
) {
    out.push_str(&format!(
        "\n    /// {about}\n    pub struct {type_name};\n\n    impl {type_name} {{\n"
    ));
    let mut taken = Names::without(&["Self"]);
    for (name, about) in names {
        if let Some(about) = about {
            out.push_str(&format!("        /// {about}\n"));
        }
        let constant = taken.unique(constant_name(name), &[]);
        out.push_str(&format!(
            "        pub const {constant}: &'static str = {name:?};\n"
        ));
    }
    out.push_str("    }\n");
}

/// The type of a field of a record.
fn in_record(field: &FieldDescription, kind: Kind) -> String {
    nullable(
        type_of(kind),
        is_nullable(field, kind) && kind != Kind::Json,
    )
}

/// The type of what may be left out: where null is a value, too, it is the inner `None`.
fn optional(field: &FieldDescription, kind: Kind) -> String {
    let value = nullable(type_of(kind), field.null && kind != Kind::Json);
    format!("Option<{value}>")
}

fn nullable(type_name: &str, is_nullable: bool) -> String {
    match is_nullable {
        true => format!("Option<{type_name}>"),
        false => type_name.to_owned(),
    }
}

fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "bool",
        Kind::Integer | Kind::BigInteger => "i64",
        Kind::UnsignedBigInteger => "u64",
        Kind::Float => "f64",
        Kind::Text => "String",
        Kind::Array => "Vec<serde_json::Value>",
        Kind::Json => "serde_json::Value",
    }
}

/// The name of a field or module.
fn variable(name: &str) -> String {
    let name = variable_name(name);
    match KEYWORDS.contains(&name.as_str()) {
        true => name + "_",
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use svc_model::resources::{Direction, FieldType, ModelRelation};

    use super::{
        super::structure::tests::{field, key_to, resource},
        *,
    };

    #[test]
    fn each_resource_is_a_module_and_each_model_a_struct_with_serdes_names() {
        let mut id = field("id", FieldType::IntegerField, "integer");
        id.editable = false;
        let mut kind = field("type", FieldType::CharField, "text");
        kind.required = true;
        let mut note = field("giftNote", FieldType::TextField, "text");
        note.null = true;
        let extra = field("extra", FieldType::JsonField, "jsonb");
        let customer = key_to("customer_id", "customers");
        let mut shop = resource(
            "my-shop",
            [("orders", vec![id, kind, note, extra, customer])],
        );
        let to_one = Direction::ManyToOne;
        let relation = ModelRelation::new("customer_id", to_one, "customer_id", "customers", "id");
        shop.models[0].relations = vec![relation];
        assert_eq!(
            types(&[shop]),
            r#"// Made by `svc generate rust` from the structure of databases. After a change there, make it again.

/// The models of the resource `my-shop`.
#[allow(dead_code, missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
#[rustfmt::skip]
pub mod my_shop {
    use serde::{Deserialize, Serialize};

    /// The resource.
    pub const RESOURCE: &str = "my-shop";

    /// A record of `orders`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Orders {
        pub id: i64,
        #[serde(rename = "type")]
        pub type_: String,
        #[serde(rename = "giftNote")]
        pub gift_note: Option<String>,
        pub extra: serde_json::Value,
        pub customer_id: i64,
    }

    impl Orders {
        /// The name of the model.
        pub const MODEL: &'static str = "orders";
    }

    /// A new record of `orders`. The database fills what is `None`.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct OrdersCreate {
        #[serde(rename = "type")]
        pub type_: String,
        #[serde(rename = "giftNote", skip_serializing_if = "Option::is_none")]
        pub gift_note: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub extra: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub customer_id: Option<i64>,
    }

    impl OrdersCreate {
        /// A record with what it must have.
        pub fn new(type_: String) -> Self {
            Self { type_, gift_note: None, extra: None, customer_id: None }
        }
    }

    /// Changes of a record of `orders`.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct OrdersUpdate {
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        pub type_: Option<String>,
        #[serde(rename = "giftNote", skip_serializing_if = "Option::is_none")]
        pub gift_note: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub extra: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub customer_id: Option<i64>,
    }

    /// The names of the fields of `orders`.
    pub struct OrdersFields;

    impl OrdersFields {
        pub const ID: &'static str = "id";
        pub const TYPE: &'static str = "type";
        pub const GIFT_NOTE: &'static str = "giftNote";
        pub const EXTRA: &'static str = "extra";
        pub const CUSTOMER_ID: &'static str = "customer_id";
    }

    /// The names of the relations of `orders`.
    pub struct OrdersRelations;

    impl OrdersRelations {
        /// The `customers` whose `id` is the `customer_id` here.
        pub const CUSTOMER_ID: &'static str = "customer_id";
    }
}
"#
        );
    }

    #[test]
    fn words_of_the_language_and_names_that_are_taken_become_others() {
        let fields =
            ["self", "Self", "a b", "a-b"].map(|name| field(name, FieldType::TextField, ""));
        let shop = resource("type", [("option", fields.into()), ("Option", vec![])]);
        let types = types(&[shop]);
        for expected in [
            "pub mod type_ {",
            "pub struct Option_2 {",
            "pub struct Option_3 {",
            "pub self_: String,",
            "pub self_2: String,",
            "pub a_b: String,",
            "pub a_b_2: String,",
        ] {
            assert!(types.contains(expected), "{expected}: {types}");
        }
    }

    #[test]
    fn a_name_never_leaves_its_text_or_its_comment() {
        let name = "x\n} fn evil() {} //\u{202e}\"";
        let types = types(&[resource(
            "shop",
            [("t", vec![field(name, FieldType::TextField, "")])],
        )]);
        assert!(
            !types.contains("\n}") || types.matches("\n}").count() == 1,
            "{types}"
        );
        assert!(!types.contains('\u{202e}'), "{types}");
    }
}
