//! What MySQL and MariaDB said, as our errors.

use mysql_async::{DriverError, Error as SqlError, IoError, ServerError};

use super::{connect::Manager, hosts::NOT_READY};
use crate::{
    Constraint, ConstraintKind, Error, ErrorKind, Model, Outage,
    engine::server::lease::Faults,
    record::refusal::{names, refused, refused_by_check, refused_by_referrer},
};

/// Translates what the server, or the way to it, said about a statement.
pub(super) fn translate(error: SqlError) -> Error {
    if is_too_large(&error) {
        return Error::invalid(
            "a row is larger than 64 MiB; leave its large fields out (`_fields`)",
        )
        .with_source(error);
    }
    let SqlError::Server(reason) = &error else {
        return Manager::unreachable(error);
    };
    let message = reason.message.clone();
    let translated = match reason.code {
        // Ended by a limit, or waited for a lock too long.
        1205 | 1969 | 3024 => Error::timeout("the statement took too long and was ended"),
        1022 | 1062 | 1169 | 1586 => constraint(reason, ConstraintKind::Unique),
        1048 | 1364 | 1263 => constraint(reason, ConstraintKind::NotNull),
        3819 | 4025 | 1369 => constraint(reason, ConstraintKind::Check),
        1216 | 1217 | 1451 | 1452 | 1761 | 1762 => constraint(reason, ConstraintKind::ForeignKey),
        1264 => constraint(reason, ConstraintKind::OutOfRange),
        1406 => constraint(reason, ConstraintKind::TooLong),
        1265 | 1292 | 1366 | 1411 | 3037 | 3140 | 3643 | 1416 | 4078 => {
            constraint(reason, ConstraintKind::Type)
        }
        _ if reason.state == "45000" => constraint(reason, ConstraintKind::Trigger),
        1146 | 1054 | 1051 | 1305 | 1412 | 1615 | 1356 => Error::structure_changed(message),
        1142 | 1143 | 1227 | 1370 => {
            Error::invalid("the user that this service has in the database may not do this")
        }
        1290 | 1792 | 1836 => Error::invalid("the database of this resource cannot be written"),
        1093 => Error::invalid(
            "the server cannot change records by a relation that leads back to their own table; select them by their keys",
        ),
        1288 | 1471 | 1393 | 1394 | 1395 | 3105 | 1906 => {
            Error::invalid("the database does not accept this write")
        }
        // By KILL, or since the nodes of a Galera cluster look for each other.
        1317 => Error::unavailable("the server ended the statement; try again"),
        1213 => Error::unavailable("other writes were in the way; try again"),
        // A value that the database cannot compute with, or a pattern that it does not accept.
        1139 | 1365 | 1690 | 3685..=3700 => Error::invalid(message),
        1390 | 1153 | 1436 | 1104 => Error::invalid(format!("the request is too large: {message}")),
        // The others of a Galera cluster could not be asked.
        1180 => Error::unavailable("the server could not commit"),
        1040 | 1044 | 1045 | 1049 | 1053 | 1129 | 1130 | 1203 | 1226 | 1021 | 1114 | 1927
        | 3032 | NOT_READY => {
            return Manager::unreachable(error);
        }
        code => Error::internal(format!(
            "the database refused a statement: {code} {message}"
        )),
    };
    translated.with_source(error)
}

/// Whether a transaction was ended for the sake of another one, so that it is worth repeating.
pub(super) fn is_deadlock(error: &Error) -> bool {
    matches!(source(error), Some(SqlError::Server(reason)) if reason.code == 1213)
}

impl Faults for Manager {
    fn unreachable(error: SqlError) -> Error {
        let remedy = match &error {
            SqlError::Server(reason) => match reason.code {
                1045 | 1130 => "; check the user and the password in its URL",
                1044 | 1049 => "; check the name of the database in its URL",
                1040 | 1203 | 1226 => {
                    "; raise max_connections of the server, or allow this service fewer"
                }
                1021 | 1114 => "; free some space on the server",
                _ => "",
            },
            SqlError::Driver(DriverError::NoClientSslFlagFromServer) => {
                "; the server does not offer TLS, see ssl-mode"
            }
            _ => "",
        };
        Error::unavailable(format!(
            "the database server cannot be used: {error}{remedy}"
        ))
        .with_outage(outage(&error))
        .with_source(error)
    }

