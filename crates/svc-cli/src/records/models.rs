//! `svc models` and `svc reload`: connected resources as a whole, through the client.

use clap::Args;
use serde::Serialize;
use svc_model::{
    JsonObject, ResourceName,
    resources::{FieldDescription, ModelDescription},
};

use crate::{
    client::{DataService, Formatted},
    context::Context,
    error::Error,
    output::{Format, row, to_row},
};

/// Show the models of a resource, or the fields of one model
#[derive(Args)]
#[command(
    after_help = "Examples:\n  svc models shop\n  svc models shop orders\n  \
    svc models shop --format json"
)]
pub(crate) struct Models {
    /// The connected resource
    resource: ResourceName,
    /// Show the fields of this model
    model: Option<String>,
    #[command(flatten)]
    to: Formatted<DataService>,
}

/// Read the structure of a resource again, after its tables have changed
#[derive(Args)]
#[command(after_help = "Example:\n  svc reload shop")]
pub(crate) struct Reload {
    /// The connected resource; __svc_app__ is the built-in tools resource
    resource: ResourceName,
    #[command(flatten)]
    service: DataService,
}

impl Models {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let (resource, to) = (&self.resource, &self.to);
        let call = to.service.client(resource)?.resource(resource);
        let models = call.model_descriptions().send().await?;
        let for_people = context.output.format(to.format) == Format::Table;
        let rows = if let Some(name) = &self.model {
            let Some(model) = models.iter().find(|model| model.model == *name) else {
                return Err(Error::new(format!(
                    "there is no model {name} in {resource}; svc models {resource} shows them"
                )));
            };
            match for_people {
                true => rows(model.fields.iter().map(field_row))?,
                false => rows(&model.fields)?,
            }
        } else {
            match for_people {
                true => rows(models.iter().map(model_row))?,
                false => rows(&models)?,
            }
        };
        context.output.rows(to.format, rows)
    }
}

impl Reload {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let client = self.service.client(&self.resource)?;
        client.resource(&self.resource).reload().send().await?;
        let name = self.resource.as_str();
        let text = format!("{name} was read again\n");
        context.output.result(&row! { reloaded: name }, &text)
    }
}

/// A model in a table that a person reads.
fn model_row(model: &ModelDescription) -> impl Serialize {
    let related = model.relations.iter();
    let related: Vec<_> = related
        .map(|relation| relation.related_model.as_str())
        .collect();
    row! {
        model: &model.model,
        kind: if model.is_view { "view" } else { "table" },
        primary_key: &model.primary_key_field,
        fields: model.fields.len(),
        relations: related.join(", "),
    }
}

/// A field in a table that a person reads.
fn field_row(field: &FieldDescription) -> impl Serialize {
    row! {
        field: &field.name,
        r#type: format!("{:?}", field.field),
        declared: &field.db_field,
        null: field.null,
        required: field.required,
        editable: field.editable,
    }
}

fn rows<T: Serialize>(things: impl IntoIterator<Item = T>) -> Result<Vec<JsonObject>, Error> {
    things.into_iter().map(|thing| to_row(&thing)).collect()
}
