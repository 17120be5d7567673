//! What PostgreSQL said, as our errors.

use deadpool_postgres::Manager;
use svc_model::NON_FIELD_ERRORS;
use tokio_postgres::error::{DbError, Severity, SqlState};

use super::stream::ROW_TOO_LARGE;
use crate::{
    Constraint, ConstraintKind, Error, ErrorCode, ErrorKind, Model, Outage,
    engine::server::lease::Faults,
    record::refusal::{names, refused, refused_by_check, refused_by_referrer},
    structure::Rule,
};

/// Translates what the server, or the way to it, said about a statement.
pub(crate) fn translate(error: tokio_postgres::Error) -> Error {
    let Some(reason) = error.as_db_error() else {
        return Manager::unreachable(error);
    };
    let code = reason.code();
    let message = reason.message().to_owned();
    let class = code.code().get(..2).unwrap_or_default();
    let translated = match *code {
        SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => {
            Error::timeout("the statement took too long and was ended")
        }
        SqlState::UNIQUE_VIOLATION | SqlState::EXCLUSION_VIOLATION => {
            constraint(reason, ConstraintKind::Unique)
        }
        SqlState::NOT_NULL_VIOLATION => constraint(reason, ConstraintKind::NotNull),
        SqlState::CHECK_VIOLATION | SqlState::WITH_CHECK_OPTION_VIOLATION => {
            constraint(reason, ConstraintKind::Check)
        }
        SqlState::FOREIGN_KEY_VIOLATION | SqlState::RESTRICT_VIOLATION => {
            constraint(reason, ConstraintKind::ForeignKey)
        }
        SqlState::RAISE_EXCEPTION => constraint(reason, ConstraintKind::Trigger),
        // "could not identify an ordering operator for type point", "operator does not exist: point = point"
        SqlState::UNDEFINED_FUNCTION if message.contains("operator") => Error::invalid(format!(
            "the database cannot compare or order values of this type: {message}"
        )),
        SqlState::UNDEFINED_TABLE
        | SqlState::UNDEFINED_COLUMN
        | SqlState::UNDEFINED_OBJECT
        | SqlState::UNDEFINED_FUNCTION
        | SqlState::INVALID_SCHEMA_NAME => Error::structure_changed(message),
        SqlState::FEATURE_NOT_SUPPORTED if message.contains("cached plan") => {
            Error::structure_changed(message)
        }
        SqlState::FEATURE_NOT_SUPPORTED
        | SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE
        | SqlState::GENERATED_ALWAYS => Error::invalid("the database does not accept this write"),
        SqlState::INSUFFICIENT_PRIVILEGE => {
            Error::invalid("the user that this service has in the database may not do this")
        }
        SqlState::READ_ONLY_SQL_TRANSACTION => {
            Error::invalid("the database of this resource cannot be written")
        }
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
            Error::unavailable("other writes were in the way; try again")
        }
        // PostGIS has no code of its own for a text that is no geometry.
        SqlState::INTERNAL_ERROR if message.contains("invalid geometry") => {
            Error::invalid("a geometry is given as WKT, such as POINT(1 2)")
        }
        SqlState::INTERNAL_ERROR if message.contains("invalid memory alloc request size") => {
            Error::invalid(format!("the request is too large: {message}"))
        }
        _ if is_too_large(reason) => Error::invalid(ROW_TOO_LARGE),
        SqlState::STRING_DATA_RIGHT_TRUNCATION => {
            Error::invalid(message).with_code(NON_FIELD_ERRORS, ErrorCode::TooLong)
        }
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE | SqlState::DATETIME_FIELD_OVERFLOW => {
            Error::invalid(message).with_code(NON_FIELD_ERRORS, ErrorCode::OutOfRange)
        }
        // Extensions say so of a value that they cannot read; where the statement is wrong, the place in it is named.
        SqlState::SYNTAX_ERROR if reason.position().is_none() => Error::invalid(message),
        // The server describes the value, or the operation on it.
        _ if class == "22" => Error::invalid(message),
        _ if class == "54" => Error::invalid(format!("the request is too large: {message}")),
        _ if matches!(class, "08" | "28" | "3D" | "53" | "57" | "58") || is_end(reason) => {
            return Manager::unreachable(error);
        }
        _ => Error::internal(format!("PostgreSQL refused a statement: {reason}")),
    };
    translated.with_source(error)
}

