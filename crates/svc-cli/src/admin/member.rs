//! `svc member`: who belongs to a project, and in which team.

use clap::Subcommand;
use serde::Serialize;
use svc_store::Member as StoredMember;

use crate::{
    admin::scope::{InProject, PROJECTS},
    context::Context,
    failure::Failure,
    output::time,
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
        place: InProject,
    },
    /// List the members of a project
    #[command(after_help = "Example:\n  svc member list --project crm")]
    List {
        #[command(flatten)]
        place: InProject,
    },
    /// Take an account out of a project; its API keys do not open it any more
    #[command(after_help = "Example:\n  svc member remove ada@example.com --project crm")]
    Remove {
        /// E-mail address
        email: String,
        #[command(flatten)]
        place: InProject,
    },
}

/// A member as lists show it.
#[derive(Serialize)]
struct Listed {
    email: String,
    team: String,
    date_add: String,
}

impl From<StoredMember> for Listed {
    fn from(member: StoredMember) -> Self {
        Self {
            email: member.account.email,
            team: member.team.name,
            date_add: time(member.date_add),
        }
    }
}

#[derive(Serialize)]
struct Named<'a> {
    email: &'a str,
}

impl Member {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Set { email, team, place } => {
                let members = store.members();
                let member = members.replace(&place.project, &email, &team).await;
                let member = Listed::from(member.map_err(refused)?);
                let text = format!(
                    "{} is in team {} of project {}\n",
                    member.email, member.team, place.project
                );
                output.result(&member, &text)
            }
            Self::List { place } => {
                let members = store.members().list(&place.project).await;
                let members = members.map_err(|error| Failure::missing(error, PROJECTS))?;
                output.list(members.into_iter().map(Listed::from), "no members")
            }
            Self::Remove { email, place } => {
                let members = store.members();
                members
                    .delete(&place.project, &email)
                    .await
                    .map_err(refused)?;
                let text = format!("{email} is not in project {} any more\n", place.project);
                output.result(&Named { email: &email }, &text)
            }
        }
    }
}

fn refused(error: svc_store::Error) -> Failure {
    match error.kind() {
        svc_store::ErrorKind::NotFound => Failure::missing(error, REMEDY),
        _ => Failure::fields(error, NAMES),
    }
}
