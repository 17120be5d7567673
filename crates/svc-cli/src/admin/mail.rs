//! `svc mail`: the mails that wait to be sent.

use clap::Subcommand;
use serde::Serialize;
use svc_store::Secret;

use crate::{context::Context, failure::Failure, output::time};

/// List the mails that wait to be sent
#[derive(Subcommand)]
pub(crate) enum Mail {
    /// List the outbox: the mails that no mail server has taken yet, with the codes and links in them
    #[command(after_help = "Examples:\n  \
        svc mail list\n  \
        svc mail list --json\n\n\
        Without a mail server (--smtp-url of svc serve) every mail stays here until it expires, for you to hand \
        on. Whoever has a link has what it opens.")]
    List,
}

/// A mail as lists show it.
#[derive(Serialize)]
struct Listed {
    to: String,
    subject: String,
    code: Option<String>,
    link: Option<String>,
    date: String,
}

impl From<svc_store::Mail> for Listed {
    fn from(mail: svc_store::Mail) -> Self {
        let expose = |secret: Option<Secret>| secret.map(|secret| secret.expose().to_owned());
        Self {
            subject: mail.subject(),
            to: mail.to,
            code: expose(mail.code),
            link: expose(mail.link),
            date: time(mail.date_add),
        }
    }
}

impl Mail {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        match self {
            Self::List => {
                let mails = store.mails().list().await?;
                context
                    .output
                    .list(mails.into_iter().map(Listed::from), "no mail is waiting")
            }
        }
    }
}
