//! `svc signing-keys`: the keys that sign access tokens.

use clap::Subcommand;

use super::service::{Command, ServiceAddress};
use crate::{context::Context, error::Error, output::row};

/// Rotate the keys that sign the access tokens of users
#[derive(Subcommand)]
pub(crate) enum SigningKeys {
    /// Make a new signing key, with which every service of this store signs from now on
    #[command(after_help = "Examples:\n  \
        svc signing-keys rotate\n  \
        svc signing-keys rotate --now\n\n\
        Access tokens that the keys before have signed stay good until they expire, a day at most. With --now \
        they end at once; users stay signed in, since clients renew them.")]
    Rotate {
        /// End what the keys before have signed, as after a leak
        #[arg(long)]
        now: bool,
    },
}

impl Command for SigningKeys {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let Self::Rotate { now } = self;
        let service = at.connect(context).await?;
        let keys = service.administration()?.signing_keys();
        let kid = keys.rotate().now(now).await?.kid;
        let before = match now {
            true => "what the keys before have signed has ended",
            false => "what the keys before have signed stays good until it expires",
        };
        let text = format!("signing key {kid} is in use; {before}\n");
        context.output.result(&row! { kid: &kid }, &text)
    }
}
