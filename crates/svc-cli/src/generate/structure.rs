//! What is written of a resource, whatever the language.

use svc_model::{
    ResourceName,
    resources::{FieldDescription, FieldType, ModelDescription, ModelRelation},
};

use super::names::in_comment;

/// Through how many foreign keys the type of a key is looked for: a key may refer to itself by way of others.
const DEPTH: usize = 8;
/// The declared types whose whole numbers have at most 32 bits. (An `INTEGER` of SQLite has 64; beyond 53 none is expected.)
const SMALL: &[&str] = &[
    "int",
    "int2",
    "int4",
    "integer",
    "mediumint",
    "serial",
    "serial2",
    "serial4",
    "smallint",
    "smallserial",
    "tinyint",
    "year",
];

/// A resource and its models, sorted by name.
pub(super) struct Resource {
    pub(super) name: ResourceName,
    pub(super) models: Vec<ModelDescription>,
}

/// What the values of a field are in JSON, where they are not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Integer,
    /// A whole number of 64 bits.
    BigInteger,
    /// The same without a sign.
    UnsignedBigInteger,
    /// A floating point number; null where it is infinite or not a number.
    Float,
    /// Texts, and what is shown as text: decimals, dates, UUIDs, bytes.
    Text,
    Array,
    Json,
}

impl Resource {
    fn model(&self, name: &str) -> Option<&ModelDescription> {
        self.models.iter().find(|model| model.model == name)
    }

    /// What the values of a field are: those of a foreign key as the database declares it, or else as those of the field that it
    /// refers to.
    pub(super) fn kind(&self, field: &FieldDescription) -> Kind {
        let mut field = field;
        for _ in 0..DEPTH {
            if field.field != FieldType::ForeignKey {
                return kind(field);
            }
            if let Some(kind) = declared(&field.db_field) {
                return kind;
            }
            let place = |name: &str| field.params.get(name)?.as_str();
            let target = place("related_model")
                .and_then(|model| self.model(model))
                .zip(place("related_field"))
                .and_then(|(model, name)| model.fields.iter().find(|it| it.name == name));
            match target {
                Some(target) => field = target,
                None => break,
            }
        }
        Kind::Json
    }
}

fn kind(field: &FieldDescription) -> Kind {
    match field.field {
        FieldType::BooleanField => Kind::Boolean,
        FieldType::IntegerField => whole_number(&field.db_field),
        FieldType::FloatField => Kind::Float,
        FieldType::ArrayField => Kind::Array,
        // A column of SQLite without a type has values of every kind.
        FieldType::TextField if matches!(field.db_field.as_str(), "" | "ANY" | "any") => Kind::Json,
        FieldType::CharField
        | FieldType::FixedCharField
        | FieldType::TextField
        | FieldType::UuidField
        | FieldType::SelectField
        | FieldType::DecimalField
        | FieldType::DateField
        | FieldType::TimeField
        | FieldType::DateTimeField
        | FieldType::GeometryField
        | FieldType::BinaryField => Kind::Text,
        _ => Kind::Json,
    }
}

/// What the values of a declared type are, where its name says it.
fn declared(db_field: &str) -> Option<Kind> {
    let name = db_field.to_ascii_lowercase();
    let (name, _) = name.split_once([' ', '(']).unwrap_or((&name, ""));
    match name {
        "bigint" | "bigserial" | "int8" | "serial8" => Some(whole_number(db_field)),
        _ if SMALL.contains(&name) => Some(Kind::Integer),
        "char" | "character" | "date" | "dec" | "decimal" | "numeric" | "text" | "uuid"
        | "varchar" => Some(Kind::Text),
        _ => None,
    }
}

fn whole_number(db_field: &str) -> Kind {
    let name = db_field.to_ascii_lowercase();
    let is_unsigned = name.contains("unsigned");
    let (first, _) = name.split_once([' ', '(']).unwrap_or((&name, ""));
    match first {
        "bigint" if is_unsigned => Kind::UnsignedBigInteger,
        _ if SMALL.contains(&first) => Kind::Integer,
        // Among them domains, whose names say nothing.
        _ => Kind::BigInteger,
    }
}

