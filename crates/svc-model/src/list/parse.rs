//! Reads list queries from query strings.

use super::{
    Count, FieldFilter, ListQuery, MAX_ORDER_BY, MAX_PER_PAGE, MAX_SEARCH, OrderBy, RecordView,
    is_parameter,
};
use crate::{
    Condition, Invalid, Lookup, MAX_CONDITIONS, Operand,
    comma_list::read_list,
    filter::json::read_values,
    parse_bool,
    query::{parse_pairs, read_integer},
};

impl ListQuery {
    /// Reads the query string of a list.
    ///
    /// `is_field` returns whether a name is a field of the model: a key is matched to the longest field
    /// name that fits, so that names with `__` in them work. Whether a value fits its column is checked
    /// by the service; everything else is checked here.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter, field or lookup and each malformed
    /// value: nothing is ignored, since a misspelt filter must not widen a result.
    pub fn parse(query: &str, is_field: &dyn Fn(&str) -> bool) -> Result<Self, Invalid> {
        let pairs = parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?;
        let mut list = Self::default();
        let mut invalid = Invalid::new();
        let mut places = pairs.iter().filter_map(|(key, _)| place(key));
        let first = places.next();
        let other = places.find(|other| Some(*other) != first);
        if let (Some(first), Some(other)) = (first, other) {
            invalid.push_field(other, format!("cannot be combined with {first}"));
        }
        for (key, value) in &pairs {
            if is_parameter(key) {
                list.read_parameter(key, value, &mut invalid);
            } else {
                list.read_filter(key, value, is_field, &mut invalid);
                // Checked inside the loop, since each filter is compared with those before it.
                if list.filters.len() > MAX_CONDITIONS {
                    return Err(Invalid::general(format!(
                        "at most {MAX_CONDITIONS} filters are allowed; values of one field go into {{field}}__in"
                    )));
                }
            }
        }
        for FieldFilter { condition, .. } in &list.filters {
            let Condition {
                field,
                lookup,
                value,
            } = condition;
            if let Err(message) = crate::filter::check_operand(field, *lookup, value) {
                invalid.push_field(field, message);
            }
        }
        invalid.into_result().map(|()| list)
    }

    /// Adds a filter that is written as in a query string: `field` or `field__lookup`, optionally with
    /// `exclude__` in front. The values of a list are one text with commas, or several texts.
    ///
    /// # Errors
    /// [`Invalid`] with a message under the key.
    pub fn filter_by_key(
        &mut self,
        key: &str,
        values: Operand,
        is_field: &dyn Fn(&str) -> bool,
    ) -> Result<(), Invalid> {
        let (field, lookup, exclude) =
            split_key(key, is_field).map_err(|message| Invalid::field(key, message))?;
        let value = match values {
            Operand::One(text) if lookup.takes_list() => Operand::Many(
                read_values(lookup, &text).map_err(|message| Invalid::field(key, message))?,
            ),
            values => values,
        };
        crate::filter::check_operand(field, lookup, &value)
            .map_err(|message| Invalid::field(key, message))?;
        self.filters.push(FieldFilter {
            condition: Condition {
                field: field.to_owned(),
                lookup,
                value,
            },
            exclude,
        });
        Ok(())
    }

