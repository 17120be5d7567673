//! TypeScript: an interface for each model.

use std::collections::HashMap;

use svc_model::resources::{Direction, FieldDescription, ModelDescription};

use super::{
    names::{Names, in_comment, type_name},
    structure::{Kind, Resource, about, is_nullable, written},
};

const HEAD: &str = "\
// Made by `svc generate typescript` from the structure of databases. After a change there, make it again.

/** Any JSON value. A whole number that a `number` cannot hold exactly is a `bigint`. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
";
/// What the names of the further types of a model end in.
const ENDINGS: &[&str] = &["Create", "Update", "Field", "Relations"];
/// What the file has beside the types of models.
const RESERVED: &[&str] = &["Json", "Models"];
/// A record of which nothing is known.
const UNKNOWN: &str = "{ [field: string]: Json }";

/// The types of all models.
pub(super) fn types(resources: &[Resource]) -> String {
    let names = names(resources);
    let mut out = HEAD.to_owned();
    push_models(&mut out, resources, &names);
    for (resource, names) in resources.iter().zip(&names) {
        for (model, name) in resource.models.iter().zip(names) {
            push_model(&mut out, resource, names, model, name);
        }
    }
    out
}

/// The names of the interfaces: with that of the resource in front where several resources have it.
fn names(resources: &[Resource]) -> Vec<Vec<String>> {
    let mut having: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, resource) in resources.iter().enumerate() {
        for model in &resource.models {
            let places = having.entry(type_name(&model.model)).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
    let mut taken = Names::without(RESERVED);
    let mut name = |resource: &Resource, model: &ModelDescription| {
        let name = type_name(&model.model);
        let is_shared = having.get(&name).is_some_and(|places| places.len() > 1);
        let name = match is_shared {
            true => type_name(&format!("{} {}", resource.name, model.model)),
            false => name,
        };
        taken.unique(name, ENDINGS)
    };
    let named = resources.iter().map(|resource| {
        let models = resource.models.iter();
        models.map(|model| name(resource, model)).collect()
    });
    named.collect()
}

/// The table of all models, by resource and name.
fn push_models(out: &mut String, resources: &[Resource], names: &[Vec<String>]) {
    out.push_str("\n/** The records of each model, by resource. */\nexport interface Models {\n");
    for (resource, names) in resources.iter().zip(names) {
        out.push_str(&format!("  {}: {{\n", property(resource.name.as_str())));
        for (model, name) in resource.models.iter().zip(names) {
            out.push_str(&format!("    {}: {name};\n", property(&model.model)));
        }
        out.push_str("  };\n");
    }
    out.push_str("}\n");
}

fn push_model(
    out: &mut String,
    resource: &Resource,
    names: &[String],
    model: &ModelDescription,
    name: &str,
) {
    let shown = in_comment(&model.model);
    let line = |field: &FieldDescription, is_optional: bool| {
        let kind = resource.kind(field);
        let null = match is_nullable(field, kind) && kind != Kind::Json {
            true => " | null",
            false => "",
        };
        let optional = if is_optional { "?" } else { "" };
        format!(
            "  {}{optional}: {}{null};\n",
            property(&field.name),
            type_of(kind)
        )
    };
    let records = in_comment(resource.name.as_str());
    let fields = model.fields.iter().map(|field| line(field, false));
    push_interface(
        out,
        &format!("A record of `{shown}` in `{records}`."),
        name,
        fields,
    );
    let written = written(model);
    if !written.created.is_empty() {
        let fields = written
            .created
            .iter()
            .map(|field| line(field, !field.required));
        let about = format!("A new record of `{shown}`.");
        push_interface(out, &about, &format!("{name}Create"), fields);
    }
    if !written.updated.is_empty() {
        let fields = written.updated.iter().map(|field| line(field, true));
        let about = format!("Changes of a record of `{shown}`.");
        push_interface(out, &about, &format!("{name}Update"), fields);
    }
    out.push_str(&format!(
        "\n/** The names of the fields of `{shown}`. */\nexport type {name}Field = keyof {name};\n"
    ));
    if model.relations.is_empty() {
        return;
    }
    let relations = model.relations.iter().map(|relation| {
        let there = resource.related(relation).and_then(|related| {
            let place = resource
                .models
                .iter()
                .position(|it| it.model == related.model);
            names.get(place?)
        });
        let there = there.map_or(UNKNOWN, String::as_str);
        let is_nullable =
            |field: &&FieldDescription| field.name == relation.local_field && field.null;
        let there = match relation.direction {
            Direction::ManyToOne if model.fields.iter().any(|it| is_nullable(&it)) => {
                format!("{there} | null")
            }
            Direction::OneToMany => format!("{there}[]"),
            _ => there.to_owned(),
        };
        format!(
            "  /** {} */\n  {}: {there};\n",
            about(relation),
            property(&relation.name)
        )
    });
    let heading = format!("The relations of `{shown}`, and what they lead to.");
    push_interface(out, &heading, &format!("{name}Relations"), relations);
}

