//! How the users of a project sign in: what its administrator can set of passwords, sign-up and lifetimes.

use serde::{Deserialize, Serialize};
use svc_data::Row;
use svc_model::administration::sign_in::SignInPatch;

use crate::credentials::passwords::weak;
use crate::error::{Error, Result};

/// How the users of a project sign in (specification, section 5: "availability depends on the project's
/// authentication configuration").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Authentication {
    /// Team of a user who registers, by the name of its permissions group: `editor` or `read_only`. Default
    /// `read_only`.
    pub sign_up_team: String,
    /// Domains of the e-mail addresses that may register; empty for all. Anyone who registers has to confirm the
    /// address then, as if [`confirm_email`](Self::confirm_email) were set.
    pub email_domains: Vec<String>,
    /// Whether a user who registered signs in only after the address was confirmed. Default no.
    pub confirm_email: bool,
    /// Least number of characters in a password, 8 to 128. Default 8.
    pub password_min_length: u32,
    /// Seconds that an access token lives, 60 to 86 400. Default 900.
    pub access_token_seconds: u32,
    /// Days that a refresh token lives, 1 to 365. Default 30.
    pub refresh_token_days: u32,
    /// Where links in mails lead: a URL with `{call}` and `{code}` in it, such as
    /// `https://app.example.com/account/{call}#{code}`. `None` for the service's own pages.
    pub link: Option<String>,
}

impl Default for Authentication {
    fn default() -> Self {
        Self {
            sign_up_team: "read_only".to_owned(),
            email_domains: Vec::new(),
            confirm_email: false,
            password_min_length: 8,
            access_token_seconds: 900,
            refresh_token_days: 30,
            link: None,
        }
    }
}

impl Authentication {
    /// The settings with a change. What it leaves out stays.
    pub(crate) fn changed(self, patch: SignInPatch) -> Self {
        Self {
            sign_up_team: patch.sign_up_team.unwrap_or(self.sign_up_team),
            email_domains: patch.email_domains.unwrap_or(self.email_domains),
            confirm_email: patch.confirm_email.unwrap_or(self.confirm_email),
            password_min_length: patch
                .password_min_length
                .unwrap_or(self.password_min_length),
            access_token_seconds: patch
                .access_token_seconds
                .unwrap_or(self.access_token_seconds),
            refresh_token_days: patch.refresh_token_days.unwrap_or(self.refresh_token_days),
            link: patch.mail_link.unwrap_or(self.link),
        }
    }

    /// Whether a user who registered has to confirm the address before signing in.
    pub(crate) fn confirms_email(&self) -> bool {
        self.confirm_email || !self.email_domains.is_empty()
    }

    /// Whether an address may register.
    pub(crate) fn admits(&self, email: &str) -> bool {
        let domain = email
            .rsplit_once('@')
            .map(|(_, domain)| domain.to_lowercase());
        self.email_domains.is_empty()
            || domain.is_some_and(|domain| self.email_domains.contains(&domain))
    }

    pub(crate) fn to_text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::caused("settings cannot be written"))
    }

    /// Reads the settings from a row of a project.
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        let text: String = row.get("authentication")?;
        serde_json::from_str(&text).map_err(Error::caused(
            "the store holds settings that cannot be read",
        ))
    }

    /// Holds the settings to what they may be.
    pub(crate) fn check(mut self) -> Result<Self> {
        if !matches!(self.sign_up_team.as_str(), "editor" | "read_only") {
            return Err(Error::invalid_field(
                "sign_up_team",
                "must be editor or read_only: nobody becomes an administrator by registering",
            ));
        }
        for domain in &mut self.email_domains {
            *domain = domain.trim().trim_start_matches('@').to_lowercase();
            if domain.is_empty() || domain.contains(|c: char| c.is_whitespace() || c == '@') {
                return Err(Error::invalid_field(
                    "email_domains",
                    "must be domains, such as example.com",
                ));
            }
        }
        for (field, value, least, most) in [
            ("password_min_length", self.password_min_length, 8, 128),
            (
                "access_token_seconds",
                self.access_token_seconds,
                60,
                86_400,
            ),
            ("refresh_token_days", self.refresh_token_days, 1, 365),
        ] {
            if !(least..=most).contains(&value) {
                return Err(Error::invalid_field(
                    field,
                    format!("must be {least} to {most}"),
                ));
            }
        }
        if let Some(link) = &self.link {
            let absolute = link.starts_with("https://") || link.starts_with("http://");
            if !absolute || !link.contains("{code}") || link.contains(char::is_whitespace) {
                return Err(Error::invalid_field(
                    "link",
                    "must be an absolute URL with {code} in it, such as https://app.example.com/account/{call}#{code}",
                ));
            }
        }
        Ok(self)
    }

    /// Refuses a new password that is too short, too long, the address itself, or guessed first.
    pub(crate) fn check_password(&self, field: &str, password: &str, email: &str) -> Result<()> {
        let least = self.password_min_length as usize;
        let message = if password.chars().count() < least {
            format!("must have at least {least} characters")
        } else if password.len() > crate::credentials::passwords::MAX_BYTES {
            format!(
                "must have at most {} bytes",
                crate::credentials::passwords::MAX_BYTES
            )
        } else if password.trim().to_lowercase() == email.trim().to_lowercase() {
            "must not be the e-mail address".to_owned()
        } else if let Some(weakness) = weak::weakness(password) {
            weakness.to_owned()
        } else {
            return Ok(());
        };
        Err(Error::invalid_field(field, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_its_default() {
        let read: Authentication = serde_json::from_str(r#"{"password_min_length":12}"#).unwrap();
        assert_eq!(read.password_min_length, 12);
        assert_eq!(read.access_token_seconds, 900);
        assert_eq!(
            serde_json::from_str::<Authentication>("{}").unwrap(),
            Authentication::default()
        );
    }

    #[test]
    fn nobody_becomes_an_administrator_by_registering() {
        let settings = Authentication {
            sign_up_team: "administrator".to_owned(),
            ..Authentication::default()
        };
        assert!(settings.check().is_err());
    }

    #[test]
    fn domains_are_compared_without_regard_to_case_and_whole() {
        let settings = Authentication {
            email_domains: vec!["@Example.COM".to_owned()],
            ..Authentication::default()
        };
        let settings = settings.check().unwrap();
        assert!(settings.admits("ann@EXAMPLE.com"));
        for other in [
            "ann@example.com.evil.org",
            "ann@sub.example.com",
            "ann",
            "example.com@evil.org",
        ] {
            assert!(!settings.admits(other), "{other}");
        }
        assert!(settings.confirms_email());
    }

    #[test]
    fn a_password_has_a_length_and_is_not_the_address() {
        let settings = Authentication::default();
        let check =
            |password: &str| settings.check_password("password", password, "ann@example.com");
        assert!(check("8 chars!").is_ok());
        assert!(check("7 chars").is_err());
        assert!(check("        ").is_err());
        assert!(check("Password1").is_err());
        assert!(check(&"é".repeat(513)).is_err());
        assert!(check("Ann@Example.com").is_err());
    }
}
