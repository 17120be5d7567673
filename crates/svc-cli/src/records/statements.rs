//! `svc statements`: what callers read from a resource at the moment, through the client.

use clap::Subcommand;
use svc_model::ResourceName;

use crate::{
    client::{DataService, Formatted},
    context::Context,
    error::Error,
    output::{row, to_row},
};

/// List running statements, and cancel one
#[derive(Subcommand)]
pub(crate) enum Statements {
    /// Show the statements that run on a resource: your own, and those of all callers as an administrator
    #[command(after_help = "Example:\n  svc statements list shop")]
    List {
        /// The connected resource
        resource: ResourceName,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// End a statement in the database
    #[command(
        after_help = "Example:\n  svc statements cancel shop 6f1c9a1e-5e0c-4a53-9e0c-0c9c1c1f6d11"
    )]
    Cancel {
        /// The connected resource
        resource: ResourceName,
        /// Its id, as list shows it
        id: String,
        #[command(flatten)]
        service: DataService,
    },
}

impl Statements {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::List { resource, to } => {
                let client = to.service.client(&resource)?;
                let statements = client.statements(resource).list().send().await?;
                let rows = statements.iter().map(to_row).collect::<Result<_, _>>()?;
                output.rows(to.format, rows)
            }
            Self::Cancel {
                resource,
                id,
                service,
            } => {
                let client = service.client(&resource)?;
                client.statements(resource).cancel(&id).send().await?;
                output.result(
                    &row! { cancelled: &id },
                    &format!("statement {id} cancelled\n"),
                )
            }
        }
    }
}