    fn read_parameter(&mut self, key: &str, value: &str, invalid: &mut Invalid) {
        match key {
            "page" => match read_integer(value) {
                Some(page) => self.page = page,
                None => invalid.push_field(key, "must be an integer of at least 1"),
            },
            "_per_page" => match read_integer(value) {
                Some(per_page) => {
                    self.per_page = Some(
                        u32::try_from(per_page)
                            .unwrap_or(MAX_PER_PAGE)
                            .min(MAX_PER_PAGE),
                    );
                }
                None => invalid.push_field(
                    key,
                    format!(
                        "must be an integer of at least 1; at most {MAX_PER_PAGE} records are given"
                    ),
                ),
            },
            "_no_pagination" => match parse_bool(value) {
                Some(no_pagination) => self.no_pagination = no_pagination,
                None => invalid.push_field(key, "must be true or false"),
            },
            "_order_by" => match read_list(value) {
                Ok(fields) if fields.len() > MAX_ORDER_BY => {
                    invalid.push_field(key, format!("at most {MAX_ORDER_BY} columns are allowed"));
                }
                Ok(fields)
                    if fields
                        .iter()
                        .all(|field| !field.trim_start_matches('-').is_empty()) =>
                {
                    self.order_by = fields
                        .iter()
                        .map(|field| OrderBy::from(field.as_str()))
                        .collect();
                }
                _ => invalid.push_field(
                    key,
                    "must be a comma list of fields, each with - for descending",
                ),
            },
            "_search" if value.chars().nth(MAX_SEARCH).is_some() => {
                invalid.push_field(key, format!("at most {MAX_SEARCH} characters are allowed"));
            }
            "_search" => self.search = Some(value.to_owned()).filter(|text| !text.is_empty()),
            "_filter" => match value.parse() {
                Ok(filter) => self.filter = Some(filter),
                Err(error) => invalid.push_field(key, error.to_string()),
            },
            "_relation" => match value.parse() {
                Ok(relation) => self.relation = Some(relation),
                Err(error) => invalid.push_field(key, error.to_string()),
            },
            "_count" => match value {
                "exact" => self.count = Count::Exact,
                "estimated" => self.count = Count::Estimated,
                "auto" => self.count = Count::Auto,
                "none" => self.count = Count::None,
                _ => invalid.push_field(key, "must be exact, estimated, auto or none"),
            },
            "_after" if value.is_empty() => {
                invalid.push_field(key, "must be the cursor of a next link, unchanged");
            }
            "_after" => self.after = Some(value.to_owned()),
            "_before" if value.is_empty() => {
                invalid.push_field(key, "must be the cursor of a previous link, unchanged");
            }
            "_before" => self.before = Some(value.to_owned()),
            "_last" => match parse_bool(value) {
                Some(last) => self.last = last,
                None => invalid.push_field(key, "must be true or false"),
            },
            _ => {
                let mut view = RecordView {
                    fields: self.fields.take(),
                    expand: self.expand.take(),
                    excerpt: self.excerpt.take(),
                    time_zone: self.time_zone.take(),
                };
                view.read_parameter(key, value, invalid);
                (self.fields, self.expand) = (view.fields, view.expand);
                (self.excerpt, self.time_zone) = (view.excerpt, view.time_zone);
            }
        }
    }

    fn read_filter(
        &mut self,
        key: &str,
        value: &str,
        is_field: &dyn Fn(&str) -> bool,
        invalid: &mut Invalid,
    ) {
        let (field, lookup, exclude) = match split_key(key, is_field) {
            Ok(parts) => parts,
            Err(message) => return invalid.push_field(key, message),
        };
        let operand = if lookup.takes_list() {
            match read_values(lookup, value) {
                Ok(values) => Operand::Many(values),
                Err(message) => return invalid.push_field(key, message),
            }
        } else {
            Operand::One(value.to_owned())
        };
        let same = self.filters.iter_mut().find(|filter| {
            filter.exclude == exclude
                && filter.condition.lookup == lookup
                && filter.condition.field == field
        });
        match (same, operand) {
            // `in` collects the values of every occurrence; for other lookups the last one counts.
            (Some(filter), Operand::Many(more)) if lookup == Lookup::In => {
                if let Operand::Many(values) = &mut filter.condition.value {
                    values.extend(more);
                }
            }
            (Some(filter), operand) => filter.condition.value = operand,
            (None, value) => self.filters.push(FieldFilter {
                condition: Condition {
                    field: field.to_owned(),
                    lookup,
                    value,
                },
                exclude,
            }),
        }
    }
}

/// The parameter, if it says which page is requested.
fn place(key: &str) -> Option<&'static str> {
    ["page", "_after", "_before", "_last"]
        .into_iter()
        .find(|place| *place == key)
}

/// Splits a key into field, lookup and negation; the longest field name that fits is used.
fn split_key<'k>(
    key: &'k str,
    is_field: &dyn Fn(&str) -> bool,
) -> Result<(&'k str, Lookup, bool), String> {
    if let Some((field, lookup)) = split_lookup(key, is_field)? {
        return Ok((field, lookup, false));
    }
    let Some(excluded) = key.strip_prefix("exclude__") else {
        return Err(format!("unknown field {key:?}"));
    };
    match split_lookup(excluded, is_field)? {
        Some((field, lookup)) => Ok((field, lookup, true)),
        None => Err(format!("unknown field {excluded:?}")),
    }
}

fn split_lookup<'k>(
    key: &'k str,
    is_field: &dyn Fn(&str) -> bool,
) -> Result<Option<(&'k str, Lookup)>, String> {
    if is_field(key) {
        return Ok(Some((key, Lookup::Exact)));
    }
    let Some((rest, word)) = key.rsplit_once("__") else {
        return Ok(None);
    };
    if is_field(rest) {
        return match word.parse() {
            Ok(lookup) => Ok(Some((rest, lookup))),
            Err(error) => Err(format!("{word:?}: {error}")),
        };
    }
    // The lookups of two words.
    let Some((field, _)) = rest.rsplit_once("__") else {
        return Ok(None);
    };
    let words = key.get(field.len() + 2..).unwrap_or_default();
    match words.parse() {
        Ok(lookup) if is_field(field) => Ok(Some((field, lookup))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests;
