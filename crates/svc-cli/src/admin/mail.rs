//! `svc mail`: the mails that wait to be sent.

use clap::Subcommand;
use svc_api::model::administration::IssuedText;

use super::service::{Command, ServiceAddress, all};
use crate::{
    context::Context,
    error::Error,
    output::{answered_time, row},
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

impl Command for Mail {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let mails = service.administration()?.mails();
        let mut mails = all(mails.list().codes(true)).await?;
        mails.reverse();
        let expose = |secret: Option<IssuedText>| secret.map(|secret| secret.expose().to_owned());
        let listed = mails.into_iter().map(|mail| {
            row! {
                to: mail.recipient,
                subject: mail.subject,
                code: expose(mail.code),
                link: expose(mail.link),
                date: answered_time(&mail.date_add),
            }
        });
        context.output.list(listed, "no mail is waiting")
    }
}
