//! `svc pages`: the page settings of a service, through the client.

mod code;
mod content;
mod diff;
mod folder;
mod names;
mod plan;
mod promote;
mod remote;

use clap::{Args, Subcommand};
use svc_model::{
    JsonObject, PageSettings, PageUid, UpdatePageSettings,
    pages::{Discarded, Published},
};

use crate::{
    client::{Formatted, PageLayer, PageService, with_given},
    context::Context,
    error::{Error, OrJson as _},
    input,
    output::{Format, to_row},
};

/// Page settings: list, change and publish them, and keep them as files
#[derive(Subcommand)]
pub(crate) enum Pages {
    /// List the pages of an environment
    #[command(after_help = "Example:\n  svc pages list --project demo --format ndjson")]
    List(Formatted<PageLayer>),
    /// Show one page
    #[command(
        after_help = "Example:\n  svc pages get 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1 --format json"
    )]
    Get {
        /// Unique ID of the page
        uid: PageUid,
        /// Show the entity tag too, on standard error, for --if-match
        #[arg(long)]
        etag: bool,
        #[command(flatten)]
        to: Formatted<PageLayer>,
    },
    /// Make a page
    #[command(after_help = "Examples:\n  \
        svc pages create '{\"name\": \"Orders\", \"zoom\": 1.5}'\n  \
        svc pages create --name Orders --params @orders.json")]
    Create {
        #[command(flatten)]
        content: Content,
        #[command(flatten)]
        to: Formatted<PageLayer>,
    },
    /// Change a page; what is not named stays
    #[command(
        after_help = "Example:\n  svc pages update 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1 --params @orders.json"
    )]
    Update {
        /// Unique ID of the page
        uid: PageUid,
        #[command(flatten)]
        content: Content,
        /// Only when the page still has this entity tag
        #[arg(long, value_name = "ETAG")]
        if_match: Option<String>,
        #[command(flatten)]
        to: Formatted<PageLayer>,
    },
    /// Delete a page
    #[command(after_help = "Example:\n  svc pages delete 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Delete {
        /// Unique ID of the page
        uid: PageUid,
        /// Only when the page still has this entity tag
        #[arg(long, value_name = "ETAG")]
        if_match: Option<String>,
        #[command(flatten)]
        service: PageLayer,
    },
    /// Publish drafts, all of those named or none
    #[command(after_help = "Examples:\n  \
        svc pages publish 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1\n  \
        svc pages publish --all --project demo")]
    Publish {
        #[command(flatten)]
        which: PageSelection,
        #[command(flatten)]
        service: PageService,
    },
    /// Discard drafts, all of those named or none; what is published stays
    #[command(after_help = "Example:\n  svc pages discard 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Discard {
        #[command(flatten)]
        which: PageSelection,
        #[command(flatten)]
        service: PageService,
    },
    /// List what was changed about a page, the newest first
    #[command(after_help = "Example:\n  svc pages revisions 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Revisions {
        /// Unique ID of the page
        uid: PageUid,
        #[command(flatten)]
        to: Formatted<PageService>,
    },
    /// Make a revision the draft of its page
    #[command(after_help = "Example:\n  svc pages restore 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1 7")]
    Restore {
        /// Unique ID of the page
        uid: PageUid,
        /// Number of the revision
        number: u64,
        #[command(flatten)]
        to: Formatted<PageService>,
    },
    Pull(code::Pull),
    Diff(code::Diff),
    Push(code::Push),
    Promote(promote::Promote),
}

/// Which pages a command is about.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct PageSelection {
    /// Unique IDs of the pages
    uids: Vec<PageUid>,
    /// All pages of the environment
    #[arg(long)]
    all: bool,
}

/// The properties of a page.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Content {
    /// Properties as a JSON object; @FILE reads a file, - standard input
    properties: Option<String>,
    /// Name of the page
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Structure of the page as JSON, which is stored as text; @FILE reads a file, - standard input
    #[arg(long, value_name = "JSON")]
    params: Option<String>,
}

impl PageSelection {
    /// The pages, or all of them.
    fn uids(self) -> Option<Vec<PageUid>> {
        (!self.all).then_some(self.uids)
    }
}

impl Content {
    fn read(self) -> Result<(JsonObject, Option<String>), Error> {
        let mut properties = match self.properties {
            Some(argument) => input::read_object(&argument)?,
            None => JsonObject::new(),
        };
        if let Some(name) = self.name {
            properties.set("name", &name).or_json("the name")?;
        }
        let params = self.params.as_deref().map(input::read_json_text);
        Ok((properties, params.transpose()?))
    }
}

/// What was done to pages, for people.
fn done_to(uids: &[PageUid], done: &str) -> String {
    if uids.is_empty() {
        return format!("nothing to be {done}: there are no drafts\n");
    }
    let lines = uids.iter().map(|uid| format!("page {uid} {done}\n"));
    lines.collect()
}

impl Pages {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::List(to) => {
                let pages = to.service.client()?.pages().list().send().await?;
                if pages.is_empty() && output.format(to.format) == Format::Table {
                    output.note("no pages yet; svc pages create makes one");
                }
                let rows = pages.into_iter().map(PageSettings::into_properties);
                output.rows(to.format, rows.collect())
            }
            Self::Get { uid, etag, to } => {
                let page = to.service.client()?.pages().get(uid).send_tagged().await?;
                if etag {
                    output.etag(page.etag.as_deref());
                }
                output.one(to.format, &page.value)
            }
            Self::Create { content, to } => {
                let (mut properties, params) = content.read()?;
                if let Some(params) = params {
                    properties.set("params", &params).or_json("the params")?;
                }
                let call = to.service.client()?.pages().create(&properties);
                output.one(to.format, &call.send().await?)
            }
            Self::Update {
                uid,
                content,
                if_match,
                to,
            } => {
                let (properties, params) = content.read()?;
                let mut update = UpdatePageSettings::new().with_properties(properties);
                update.params = params;
                let call = to.service.client()?.pages().update(uid, update);
                let page = with_given!(call, if_match: if_match).send().await?;
                output.one(to.format, &page)
            }
            Self::Delete {
                uid,
                if_match,
                service,
            } => {
                let call = service.client()?.pages().delete(uid.clone());
                with_given!(call, if_match: if_match).send().await?;
                output.deleted("page", uid.as_str())
            }
            Self::Publish { which, service } => {
                let pages = service.client()?.pages();
                let published = match which.uids() {
                    Some(uids) => pages.publish(uids).send().await?,
                    None => pages.publish_all().send().await?,
                };
                let text = done_to(&published, "published");
                output.result(&Published::new(published), &text)
            }
            Self::Discard { which, service } => {
                let pages = service.client()?.pages();
                let discarded = match which.uids() {
                    Some(uids) => pages.discard(uids).send().await?,
                    None => pages.discard_all().send().await?,
                };
                let text = done_to(&discarded, "discarded");
                output.result(&Discarded::new(discarded), &text)
            }
            Self::Revisions { uid, to } => {
                let revisions = to.service.client()?.pages().revisions(uid).send().await?;
                let rows: Result<_, _> = revisions.iter().map(to_row).collect();
                output.rows(to.format, rows?)
            }
            Self::Restore { uid, number, to } => {
                let call = to.service.client()?.pages().restore(uid, number);
                output.one(to.format, &call.send().await?)
            }
            Self::Pull(pull) => pull.run(context).await,
            Self::Diff(diff) => diff.run(context).await,
            Self::Push(push) => push.run(context).await,
            Self::Promote(promote) => promote.run(context).await,
        }
    }
}
