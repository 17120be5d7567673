//! New accounts: made by an operator, or the first one of a service.

use svc_model::administration::accounts::Create;
use svc_model::wire::Operation as _;

use super::{Account, Accounts, find, find_or_create, get, invite, missing};
use crate::audit::AuditEntry;
use crate::credentials::{codes, has_operator};
use crate::database::{Tx, values};
use crate::error::{Error, Result};
use crate::people::{Authentication, RealmRow, person};
use crate::secrets::Secret;

/// What a new account is made of; see [`NewAccount::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewAccount {
    /// E-mail address.
    pub email: String,
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// Whether it operates the service.
    pub is_operator: bool,
    /// A password, so that the person can sign in at once; `None` mails an invitation.
    pub password: Option<Secret>,
}

impl NewAccount {
    /// An account without names that does not operate the service.
    pub fn new(email: impl Into<String>) -> Self {
        Self {
            email: email.into(),
            first_name: None,
            last_name: None,
            is_operator: false,
            password: None,
        }
    }
}

/// A new account, as it is written.
struct PreparedAccount {
    email: String,
    first_name: Option<String>,
    last_name: Option<String>,
    is_operator: bool,
    password_hash: Option<String>,
}

impl Accounts<'_> {
    /// Makes an account. One without a password is invited by mail, with a link below `base_url`. An account without a
    /// password that is there already, since somebody gave it an API key, becomes this one; an operator stays one.
    ///
    /// # Errors
    /// A field error on `email` when it is not an address or has an account, on the names when they are too long, on
    /// `password` when it is too weak.
    pub async fn create(&self, new: NewAccount, base_url: &str) -> Result<Account> {
        let base_url = base_url.to_owned();
        let new = self.prepare(new).await?;
        self.store
            .write(move |tx| insert(tx, &new, &base_url))
            .await
    }

    /// Makes the account of the first operator, who can sign in at once. `None`, and nothing is made, when somebody operates
    /// the service by then who can sign in: of several calls at once, one makes it.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub async fn create_first_operator(
        &self,
        email: &str,
        password: Secret,
    ) -> Result<Option<Account>> {
        let mut new = NewAccount::new(email);
        new.is_operator = true;
        new.password = Some(password);
        let new = self.prepare(new).await?;
        self.store
            .write(move |tx| match has_operator(tx)? {
                true => Ok(None),
                false => insert(tx, &new, "").map(Some),
            })
            .await
    }

    /// A new account whose parts were checked.
    async fn prepare(&self, new: NewAccount) -> Result<PreparedAccount> {
        let first_name = person::name("first_name", new.first_name)?;
        let last_name = person::name("last_name", new.last_name)?;
        let password_hash = match new.password {
            None => None,
            Some(password) => {
                let settings = Authentication::default();
                settings.check_password("password", password.expose(), &new.email)?;
                Some(self.store.passwords().hash(password).await?)
            }
        };
        Ok(PreparedAccount {
            email: new.email,
            first_name,
            last_name,
            is_operator: new.is_operator,
            password_hash,
        })
    }
}

fn insert(tx: &mut Tx<'_>, new: &PreparedAccount, base_url: &str) -> Result<Account> {
    let PreparedAccount {
        email,
        first_name,
        last_name,
        is_operator,
        password_hash,
    } = new;
    if let Some(known) = find(tx, email)? {
        let known = person::get(tx, &RealmRow::of_service(), known.uid)?;
        if known.password.is_some() || password_hash.is_none() {
            return Err(Error::invalid_field("email", "has an account already"));
        }
    }
    let made = find_or_create(tx, email)?;
    let confirmed = password_hash.is_some();
    tx.execute(
        "UPDATE accounts SET first_name = COALESCE(?1, first_name), last_name = COALESCE(?2, last_name), \
         is_operator = (is_operator OR ?3), password = ?5, email_confirmed = ?6 WHERE uid = ?4",
        &values![first_name, last_name, *is_operator, made.uid, password_hash, confirmed],
    )?;
    // Who was invited before must not set another password with the code of that mail.
    codes::forget(tx, RealmRow::of_service().person(Some(made.uid)))?;
    invite(tx, made.uid, base_url)?;
    let entry = AuditEntry::new(Create::INFO.name);
    tx.changed_row("accounts", made.uid, entry.record(made.uid.to_string()))?;
    get(tx, made.uid)?.ok_or_else(missing)
}
