//! `svc pages`: the page settings of a service, through the client.

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_api::{ApiKey, Client, auth::TokenError};
use svc_model::{JsonObject, PageSettings, PageUid, UpdatePageSettings};

use crate::{
    client::Target,
    context::Context,
    failure::Failure,
    input,
    rows::{Format, RowWriter, write_one},
};

/// List, get, create, update and delete page settings
#[derive(Subcommand)]
pub(crate) enum Pages {
    /// List the pages of an environment
    #[command(after_help = "Example:\n  svc pages list --project demo --format ndjson")]
    List {
        #[command(flatten)]
        service: Service,
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
        service: Service,
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
        service: Service,
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
        service: Service,
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
        service: Service,
    },
}

/// The service and the credential that its pages need.
#[derive(Args)]
pub(crate) struct Service {
    #[command(flatten)]
    target: Target,
    /// API key; better in the variable, since lists of processes show flags
    #[arg(
        long,
        value_name = "KEY",
        env = "SVC_API_KEY",
        hide_env_values = true,
        help_heading = "Service"
    )]
    api_key: Option<String>,
    /// Speak of the draft layer
    #[arg(long, help_heading = "Service")]
    draft: bool,
}

/// How the result is written.
#[derive(Args)]
pub(crate) struct FormatArg {
    /// How the result is written [default: table, with --json json]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
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

#[derive(Serialize)]
struct Deleted<'a> {
    deleted: &'a PageUid,
}

impl Service {
    fn client(self) -> Result<Client, Failure> {
        let key = self
            .api_key
            .filter(|key| !key.trim().is_empty())
            .ok_or_else(|| {
                Failure::usage("no API key; set SVC_API_KEY (svc key add --project P makes a key)")
            })?;
        let key = ApiKey::new(key)
            .map_err(|error: TokenError| Failure::usage(format!("SVC_API_KEY: {error}")))?;
        Ok(self
            .target
            .client()
            .draft(self.draft)
            .api_key(&key)
            .build()?)
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

impl Pages {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let output = &context.output;
        match self {
            Self::List { service, format } => {
                let pages = service.client()?.pages().list().send().await?;
                let format = output.format(format.format);
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
                write_one(output.format(format.format), page.value.into_properties())
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
                write_one(
                    output.format(format.format),
                    call.send().await?.into_properties(),
                )
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
                write_one(
                    output.format(format.format),
                    call.send().await?.into_properties(),
                )
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
                output.result(&Deleted { deleted: &uid }, &format!("page {uid} deleted\n"))
            }
        }
    }
}
