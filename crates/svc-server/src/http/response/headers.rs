//! Headers that every answer has: who may keep it, and that its type is not guessed.

use http::{HeaderMap, HeaderValue, header};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Adds the headers that are not there yet. What a handler has said of keeping its answer stays; otherwise an answer with
/// an entity tag may be kept by its caller, who asks each time whether it still holds, and every other one by nobody.
pub(crate) fn complete(headers: &mut HeaderMap) {
    let kept = match headers.contains_key(header::ETAG) {
        true => HeaderValue::from_static("private, no-cache"),
        false => NO_STORE,
    };
    headers.entry(header::CACHE_CONTROL).or_insert(kept);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
}

/// Says that an answer has a secret: nobody may keep it.
pub(crate) fn set_secret(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, NO_STORE);
}

/// Whether an answer has a secret: its handler has said that nobody may keep it, and it is not a file.
pub(crate) fn has_secret(headers: &HeaderMap) -> bool {
    let is_file = headers.contains_key(header::CONTENT_DISPOSITION);
    !is_file && headers.get(header::CACHE_CONTROL) == Some(&NO_STORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(given: &[(header::HeaderName, &'static str)]) -> (String, String) {
        let mut headers: HeaderMap = given
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect();
        complete(&mut headers);
        let text = |name: header::HeaderName| headers[name].to_str().unwrap().to_owned();
        (
            text(header::CACHE_CONTROL),
            text(header::X_CONTENT_TYPE_OPTIONS),
        )
    }

    #[test]
    fn an_answer_is_kept_by_its_caller_alone_and_only_with_an_entity_tag() {
        let nosniff = "nosniff".to_owned();
        assert_eq!(completed(&[]), ("no-store".to_owned(), nosniff.clone()));
        let tagged = completed(&[(header::ETAG, "\"a\"")]);
        assert_eq!(tagged, ("private, no-cache".to_owned(), nosniff.clone()));
        let said = completed(&[(header::CACHE_CONTROL, "no-cache"), (header::ETAG, "\"a\"")]);
        assert_eq!(said, ("no-cache".to_owned(), nosniff));
    }
}
