//! A list query, resolved against the structure: names became fields, texts became values of their
//! types, and whatever does not fit was refused. Engines turn the result into their SQL.

mod aggregate;
pub(crate) mod expand;
mod lookup;
mod place;
mod test;

use std::sync::Arc;

use svc_model::{
    Condition, Count, FieldFilter, Filter, Invalid, ListQuery, Lookup, Operand, PlaceCondition,
    Relation,
};

use crate::{
    Model, Result, Structure,
    query::{Buffers, cursor::cursor_offset},
    record::Projection,
    structure::Kind,
    value::{Scalar, time::Zone},
};

pub(crate) use self::{
    aggregate::AggregatePlan,
    lookup::{compile_regex, unordered},
    test::{Comparison, Containment, Match, Place, PlaceTest, PlaceValue, Step, Test},
};

/// The most regular expressions of a query: each is compiled before the query runs.
const MAX_REGEXES: usize = 10;

/// How many records are read of those that have the same values in some fields: the first ones by their keys.
#[derive(Clone, Debug)]
pub(crate) struct MostOfEach {
    pub(crate) fields: Vec<usize>,
    pub(crate) most: usize,
}

/// A list, ready for an engine.
#[derive(Clone, Debug)]
pub(crate) struct ListPlan {
    pub(crate) shown: Projection,
    /// The fields whose values are read [beside](crate::record::Beside) the records.
    pub(crate) beside: Option<Vec<usize>>,
    pub(crate) test: Option<Test>,
    /// The fields to order by, and whether the largest comes first; the primary key is among them.
    pub(crate) order: Vec<(usize, bool)>,
    pub(crate) limit: u32,
    pub(crate) offset: u64,
    /// The cursor that it begins after.
    pub(crate) after: Option<String>,
    /// The cursor that it ends before.
    pub(crate) before: Option<String>,
    /// Whether it is read from its end.
    pub(crate) reversed: bool,
    /// Whether it continues a page that was too large to be read at once.
    pub(crate) continues: bool,
    /// The memory of the parts of the page before.
    pub(crate) buffers: Option<Buffers>,
    /// Whether the answer is for the service itself, which may read more at once than a client.
    pub(crate) is_internal: bool,
    /// Of which records it is at most; they are few, and looked up by their keys.
    pub(crate) among: Option<Test>,
    /// How many of these that are alike in some fields, where not all.
    pub(crate) most_of_each: Option<MostOfEach>,
    pub(crate) count: Count,
}

/// The fields that a step of a relation names: one, or several joined by commas.
fn columns(model: &Model, names: &str) -> Result<Vec<usize>, String> {
    // A column whose own name has a comma in it.
    if let Some(index) = model.index_of(names) {
        return Ok(vec![index]);
    }
    let names = names.split(',');
    names
        .map(|name| {
            model
                .index_of(name)
                .ok_or_else(|| format!("unknown field {name:?}"))
        })
        .collect()
}

