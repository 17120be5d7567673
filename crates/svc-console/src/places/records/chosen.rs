//! Which records a change of many is about: those that the list shows, chosen ones, or all but those.

use svc_model::{Filter, Invalid, ListQuery, Lookup, Operand, QueryString, RecordId};

use super::{View, layout::Layout, without_controls};
use crate::{
    places::model::Model,
    visit::{Form, Visit},
};

/// How many records can be named, as many conditions as a query may have.
const MOST_NAMED: usize = 100;

/// Which of the records that the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// The named ones alone.
    Only,
    /// All but the named ones.
    Except,
}

impl Which {
    fn of(word: &str) -> Self {
        match word {
            "only" => Self::Only,
            "except" => Self::Except,
            _ => Self::All,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Only => "only",
            Self::Except => "except",
        }
    }
}

/// Which records a change of many is about.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// What the list shows.
    pub(super) list: ListQuery,
    /// How the list shows its columns.
    pub(super) layout: Option<Layout>,
    pub(super) which: Which,
    /// The keys of the named ones.
    pub(super) rows: Vec<RecordId>,
    /// The keys of those that the preview was told to leave out.
    pub(super) left_out: Vec<RecordId>,
}

impl Chosen {
    /// Reads the address, and what the form of the preview leaves out.
    pub(super) fn read(model: &Model<'_>, visit: &Visit, query: &Form) -> Result<Self, Invalid> {
        let is_field = |name: &str| model.field(name).is_some();
        let list = ListQuery::parse(&without_controls(visit.raw_query()), &is_field)?;
        let distinct = |mut ids: Vec<RecordId>| {
            ids.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            ids.dedup();
            ids
        };
        let left_out = query.all("_leave").chain(visit.form().all("leave"));
        Ok(Self {
            list,
            layout: Layout::of_form(query, model),
            which: Which::of(query.text("_which")),
            rows: distinct(query.all("_row").map(RecordId::from).collect()),
            left_out: distinct(left_out.map(RecordId::from).collect()),
        })
    }

    /// The query of the list.
    pub(super) fn of_list(&self) -> QueryString {
        let mut query = self.list.to_query_string();
        if let Some(layout) = &self.layout {
            layout.add_to(&mut query);
        }
        query
    }

    /// The query of the same list for a page of this choice.
    pub(super) fn to_query_string(&self) -> QueryString {
        let mut query = self.of_list();
        query.push("_which", self.which.as_str());
        for row in &self.rows {
            query.push("_row", row.as_str());
        }
        query
    }

    /// The query that selects the records; `None` where too many are named for one query.
    pub(super) fn selection(&self, model: &Model<'_>) -> Option<ListQuery> {
        let mut query = match self.which {
            Which::Only => ListQuery::new(),
            Which::All | Which::Except => self.list.selection(),
        };
        query.time_zone.clone_from(&model.context.account.timezone);
        let key = model.key_fields();
        let conditions = (self.rows.len() + self.left_out.len()) * key.len();
        if key.len() > 1 && conditions > MOST_NAMED {
            return None;
        }
        match self.which {
            Which::Only => named(&mut query, &key, &self.rows, false),
            Which::Except => named(&mut query, &key, &self.rows, true),
            Which::All => {}
        }
        named(&mut query, &key, &self.left_out, true);
        Some(query)
    }

    /// Whether no record is meant.
    pub(super) fn is_none(&self) -> bool {
        self.which == Which::Only && self.rows.is_empty()
    }
}

/// Whether the records of a model can be named: each has a key of its own.
pub(super) fn can_name(view: &View<'_>) -> bool {
    let description = &view.model.description;
    !description.primary_key_auto && !description.primary_key_field.is_empty()
}

/// Adds that the key is one of these, or none of them.
fn named(query: &mut ListQuery, key: &[&str], rows: &[RecordId], is_excluded: bool) {
    if rows.is_empty() {
        return;
    }
    if let [only] = key {
        let values: Vec<String> = rows.iter().map(|row| row.as_str().to_owned()).collect();
        let all = std::mem::take(query);
        *query = match is_excluded {
            true => all.exclude(*only, Lookup::In, Operand::Many(values)),
            false => all.filter(*only, Lookup::In, Operand::Many(values)),
        };
        return;
    }
    let one = |row: &RecordId| {
        let parts = row.parts();
        let parts = key.iter().zip(parts);
        Filter::and(parts.map(|(field, part)| Filter::field(*field, Lookup::Exact, part)))
    };
    let any = Filter::or(rows.iter().map(one));
    let condition = if is_excluded { !any } else { any };
    query.filter = Some(match query.filter.take() {
        Some(before) => Filter::and([before, condition]),
        None => condition,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_by_their_whole_keys() {
        let mut query = ListQuery::new();
        let rows = [RecordId::from("a,b"), RecordId::from("c")];
        named(&mut query, &["id"], &rows, true);
        assert_eq!(
            query.to_query_string().as_str(),
            "exclude__id__in=%22a,b%22,c"
        );
        let mut query = ListQuery::new().search("x");
        let rows = [RecordId::composite(["a,b", "1"])];
        named(&mut query, &["x", "y"], &rows, false);
        let text = serde_json::to_string(query.filter.as_ref().unwrap()).unwrap();
        assert_eq!(
            text,
            r#"{"or":[{"and":[{"field":"x","value":"a,b"},{"field":"y","value":"1"}]}]}"#
        );
    }
}
