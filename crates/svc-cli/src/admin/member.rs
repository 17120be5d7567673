//! `svc member`: who belongs to a project, and in which team.

use clap::Subcommand;
use serde::Serialize;

use super::scope::{InProject, PROJECTS};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    output::{row, time},
};

/// How the fields of a member are called here.
const NAMES: &[(&str, &str)] = &[("email", "EMAIL"), ("team", "--team")];
/// How to see which members there are.
const REMEDY: &str =
    "svc member list --project P shows the members, svc project list shows the projects";

/// Set, list and remove the members of a project, who work on its pages with API keys
#[derive(Subcommand)]
pub(crate) enum Member {
    /// Put an account into a team of a project; it is made when new, and moved when it is in another team
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

impl Member {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let (members, output) = (store.members(), &context.output);
        match self {
            Self::Set { email, team, scope } => {
                let member = members.replace(&scope.project, &email, &team).await;
                let member = member.or_refused(REMEDY, NAMES)?;
                let text = format!(
                    "{} is in team {} of project {}\n",
                    member.account.email, member.team.name, scope.project
                );
                output.result(&listed(member), &text)
            }
            Self::List(scope) => {
                let members = members.list(&scope.project).await.or_missing(PROJECTS)?;
                output.list(members.into_iter().map(listed), "no members")
            }
            Self::Remove { email, scope } => {
                let removed = members.delete(&scope.project, &email).await;
                removed.or_refused(REMEDY, NAMES)?;
                let text = format!("{email} is not in project {} any more\n", scope.project);
                output.result(&row! { email: &email }, &text)
            }
        }
    }
}

/// A member as lists show it.
fn listed(member: svc_store::Member) -> impl Serialize {
    row! {
        email: member.account.email,
        team: member.team.name,
        date_add: time(member.date_add),
    }
}
