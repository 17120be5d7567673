//! People who sign in, whatever they are: users of an environment, or accounts of the service. What both do with their
//! passwords, sessions and codes is the same.

use jiff::Timestamp;
use svc_data::Row;
use uuid::Uuid;

use crate::credentials::{Purpose, codes};
use crate::database::{Bind, Reader, Tx, columns, values};
use crate::error::{Error, Result};
use crate::people::mails::{Content, NewMail};
use crate::people::{MailKind, RealmRow, email, mails};

/// Longest name of a person, in characters.
const MAX_NAME: usize = 255;

/// Columns of a person, for statements that call the table `u`.
pub(crate) const COLUMNS: &str = "u.uid, u.email, u.email_confirmed, u.password, u.first_name, u.last_name, \
     u.language, u.timezone, u.date_add, u.suspended";

/// A person who signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Person {
    /// Identifier.
    pub uid: Uuid,
    /// E-mail address, unique within the realm without regard to case.
    pub email: String,
    /// Whether the person has shown that the address is theirs.
    pub email_confirmed: bool,
    /// Whether there is a password; not until an invitation is accepted.
    pub has_password: bool,
    /// First name, where known.
    pub first_name: Option<String>,
    /// Last name, where known.
    pub last_name: Option<String>,
    /// Language (BCP 47), where chosen.
    pub language: Option<String>,
    /// IANA time zone, where chosen.
    pub timezone: Option<String>,
    /// When the person was added.
    pub date_add: Timestamp,
    /// Since when the person cannot sign in, if so.
    pub suspended: Option<Timestamp>,
}

/// A person with what is not for everybody.
pub(crate) struct PersonRow {
    pub(crate) person: Person,
    /// The PHC string of the password.
    pub(crate) password: Option<String>,
}

/// The person with an identifier.
pub(crate) fn get(reader: &mut Reader<'_>, realm: &RealmRow, uid: Uuid) -> Result<PersonRow> {
    find_by(reader, realm, "u.uid", uid)?.ok_or_else(|| Error::not_found("there is no such user"))
}

/// The person with an e-mail address, without regard to case.
pub(crate) fn find(
    reader: &mut Reader<'_>,
    realm: &RealmRow,
    email: &str,
) -> Result<Option<PersonRow>> {
    find_by(reader, realm, "u.email_key", email::key(email))
}

fn find_by(
    reader: &mut Reader<'_>,
    realm: &RealmRow,
    column: &str,
    value: impl Bind,
) -> Result<Option<PersonRow>> {
    let table = realm.table();
    let sql = format!("SELECT {COLUMNS} FROM {table} u WHERE {column} = ?1");
    match realm.environment_uid() {
        None => reader.find(&sql, &values![value], from_row),
        Some(environment) => {
            let sql = format!("{sql} AND u.environment_uid = ?2");
            reader.find(&sql, &values![value, environment], from_row)
        }
    }
}

/// Reads a person from a row with [`COLUMNS`].
pub(crate) fn from_row(row: &Row) -> Result<PersonRow> {
    let password: Option<String> = row.get("password")?;
    let person: Result<Person> = columns!(row => Person {
        has_password: password.is_some(),
        uid, email, email_confirmed, first_name, last_name, language, timezone, date_add, suspended
    });
    Ok(PersonRow {
        person: person?,
        password,
    })
}

/// Mails a code. Where the person has enough of them, nothing is mailed.
pub(crate) fn mail_code(
    tx: &mut Tx<'_>,
    realm: &RealmRow,
    person: Uuid,
    (kind, purpose): (MailKind, Purpose),
    to: &str,
    base_url: &str,
) -> Result<()> {
    let Some((code, expires)) = codes::create(tx, realm.person(Some(person)), purpose, to)? else {
        return Ok(());
    };
    let content = Content {
        link: Some(realm.link(base_url, purpose, code.expose())),
        code: Some(code.expose().to_owned()),
        about: None,
    };
    let mail = NewMail {
        environment_uid: realm.environment_uid(),
        kind,
        to,
        content,
        expires,
    };
    mails::put(tx, &mail)
}

/// A name as it is kept: without blanks around it, none when empty.
pub(crate) fn name(field: &str, text: Option<String>) -> Result<Option<String>> {
    let text = text
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty());
    match text {
        Some(text) if text.chars().count() > MAX_NAME || text.contains(char::is_control) => {
            Err(Error::invalid_field(
                field,
                format!("must have at most {MAX_NAME} characters, and no control characters"),
            ))
        }
        text => Ok(text),
    }
}

/// The name of a time zone that there is (IANA); none where it is empty.
pub(crate) fn time_zone(field: &str, text: Option<String>) -> Result<Option<String>> {
    match name(field, text)? {
        Some(zone) if jiff::tz::TimeZone::get(&zone).is_err() => Err(Error::invalid_field(
            field,
            "must be a time zone, like Europe/Berlin or UTC",
        )),
        zone => Ok(zone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_zone_is_one_that_there_is() {
        for good in [
            "Europe/Berlin",
            "UTC",
            "America/Argentina/Buenos_Aires",
            " asia/tokyo ",
        ] {
            let zone = time_zone("timezone", Some(good.to_owned())).unwrap();
            assert_eq!(zone.as_deref(), Some(good.trim()));
        }
        assert_eq!(time_zone("timezone", Some(" ".to_owned())).unwrap(), None);
        for bad in [
            "Mars/Olympus",
            "Europe",
            "+02:00",
            "../etc/passwd",
            "CET-1CEST",
        ] {
            assert!(
                time_zone("timezone", Some(bad.to_owned())).is_err(),
                "{bad}"
            );
        }
    }
}
