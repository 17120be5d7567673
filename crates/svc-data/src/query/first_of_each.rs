//! The first records of those that are alike in some fields.

use sea_query::{Expr, ExprTrait as _, Order, OverStatement as _, Query, WindowStatement};

use super::{Dialect, SELF, call, column, name, scope, test};
use crate::{
    Model, Result,
    plan::{MostOfEach, Test},
};

/// Whether a record is one of the first ones that pass a test, of those that are alike in some fields.
pub(super) fn first_of_each(
    dialect: &dyn Dialect,
    model: &Model,
    passed: &Test,
    MostOfEach { fields, most }: &MostOfEach,
) -> Result<Expr> {
    const INNER: &str = "t1";
    const NUMBER: &str = "svc_number";
    let columns: Vec<&str> = match &model.row_id {
        Some(row_id) => vec![row_id],
        None => model.primary_key().map(|key| key.name.as_str()).collect(),
    };
    let mut window = WindowStatement::new();
    for index in fields {
        window.add_partition_by(column(INNER, &model.at(*index)?.name));
    }
    // As the list is ordered: by the key, and by the row id where the key may not distinguish rows.
    let key = model.primary_key().map(|key| key.name.as_str());
    let mut order: Vec<&str> = key.collect();
    order.extend(
        columns
            .iter()
            .filter(|column| model.row_id.as_deref() == Some(**column)),
    );
    for key in order {
        window.order_by((name(INNER), name(key)), Order::Asc);
    }
    let mut numbered = Query::select();
    dialect.from(&mut numbered, model, INNER);
    numbered.and_where_option(scope(model, INNER));
    numbered.and_where(test(dialect, model, INNER, passed)?);
    for (place, key) in columns.iter().enumerate() {
        let alias = format!("k{place}");
        numbered.expr_as(column(INNER, key), name(&alias));
    }
    numbered.expr_window_as(call("ROW_NUMBER"), window, name(NUMBER));
    let mut first = Query::select();
    for place in 0..columns.len() {
        first.expr(column("t2", &format!("k{place}")));
    }
    first.from_subquery(numbered, name("t2"));
    first.and_where(column("t2", NUMBER).lte(i64::try_from(*most).unwrap_or(i64::MAX)));
    let mut here = columns.iter().map(|key| column(SELF, key));
    Ok(match (columns.len(), here.next()) {
        (1, Some(here)) => here.in_subquery(first),
        (_, one) => Expr::tuple(one.into_iter().chain(here)).in_subquery(first),
    })
}