impl ListPlan {
    /// Resolves a query.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) with a message for everything that does not fit.
    pub(crate) fn resolve(structure: &Structure, model: &Model, query: &ListQuery) -> Result<Self> {
        let mut invalid = Invalid::new();
        let shown = Projection::collect(
            model,
            query.fields.as_deref(),
            query.excerpt,
            query.time_zone.as_deref(),
            &mut invalid,
        );
        let mut resolver = Resolver {
            structure,
            zone: &shown.zone,
            invalid,
            regexes: 0,
        };
        let mut tests = Vec::new();
        for FieldFilter { condition, exclude } in &query.filters {
            let key = condition.field.as_str();
            if let Some(test) = resolver.condition(model, condition, key) {
                tests.push(if *exclude {
                    Test::Not(Box::new(test))
                } else {
                    test
                });
            }
        }
        if let Some(filter) = &query.filter {
            tests.extend(resolver.filter(model, filter));
        }
        if let Some(text) = &query.search {
            tests.push(resolver.search(model, text));
        }
        if let Some(relation) = &query.relation {
            tests.extend(resolver.relation(model, relation));
        }
        let order = resolver.order(model, query);
        resolver.invalid.into_result()?;
        let limit = query.limit();
        let after_rows = query.after.as_deref().and_then(cursor_offset);
        let offset = match (after_rows, &query.after) {
            (Some(rows), _) => rows,
            (None, Some(_)) => 0,
            (None, None) if query.no_pagination => 0,
            (None, None) => query
                .page
                .saturating_sub(1)
                .saturating_mul(u64::from(limit)),
        };
        Ok(Self {
            test: match tests.len() {
                0 => None,
                _ => Some(Test::All(tests)),
            },
            order,
            limit,
            offset,
            after: query.after.clone().filter(|_| after_rows.is_none()),
            before: query.before.clone(),
            reversed: false,
            continues: false,
            buffers: None,
            is_internal: false,
            beside: None,
            among: None,
            most_of_each: None,
            count: if query.no_pagination {
                Count::None
            } else {
                query.count
            },
            shown,
        })
    }
}

struct Resolver<'a> {
    structure: &'a Structure,
    zone: &'a Zone,
    invalid: Invalid,
    /// How many regular expressions there were so far.
    regexes: usize,
}