    fn is_full(error: &Error) -> bool {
        matches!(source(error), Some(SqlError::Server(reason)) if matches!(reason.code, 1040 | 1203 | 1226))
    }

    fn breaks_the_connection(error: &Error) -> bool {
        match source(error) {
            Some(SqlError::Server(reason)) => {
                matches!(reason.code, 1053 | 1180 | 1927 | NOT_READY)
            }
            Some(_) => true,
            None => error.kind() == ErrorKind::Timeout,
        }
    }

    fn explain(model: &Model, error: Error, is_write: bool) -> Error {
        let Some(constraint) = error.constraint() else {
            return error;
        };
        let text = constraint.text.as_str();
        if constraint.kind == ConstraintKind::Check {
            // MariaDB names the check of a column by table and column, and lists it by the column alone.
            let of_column = text.strip_prefix(&format!("{}.", model.name));
            let mut rules = model.checks.iter();
            let rule = rules.find(|rule| {
                let name = rule.name.as_deref();
                name == Some(text) || name.is_some() && name == of_column
            });
            return refused_by_check(constraint, None, model, rule);
        }
        // A name that the model does not know belongs to another table, whose name is not disclosed.
        let (name, fields) = match constraint.kind {
            ConstraintKind::Unique => {
                let mut rules = model.uniques.iter();
                let found = rules.find(|rule| rule.name.as_deref() == Some(text));
                let fields = found.map(|rule| rule.fields.clone());
                (found.map(|_| text), fields.unwrap_or_default())
            }
            ConstraintKind::ForeignKey => {
                let mut keys = model.foreign_keys.iter();
                let found = keys.find(|key| key.name.as_deref() == Some(text));
                let mut referrers = model.referrers.iter();
                let referrer = referrers.find(|referrer| referrer.name.as_deref() == Some(text));
                // The name of a key is there once in a database; a table may refer to itself.
                if let Some(referrer) = referrer.filter(|_| found.is_none()) {
                    return refused_by_referrer(constraint, referrer);
                }
                let fields = found.map(|key| key.fields.clone());
                (found.map(|_| text), fields.unwrap_or_default())
            }
            _ => {
                let columns = constraint.columns.iter();
                let fields = columns.filter_map(|name| model.index_of(name));
                (None, fields.collect())
            }
        };
        refused(constraint, name, &names(model, &fields), is_write)
    }
}

/// Whether what came is no packet of the protocol.
fn is_about_a_packet(error: &(dyn std::error::Error + Send + Sync)) -> bool {
    error.to_string().to_ascii_lowercase().contains("packet")
}

/// What an error means for those who manage the resource.
fn outage(error: &SqlError) -> Outage {
    match error {
        SqlError::Server(reason) => match reason.code {
            1045 | 1129 | 1130 | 1698 => Outage::Refused,
            1044 | 1049 => Outage::NoDatabase,
            1040 | 1203 | 1226 => Outage::Full,
            1053 | NOT_READY => Outage::Starting,
            _ => Outage::Other,
        },
        SqlError::Driver(error) => match error {
            DriverError::NoClientSslFlagFromServer => Outage::NoTls,
            DriverError::ConnectionClosed => Outage::Closed,
            DriverError::PacketOutOfOrder
            | DriverError::PacketTooLarge
            | DriverError::UnexpectedPacket { .. }
            | DriverError::CantParseServerVersion { .. } => Outage::NotAServer,
            DriverError::UnknownAuthPlugin { .. }
            | DriverError::CleartextPluginDisabled
            | DriverError::MysqlOldPasswordDisabled => Outage::Refused,
            _ => Outage::Other,
        },
        SqlError::Io(IoError::Io(error)) => match Outage::of_io(error) {
            // The type of what is wrong with a packet is not public.
            Outage::Other if error.get_ref().is_some_and(is_about_a_packet) => Outage::NotAServer,
            outage => outage,
        },
        SqlError::Io(error) => {
            let cause = std::error::Error::source(error).map(ToString::to_string);
            let outage = cause.as_deref().and_then(Outage::of_tls);
            outage.unwrap_or(Outage::Tls)
        }
        SqlError::Other(_) | SqlError::Url(_) => Outage::Other,
    }
}

