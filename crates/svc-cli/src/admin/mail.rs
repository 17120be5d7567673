//! `svc mail`: the mails that wait to be sent.

use clap::Subcommand;
use svc_store::Secret;

use crate::{
    context::Context,
    error::Error,
    output::{row, time},
};

/// List the mails that wait to be sent
#[derive(Subcommand)]
pub(crate) enum Mail {
    /// List the outbox: the mails that no mail server has taken yet, with the codes and links in them
    #[command(after_help = "Examples:\n  \
        svc mail list\n  \
        svc mail list --json\n\n\
        Without a mail server (--smtp-url of svc serve) every mail stays here until it expires, for you to hand \
        on. Anyone who has a link has what it opens.")]
    List,
}

impl Mail {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let expose = |secret: Option<Secret>| secret.map(|secret| secret.expose().to_owned());
        let listed = store.mails().list().await?.into_iter().map(|mail| {
            let subject = mail.subject();
            row! {
                to: mail.to,
                subject: subject,
                code: expose(mail.code),
                link: expose(mail.link),
                date: time(mail.date_add),
            }
        });
        context.output.list(listed, "no mail is waiting")
    }
}
