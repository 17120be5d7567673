//! `svc project set`: the settings of a project.

use clap::{Args, ValueEnum};
use svc_api::model::administration::{
    projects::ProjectPatch,
    sign_in::{SignIn, SignInPatch},
};
use svc_model::{JsonObject, Project, ProjectName};

use crate::{
    admin::{
        scope::{PROJECTS, none_when_empty, read_params},
        service::{Service, ServiceResult as _},
    },
    error::{Error, OrJson as _},
    output::row,
};

/// How the fields of a project are called here.
const NAMES: &[(&str, &str)] = &[
    ("params", "--params"),
    ("sign_up_team", "--sign-up-team"),
    ("email_domains", "--email-domains"),
    ("password_min_length", "--password-min-length"),
    ("access_token_seconds", "--access-token-seconds"),
    ("refresh_token_days", "--refresh-token-days"),
    ("mail_link", "--mail-link"),
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
    /// Changes a project, and how its users sign in; returns both.
    pub(super) async fn change(
        self,
        service: &Service,
        project: &ProjectName,
    ) -> Result<(Project, SignIn), Error> {
        let (project_patch, sign_in_patch) = self.into_patches()?;
        let administration = service.project(project)?;
        let settings = administration.sign_in();
        let sign_in = match sign_in_patch == SignInPatch::new() {
            true => settings.get().await,
            false => settings.update(sign_in_patch).await,
        };
        let sign_in = sign_in.or_refused(PROJECTS, NAMES)?;
        let changed = match project_patch == ProjectPatch::new() {
            true => service.everything()?.projects().get(project).await,
            false => administration.projects().update(project_patch).await,
        };
        Ok((changed.or_refused(PROJECTS, NAMES)?, sign_in))
    }

    fn into_patches(self) -> Result<(ProjectPatch, SignInPatch), Error> {
        let mut project = ProjectPatch::new();
        project.name = self.title;
        project.color = self.color.map(none_when_empty);
        project.domain = self.domain.map(none_when_empty);
        project.params = self.params.as_deref().map(read_params).transpose()?;
        let mut sign_in = SignInPatch::new();
        sign_in.sign_up = self.sign_up.map(Switch::is_on);
        sign_in.sign_up_team = self.sign_up_team.map(|team| team.replace('-', "_"));
        sign_in.email_domains = self.email_domains.as_deref().map(names);
        sign_in.confirm_email = self.confirm_email.map(Switch::is_on);
        sign_in.password_min_length = self.password_min_length;
        sign_in.access_token_seconds = self.access_token_seconds;
        sign_in.refresh_token_days = self.refresh_token_days;
        let link = self.mail_link;
        sign_in.mail_link = link.map(|link| Some(link).filter(|link| link != "none"));
        Ok((project, sign_in))
    }
}

/// The names between the commas; none when there is only blank.
fn names(list: &str) -> Vec<String> {
    if list.trim().is_empty() {
        return Vec::new();
    }
    list.split(',').map(|name| name.trim().to_owned()).collect()
}

/// Adds to a project how its users sign in, for programs.
pub(super) fn add_authentication(row: &mut JsonObject, sign_in: &SignIn) -> Result<(), Error> {
    let authentication = row! {
        sign_up_team: &sign_in.sign_up_team,
        email_domains: &sign_in.email_domains,
        confirm_email: sign_in.confirm_email,
        password_min_length: sign_in.password_min_length,
        access_token_seconds: sign_in.access_token_seconds,
        refresh_token_days: sign_in.refresh_token_days,
        link: &sign_in.mail_link,
    };
    row.set("authentication", &authentication)
        .or_json("the result")
}

/// The settings of a project for people.
pub(super) fn to_text(project: &Project, sign_in: &SignIn) -> String {
    let switch = |on: bool| if on { "on" } else { "off" };
    let domains = match sign_in.email_domains.as_slice() {
        [] => "all".to_owned(),
        domains => domains.join(", "),
    };
    format!(
        "project {} is set: sign-up {}, name {}\n\
         team of who registers: {}, domains: {domains}, confirmed by mail: {}\n\
         passwords: at least {} characters; access tokens: {} seconds; refresh tokens: {} days\n\
         links in mails: {}\n",
        project.unique_name,
        switch(sign_in.sign_up),
        project.name,
        sign_in.sign_up_team,
        switch(sign_in.confirm_email || !sign_in.email_domains.is_empty()),
        sign_in.password_min_length,
        sign_in.access_token_seconds,
        sign_in.refresh_token_days,
        sign_in
            .mail_link
            .as_deref()
            .unwrap_or("the pages of the service"),
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

    fn patches(arguments: &[&str]) -> (ProjectPatch, SignInPatch) {
        let command = Command::parse_from([&["svc"], arguments].concat());
        command.settings.into_patches().unwrap()
    }

    #[test]
    fn what_is_not_named_stays() {
        let (project, sign_in) = patches(&["--sign-up-team=read-only", "--confirm-email=on"]);
        assert_eq!(project, ProjectPatch::new());
        let mut expected = SignInPatch::new();
        expected.sign_up_team = Some("read_only".to_owned());
        expected.confirm_email = Some(true);
        assert_eq!(sign_in, expected);
        let (project, sign_in) = patches(&["--title=Sales", "--color="]);
        assert_eq!(project.name.as_deref(), Some("Sales"));
        assert_eq!(project.color, Some(None));
        assert_eq!(sign_in, SignInPatch::new());
    }

    #[test]
    fn domains_are_a_list_and_empty_means_all() {
        let domains = |text: &str| patches(&["--email-domains", text]).1.email_domains.unwrap();
        assert_eq!(domains("a.example, b.example"), ["a.example", "b.example"]);
        assert!(domains("").is_empty());
    }

    #[test]
    fn none_takes_the_link_away() {
        assert_eq!(patches(&["--mail-link", "none"]).1.mail_link, Some(None));
    }
}