/// Whether a field may be null in a record: a number that JSON does not have is null, too.
pub(super) fn is_nullable(field: &FieldDescription, kind: Kind) -> bool {
    field.null || kind == Kind::Float
}

/// What of a record may be written.
pub(super) struct Written<'m> {
    /// The fields of a new record; none where there are no new ones.
    pub(super) created: Vec<&'m FieldDescription>,
    /// The fields that may be changed.
    pub(super) updated: Vec<&'m FieldDescription>,
}

/// What of the records of a model may be written: of a table whatever the caller may do, so that all get the same types. What the
/// database allows for a view is described by nothing else.
pub(super) fn written(model: &ModelDescription) -> Written<'_> {
    let fields = |may: bool| {
        let fields = model.fields.iter();
        let written = fields.filter(|field| field.editable && (may || !model.is_view));
        written.collect()
    };
    Written {
        created: fields(model.can.create),
        updated: fields(model.can.update),
    }
}

/// What a relation leads to, as a sentence for a comment.
pub(super) fn about(relation: &ModelRelation) -> String {
    format!(
        "The `{}` whose `{}` is the `{}` here.",
        in_comment(&relation.related_model),
        in_comment(&relation.related_field),
        in_comment(&relation.local_field)
    )
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in crate::generate) fn field(name: &str, kind: FieldType, db: &str) -> FieldDescription {
        FieldDescription::new(name, kind, db)
    }

    pub(in crate::generate) fn key_to(name: &str, model: &str) -> FieldDescription {
        let mut field = field(name, FieldType::ForeignKey, "integer");
        let related = [
            ("related_model", json!(model)),
            ("related_field", json!("id")),
        ];
        field.params = related.map(|(name, value)| (name.to_owned(), value)).into();
        field
    }

    pub(in crate::generate) fn resource(
        name: &str,
        models: impl IntoIterator<Item = (&'static str, Vec<FieldDescription>)>,
    ) -> Resource {
        let models = models.into_iter().map(|(name, fields)| {
            let mut model = ModelDescription::new(name, name);
            model.fields = fields;
            model
        });
        Resource {
            name: name.into(),
            models: models.collect(),
        }
    }

    #[test]
    fn a_foreign_key_has_the_values_of_what_it_refers_to() {
        let of_domain = |name, model| {
            let mut field = key_to(name, model);
            field.db_field = "public.code".to_owned();
            field
        };
        let shop = resource(
            "shop",
            [
                ("a", vec![field("id", FieldType::UuidField, "uuid")]),
                ("b", vec![of_domain("id", "a")]),
                ("c", vec![of_domain("id", "c"), of_domain("b", "b")]),
                ("d", vec![of_domain("x", "gone"), key_to("y", "a")]),
            ],
        );
        let kind = |model: usize, field: usize| shop.kind(&shop.models[model].fields[field]);
        assert_eq!(kind(1, 0), Kind::Text);
        assert_eq!(kind(2, 1), Kind::Text);
        assert_eq!(kind(2, 0), Kind::Json, "one that refers to itself");
        assert_eq!(kind(3, 0), Kind::Json, "one whose model is not there");
        assert_eq!(kind(3, 1), Kind::Integer, "one whose own type is known");
    }

    #[test]
    fn whole_numbers_are_big_where_the_database_says_so() {
        for (declared, expected) in [
            ("integer", Kind::Integer),
            ("INTEGER", Kind::Integer),
            ("bigint", Kind::BigInteger),
            ("BIGSERIAL", Kind::BigInteger),
            ("bigint(20) unsigned", Kind::UnsignedBigInteger),
            ("int(10) unsigned", Kind::Integer),
            ("UNSIGNED BIG INT", Kind::BigInteger),
            ("public.snowflake", Kind::BigInteger),
        ] {
            let field = field("n", FieldType::IntegerField, declared);
            assert_eq!(kind(&field), expected, "{declared}");
        }
    }
}
