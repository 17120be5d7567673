//! `svc app-user`: the users of an application, through the client.

use clap::{Args, Subcommand};
use svc_model::{TeamUid, UserUid};

use crate::{
    client::{DataService, Formatted, Listing, with_given},
    context::Context,
    error::Error,
    output::to_row,
};

/// List, get, create, update and delete the users of an application
#[derive(Subcommand)]
#[command(
    after_help = "They need the token of the built-in tools: svc token add __svc_app__ --project P"
)]
pub(crate) enum Users {
    /// List the users of an environment
    #[command(after_help = "Examples:\n  \
        svc app-user list --search ada --order-by -date_add\n  \
        svc app-user list --filter email__iendswith=@example.com --all --format csv > users.csv\n\n\
        The lookups are those of svc records list.")]
    List {
        #[command(flatten)]
        listing: Listing,
        /// UTC offset or IANA zone of date texts, in and out [default: UTC]
        #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
        tz: Option<String>,
        #[command(flatten)]
        service: DataService,
    },
    /// Show one user
    #[command(after_help = "Example:\n  svc app-user get 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Get {
        /// Unique ID of the user
        uid: UserUid,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// Make a user, who is invited by mail
    #[command(after_help = "Example:\n  \
        svc app-user create ada@example.com --group 0197f3a0-2d11-7c02-93d5-7be1f04c6a20 --first-name Ada\n\n\
        svc app-team list shows the teams.")]
    Create {
        /// E-mail address
        email: String,
        /// Unique ID of the team
        #[arg(long, value_name = "UID", visible_alias = "team")]
        group: TeamUid,
        /// Given name
        #[arg(long, value_name = "NAME")]
        first_name: Option<String>,
        /// Family name
        #[arg(long, value_name = "NAME")]
        last_name: Option<String>,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// Change a user; what is not named stays
    #[command(after_help = "Examples:\n  \
        svc app-user update 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1 --group 0197f3a0-2d11-7c02-93d5-7be1f04c6a20\n  \
        svc app-user update 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1 --last-name Lovelace")]
    Update {
        /// Unique ID of the user
        uid: UserUid,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// Delete a user, whose sessions end at once
    #[command(after_help = "Example:\n  svc app-user delete 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Delete {
        /// Unique ID of the user
        uid: UserUid,
        #[command(flatten)]
        service: DataService,
    },
}

/// What of a user changes.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Change {
    /// Unique ID of the team
    #[arg(long, value_name = "UID", visible_alias = "team")]
    group: Option<TeamUid>,
    /// Given name; an empty one removes it
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name; an empty one removes it
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
}

impl Users {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::List {
                listing,
                tz,
                service,
            } => {
                let query = listing.query(tz.as_deref())?;
                let pages = service.tools()?.users().list().query(query).by_page();
                let row = |user| to_row(&user);
                listing.write(context, "users", pages, row).await
            }
            Self::Get { uid, to } => {
                output.one(to.format, &to.service.tools()?.users().get(uid).await?)
            }
            Self::Create {
                email,
                group,
                first_name,
                last_name,
                to,
            } => {
                let call = to.service.tools()?.users().create(email, group);
                let call = with_given!(call, first_name: first_name, last_name: last_name);
                output.one(to.format, &call.await?)
            }
            Self::Update { uid, change, to } => {
                let call = to.service.tools()?.users().update(uid);
                let call = match change.first_name.as_deref() {
                    Some("") => call.clear_first_name(),
                    name => with_given!(call, first_name: name),
                };
                let call = match change.last_name.as_deref() {
                    Some("") => call.clear_last_name(),
                    name => with_given!(call, last_name: name),
                };
                let user = with_given!(call, group: change.group).await?;
                output.one(to.format, &user)
            }
            Self::Delete { uid, service } => {
                service.tools()?.users().delete(&uid).await?;
                output.deleted("user", uid.as_str())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Parser, error::ErrorKind};

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(subcommand)]
        users: Users,
    }

    fn parse(arguments: &[&str]) -> Result<Users, clap::Error> {
        let arguments = ["svc"].iter().chain(arguments).chain(&["--project=demo"]);
        Command::try_parse_from(arguments).map(|command| command.users)
    }

    #[test]
    fn a_list_of_users_takes_the_options_of_any_list() {
        let list = parse(&[
            "list",
            "--filter=email__iendswith=@example.com",
            "--search=ada",
            "--order-by",
            "-date_add",
            "--per-page=2",
            "--tz=+02:00",
        ]);
        let Ok(Users::List { listing, tz, .. }) = list else {
            panic!("no list");
        };
        let query = listing.query(tz.as_deref()).unwrap();
        assert_eq!(
            query.to_query_string().as_str(),
            "email__iendswith=%40example.com&_search=ada&_order_by=-date_add&tz=%2B02%3A00&_per_page=2"
        );
    }

    #[test]
    fn a_change_of_a_user_names_what_changes() {
        let missing = parse(&["update", "u1"]).err().unwrap();
        assert_eq!(missing.kind(), ErrorKind::MissingRequiredArgument);
        let update = parse(&["update", "u1", "--team=t2", "--last-name="]);
        let Ok(Users::Update { change, .. }) = update else {
            panic!("no update");
        };
        assert_eq!(change.group, Some(TeamUid::from("t2")));
        assert_eq!(change.first_name, None);
        assert_eq!(change.last_name.as_deref(), Some(""));
    }
}
