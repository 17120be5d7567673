//! The body of a request, written as its type says.

use bytes::Bytes;
use http::HeaderValue;
use serde_json::value::RawValue;
use svc_model::proxy::BodyType;
use url::form_urlencoded;
use uuid::Uuid;

use super::{
    pairs::{self, Pairs},
    template::{Names, TemplateError},
};

/// A body that is ready to be sent.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) bytes: Bytes,
    /// What it is, where the caller does not say.
    pub(super) media_type: Option<HeaderValue>,
    /// Whether the caller cannot say otherwise: the boundary of a form is the proxy's.
    pub(super) is_fixed: bool,
    /// Whether a secret is in it.
    pub(super) secret: bool,
}

impl Content {
    fn new(text: String, media_type: &'static str, secret: bool) -> Self {
        Self {
            bytes: text.into(),
            media_type: Some(HeaderValue::from_static(media_type)),
            is_fixed: false,
            secret,
        }
    }
}

/// Writes a body, with values in place of names.
pub(super) fn write(
    names: &mut Names<'_>,
    body_type: Option<BodyType>,
    body: Option<&RawValue>,
) -> Result<Content, TemplateError> {
    let Some(json) = body.map(RawValue::get).filter(|json| *json != "null") else {
        return Ok(Content::default());
    };
    let text: Option<String> = match json.starts_with('"') {
        // It was read as JSON before.
        true => serde_json::from_str(json).ok(),
        false => None,
    };
    let body_type = body_type.unwrap_or(match text {
        Some(_) => BodyType::Raw,
        None => BodyType::Json,
    });
    match body_type {
        BodyType::Json => json_content(names, text.as_deref().unwrap_or(json)),
        BodyType::GraphQl => graphql(names, json, text.as_deref()),
        BodyType::FormUrlEncoded => {
            let pairs = match &text {
                Some(text) if !text.trim_start().starts_with(['[', '{']) => {
                    Ok(form_urlencoded::parse(text.as_bytes())
                        .into_owned()
                        .collect())
                }
                _ => pairs::parse(json),
            };
            let (pairs, secret) = expand(names, pairs)?;
            let mut form = form_urlencoded::Serializer::new(String::new());
            form.extend_pairs(pairs);
            let media_type = "application/x-www-form-urlencoded";
            Ok(Content::new(form.finish(), media_type, secret))
        }
        BodyType::FormData => {
            let (pairs, secret) = expand(names, pairs::parse(json))?;
            Ok(form_data(&pairs, secret))
        }
        BodyType::Raw => {
            let Some(text) = text else {
                return Err(TemplateError::Invalid(
                    "must be text for the body type Raw".to_owned(),
                ));
            };
            let expanded = names.verbatim(&text)?;
            let media_type = "text/plain; charset=utf-8";
            Ok(Content::new(expanded.text, media_type, expanded.secret))
        }
        _ => Err(TemplateError::Invalid(
            "has an unknown body type".to_owned(),
        )),
    }
}

fn json_content(names: &mut Names<'_>, json: &str) -> Result<Content, TemplateError> {
    let expanded = names.json(json)?;
    serde_json::from_str::<&RawValue>(&expanded.text).map_err(|error| {
        TemplateError::Invalid(format!(
            "must be JSON once its names are replaced: line {}, column {}",
            error.line(),
            error.column()
        ))
    })?;
    Ok(Content::new(
        expanded.text,
        "application/json",
        expanded.secret,
    ))
}

fn graphql(
    names: &mut Names<'_>,
    json: &str,
    text: Option<&str>,
) -> Result<Content, TemplateError> {
    match text {
        // The JSON text of the whole, or the query alone.
        Some(text)
            if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok() =>
        {
            json_content(names, text)
        }
        Some(_) => json_content(names, &format!("{{\"query\":{json}}}")),
        None if json.starts_with('{') => json_content(names, json),
        None => Err(TemplateError::Invalid(
            "must be an object with query and variables, or the query as text".to_owned(),
        )),
    }
}

fn expand(
    names: &mut Names<'_>,
    pairs: Result<Pairs, String>,
) -> Result<(Pairs, bool), TemplateError> {
    let mut secret = false;
    let mut expanded = Vec::new();
    for (name, value) in pairs.map_err(TemplateError::Invalid)? {
        let (name, value) = (names.verbatim(&name)?, names.verbatim(&value)?);
        secret |= name.secret || value.secret;
        expanded.push((name.text, value.text));
    }
    Ok((expanded, secret))
}

/// A form of parts (RFC 7578), written as browsers do.
fn form_data(pairs: &Pairs, secret: bool) -> Content {
    // 122 random bits: no value holds it.
    let boundary = format!("svc-{}", Uuid::new_v4().simple());
    let mut text = String::new();
    for (name, value) in pairs {
        let name = name
            .replace('"', "%22")
            .replace('\r', "%0D")
            .replace('\n', "%0A");
        text.push_str(&format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        ));
    }
    text.push_str(&format!("--{boundary}--\r\n"));
    Content {
        bytes: text.into(),
        media_type: HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}")).ok(),
        is_fixed: true,
        secret,
    }
}

