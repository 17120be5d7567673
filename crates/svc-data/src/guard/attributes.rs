//! Names after a dot, which PostgreSQL also reads as calls: `x.f` is `f(x)` where `x` has no column `f`, and
//! `(1.5).f` is `f(1.5)`. Which of them are columns is known to the database alone, so they are collected here
//! together with what their table is, as far as the query itself says.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use sqlparser::ast::{
    AccessExpr, Cte, Expr, Ident, ObjectName, ObjectNamePart, Query, SelectItem, SetExpr,
    TableAlias, TableFactor,
};

use super::{Refusal, Rule};

/// How many relations the names of a query may stand for together, each counted for each name.
const MAX_RELATIONS: usize = 100_000;

/// A name behind a dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Attribute {
    /// The name, as PostgreSQL compares it.
    pub(crate) name: String,
    /// The relations before the dot, each as the parts of its name; empty where it is something else.
    /// It is a column if all of them have one of this name.
    pub(crate) relations: Arc<[Vec<String>]>,
}

/// Collects the names of a query.
#[derive(Default)]
pub(super) struct Attributes {
    tables: Vec<Table>,
    ctes: HashMap<String, Vec<Columns>>,
    accesses: BTreeSet<(Option<String>, String)>,
}

/// The names of the columns of a subquery, where they are written.
type Columns = Option<HashSet<String>>;

/// The tables that a name can be a column of, by the parts of their names.
type Relations = Arc<[Vec<String>]>;

/// What all tables of one name have in common.
#[derive(Default)]
struct Known<'q> {
    /// Relations of the database.
    relations: BTreeSet<&'q [String]>,
    /// The subqueries of `WITH` among them, each once.
    ctes: BTreeSet<&'q str>,
    /// The columns of subqueries. A name is a column where all of them have it.
    columns: Vec<&'q HashSet<String>>,
    /// Whether there is one of which nothing is known.
    is_unknown: bool,
}

impl<'q> Known<'q> {
    fn add(&mut self, columns: &'q Columns) {
        match columns {
            Some(columns) => self.columns.push(columns),
            None => self.is_unknown = true,
        }
    }
}

/// Something in `FROM`, under the name that it has in the query.
struct Table {
    name: String,
    source: Source,
}

enum Source {
    Relation(Vec<String>),
    /// A subquery, with the names of its columns where they are written.
    Derived(Columns),
    Other,
}

impl Attributes {
    pub(super) fn add_table(&mut self, factor: &TableFactor) {
        let (name, source) = match factor {
            TableFactor::Table {
                name, alias, args, ..
            } => {
                let parts = folded_parts(name);
                let shown = alias.as_ref().map(|alias| folded(&alias.name));
                let Some(shown) = shown.or_else(|| parts.last().cloned()) else {
                    return;
                };
                // Other names of its columns may hide those that it has.
                let is_plain =
                    args.is_none() && alias.as_ref().is_none_or(|alias| alias.columns.is_empty());
                match is_plain {
                    true => (shown, Source::Relation(parts)),
                    false => (shown, Source::Other),
                }
            }
            TableFactor::Derived {
                subquery,
                alias: Some(alias),
                ..
            } => (
                folded(&alias.name),
                Source::Derived(columns(Some(alias), subquery)),
            ),
            TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::NestedJoin { alias, .. }
            | TableFactor::JsonTable { alias, .. } => match alias {
                Some(alias) => (folded(&alias.name), Source::Other),
                None => return,
            },
            _ => return,
        };
        self.tables.push(Table { name, source });
    }

    pub(super) fn add_query(&mut self, query: &Query) {
        for Cte { alias, query, .. } in query.with.iter().flat_map(|with| &with.cte_tables) {
            let found = self.ctes.entry(folded(&alias.name)).or_default();
            found.push(columns(Some(alias), query));
        }
    }

    pub(super) fn add_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::CompoundIdentifier(parts) => {
                if let [.., table, name] = parts.as_slice() {
                    self.accesses.insert((Some(folded(table)), folded(name)));
                }
            }
            Expr::CompoundFieldAccess { access_chain, .. } => {
                for access in access_chain {
                    match access {
                        AccessExpr::Dot(Expr::Identifier(name)) => {
                            self.accesses.insert((None, folded(name)));
                        }
                        AccessExpr::Dot(Expr::CompoundIdentifier(names)) => {
                            let names = names.iter().map(|name| (None, folded(name)));
                            self.accesses.extend(names);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The names that the query itself does not show to be columns, in their order.
    ///
    /// # Errors
    ///
    /// More names for more tables than can be looked up.
    pub(super) fn finish(self) -> Result<Vec<Attribute>, Refusal> {
        // Looked up by name, since a query may have as many tables as names.
        let mut by_name: HashMap<&str, Known<'_>> = HashMap::new();
        for Table { name, source } in &self.tables {
            let known = by_name.entry(name).or_default();
            match source {
                Source::Derived(columns) => known.add(columns),
                Source::Other => known.is_unknown = true,
                Source::Relation(parts) => match parts.as_slice() {
                    [cte] if self.ctes.contains_key(cte) => {
                        if known.ctes.insert(cte) {
                            let same = self.ctes.get(cte).into_iter().flatten();
                            same.for_each(|columns| known.add(columns));
                        }
                    }
                    parts => {
                        known.relations.insert(parts);
                    }
                },
            }
        }
        let by_name: HashMap<&str, (Known<'_>, Relations)> = by_name
            .into_iter()
            .map(|(name, known)| {
                let relations = known.relations.iter().map(|parts| parts.to_vec()).collect();
                (name, (known, relations))
            })
            .collect();
        let none = Relations::from([]);
        let mut found = Vec::new();
        let mut left = MAX_RELATIONS;
        for (table, name) in &self.accesses {
            let known = table.as_ref().and_then(|table| by_name.get(table.as_str()));
            let relations = match known {
                Some((known, relations))
                    if !known.is_unknown
                        && known.columns.iter().all(|columns| columns.contains(name)) =>
                {
                    // All that it can be are columns of subqueries.
                    if relations.is_empty() {
                        continue;
                    }
                    relations
                }
                _ => &none,
            };
            left = left.checked_sub(relations.len()).ok_or_else(|| {
                Refusal::new(
                    Rule::TooDeep,
                    format!(
                        "names of columns stand for more than {MAX_RELATIONS} tables together; \
                         give tables names of their own"
                    ),
                )
            })?;
            found.push(Attribute {
                name: name.clone(),
                relations: Arc::clone(relations),
            });
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// The names of the columns of a subquery, where all of them are written.
fn columns(alias: Option<&TableAlias>, query: &Query) -> Columns {
    if let Some(alias) = alias.filter(|alias| !alias.columns.is_empty()) {
        return Some(
            alias
                .columns
                .iter()
                .map(|column| folded(&column.name))
                .collect(),
        );
    }
    // The first branch of a set operation gives the names.
    let mut body = query.body.as_ref();
    let select = loop {
        match body {
            SetExpr::Select(select) => break select,
            SetExpr::Query(query) => body = query.body.as_ref(),
            SetExpr::SetOperation { left, .. } => body = left.as_ref(),
            _ => return None,
        }
    };
    let names = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(folded(alias)),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(folded(name)),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().map(folded),
        _ => None,
    });
    Some(names.collect())
}

/// A name as PostgreSQL compares it.
fn folded(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}

fn folded_parts(name: &ObjectName) -> Vec<String> {
    name.0
        .iter()
        .filter_map(ObjectNamePart::as_ident)
        .map(folded)
        .collect()
}