impl Resolver<'_> {
    fn filter(&mut self, model: &Model, filter: &Filter) -> Option<Test> {
        let each = |resolver: &mut Self, filters: &[Filter]| -> Vec<Test> {
            filters
                .iter()
                .filter_map(|filter| resolver.filter(model, filter))
                .collect()
        };
        match filter {
            Filter::And(filters) => Some(Test::All(each(self, filters))),
            Filter::Or(filters) => Some(Test::Any(each(self, filters))),
            Filter::Not(filter) => self
                .filter(model, filter)
                .map(|test| Test::Not(Box::new(test))),
            Filter::Condition(condition) => self.condition(model, condition, "_filter"),
            Filter::Place(condition) => self.place(model, condition),
            _ => {
                self.invalid
                    .push_field("_filter", "an operator of the tree is not supported");
                None
            }
        }
    }

    /// Resolves a condition; `key` is where an unknown field is reported.
    fn condition(&mut self, model: &Model, condition: &Condition, key: &str) -> Option<Test> {
        let Condition {
            field,
            lookup,
            value,
        } = condition;
        let index = self.compared(model, field, *lookup, key)?;
        self.valid(field, self.test(model, index, *lookup, value))
    }

    fn place(&mut self, model: &Model, condition: &PlaceCondition) -> Option<Test> {
        let PlaceCondition { field, lookup, .. } = condition;
        let index = self.compared(model, field, *lookup, "_filter")?;
        let known = model.at(index).map_err(|error| error.to_string());
        let test = known.and_then(|field| place::place_test(index, field, condition));
        self.valid(field, test)
    }

    /// The field that a condition compares, unless there are too many conditions of that sort.
    fn compared(&mut self, model: &Model, field: &str, lookup: Lookup, key: &str) -> Option<usize> {
        let Some(index) = model.index_of(field) else {
            self.invalid
                .push_field(key, format!("unknown field {field:?}"));
            return None;
        };
        if lookup == Lookup::Regex {
            self.regexes += 1;
            if self.regexes > MAX_REGEXES {
                let message = format!("at most {MAX_REGEXES} regular expressions are allowed");
                self.invalid.push_field(field, message);
                return None;
            }
        }
        Some(index)
    }

    fn test(
        &self,
        model: &Model,
        index: usize,
        lookup: Lookup,
        operand: &Operand,
    ) -> Result<Test, String> {
        let field = model.at(index).map_err(|error| error.to_string())?;
        lookup::field_test(index, field, lookup, operand, self.zone)
    }

    /// A test, unless there is something wrong with it, which is reported on a field.
    fn valid(&mut self, field: &str, test: Result<Test, String>) -> Option<Test> {
        test.map_err(|message| self.invalid.push_field(field, message))
            .ok()
    }

    /// Contains over texts, equality over numbers.
    fn search(&self, model: &Model, text: &str) -> Test {
        let tests = model
            .fields
            .iter()
            .enumerate()
            .filter_map(|(index, field)| match field.kind {
                Kind::Text | Kind::Any | Kind::Json | Kind::Uuid => Some(Test::Match(
                    index,
                    Match::Contains { any_case: true },
                    text.to_owned(),
                )),
                Kind::Integer | Kind::Float | Kind::Decimal => {
                    Scalar::from_text(field, text, self.zone)
                        .ok()
                        .map(|value| Test::Compare(index, Comparison::Equal, value))
                }
                _ => None,
            })
            .collect();
        Test::Any(tests)
    }

    fn relation(&mut self, model: &Model, relation: &Relation) -> Option<Test> {
        let mut steps: Vec<Step> = Vec::new();
        for step in &relation.steps {
            let here = steps.last().map_or(model, |step| &step.model);
            let unknown = match self.structure.model(&step.model) {
                None => format!("unknown model {:?}", step.model),
                Some(there) => {
                    let fields = columns(here, &step.column);
                    let related = columns(there, &step.related_column);
                    match (fields, related) {
                        (Err(message), _) | (_, Err(message)) => message,
                        (Ok(fields), Ok(related)) if fields.len() != related.len() => {
                            "a step must name as many columns there as here".to_owned()
                        }
                        (Ok(fields), Ok(related)) => {
                            steps.push(Step {
                                model: Arc::clone(there),
                                fields: fields.into_iter().zip(related).collect(),
                            });
                            continue;
                        }
                    }
                }
            };
            self.invalid.push_field("_relation", unknown);
            return None;
        }
        let last = steps.last().map(|step| Arc::clone(&step.model))?;
        let values = Operand::Many(relation.values.clone());
        let test = match last.index_of(&relation.column) {
            Some(index) => self.test(&last, index, Lookup::In, &values),
            None => Err(format!("unknown field {:?}", relation.column)),
        };
        let test = self.valid("_relation", test)?;
        Some(Test::Related(steps, Box::new(test)))
    }

    /// What was requested, then the primary key, so that the order is total.
    fn order(&mut self, model: &Model, query: &ListQuery) -> Vec<(usize, bool)> {
        let mut order: Vec<(usize, bool)> = Vec::new();
        let mut is_ordered = vec![false; model.fields.len()];
        let mut add = |index: usize, descending: bool| {
            if let Some(known) = is_ordered.get_mut(index)
                && !*known
            {
                *known = true;
                order.push((index, descending));
            }
        };
        let mut descending = query.order_by.is_empty();
        for asked in &query.order_by {
            // A column whose own name begins with a minus.
            let literal = format!("-{}", asked.field);
            let found = match model.index_of(&asked.field) {
                Some(index) => Some((index, asked.descending)),
                None => model
                    .index_of(&literal)
                    .filter(|_| asked.descending)
                    .map(|index| (index, false)),
            };
            if let Some((index, is_descending)) = found {
                descending = is_descending;
                if let Some(field) = model.fields.get(index).filter(|field| !field.is_ordered()) {
                    self.invalid.push_field(
                        "_order_by",
                        format!("{:?}: {}", field.name, unordered(field)),
                    );
                }
                add(index, descending);
            } else {
                self.invalid
                    .push_field("_order_by", format!("unknown field {:?}", asked.field));
            }
        }
        for index in &model.key {
            add(*index, descending);
        }
        if !model.distinct_rows {
            // Rows that nothing distinguishes: at least those that differ get a fixed place.
            for index in 0..model.fields.len() {
                add(index, descending);
            }
        }
        order
    }
}
