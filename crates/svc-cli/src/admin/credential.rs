//! What the commands of API keys, static tokens and service tokens have in common.

use std::collections::HashMap;

use clap::Args;
use jiff::Timestamp;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::Value;
use svc_api::model::administration::IssuedText;
use svc_store::CredentialKind;

use super::moment::expiry;
use crate::{
    error::Error,
    output::{Output, answered_time, row},
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

impl NewCredential {
    /// When it ends, as a request says it.
    pub(super) fn expires(&self) -> Option<String> {
        self.expires.map(|expires| expires.to_string())
    }
}

/// A kind of credential, with the words of its commands.
pub(super) struct Kind {
    /// Its command: `svc token`.
    pub(super) command: &'static str,
    /// What one is called, with its article: `a`, `token`.
    pub(super) noun: (&'static str, &'static str),
    /// How messages begin to say what one belongs to: `of resource`.
    pub(super) of: &'static str,
    /// What it belongs to, as a column of lists.
    pub(super) column: &'static str,
    /// The text of a new one, as a property for programs.
    pub(super) secret: &'static str,
}

/// A credential as lists show it.
pub(super) struct Credential {
    pub(super) uid: String,
    pub(super) prefix: String,
    /// What it belongs to, such as the name of a resource.
    pub(super) owner: String,
    /// What else lists show.
    pub(super) further: Vec<(&'static str, Value)>,
    pub(super) name: Option<String>,
    pub(super) date_add: String,
    pub(super) last_use: Option<String>,
    pub(super) expires: Option<String>,
    pub(super) revoked: Option<String>,
}

/// A credential as lists show it, of one that a service answered with.
macro_rules! credential {
    ($answered:ident of $owner:expr, $further:expr) => {
        Credential {
            owner: $owner,
            further: $further,
            uid: $answered.uid,
            prefix: $answered.prefix,
            name: $answered.name,
            date_add: $answered.date_add,
            last_use: $answered.last_use,
            expires: $answered.expires,
            revoked: $answered.revoked,
        }
    };
}
pub(super) use credential;

impl Kind {
    /// Writes a new credential, whose text is shown this once.
    pub(super) fn write_new(
        &self,
        output: &Output,
        owner: &str,
        secret: &str,
    ) -> Result<(), Error> {
        let (article, noun) = self.noun;
        let what = format!("{article} {noun} {} {owner}", self.of);
        output.secret(&what, &HashMap::from([(self.secret, secret)]), secret)
    }

    /// Writes a list of credentials.
    pub(super) fn write_list(&self, output: &Output, all: &[Credential]) -> Result<(), Error> {
        let none = format!("no {}s yet; {} add makes one", self.noun.1, self.command);
        let rows = all.iter().map(|one| Row { kind: self, one });
        output.list(rows, &none)
    }

    /// Writes that a credential was revoked.
    pub(super) fn write_revoked(&self, output: &Output, revoked: &Credential) -> Result<(), Error> {
        let Credential { prefix, owner, .. } = revoked;
        let text = format!("{} {prefix} {} {owner} revoked\n", self.noun.1, self.of);
        output.result(&row! { prefix: prefix }, &text)
    }

    /// Which of these credentials is meant, by its uid, its prefix, or the whole text.
    pub(super) fn meant<P>(
        &self,
        all: impl IntoIterator<Item = (P, Credential)>,
        meant: &str,
    ) -> Result<Option<(P, Credential)>, Error> {
        let mut meant_ones = all.into_iter().filter(|(_, one)| {
            meant.eq_ignore_ascii_case(&one.uid) || meant == one.prefix || is_text_of(meant, one)
        });
        match (meant_ones.next(), meant_ones.next()) {
            (found, None) => Ok(found),
            _ => Err(Error::new(format!(
                "several are meant by this prefix; name the {} by its uid",
                self.noun.1
            ))),
        }
    }

    /// That there is no such credential in a place, such as a project, or anywhere.
    pub(super) fn missing(&self, place: Option<&str>) -> Error {
        let (command, noun) = (self.command, self.noun.1);
        let missing = match place {
            Some(place) => format!("{place} has no such {noun}"),
            None => format!("there is no such {noun}; name it by its prefix or its uid"),
        };
        Error::new(format!(
            "{missing}; {command} list --project P shows the {noun}s"
        ))
    }
}

/// Whether a text may be the whole of a credential, which begins with its prefix.
fn is_text_of(text: &str, one: &Credential) -> bool {
    let kind = CredentialKind::of(text);
    kind.is_some() && text.starts_with(&one.prefix)
}

/// The text of a credential that was just made.
pub(super) fn issued(text: Option<IssuedText>) -> Result<String, Error> {
    let missing = || Error::new("the service answered without the text of the credential");
    Ok(text.ok_or_else(missing)?.expose().to_owned())
}

/// A credential as a row of a list.
struct Row<'a> {
    kind: &'a Kind,
    one: &'a Credential,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { kind, one } = self;
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("prefix", &one.prefix)?;
        row.serialize_entry(kind.column, &one.owner)?;
        for (name, value) in &one.further {
            row.serialize_entry(name, value)?;
        }
        row.serialize_entry("name", &one.name)?;
        let times = [
            ("date_add", Some(&one.date_add)),
            ("last_use", one.last_use.as_ref()),
            ("expires", one.expires.as_ref()),
            ("revoked", one.revoked.as_ref()),
        ];
        for (name, moment) in times {
            row.serialize_entry(name, &moment.map(|moment| answered_time(moment)))?;
        }
        row.serialize_entry("uid", &one.uid)?;
        row.end()
    }
}
