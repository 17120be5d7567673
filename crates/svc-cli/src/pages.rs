//! `svc pages`: the page settings of a service, through the client.

mod code;
mod content;
mod folder;
mod names;
mod plan;
mod promote;
mod text;

use clap::{Args, Subcommand};
use svc_model::{
    JsonObject, PageSettings, PageUid, UpdatePageSettings,
    pages::{Discarded, Published},
};

use crate::{
    client::{PageLayer, PageService},
    context::Context,
    failure::Failure,
    input,
    output::{Format, FormatArg, RowWriter, to_row, write_one},
};

/// Page settings: list, change and publish them, and keep them as files
#[derive(Subcommand)]
pub(crate) enum Pages {
    /// List the pages of an environment
    #[command(after_help = "Example:\n  svc pages list --project demo --format ndjson")]
    List {
        #[command(flatten)]
        service: PageLayer,
        #[command(flatten)]
        format: FormatArg,
    },
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
        service: PageLayer,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Make a page
    #[command(after_help = "Examples:\n  \
        svc pages create '{\"name\": \"Orders\", \"zoom\": 1.5}'\n  \
        svc pages create --name Orders --params @orders.json")]
    Create {
        #[command(flatten)]
        content: Content,
        #[command(flatten)]
        service: PageLayer,
        #[command(flatten)]
        format: FormatArg,
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
        service: PageLayer,
        #[command(flatten)]
        format: FormatArg,
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
        which: Which,
        #[command(flatten)]
        service: PageService,
    },
    /// Discard drafts, all of those named or none; what is published stays
    #[command(after_help = "Example:\n  svc pages discard 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Discard {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        service: PageService,
    },
    /// List what was changed about a page, the newest first
    #[command(after_help = "Example:\n  svc pages revisions 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Revisions {
        /// Unique ID of the page
        uid: PageUid,
        #[command(flatten)]
        service: PageService,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Make a revision the draft of its page
    #[command(after_help = "Example:\n  svc pages restore 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1 7")]
    Restore {
        /// Unique ID of the page
        uid: PageUid,
        /// Number of the revision
        number: u64,
        #[command(flatten)]
        service: PageService,
        #[command(flatten)]
        format: FormatArg,
    },
    Pull(code::Pull),
    Diff(code::Diff),
    Push(code::Push),
    Promote(promote::Promote),
}

/// Which pages a command is about.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
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

impl Which {
    /// The pages, or all of them.
    fn uids(self) -> Option<Vec<PageUid>> {
        (!self.all).then_some(self.uids)
    }
}

impl Content {
    fn read(self) -> Result<(JsonObject, Option<String>), Failure> {
        let mut properties = match self.properties {
            Some(argument) => input::read_object(&argument)?,
            None => JsonObject::new(),
        };
        if let Some(name) = self.name {
            properties
                .set("name", &name)
                .map_err(|error| Failure::new(format!("cannot write the name as JSON: {error}")))?;
        }
        let params = self
            .params
            .as_deref()
            .map(input::read_json_text)
            .transpose()?;
        Ok((properties, params))
    }
}

/// What was done to pages, for people.
fn told(done: &str, uids: &[PageUid]) -> String {
    if uids.is_empty() {
        return format!("nothing to be {done}: there are no drafts\n");
    }
    uids.iter()
        .map(|uid| format!("page {uid} {done}\n"))
        .collect()
}

impl Pages {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let output = &context.output;
        match self {
            Self::List { service, format } => {
                let pages = service.client()?.pages().list().send().await?;
                let format = output.format(format);
                if pages.is_empty() && format == Format::Table {
                    output.note("no pages yet; svc pages create makes one");
                }
                let rows = pages.into_iter().map(PageSettings::into_properties);
                RowWriter::to_stdout(format).write_all(rows.collect())
            }
            Self::Get {
                uid,
                etag,
                service,
                format,
            } => {
                let page = service.client()?.pages().get(uid).send_tagged().await?;
                if etag {
                    output.note(&format!("ETag: {}", page.etag.as_deref().unwrap_or("none")));
                }
                write_one(output.format(format), page.value.into_properties())
            }
            Self::Create {
                content,
                service,
                format,
            } => {
                let (mut properties, params) = content.read()?;
                if let Some(params) = params {
                    properties.set("params", &params).map_err(|error| {
                        Failure::new(format!("cannot write the params as JSON: {error}"))
                    })?;
                }
                let call = service.client()?.pages().create(&properties);
                write_one(output.format(format), call.send().await?.into_properties())
            }
            Self::Update {
                uid,
                content,
                if_match,
                service,
                format,
            } => {
                let (properties, params) = content.read()?;
                let mut update = UpdatePageSettings::new().with_properties(properties);
                update.params = params;
                let mut call = service.client()?.pages().update(uid, update);
                if let Some(etag) = if_match {
                    call = call.if_match(etag);
                }
                write_one(output.format(format), call.send().await?.into_properties())
            }
            Self::Delete {
                uid,
                if_match,
                service,
            } => {
                let mut call = service.client()?.pages().delete(uid.clone());
                if let Some(etag) = if_match {
                    call = call.if_match(etag);
                }
                call.send().await?;
                output.deleted("page", uid.as_str())
            }
            Self::Publish { which, service } => {
                let pages = service.client()?.pages();
                let published = match which.uids() {
                    Some(uids) => pages.publish(uids).send().await?,
                    None => pages.publish_all().send().await?,
                };
                let text = told("published", &published);
                output.result(&Published::new(published), &text)
            }
            Self::Discard { which, service } => {
                let pages = service.client()?.pages();
                let discarded = match which.uids() {
                    Some(uids) => pages.discard(uids).send().await?,
                    None => pages.discard_all().send().await?,
                };
                let text = told("discarded", &discarded);
                output.result(&Discarded::new(discarded), &text)
            }
            Self::Revisions {
                uid,
                service,
                format,
            } => {
                let revisions = service.client()?.pages().revisions(uid).send().await?;
                let rows: Result<_, _> = revisions.iter().map(to_row).collect();
                RowWriter::to_stdout(output.format(format)).write_all(rows?)
            }
            Self::Restore {
                uid,
                number,
                service,
                format,
            } => {
                let call = service.client()?.pages().restore(uid, number);
                write_one(output.format(format), call.send().await?.into_properties())
            }
            Self::Pull(pull) => pull.run(context).await,
            Self::Diff(diff) => diff.run(context).await,
            Self::Push(push) => push.run(context).await,
            Self::Promote(promote) => promote.run(context).await,
        }
    }
}