/// Whether a transaction was ended for the sake of another one, so that it is worth repeating.
pub(super) fn is_deadlock(error: &Error) -> bool {
    let ended = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    code(error).is_some_and(|code| ended.contains(code))
}

impl Faults for Manager {
    fn unreachable(error: tokio_postgres::Error) -> Error {
        let remedy = match error.code() {
            Some(code) => match code.code() {
                "28P01" | "28000" => "; check the user and the password in its URL",
                "3D000" => "; check the name of the database in its URL",
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
        Error::unavailable(message)
            .with_outage(outage(&error))
            .with_source(error)
    }

    fn is_full(error: &Error) -> bool {
        code(error) == Some(&SqlState::TOO_MANY_CONNECTIONS)
    }

    fn breaks_the_connection(error: &Error) -> bool {
        match source(error) {
            // The rest of what is too large is still on its way.
            Some(error) => error.as_db_error().is_none_or(is_too_large),
            None => error.kind() == ErrorKind::Timeout,
        }
    }

    fn explain(model: &Model, error: Error, is_write: bool) -> Error {
        let Some(constraint) = error.constraint() else {
            return error;
        };
        let reason = source(&error).and_then(tokio_postgres::Error::as_db_error);
        let schema = reason.and_then(DbError::schema);
        let name = reason.and_then(DbError::constraint);
        // A domain belongs to no table; the columns of its type are those that it may be about.
        if constraint.table.is_none()
            && let Some(domain) = reason.and_then(DbError::datatype)
        {
            let domain = schema.map_or_else(
                || domain.to_owned(),
                |schema| format!("{}.{}", quoted(schema), quoted(domain)),
            );
            let fields = model.fields.iter().filter(|field| field.db_type == domain);
            let fields: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
            let blamed = match fields.as_slice() {
                [only] => &[*only][..],
                _ => &[],
            };
            return refused(constraint, name, blamed, is_write);
        }
        let is_here = constraint.table.as_deref() == Some(model.table.as_str())
            && schema.is_none_or(|schema| Some(schema) == model.schema.as_deref());
        if constraint.kind == ConstraintKind::ForeignKey
            && !is_here
            && let Some(table) = constraint.table.as_deref()
            && let Some(referrer) = model.referrers.iter().find(|referrer| {
                let is_qualified =
                    schema.is_some_and(|schema| format!("{schema}.{table}") == referrer.model);
                referrer.name.as_deref() == name && (referrer.model == table || is_qualified)
            })
        {
            return refused_by_referrer(constraint, referrer);
        }
        let name = name.filter(|_| is_here);
        let named = |rule: &&Rule| rule.name.is_some() && rule.name.as_deref() == name;
        match constraint.kind {
            ConstraintKind::Check => {
                refused_by_check(constraint, name, model, model.checks.iter().find(named))
            }
            kind => {
                let fields = match kind {
                    _ if !is_here => Vec::new(),
                    ConstraintKind::Unique => {
                        let found = model.uniques.iter().find(named);
                        found.map(|rule| rule.fields.clone()).unwrap_or_default()
                    }
                    ConstraintKind::ForeignKey => {
                        let mut keys = model.foreign_keys.iter();
                        let found =
                            keys.find(|key| key.name.is_some() && key.name.as_deref() == name);
                        found.map(|key| key.fields.clone()).unwrap_or_default()
                    }
                    _ => {
                        let columns = constraint.columns.iter();
                        columns.filter_map(|name| model.index_of(name)).collect()
                    }
                };
                refused(constraint, name, &names(model, &fields), is_write)
            }
        }
    }
}

/// What an error means for those who manage the resource.
fn outage(error: &tokio_postgres::Error) -> Outage {
    if let Some(code) = error.code() {
        return match code.code() {
            "28P01" | "28000" => Outage::Refused,
            "3D000" | "42501" => Outage::NoDatabase,
            "53300" => Outage::Full,
            "57P01" | "57P02" | "57P03" => Outage::Starting,
            _ => Outage::Other,
        };
    }
    if error.is_closed() {
        return Outage::Closed;
    }
    let cause = std::error::Error::source(error);
    if let Some(outage) = cause.and_then(|cause| cause.downcast_ref::<Outage>()) {
        return *outage;
    }
    if let Some(error) = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        return Outage::of_io(error);
    }
    if let Some(outage) = cause.and_then(|cause| Outage::of_tls(&cause.to_string())) {
        return outage;
    }
    // The kind of the error is not public.
    let text = error.to_string();
    match text.split(':').next().unwrap_or_default() {
        "timeout waiting for server" => Outage::NoAnswer,
        "authentication error" => Outage::Refused,
        "error performing TLS handshake" => Outage::Tls,
        "unexpected message from server" | "error parsing response from server" => {
            Outage::NotAServer
        }
        _ => Outage::Other,
    }
}

/// Whether the server has ended the connection, for example since a transaction did nothing for long.
fn is_end(reason: &DbError) -> bool {
    matches!(
        reason.parsed_severity(),
        Some(Severity::Fatal | Severity::Panic)
    )
}

/// Whether a row of the answer was left out, since it was too large.
fn is_too_large(reason: &DbError) -> bool {
    reason.message() == ROW_TOO_LARGE
}

fn constraint(reason: &DbError, kind: ConstraintKind) -> Error {
    let text = match kind {
        ConstraintKind::Trigger => reason.message(),
        _ => reason.constraint().unwrap_or_default(),
    };
    let constraint = Constraint {
        table: reason.table().map(str::to_owned),
        columns: reason.column().map(str::to_owned).into_iter().collect(),
        ..Constraint::new(kind, text)
    };
    Error::new(ErrorKind::Constraint, reason.message()).with_constraint(constraint)
}

/// The error of the server that an error was made of.
fn source(error: &Error) -> Option<&tokio_postgres::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Whether the server may have refused a value that it cannot read, and no field has been named. Extensions such as
/// `hstore` and PostGIS have no code of their own for that.
pub(super) fn is_about_a_value(error: &Error) -> bool {
    let Some(code) = code(error) else {
        return false;
    };
    match error.kind() {
        ErrorKind::Invalid => {
            let is_value = code.code().starts_with("22")
                || matches!(*code, SqlState::SYNTAX_ERROR | SqlState::INTERNAL_ERROR);
            is_value && error.messages().field_errors().is_empty()
        }
        ErrorKind::Internal => *code == SqlState::INTERNAL_ERROR,
        _ => false,
    }
}

/// What the server said about a value that it could not read.
pub(super) fn about_the_value(error: &Error) -> String {
    let reason = source(error).and_then(tokio_postgres::Error::as_db_error);
    match (error.kind(), reason) {
        (ErrorKind::Internal, Some(reason)) => reason.message().to_owned(),
        _ => error.public_message().to_owned(),
    }
}

/// The code that the server gave.
pub(super) fn code(error: &Error) -> Option<&SqlState> {
    source(error).and_then(tokio_postgres::Error::code)
}

/// Says what the server has against a statement that a client wrote, in its words.
pub(super) fn about_the_query(error: Error) -> Error {
    let reason = source(&error).and_then(tokio_postgres::Error::as_db_error);
    let Some(reason) = reason.filter(|reason| !is_end(reason)) else {
        return error;
    };
    let class = reason.code().code().get(..2).unwrap_or_default();
    // What the server calls an internal error is of the statement too: it is nothing that a service could mend.
    let is_internal = *reason.code() == SqlState::INTERNAL_ERROR;
    match class {
        "0A" | "21" | "22" | "25" | "26" | "34" | "3F" | "42" | "44" | "54" | "P0" | "HV" => {}
        _ if is_internal => {}
        _ => return error,
    }
    Error::invalid(reason.message()).with_source(error)
}

/// Says what a function that a client called has raised, in its words.
pub(super) fn about_the_call(error: Error) -> Error {
    let error = about_the_query(error);
    let reason = source(&error).and_then(tokio_postgres::Error::as_db_error);
    match (error.kind(), reason) {
        // It may have raised any code.
        (ErrorKind::Internal, Some(reason)) => Error::invalid(reason.message()).with_source(error),
        _ => error,
    }
}

/// A name as `format_type` writes it: in quotes where it is not plain.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(plain) {
        true => name.to_owned(),
        false => crate::query::quoted(name),
    }
}
