//! `svc member`: who belongs to a project, and in which team.

use clap::Subcommand;
use serde::Serialize;
use svc_api::{Lookup, administration::Members, model::administration::members};

use super::{
    scope::{InProject, PROJECTS},
    service::{Command, ServiceAddress, ServiceResult as _, all},
    user::named_url,
};
use crate::{
    context::Context,
    error::Error,
    output::{answered_time, row},
};

/// How the fields of a member are called here.
const NAMES: &[(&str, &str)] = &[("email", "EMAIL"), ("team", "--team")];
/// How to see which members there are.
const REMEDY: &str =
    "svc member list --project P shows the members, svc project list shows the projects";

/// Set, list and remove the members of a project, who work on its pages with API keys
#[derive(Subcommand)]
pub(crate) enum Member {
    /// Put an account into a team of a project; it is invited when new, and moved when it is in another team
    #[command(
        after_help = "Example:\n  svc member set ada@example.com --team \"Read Only\" --project crm\n\n\
        The first Administrator owns a project that has no owner. The last one stays."
    )]
    Set {
        /// E-mail address
        email: String,
        /// The team, by its name
        #[arg(long, value_name = "TEAM")]
        team: String,
        #[command(flatten)]
        scope: InProject,
        /// URL under which people reach the service; the link of the invitation begins with it [default: the address of
        /// the service that started last on this store, else http://127.0.0.1:8080]
        #[arg(long, value_name = "URL", env = "SVC_PUBLIC_URL")]
        public_url: Option<String>,
    },
    /// List the members of a project
    #[command(after_help = "Example:\n  svc member list --project crm")]
    List(InProject),
    /// Take an account out of a project; its API keys do not open it any more
    #[command(after_help = "Example:\n  svc member remove ada@example.com --project crm")]
    Remove {
        /// E-mail address
        email: String,
        #[command(flatten)]
        scope: InProject,
    },
}

impl Command for Member {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let public_url = match &self {
            Self::Set { public_url, .. } => named_url(public_url.as_deref(), context)?,
            _ => None,
        };
        let service = at.connect_for_mails(context, public_url.as_deref()).await?;
        let output = &context.output;
        match self {
            Self::Set {
                email, team, scope, ..
            } => {
                let members = service.project(&scope.project)?.members();
                let member = match find(&members, &email).await? {
                    Some(member) => members.update(member.uid, team).await,
                    None => members.create(email, team).await,
                };
                let member = member.or_refused(REMEDY, NAMES)?;
                let text = format!(
                    "{} is in team {} of project {}\n",
                    member.email, member.team.name, scope.project
                );
                output.result(&listed(member), &text)
            }
            Self::List(scope) => {
                let list = service.project(&scope.project)?.members().list();
                let members = all(list.order_by("date_add")).await.or_missing(PROJECTS)?;
                output.list(members.into_iter().map(listed), "no members")
            }
            Self::Remove { email, scope } => {
                let project = scope.project;
                let members = service.project(&project)?.members();
                let missing = || {
                    Error::new(format!(
                        "{email} is no member of project {project}; {REMEDY}"
                    ))
                };
                let member = find(&members, &email).await?.ok_or_else(missing)?;
                members.delete(member.uid).await.or_refused(REMEDY, NAMES)?;
                let text = format!("{email} is not in project {project} any more\n");
                output.result(&row! { email: &email }, &text)
            }
        }
    }
}

/// The member with an e-mail address, without regard to case.
async fn find(members: &Members, email: &str) -> Result<Option<members::Member>, Error> {
    let list = members.list().filter("email", Lookup::Istartswith, email);
    let found = all(list).await.or_missing(PROJECTS)?;
    let email = email.to_lowercase();
    let mut found = found.into_iter();
    Ok(found.find(|member| member.email.to_lowercase() == email))
}

/// A member as lists show it.
fn listed(member: members::Member) -> impl Serialize {
    row! {
        email: member.email,
        team: member.team.name,
        date_add: answered_time(&member.date_add),
    }
}
