//! `svc records`: the records of connected databases, through the client.

mod aggregate;
mod change_all;
mod export;
pub(crate) mod functions;
mod history;
mod import;
mod list;
pub(crate) mod models;
pub(crate) mod sql;
pub(crate) mod statements;
mod transfer;
mod value;

use clap::{Args, Subcommand};
use svc_api::Records as Handle;
use svc_model::{Expand, JsonObject, ModelName, ResourceName};

use self::{
    aggregate::{Aggregate, Group},
    change_all::{DeleteAll, UpdateAll},
    export::Export,
    history::History,
    import::Import,
    list::List,
    value::Value,
};
use crate::{
    client::{DataService, Formatted, with_given},
    context::Context,
    error::Error,
    input,
    output::to_row,
};

/// List, get, create, update, replace, delete, aggregate, export and import records
#[derive(Subcommand)]
pub(crate) enum Records {
    List(List),
    Aggregate(Aggregate),
    Group(Group),
    Export(Export),
    Import(Import),
    /// Show one record
    #[command(after_help = "Example:\n  svc records get shop orders 42 --fields id,status,total")]
    Get {
        #[command(flatten)]
        item: Item,
        /// Show the entity tag too, on standard error, for --if-match
        #[arg(long)]
        etag: bool,
        #[command(flatten)]
        view: View,
        /// Related records, such as customer_id(name),items.product_id
        #[arg(long, value_name = "PATH,...")]
        expand: Option<Expand>,
        /// Cut longer texts, binary data and JSON
        #[arg(long, value_name = "LENGTH", value_parser = clap::value_parser!(u32).range(1..))]
        excerpt: Option<u32>,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// Make a record
    #[command(after_help = "Examples:\n  \
        svc records create shop orders '{\"customer_id\": 1, \"status\": \"pending\"}'\n  \
        svc records create shop orders @order.json\n  \
        svc records create shop customers @customer.json --on-conflict email")]
    Create {
        #[command(flatten)]
        collection: Collection,
        /// The fields as a JSON object; @FILE reads a file, - standard input
        record: String,
        /// Change the record that has the same values in these unique fields, if there is one
        #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
        on_conflict: Vec<String>,
        #[command(flatten)]
        view: View,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
    /// Change a record; fields that are left out keep their value
    #[command(
        after_help = "Example:\n  svc records update shop orders 42 '{\"status\": \"shipped\"}'"
    )]
    Update(Change),
    /// Replace a record; required fields must be there
    #[command(after_help = "Example:\n  svc records replace shop orders 42 @order.json")]
    Replace(Change),
    /// Delete a record
    #[command(after_help = "Example:\n  svc records delete shop orders 42")]
    Delete {
        #[command(flatten)]
        item: Item,
        /// Only when the record still has this entity tag
        #[arg(long, value_name = "ETAG")]
        if_match: Option<String>,
        #[command(flatten)]
        service: DataService,
    },
    Value(Value),
    History(History),
    UpdateAll(UpdateAll),
    DeleteAll(DeleteAll),
    /// Show how many records refer to a record, and what becomes of them when it is deleted
    #[command(after_help = "Example:\n  svc records references shop customers 42")]
    References {
        #[command(flatten)]
        item: Item,
        #[command(flatten)]
        to: Formatted<DataService>,
    },
}

/// A change of one record.
#[derive(Args)]
pub(crate) struct Change {
    #[command(flatten)]
    item: Item,
    /// The fields as a JSON object; @FILE reads a file, - standard input
    record: String,
    /// Only when the record still has this entity tag
    #[arg(long, value_name = "ETAG")]
    if_match: Option<String>,
    #[command(flatten)]
    view: View,
    #[command(flatten)]
    to: Formatted<DataService>,
}

/// Where records are.
#[derive(Args)]
pub(crate) struct Collection {
    /// The connected resource
    resource: ResourceName,
    /// The table or view; schema.table outside the default schema
    model: ModelName,
}

/// Which record.
#[derive(Args)]
pub(crate) struct Item {
    #[command(flatten)]
    collection: Collection,
    /// Its primary key; the parts of a composite key joined with a comma
    #[arg(allow_hyphen_values = true)]
    id: String,
}

/// How a record is shown.
#[derive(Args)]
pub(crate) struct View {
    /// Only these columns, and the primary key
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',')]
    fields: Option<Vec<String>>,
    /// UTC offset or IANA zone of date texts, in and out [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    tz: Option<String>,
}

impl Collection {
    /// Its name, with its project and environment: what the state of a transfer belongs to.
    fn full_name(&self, service: &DataService) -> String {
        let [project, environment] = service.scope();
        let Self { resource, model } = self;
        format!("{project}/{environment}/{resource}/{model}")
    }

    /// Its records, each with its columns in the order and the spelling of the service.
    fn records(self, service: &DataService) -> Result<Handle<JsonObject>, Error> {
        let client = service.client(&self.resource)?;
        Ok(client.records(self.resource, self.model).typed())
    }
}

impl Records {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::List(list) => list.run(context).await,
            Self::Aggregate(aggregate) => aggregate.run(context).await,
            Self::Group(group) => group.run(context).await,
            Self::Export(export) => export.run(context).await,
            Self::Import(import) => import.run(context).await,
            Self::Get {
                item,
                etag,
                view,
                expand,
                excerpt,
                to,
            } => {
                let call = item.collection.records(&to.service)?.get(item.id);
                let call =
                    with_given!(call, fields: view.fields, expand: expand, time_zone: view.tz);
                let call = with_given!(call, excerpt: excerpt);
                let record = call.send_tagged().await?;
                if etag {
                    output.etag(record.etag.as_deref());
                }
                output.one(to.format, &record.value)
            }
            Self::Create {
                collection,
                record,
                on_conflict,
                view,
                to,
            } => {
                let record = input::read_object(&record)?;
                let call = collection.records(&to.service)?.create(&record);
                let call = call.on_conflict(on_conflict);
                let call = with_given!(call, fields: view.fields, time_zone: view.tz);
                output.one(to.format, &call.send().await?)
            }
            Self::Update(change) => {
                let record = input::read_object(&change.record)?;
                let Change { item, view, to, .. } = change;
                let call = item
                    .collection
                    .records(&to.service)?
                    .update(item.id, &record);
                let call = with_given!(call, fields: view.fields, time_zone: view.tz);
                let call = with_given!(call, if_match: change.if_match);
                output.one(to.format, &call.send().await?)
            }
            Self::Replace(change) => {
                let record = input::read_object(&change.record)?;
                let Change { item, view, to, .. } = change;
                let call = item
                    .collection
                    .records(&to.service)?
                    .replace(item.id, &record);
                let call = with_given!(call, fields: view.fields, time_zone: view.tz);
                let call = with_given!(call, if_match: change.if_match);
                output.one(to.format, &call.send().await?)
            }
            Self::Delete {
                item,
                if_match,
                service,
            } => {
                let call = item.collection.records(&service)?.delete(item.id.as_str());
                with_given!(call, if_match: if_match).send().await?;
                output.deleted("record", &item.id)
            }
            Self::Value(value) => value.run(context).await,
            Self::History(history) => history.run(context).await,
            Self::UpdateAll(update) => update.run(context).await,
            Self::DeleteAll(delete) => delete.run(context).await,
            Self::References { item, to } => {
                let records = item.collection.records(&to.service)?;
                let references = records.references(item.id.as_str()).send().await?;
                let rows = references.iter().map(to_row).collect::<Result<_, _>>()?;
                output.rows(to.format, rows)
            }
        }
    }
}
