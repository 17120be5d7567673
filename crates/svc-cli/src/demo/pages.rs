//! The pages of the demo: an application for the orders of the shop, in which some work is not published yet.

use serde::Deserialize;
use serde_json::value::RawValue;
use svc_model::{Draft, JsonObject, Scope};
use svc_store::Store;

use crate::error::{Error, OrJson as _};

/// A page, and its draft; what the draft does not name is as it is published.
#[derive(Deserialize)]
struct Page {
    published: Option<JsonObject>,
    draft: Option<JsonObject>,
}

/// Makes the pages in an environment that has none.
pub(super) async fn make(store: &Store, scope: &Scope) -> Result<(), Error> {
    let pages: Vec<Page> = serde_json::from_str(include_str!("pages.json")).or_json("the pages")?;
    for Page { published, draft } in pages {
        let calls = store.pages();
        let made = match published {
            Some(page) => Some(
                calls
                    .create(scope, Draft::Off, settings(page)?.into())
                    .await?,
            ),
            None => None,
        };
        let Some(draft) = draft else {
            continue;
        };
        let uid = made.map(|made| made.settings()).transpose()?;
        match uid.and_then(|made| made.uid()) {
            Some(uid) => {
                let patch = settings(draft)?;
                calls.update(scope, Draft::On, &uid, patch, None).await?;
            }
            None => {
                let page = settings(draft)?.into();
                calls.create(scope, Draft::On, page).await?;
            }
        }
    }
    Ok(())
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
    json.replace("\n      ", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_file_can_be_kept() {
        let pages: Vec<Page> = serde_json::from_str(include_str!("pages.json")).unwrap();
        assert_eq!(pages.len(), 5);
        for page in pages {
            for layer in [page.published, page.draft].into_iter().flatten() {
                let params: String = settings(layer).unwrap().get("params").unwrap().unwrap();
                assert!(params.starts_with("{\n  \"layout\""), "{params}");
                assert!(params.ends_with("\n}"), "{params}");
            }
        }
    }
}