/// Whether a packet was announced as larger than is taken into memory.
fn is_too_large(error: &SqlError) -> bool {
    let SqlError::Io(IoError::Io(error)) = error else {
        return false;
    };
    // The type of the error is not public.
    let reason = error.get_ref().map(ToString::to_string);
    reason.as_deref() == Some("Packet is larger than max_allowed_packet")
}

fn constraint(reason: &ServerError, kind: ConstraintKind) -> Error {
    let message = reason.message.as_str();
    let text = match kind {
        ConstraintKind::Trigger => Some(message),
        // "Duplicate entry '...' for key 'table.key'"; the entry may contain anything.
        ConstraintKind::Unique => message.rsplit_once(" for key '").map(|(_, key)| {
            let key = key.trim_end_matches('\'');
            key.rsplit_once('.').map_or(key, |(_, key)| key)
        }),
        ConstraintKind::Check => {
            quoted(message, "constraint '").or_else(|| quoted(message, "CONSTRAINT `"))
        }
        ConstraintKind::ForeignKey => quoted(message, "CONSTRAINT `"),
        _ => None,
    };
    let column = match kind {
        ConstraintKind::NotNull
        | ConstraintKind::Type
        | ConstraintKind::TooLong
        | ConstraintKind::OutOfRange => quoted(message, "olumn '")
            .or_else(|| quoted(message, "Field '"))
            .or_else(|| {
                // "... for column `db`.`table`.`name` at row 1"
                let (_, rest) = message.rsplit_once("column `")?;
                let (name, _) = rest.rsplit_once('`')?;
                name.rsplit('`').next()
            }),
        _ => None,
    };
    Error::new(ErrorKind::Constraint, message).with_constraint(Constraint {
        columns: column.map(str::to_owned).into_iter().collect(),
        ..Constraint::new(kind, text.unwrap_or_default())
    })
}

/// The text after `before`, to the closing quote.
fn quoted<'m>(message: &'m str, before: &str) -> Option<&'m str> {
    let quote = before.chars().next_back()?;
    let (_, rest) = message.split_once(before)?;
    rest.split_once(quote).map(|(text, _)| text)
}

/// The error of the server that an error was made of.
fn source(error: &Error) -> Option<&SqlError> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Says what the server has against a statement that a client wrote, in its words.
pub(super) fn about_the_query(error: Error) -> Error {
    let ended = matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Unavailable);
    match source(&error) {
        Some(SqlError::Server(reason)) if !ended => {
            Error::invalid(reason.message.clone()).with_source(error)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(code: u16, message: &str) -> (Vec<String>, String) {
        let error = translate(SqlError::Server(ServerError {
            code,
            message: message.to_owned(),
            state: String::new(),
        }));
        let constraint = error.constraint().expect("a constraint");
        (constraint.columns.clone(), constraint.text.clone())
    }

    #[test]
    fn messages_name_the_rule_or_the_column_whatever_the_value_holds() {
        for (code, message, rule) in [
            (
                1062,
                "Duplicate entry 'a' for key 'x' for key 't.email'",
                "email",
            ),
            (1062, "Duplicate entry '1' for key 'PRIMARY'", "PRIMARY"),
            (4025, "CONSTRAINT `positive` failed for `d`.`t`", "positive"),
            (3819, "Check constraint 'positive' is violated.", "positive"),
            (
                1452,
                "Cannot add or update a child row: a foreign key constraint fails (`d`.`o`, CONSTRAINT `o_1` FOREIGN KEY (`c`) REFERENCES `p` (`id`))",
                "o_1",
            ),
        ] {
            assert_eq!(translated(code, message).1, rule);
        }
        for (code, message, column) in [
            (1048, "Column 'name' cannot be null", "name"),
            (1364, "Field 'name' doesn't have a default value", "name"),
            (
                1264,
                "Out of range value for column 'small' at row 1",
                "small",
            ),
            (
                1366,
                "Incorrect string value: '\\xF0' for column `d`.`t`.`name` at row 1",
                "name",
            ),
        ] {
            assert_eq!(translated(code, message).0, [column]);
        }
    }
}
