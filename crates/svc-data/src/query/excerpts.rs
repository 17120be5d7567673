//! Rows of which long values are cut.

use sea_query::Expr;

use super::{Dialect, SELF};
use crate::{
    Model, Result,
    record::{
        Projection,
        excerpt::{Cutting, Excerpted, RowExcerpts},
    },
};

/// How the shown fields are read whose values are cut, and how those are found in a row: the fields come first, and behind
/// them the lengths.
pub(crate) fn excerpts(
    dialect: &dyn Dialect,
    model: &Model,
    shown: &Projection,
) -> Result<Option<(Vec<Expr>, RowExcerpts)>> {
    let Some(excerpt) = &shown.excerpt else {
        return Ok(None);
    };
    let mut columns = Vec::with_capacity(shown.fields.len());
    let mut lengths = Vec::new();
    let mut cuttings = Vec::with_capacity(shown.fields.len());
    for index in shown.fields.iter() {
        let field = model.at(*index)?;
        let (column, cutting) = match excerpt.cuts(*index) {
            false => (dialect.read(SELF, field), Cutting::Never),
            true => match dialect.excerpt(SELF, field, excerpt.most) {
                Excerpted::Whole(value) => (value, Cutting::Here),
                Excerpted::Measured(value) => (value, Cutting::Measured),
                Excerpted::InDatabase(value, length) => {
                    lengths.push(length);
                    let place = shown.fields.len() + lengths.len() - 1;
                    (value, Cutting::InDatabase(place))
                }
            },
        };
        columns.push(column);
        cuttings.push(cutting);
    }
    columns.extend(lengths);
    let most = excerpt.most;
    Ok(Some((columns, RowExcerpts { cuttings, most })))
}
