//! The settings of a resource as they are written on the command line.

use svc_data::{ErrorKind, Resource};
use svc_model::{Invalid, ResourceName, resources::ResourceParams};
use svc_store::Secret;

use crate::{
    connect,
    error::{Error, OrJson as _},
    input,
    output::Output,
};

/// Settings that were read.
pub(super) struct Params {
    /// As the store keeps them.
    pub(super) text: String,
    read: ResourceParams,
}

/// Reads the settings that an argument gives.
pub(super) fn read(argument: &str) -> Result<Params, Error> {
    let object = input::read_object(argument)?;
    let text = serde_json::to_string(&object).or_json("the settings")?;
    match ResourceParams::parse(&text) {
        Ok(read) => Ok(Params { text, read }),
        Err(invalid) => Err(Error::usage(invalid.to_string())),
    }
}

/// Refuses names of records by fields that the database does not have. A misspelt one would be left out in silence. A
/// database that cannot be reached is not asked.
pub(super) async fn check(
    output: &Output,
    name: &ResourceName,
    url: &Secret,
    params: Option<&Params>,
) -> Result<(), Error> {
    let Some(params) = params.filter(|params| !params.read.labels.is_empty()) else {
        return Ok(());
    };
    match connect::open(name.as_str(), url).await {
        Ok(database) => params.check_labels(&database),
        Err(error) if error.kind() == ErrorKind::Unavailable => {
            output.note(&format!(
                "resource {name} cannot be reached, so that params.labels is not compared with its models"
            ));
            Ok(())
        }
        Err(error) => Err(Error::new(format!("resource {name}: {error}"))),
    }
}

impl Params {
    fn check_labels(&self, database: &Resource) -> Result<(), Error> {
        let (structure, mut invalid) = (database.structure(), Invalid::new());
        for (model, fields) in &self.read.labels {
            let path = format!("params.labels.{model}");
            let Some(known) = structure.model(model) else {
                invalid.push_field(
                    &path,
                    "the resource has no such model; svc models lists them",
                );
                continue;
            };
            for field in fields.iter().filter(|field| !known.has_field(field)) {
                let message = format!("the model has no field {field:?}");
                invalid.push_field(&path, message);
            }
        }
        let refused = |invalid: Invalid| Error::usage(invalid.to_string());
        invalid.into_result().map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_wrong_type_are_refused_with_their_path() {
        let params = read(r#"{"functions": ["f"], "x": 1.50}"#).unwrap();
        assert_eq!(params.text, r#"{"functions":["f"],"x":1.50}"#);
        let error = read(r#"{"labels": {"orders": 1}}"#).err().unwrap();
        assert!(matches!(error, Error::Usage(_)));
        let text = error.to_string();
        assert!(text.starts_with("params.labels.orders: "), "{text}");
    }
}
