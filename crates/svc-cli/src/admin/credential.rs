//! What the commands of API keys, static tokens and service tokens have in common.

use std::collections::HashMap;

use clap::Args;
use jiff::Timestamp;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::Value;
use svc_store::{Created, Credential, Grant};

use super::moment::expiry;
use crate::{
    error::{Error, StoreResult as _},
    output::{Output, row, time},
};

/// The options that a new credential of any kind has.
#[derive(Args)]
pub(crate) struct NewCredential {
    /// When it ends: 90d, 12h, 1y from now, or a date such as 2027-01-31; never when not given
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = expiry)]
    pub(super) expires: Option<Timestamp>,
    /// A name to know it by
    #[arg(long, value_name = "TEXT")]
    pub(super) name: Option<String>,
}

/// What a kind of credential opens, with the words of its commands.
pub(super) trait Described: Grant {
    /// Its command: `svc token`.
    const COMMAND: &'static str;
    /// What one is called, with its article: `a`, `token`.
    const NOUN: (&'static str, &'static str);
    /// How messages begin to say what one belongs to: `of resource`.
    const OF: &'static str;
    /// What it belongs to, as a column of lists.
    const COLUMN: &'static str;
    /// The text of a new one, as a property for programs.
    const SECRET: &'static str = "token";

    /// What it belongs to, such as the name of a resource.
    fn owner(&self) -> &str;

    /// What else lists show, for programs or for people.
    fn further(&self, _is_json: bool) -> Vec<(&'static str, Value)> {
        Vec::new()
    }
}

/// Writes a new credential, whose text is shown this once.
pub(super) fn write_new<G: Described>(output: &Output, new: &Created<G>) -> Result<(), Error> {
    let ((article, noun), text) = (G::NOUN, new.secret.expose());
    let what = format!(
        "{article} {noun} {} {}",
        G::OF,
        new.credential.grant.owner()
    );
    output.secret(&what, &HashMap::from([(G::SECRET, text)]), text)
}

/// Writes a list of credentials.
pub(super) fn write_list<G: Described>(
    output: &Output,
    credentials: &[Credential<G>],
) -> Result<(), Error> {
    let none = format!("no {}s yet; {} add makes one", G::NOUN.1, G::COMMAND);
    let is_json = output.is_json();
    let rows = credentials.iter().map(|one| Row { one, is_json });
    output.list(rows, &none)
}

/// A credential as a row of a list.
struct Row<'a, G> {
    one: &'a Credential<G>,
    is_json: bool,
}

impl<G: Described> Serialize for Row<'_, G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { one, is_json } = self;
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("prefix", &one.prefix)?;
        row.serialize_entry(G::COLUMN, one.grant.owner())?;
        for (name, value) in one.grant.further(*is_json) {
            row.serialize_entry(name, &value)?;
        }
        row.serialize_entry("name", &one.name)?;
        let times = [
            ("date_add", Some(one.date_add)),
            ("last_use", one.last_use),
            ("expires", one.expires),
            ("revoked", one.revoked),
        ];
        for (name, moment) in times {
            row.serialize_entry(name, &moment.map(time))?;
        }
        row.serialize_entry("uid", &one.uid.to_string())?;
        row.end()
    }
}

/// Writes that a credential was revoked.
pub(super) fn write_revoked<G: Described>(
    output: &Output,
    revoked: Result<Credential<G>, svc_store::Error>,
) -> Result<(), Error> {
    let revoked = revoked.or_missing(&remedy::<G>())?;
    let (noun, prefix) = (G::NOUN.1, &revoked.prefix);
    let text = format!(
        "{noun} {prefix} {} {} revoked\n",
        G::OF,
        revoked.grant.owner()
    );
    output.result(&row! { prefix: prefix }, &text)
}

/// Refuses a credential that is not among those of a `place`, such as a project. It is meant by its uid, its prefix, or
/// the whole text.
pub(super) fn check_listed<G: Described>(
    credentials: &[Credential<G>],
    meant: &str,
    place: &str,
) -> Result<(), Error> {
    let mut prefixes = credentials.iter();
    if prefixes.any(|one| meant == one.uid.to_string() || meant.starts_with(&one.prefix)) {
        return Ok(());
    }
    let (noun, remedy) = (G::NOUN.1, remedy::<G>());
    Err(Error::new(format!("{place} has no such {noun}; {remedy}")))
}

/// How to see which credentials there are.
fn remedy<G: Described>() -> String {
    let (command, noun) = (G::COMMAND, G::NOUN.1);
    format!("{command} list --project P shows the {noun}s")
}
