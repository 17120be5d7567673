//! `svc project set`: the settings of a project.

use clap::{Args, ValueEnum};
use svc_model::ProjectName;
use svc_store::{Authentication, ProjectPatch, ProjectSettings, Store};

use crate::{
    admin::scope::{PROJECTS, none_when_empty},
    error::{Error, StoreResult as _},
};

/// How the fields of a project are called here.
const NAMES: &[(&str, &str)] = &[
    ("params", "--params"),
    ("sign_up_team", "--sign-up-team"),
    ("email_domains", "--email-domains"),
    ("password_min_length", "--password-min-length"),
    ("access_token_seconds", "--access-token-seconds"),
    ("refresh_token_days", "--refresh-token-days"),
    ("link", "--mail-link"),
];

/// Something that can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Switch {
    /// It is done
    On,
    /// It is not
    Off,
}

impl Switch {
    /// Whether it is switched on.
    fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

/// Settings of a project; what is not named stays.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Settings {
    /// Whether users may register themselves
    #[arg(long, value_name = "on|off")]
    sign_up: Option<Switch>,
    /// Its name for people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Its colour in interfaces; empty removes it
    #[arg(long, value_name = "COLOR")]
    color: Option<String>,
    /// The domain its application answers at; empty removes it
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// Further settings, a JSON object in place of the one there is; members and their clients read it
    #[arg(long, value_name = "JSON")]
    params: Option<String>,
    /// Team of a user who registers: editor or read_only
    #[arg(long, value_name = "TEAM")]
    sign_up_team: Option<String>,
    /// Domains of the addresses that may register, which are confirmed by mail then; empty for all
    #[arg(long, value_name = "DOMAIN,...")]
    email_domains: Option<String>,
    /// Whether a user who registered signs in only after the address was confirmed
    #[arg(long, value_name = "on|off")]
    confirm_email: Option<Switch>,
    /// Least number of characters in a password, 8 to 128
    #[arg(long, value_name = "NUMBER")]
    password_min_length: Option<u32>,
    /// How long an access token lives, 60 to 86400
    #[arg(long, value_name = "SECONDS")]
    access_token_seconds: Option<u32>,
    /// How long a refresh token lives, 1 to 365
    #[arg(long, value_name = "DAYS")]
    refresh_token_days: Option<u32>,
    /// Where links in mails lead: a URL with {call} and {code} in it, or none for the pages of the service
    #[arg(long, value_name = "URL|none")]
    mail_link: Option<String>,
}

impl Settings {
    /// Changes a project; returns it, and the text for people.
    pub(super) async fn change(
        self,
        store: &Store,
        project: &ProjectName,
    ) -> Result<(ProjectSettings, String), Error> {
        let old = store.projects().get(project).await.or_missing(PROJECTS)?;
        let patch = self.into_patch(&old.authentication);
        let changed = store.projects().update(project, patch).await;
        let changed = changed.or_refused(PROJECTS, NAMES)?;
        let text = to_text(&changed);
        Ok((changed, text))
    }

    fn into_patch(self, old: &Authentication) -> ProjectPatch {
        let mut authentication = old.clone();
        if let Some(team) = self.sign_up_team {
            authentication.sign_up_team = team.replace('-', "_");
        }
        if let Some(domains) = self.email_domains {
            authentication.email_domains = names(&domains);
        }
        if let Some(link) = self.mail_link {
            authentication.link = Some(link).filter(|link| link != "none");
        }
        let set = &mut authentication;
        let seconds = self.access_token_seconds;
        set.confirm_email = self.confirm_email.map_or(set.confirm_email, Switch::is_on);
        set.password_min_length = self.password_min_length.unwrap_or(set.password_min_length);
        set.access_token_seconds = seconds.unwrap_or(set.access_token_seconds);
        set.refresh_token_days = self.refresh_token_days.unwrap_or(set.refresh_token_days);
        let mut patch = ProjectPatch::default();
        patch.name = self.title;
        patch.sign_up = self.sign_up.map(Switch::is_on);
        patch.color = self.color.map(none_when_empty);
        patch.domain = self.domain.map(none_when_empty);
        patch.params = self.params;
        // Left out when nothing of it was named: another user may be changing it.
        patch.authentication = Some(authentication).filter(|changed| changed != old);
        patch
    }
}

/// The names between the commas; none when there is only blank.
fn names(list: &str) -> Vec<String> {
    if list.trim().is_empty() {
        return Vec::new();
    }
    list.split(',').map(|name| name.trim().to_owned()).collect()
}

fn to_text(project: &ProjectSettings) -> String {
    let switch = |on: bool| if on { "on" } else { "off" };
    let rules = &project.authentication;
    let domains = match rules.email_domains.as_slice() {
        [] => "all".to_owned(),
        domains => domains.join(", "),
    };
    format!(
        "project {} is set: sign-up {}, name {}\n\
         team of who registers: {}, domains: {domains}, confirmed by mail: {}\n\
         passwords: at least {} characters; access tokens: {} seconds; refresh tokens: {} days\n\
         links in mails: {}\n",
        project.unique_name,
        switch(project.sign_up),
        project.name,
        rules.sign_up_team,
        switch(rules.confirm_email || !rules.email_domains.is_empty()),
        rules.password_min_length,
        rules.access_token_seconds,
        rules.refresh_token_days,
        rules.link.as_deref().unwrap_or("the pages of the service"),
    )
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        settings: Settings,
    }

    fn patch(arguments: &[&str]) -> ProjectPatch {
        let mut old = Authentication::default();
        old.password_min_length = 12;
        old.link = Some("https://a.example/{code}".to_owned());
        let command = Command::parse_from([&["svc"], arguments].concat());
        command.settings.into_patch(&old)
    }

    #[test]
    fn what_is_not_named_stays() {
        assert_eq!(patch(&["--sign-up=on"]).authentication, None);
        let changed = patch(&["--sign-up-team=read-only", "--confirm-email=on"]);
        let changed = changed.authentication.unwrap();
        assert_eq!(changed.password_min_length, 12);
        assert_eq!(changed.link.as_deref(), Some("https://a.example/{code}"));
        assert!(changed.confirm_email);
    }

    #[test]
    fn domains_are_a_list_and_empty_means_all() {
        let domains = |text: &str| {
            let changed = patch(&["--email-domains", text, "--mail-link=none"]);
            changed.authentication.unwrap().email_domains
        };
        assert_eq!(domains("a.example, b.example"), ["a.example", "b.example"]);
        assert!(domains("").is_empty());
    }

    #[test]
    fn none_takes_the_link_away() {
        let changed = patch(&["--mail-link", "none"]).authentication.unwrap();
        assert_eq!(changed.link, None);
    }
}