#[cfg(test)]
mod tests {
    use svc_store::{OpenSecret, Secret};

    use super::{super::template::Context, *};

    fn written(body_type: Option<BodyType>, body: &str) -> Result<Content, TemplateError> {
        let context = Context::parse(r#"{"n":7,"name":"A \"B\"&c=d\r\n--x"}"#).unwrap();
        let secrets = [OpenSecret::new("key", Vec::new(), Secret::new("hunter2"))];
        let mut names = Names::new(&context, &secrets, &[], 10_000);
        let body = RawValue::from_string(body.to_owned()).unwrap();
        write(&mut names, body_type, Some(&body))
    }

    fn text(body_type: BodyType, body: &str) -> String {
        String::from_utf8(written(Some(body_type), body).unwrap().bytes.to_vec()).unwrap()
    }

    #[test]
    fn json_is_sent_as_it_came_with_values_in_it() {
        let body = r#"{"n":{{n}},"big":9007199254740993.10,"s":"{{name}}"}"#;
        // As a text it may hold names in place of JSON.
        let quoted = serde_json::Value::from(body).to_string();
        let sent = r#"{"n":7,"big":9007199254740993.10,"s":"A \"B\"&c=d\r\n--x"}"#;
        assert_eq!(text(BodyType::Json, &quoted), sent);
        assert_eq!(
            text(
                BodyType::Json,
                r#"{"big":9007199254740993.10,"k":"{-key-}"}"#
            ),
            r#"{"big":9007199254740993.10,"k":"hunter2"}"#
        );
        assert_eq!(text(BodyType::Json, "7"), "7");
    }

    #[test]
    fn json_that_is_none_is_refused_with_its_place_and_not_quoted() {
        let Err(TemplateError::Invalid(message)) =
            written(Some(BodyType::Json), r#""{\"a\":{-key-} 7}""#)
        else {
            panic!("it is no JSON")
        };
        assert!(
            message.contains("line 1") && !message.contains("hunter2"),
            "{message}"
        );
    }

    #[test]
    fn a_graphql_query_is_text_or_an_object_or_its_json() {
        let query = r#""{ people(name: \"x\") { id } }""#;
        assert_eq!(
            text(BodyType::GraphQl, query),
            r#"{"query":"{ people(name: \"x\") { id } }"}"#
        );
        let object = r#"{"query":"query($n:Int){a(n:$n)}","variables":{"n":"{{n}}"}}"#;
        let sent = r#"{"query":"query($n:Int){a(n:$n)}","variables":{"n":"7"}}"#;
        assert_eq!(text(BodyType::GraphQl, object), sent);
        let quoted = serde_json::Value::from(object).to_string();
        assert_eq!(text(BodyType::GraphQl, &quoted), sent);
        assert!(written(Some(BodyType::GraphQl), "[1]").is_err());
    }

    #[test]
    fn values_of_a_form_do_not_become_fields() {
        for body in [
            r#"{"a b":"{{name}}","k":"{-key-}"}"#,
            r#"[{"name":"a b","value":"{{name}}"},{"name":"k","value":"{-key-}"}]"#,
            r#""a+b={{name}}&k={-key-}""#,
        ] {
            assert_eq!(
                text(BodyType::FormUrlEncoded, body),
                "a+b=A+%22B%22%26c%3Dd%0D%0A--x&k=hunter2"
            );
        }
    }

    #[test]
    fn a_form_of_parts_has_a_boundary_of_its_own() {
        let content = written(
            Some(BodyType::FormData),
            r#"[{"name":"a\"\r\nb","value":"{{name}}"},{"name":"k","value":"{-key-}"}]"#,
        );
        let content = content.unwrap();
        let media_type = content.media_type.unwrap();
        let boundary = media_type
            .to_str()
            .unwrap()
            .strip_prefix("multipart/form-data; boundary=");
        let boundary = boundary.unwrap();
        assert_eq!(
            content.bytes,
            format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22%0D%0Ab\"\r\n\r\nA \"B\"&c=d\r\n--x\r\n\
                 --{boundary}\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nhunter2\r\n--{boundary}--\r\n"
            )
        );
        assert!(content.is_fixed && content.secret);
    }

    #[test]
    fn without_a_type_a_text_is_raw_and_the_rest_json() {
        let raw = written(None, r#""plain {{n}}""#).unwrap();
        assert_eq!(raw.bytes, "plain 7");
        assert_eq!(raw.media_type.unwrap(), "text/plain; charset=utf-8");
        let json = written(None, r#"["{{n}}"]"#).unwrap();
        assert_eq!(json.bytes, r#"["7"]"#);
        assert_eq!(json.media_type.unwrap(), "application/json");
        let none = written(None, "null").unwrap();
        assert!(none.bytes.is_empty() && none.media_type.is_none());
        assert!(written(Some(BodyType::Raw), "{}").is_err());
    }
}
