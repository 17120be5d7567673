//! Values of lookups that are not of the type of their column. A cell may hold one all the same, and is found by it; a
//! value that no cell holds is a mistake, and refused as every other engine refuses it.

use sea_query::Expr;

use super::{
    fault::Fault,
    select::{SqliteDialect, Statement},
    session::Session,
};
use crate::{
    Error, Model, Result,
    plan::{Comparison, Test},
    query,
    value::{Scalar, time::Zone},
};

/// The values of a test that are not of the type of their column.
#[derive(Default)]
pub(crate) struct Misfits(Vec<Misfit>);

/// A value that is not of the type of its column.
struct Misfit {
    /// What the caller wrote it for.
    field: String,
    /// Why the type of the column does not accept it.
    message: String,
    /// Gives a row where a cell holds it.
    statement: Statement,
}

impl Misfits {
    pub(crate) fn of(model: &Model, test: Option<&Test>) -> Result<Self> {
        let mut found = Vec::new();
        if let Some(test) = test {
            test.each_special(None, &mut |related, index, value| {
                found.push((related, index, value));
            });
        }
        let zone = Zone::UTC;
        let mut misfits = Vec::new();
        for (related, index, value) in found {
            let model = related.unwrap_or(model);
            let field = model.at(index)?;
            let Scalar::Special(text) = value else {
                continue;
            };
            // A number may be one of the type and too long for it only.
            let Err(message) = Scalar::from_text(field, text, &zone) else {
                continue;
            };
            let is_held = Test::Compare(index, Comparison::Equal, value.clone());
            let is_held = query::test(&SqliteDialect, model, query::SELF, &is_held)?;
            let mut select = query::select(&SqliteDialect, model, Some(is_held));
            select.expr(Expr::cust("1")).limit(1);
            misfits.push(Misfit {
                field: match related {
                    Some(_) => "_relation".to_owned(),
                    None => field.name.clone(),
                },
                message,
                statement: Statement::select(&select),
            });
        }
        Ok(Self(misfits))
    }

    /// Refuses a value that no cell holds.
    pub(crate) fn check(&self, session: Session<'_>) -> Result<(), Fault> {
        for misfit in &self.0 {
            if !misfit.statement.has_rows(&session)? {
                return Err(Error::invalid_field(&misfit.field, &misfit.message).into());
            }
        }
        Ok(())
    }
}
