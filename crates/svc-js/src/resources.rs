//! Connected resources as a whole.

use svc_model::{
    resources::{ModelDescriptions, Reload},
    wire::AnyOperation,
};

use crate::{Client, arguments::Arguments, error::Failed};

/// The operation with this verb, if there is one.
pub(crate) fn operation(
    client: &Client,
    verb: &str,
    given: &Arguments,
) -> Result<Option<AnyOperation>, Failed> {
    let (project, environment) = client.place();
    let resource = given.text("resource")?;
    Ok(Some(match verb {
        "reload" => AnyOperation::new(Reload::new(project, environment, resource)),
        "model_descriptions" => {
            AnyOperation::new(ModelDescriptions::new(project, environment, resource))
        }
        _ => return Ok(None),
    }))
}
