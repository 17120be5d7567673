//! What PostgreSQL said, told as our errors.

use tokio_postgres::error::{DbError, SqlState};

use crate::{
    Constraint, ConstraintKind, Error, ErrorKind, Model,
    refusal::{by_check, names, worded},
};

/// Translates what the server, or the way to it, said about a statement.
pub(super) fn translate(error: tokio_postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else {
        return unreachable(error);
    };
    let code = told.code();
    let message = told.message().to_owned();
    let class = code.code().get(..2).unwrap_or_default();
    let translated = match *code {
        SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => Error::new(
            ErrorKind::Timeout,
            "the statement took too long and was ended",
        ),
        SqlState::UNIQUE_VIOLATION | SqlState::EXCLUSION_VIOLATION => {
            constraint(told, ConstraintKind::Unique)
        }
        SqlState::NOT_NULL_VIOLATION => constraint(told, ConstraintKind::NotNull),
        SqlState::CHECK_VIOLATION | SqlState::WITH_CHECK_OPTION_VIOLATION => {
            constraint(told, ConstraintKind::Check)
        }
        SqlState::FOREIGN_KEY_VIOLATION | SqlState::RESTRICT_VIOLATION => {
            constraint(told, ConstraintKind::ForeignKey)
        }
        SqlState::RAISE_EXCEPTION => constraint(told, ConstraintKind::Trigger),
        SqlState::UNDEFINED_TABLE
        | SqlState::UNDEFINED_COLUMN
        | SqlState::UNDEFINED_OBJECT
        | SqlState::UNDEFINED_FUNCTION
        | SqlState::INVALID_SCHEMA_NAME => Error::new(ErrorKind::StructureChanged, message),
        SqlState::FEATURE_NOT_SUPPORTED if message.contains("cached plan") => {
            Error::new(ErrorKind::StructureChanged, message)
        }
        SqlState::FEATURE_NOT_SUPPORTED
        | SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE
        | SqlState::GENERATED_ALWAYS => Error::invalid("the database does not take this write"),
        SqlState::INSUFFICIENT_PRIVILEGE => {
            Error::invalid("the user that this service has in the database may not do this")
        }
        SqlState::READ_ONLY_SQL_TRANSACTION => {
            Error::invalid("the database of this resource cannot be written")
        }
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Error::new(
            ErrorKind::Unavailable,
            "other writes were in the way; try again",
        ),
        // PostGIS has no code of its own for a text that is no geometry.
        SqlState::INTERNAL_ERROR if message.contains("invalid geometry") => {
            Error::invalid("a geometry is given as WKT, such as POINT(1 2)")
        }
        // The server describes the value, or the operation on it.
        _ if class == "22" => Error::invalid(message),
        _ if class == "54" => Error::invalid(format!("the request is too large: {message}")),
        _ if matches!(class, "08" | "28" | "3D" | "53" | "57" | "58") => {
            return unreachable(error);
        }
        _ => Error::internal(format!("PostgreSQL refused a statement: {told}")),
    };
    translated.with_source(error)
}

/// Translates why a server cannot be used, with a remedy where it gave a reason.
pub(super) fn unreachable(error: tokio_postgres::Error) -> Error {
    let remedy = match error.code() {
        Some(code) => match code.code() {
            "28P01" | "28000" => "; check the user and the password in the URL of the resource",
            "3D000" => "; check the name of the database in the URL of the resource",
            "53300" => "; raise max_connections of the server, or allow this service fewer",
            "53100" => "; free some space on the server",
            _ => "",
        },
        None => "",
    };
    let mut message = format!("the database server cannot be used: {error}");
    if let Some(cause) = std::error::Error::source(&error) {
        message.push_str(&format!(": {cause}"));
    }
    message.push_str(remedy);
    Error::new(ErrorKind::Unavailable, message).with_source(error)
}

fn constraint(told: &DbError, kind: ConstraintKind) -> Error {
    let text = match kind {
        ConstraintKind::Trigger => told.message(),
        _ => told.constraint().unwrap_or_default(),
    };
    let constraint = Constraint {
        kind,
        table: told.table().map(str::to_owned),
        columns: told.column().map(str::to_owned).into_iter().collect(),
        text: text.to_owned(),
    };
    Error::new(ErrorKind::Constraint, told.message()).with_constraint(constraint)
}

/// The error of the server that an error was made of.
fn source(error: &Error) -> Option<&tokio_postgres::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Whether a connection that gave this error cannot be used any more, or still does what was asked of it.
pub(super) fn breaks_the_connection(error: &Error) -> bool {
    match source(error) {
        Some(error) => error.as_db_error().is_none(),
        None => error.kind() == ErrorKind::Timeout,
    }
}

/// The code that the server gave.
pub(super) fn code(error: &Error) -> Option<&SqlState> {
    source(error).and_then(tokio_postgres::Error::code)
}

/// What the server has against a statement that a client wrote, in its words.
pub(super) fn about_the_query(error: &Error) -> Option<String> {
    let told = source(error)?.as_db_error()?;
    let class = told.code().code().get(..2).unwrap_or_default();
    matches!(
        class,
        "0A" | "21" | "22" | "25" | "26" | "34" | "3F" | "42" | "44" | "54" | "P0" | "HV"
    )
    .then(|| told.message().to_owned())
}

/// Explains a refusal of a write on `model`, on the fields it is about.
pub(super) fn explain(model: &Model, error: Error, is_write: bool) -> Error {
    let Some(constraint) = error.constraint() else {
        return error;
    };
    let schema = source(&error)
        .and_then(tokio_postgres::Error::as_db_error)
        .and_then(DbError::schema);
    let is_here = constraint.table.as_deref() == Some(model.table.as_str())
        && schema.is_none_or(|schema| Some(schema) == model.schema.as_deref());
    let name = constraint.text.as_str();
    let rule = |rules: &[crate::structure::Rule]| {
        let found = rules.iter().find(|rule| rule.name.as_deref() == Some(name));
        found.map(|rule| rule.fields.clone()).unwrap_or_default()
    };
    let explained = match constraint.kind {
        ConstraintKind::Check => {
            let found = model.checks.iter();
            let mut found = found.filter(|check| is_here && check.name.as_deref() == Some(name));
            by_check(model, found.next())
        }
        kind => {
            let fields = match kind {
                _ if !is_here => Vec::new(),
                ConstraintKind::Unique => rule(&model.uniques),
                ConstraintKind::ForeignKey => {
                    let keys = model.foreign_keys.iter();
                    let found = keys.filter(|key| key.name.as_deref() == Some(name));
                    found.flat_map(|key| key.fields.clone()).collect()
                }
                _ => {
                    let columns = constraint.columns.iter();
                    columns.filter_map(|name| model.index_of(name)).collect()
                }
            };
            worded(kind, &names(model, &fields), name, is_write)
        }
    };
    explained.with_constraint(constraint.clone())
}
