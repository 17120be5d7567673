//! `svc app-team`: the teams of a project, through the client.

use clap::Subcommand;
use svc_model::TeamUid;

use crate::{
    client::{DataService, Formatted, Listing},
    context::Context,
    error::Error,
    output::to_row,
};

/// List, get and update the teams of a project
#[derive(Subcommand)]
#[command(
    after_help = "They need the token of the built-in tools: svc token add __svc_app__ --project P"
)]
pub(crate) enum Teams {
    /// List the teams
    #[command(
        after_help = "Example:\n  svc app-team list --project demo --filter name=Editor\n\n\
        The lookups are those of svc records list."
    )]
    List {
        #[command(flatten)]
        listing: Listing,
        #[command(flatten)]
        service: DataService,
    },
    /// Show one team
    #[command(after_help = "Example:\n  svc app-team get 0197f3a0-2d11-7c02-93d5-7be1f04c6a20")]
    Get {
        /// Unique ID of the team
        uid: TeamUid,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// Rename a team
    #[command(
        after_help = "Example:\n  svc app-team update 0197f3a0-2d11-7c02-93d5-7be1f04c6a20 --name Support"
    )]
    Update {
        /// Unique ID of the team
        uid: TeamUid,
        /// Name
        #[arg(long, value_name = "NAME")]
        name: String,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
}

impl Teams {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::List { listing, service } => {
                let query = listing.query(None)?;
                let pages = service.tools()?.teams().list().query(query).by_page();
                let row = |team| to_row(&team);
                listing.write(context, "teams", pages, row).await
            }
            Self::Get { uid, to } => {
                output.one(to.format, &to.service.tools()?.teams().get(uid).await?)
            }
            Self::Update { uid, name, to } => {
                let teams = to.service.tools()?.teams();
                output.one(to.format, &teams.update(uid).name(name).await?)
            }
        }
    }
}
