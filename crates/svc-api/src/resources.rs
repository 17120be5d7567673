//! Operations on whole connected resources: their models, and reloading their cached structure.

use svc_model::{
    ResourceName,
    resources::{ModelDescription, ModelDescriptions, Reload},
};

use crate::{Call, Client};

/// A connected resource, from [`Client::resource`].
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// for model in client.resource("shop").model_descriptions().await? {
///     println!("{}: {} fields", model.model, model.fields.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Resource {
    client: Client,
    name: ResourceName,
}

impl Client {
    /// A connected resource, in the client's project and environment.
    pub fn resource(&self, name: impl Into<ResourceName>) -> Resource {
        Resource {
            client: self.clone(),
            name: name.into(),
        }
    }
}

impl Resource {
    /// Describes the models of the resource, sorted by name.
    pub fn model_descriptions(&self) -> Call<ModelDescriptions, Vec<ModelDescription>> {
        Call::untagged(
            &self.client,
            Ok(ModelDescriptions::new(
                self.client.scope(),
                self.name.clone(),
            )),
        )
    }

    /// Reloads the resource: the service drops its cached structure and reads it again. The built-in tools
    /// resource has the name [`ResourceName::TOOLS`].
    pub fn reload(&self) -> Call<Reload> {
        Call::new(
            &self.client,
            Reload::new(self.client.scope(), self.name.clone()),
        )
    }
}
