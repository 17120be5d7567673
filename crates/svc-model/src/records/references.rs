//! References: the records that refer to a given record.

use serde::{Deserialize, Serialize};

use super::Collection;
use crate::{RecordId, wire::Operation};

/// References: `GET B/{id}/references`, 200 with a [`Reference`] for each relation that leads to the model.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}/references")]
#[operation(name = "records.get_references", credential = StaticToken, answer = Vec<Reference>)]
#[operation(
    new = "Gets how many records refer to one, and what becomes of them when it is deleted."
)]
#[non_exhaustive]
pub struct GetReferences {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

/// The maximum number of records that are counted of a [`Reference`].
pub const MAX_REFERENCES: u32 = 1_001;

/// The records that refer to a record by one relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reference {
    /// The name of the relation.
    pub relation: String,
    /// The model whose records refer to the record.
    pub model: String,
    /// What becomes of them when the record is deleted.
    pub rule: DeleteRule,
    /// How many they are, at most [`MAX_REFERENCES`]; `None` where the caller may not read them.
    pub count: Option<u64>,
    /// Whether there may be more than were counted.
    pub more: bool,
}

impl Reference {
    /// Records of a model, of which nothing is counted.
    pub fn new(relation: impl Into<String>, model: impl Into<String>, rule: DeleteRule) -> Self {
        Self {
            relation: relation.into(),
            model: model.into(),
            rule,
            count: None,
            more: false,
        }
    }
}

/// What becomes of records when the one that they refer to is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeleteRule {
    /// It is not deleted while they refer to it: `RESTRICT`, `NO ACTION` and `SET DEFAULT` in SQL.
    #[default]
    Restrict,
    /// They are deleted too.
    Cascade,
    /// They refer to no record.
    SetNull,
}

impl DeleteRule {
    /// Reads the words of SQL, such as `SET NULL`.
    pub fn of_sql(words: &str) -> Self {
        match words {
            "CASCADE" => Self::Cascade,
            "SET NULL" => Self::SetNull,
            _ => Self::Restrict,
        }
    }
}
