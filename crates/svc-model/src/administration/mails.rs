//! The outbox: mails that wait to be sent, for operators (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{ListQuery, Paginated, administration::IssuedText, wire::Operation};

/// A mail that waits to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mail {
    /// The unique ID.
    pub uid: String,
    /// Who gets it.
    pub recipient: String,
    /// What it is about, such as `invitation`.
    pub kind: String,
    /// The project; `None` for a mail to an account.
    pub project: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// The subject.
    pub subject: String,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time after which it is not sent any more (RFC 3339).
    #[serde(default)]
    pub expires: String,
    /// How often it was tried to be sent.
    pub attempts: u32,
    /// Why it could not be sent the last time.
    pub last_error: Option<String>,
    /// The code in it, if codes were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<IssuedText>,
    /// The link in it, if codes were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<IssuedText>,
}

impl Mail {
    /// A mail that was not tried to be sent yet, without its code.
    pub fn new(
        uid: impl Into<String>,
        recipient: impl Into<String>,
        kind: impl Into<String>,
        subject: impl Into<String>,
    ) -> Self {
        Self {
            uid: uid.into(),
            recipient: recipient.into(),
            kind: kind.into(),
            project: None,
            environment: None,
            subject: subject.into(),
            date_add: String::new(),
            expires: String::new(),
            attempts: 0,
            last_error: None,
            code: None,
            link: None,
        }
    }
}

/// List the mails that wait: `GET {app_base_url}/mails/`, 200 with the paginated envelope, the newest first.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/mails/")]
#[operation(name = "mails.list", credential = ApiKey, level = Operator, answer = Paginated<Mail>)]
#[operation(new = "Lists the mails that wait.")]
#[non_exhaustive]
pub struct List {
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
    /// Whether codes and links are shown.
    #[wire(query = "codes", default)]
    pub codes: bool,
}