fn push_interface(out: &mut String, about: &str, name: &str, lines: impl Iterator<Item = String>) {
    out.push_str(&format!("\n/** {about} */\nexport interface {name} {{\n"));
    out.extend(lines);
    out.push_str("}\n");
}

fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "boolean",
        Kind::Integer | Kind::Float => "number",
        Kind::BigInteger | Kind::UnsignedBigInteger => "number | bigint",
        Kind::Text => "string",
        Kind::Array => "Json[]",
        Kind::Json => "Json",
    }
}

/// The name of a property: in quotes where it is no identifier.
fn property(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_$".contains(character);
    let starts_plain = name.starts_with(|first: char| is_plain(first) && !first.is_ascii_digit());
    if starts_plain && name.chars().all(is_plain) {
        return name.to_owned();
    }
    let mut text = String::from("\"");
    for character in name.chars() {
        match character {
            '\'' => text.push('\''),
            '\0' => text.push_str("\\u{0}"),
            _ => text.extend(character.escape_debug()),
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use svc_model::resources::{FieldType, ModelRelation};

    use super::{
        super::structure::tests::{field, key_to, resource},
        *,
    };

    #[test]
    fn each_model_has_interfaces_for_records_new_ones_and_changes() {
        let mut id = field("id", FieldType::IntegerField, "integer");
        id.editable = false;
        let mut status = field("status", FieldType::CharField, "text");
        status.required = true;
        let mut note = field("gift note", FieldType::TextField, "text");
        note.null = true;
        let score = field("score", FieldType::FloatField, "double precision");
        let mut shop = resource(
            "shop",
            [
                ("customers", vec![id.clone()]),
                (
                    "order_items",
                    vec![id, status, note, score, key_to("customer_id", "customers")],
                ),
            ],
        );
        let to_one = Direction::ManyToOne;
        shop.models[1].relations = vec![
            ModelRelation::new("customer_id", to_one, "customer_id", "customers", "id"),
            ModelRelation::new("gone", Direction::OneToMany, "id", "gone", "x"),
        ];
        let types = types(&[shop]);
        let (_, types) = types.split_once("export interface Models").unwrap();
        assert_eq!(
            types,
            r#" {
  shop: {
    customers: Customers;
    order_items: OrderItems;
  };
}

/** A record of `customers` in `shop`. */
export interface Customers {
  id: number;
}

/** The names of the fields of `customers`. */
export type CustomersField = keyof Customers;

/** A record of `order_items` in `shop`. */
export interface OrderItems {
  id: number;
  status: string;
  "gift note": string | null;
  score: number | null;
  customer_id: number;
}

/** A new record of `order_items`. */
export interface OrderItemsCreate {
  status: string;
  "gift note"?: string | null;
  score?: number | null;
  customer_id?: number;
}

/** Changes of a record of `order_items`. */
export interface OrderItemsUpdate {
  status?: string;
  "gift note"?: string | null;
  score?: number | null;
  customer_id?: number;
}

/** The names of the fields of `order_items`. */
export type OrderItemsField = keyof OrderItems;

/** The relations of `order_items`, and what they lead to. */
export interface OrderItemsRelations {
  /** The `customers` whose `id` is the `customer_id` here. */
  customer_id: Customers;
  /** The `gone` whose `x` is the `id` here. */
  gone: { [field: string]: Json }[];
}
"#
        );
    }

    #[test]
    fn names_that_several_resources_have_begin_with_that_of_the_resource() {
        let first = resource("shop", [("json", vec![]), ("orders", vec![])]);
        let second = resource("old-shop", [("orders", vec![]), ("Orders", vec![])]);
        assert_eq!(
            names(&[first, second]),
            [
                vec!["Json_2", "ShopOrders"],
                vec!["OldShopOrders", "OldShopOrders_2"]
            ]
        );
    }

    #[test]
    fn a_name_never_leaves_its_quotes_or_its_comment() {
        assert_eq!(
            property("a\"b\\\n\u{202e}'\0"),
            r#""a\"b\\\n\u{202e}'\u{0}""#
        );
        assert_eq!(property("$x_1"), "$x_1");
        assert_eq!(property("1x"), "\"1x\"");
        assert_eq!(property(""), "\"\"");
        let types = types(&[resource("shop", [("x */ evil(); /*", vec![])])]);
        assert!(!types.contains("*/ evil"), "{types}");
    }
}
