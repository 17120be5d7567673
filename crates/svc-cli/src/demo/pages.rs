//! The pages of the demo: an application for the orders of the shop.

use serde_json::value::RawValue;
use svc_model::{Draft, JsonObject, Scope};
use svc_store::Store;

use crate::error::{Error, OrJson as _};

/// Makes the pages in an environment that has none.
pub(super) async fn make(store: &Store, scope: &Scope) -> Result<(), Error> {
    for page in read()? {
        let page = settings(page)?.into();
        store.pages().create(scope, Draft::Off, page).await?;
    }
    Ok(())
}

fn read() -> Result<Vec<JsonObject>, Error> {
    serde_json::from_str(include_str!("pages.json")).or_json("the pages")
}

/// The properties as the service keeps them: `params` is a text that holds JSON, laid out as in the file.
fn settings(mut page: JsonObject) -> Result<JsonObject, Error> {
    if let Some(params) = page.get_raw("params").map(unindented) {
        let text = serde_json::to_string(&params).or_json("a page")?;
        page.set_raw("params", RawValue::from_string(text).or_json("a page")?);
    }
    Ok(page)
}

/// The text without the indentation that it has in the file.
fn unindented(json: &str) -> String {
    json.replace("\n    ", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_file_can_be_kept() {
        let pages = read().unwrap();
        assert_eq!(pages.len(), 5);
        for page in pages {
            let params: String = settings(page).unwrap().get("params").unwrap().unwrap();
            assert!(params.starts_with("{\n  \"layout\""), "{params}");
            assert!(params.ends_with("\n}"), "{params}");
        }
    }
}
