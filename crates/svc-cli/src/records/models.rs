//! `svc models` and `svc reload`: connected resources as a whole, through the client.

use clap::Args;
use serde::Serialize;
use svc_model::{
    JsonObject, ResourceName,
    resources::{FieldDescription, ModelDescription},
};

use crate::{
    client::DataService,
    context::Context,
    failure::Failure,
    output::{Format, FormatArg, RowWriter},
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
    service: DataService,
    #[command(flatten)]
    format: FormatArg,
}

/// Read the structure of a resource anew, after its tables have changed
#[derive(Args)]
#[command(after_help = "Example:\n  svc reload shop")]
pub(crate) struct Reload {
    /// The connected resource; __svc_app__ is the built-in tools resource
    resource: ResourceName,
    #[command(flatten)]
    service: DataService,
}

/// A model in a table that a person reads.
#[derive(Serialize)]
struct ModelRow<'a> {
    model: &'a str,
    kind: &'static str,
    primary_key: &'a str,
    fields: usize,
    relations: String,
}

impl<'a> ModelRow<'a> {
    fn of(model: &'a ModelDescription) -> Self {
        let relations: Vec<_> = model
            .relations
            .iter()
            .map(|relation| relation.related_model.as_str())
            .collect();
        Self {
            model: &model.model,
            kind: if model.is_view { "view" } else { "table" },
            primary_key: &model.primary_key_field,
            fields: model.fields.len(),
            relations: relations.join(", "),
        }
    }
}

/// A field in a table that a person reads.
#[derive(Serialize)]
struct FieldRow<'a> {
    field: &'a str,
    #[serde(rename = "type")]
    kind: String,
    declared: &'a str,
    null: bool,
    required: bool,
    editable: bool,
}

impl<'a> FieldRow<'a> {
    fn of(field: &'a FieldDescription) -> Self {
        Self {
            field: &field.name,
            kind: format!("{:?}", field.field),
            declared: &field.db_field,
            null: field.null,
            required: field.required,
            editable: field.editable,
        }
    }
}

#[derive(Serialize)]
struct Reloaded<'a> {
    reloaded: &'a str,
}

impl Models {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = self.service.client(&self.resource)?;
        let mut models = client
            .resource(&self.resource)
            .model_descriptions()
            .send()
            .await?;
        let format = context.output.format(self.format);
        let rows = match &self.model {
            None if matches!(format, Format::Table) => rows(models.iter().map(ModelRow::of))?,
            None => rows(&models)?,
            Some(name) => {
                models.retain(|model| model.model == *name);
                let Some(model) = models.first() else {
                    return Err(Failure::new(format!(
                        "there is no model {name} in {}; svc models {0} shows them",
                        self.resource
                    )));
                };
                match format {
                    Format::Table => rows(model.fields.iter().map(FieldRow::of))?,
                    _ => rows(&model.fields)?,
                }
            }
        };
        RowWriter::to_stdout(format).write_all(rows)
    }
}

impl Reload {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = self.service.client(&self.resource)?;
        client.resource(&self.resource).reload().send().await?;
        let name = self.resource.as_str();
        context.output.result(
            &Reloaded { reloaded: name },
            &format!("{name} was read anew\n"),
        )
    }
}

fn rows<T: Serialize>(things: impl IntoIterator<Item = T>) -> Result<Vec<JsonObject>, Failure> {
    things
        .into_iter()
        .map(|thing| JsonObject::from_serialize(&thing))
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new(format!("cannot write the result as JSON: {error}")))
}
