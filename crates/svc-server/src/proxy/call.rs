//! What a caller asks the proxy for: the fields of the body.

use http::Method;
use serde_json::value::RawValue;
use svc_model::{
    EnvironmentName, Invalid, ProjectName, ResourceName, proxy::BodyType, wire::ReceivedRequest,
};

use super::{
    pairs::{self, Pairs},
    template::Context,
};

/// The longest URL, before names are replaced.
const MAX_URL: usize = 16 * 1024;

/// Where the request belongs: what is looked at first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Destination {
    /// That of the caller when `None`.
    pub(super) project: Option<ProjectName>,
    pub(super) environment: EnvironmentName,
    pub(super) resource: Option<ResourceName>,
}

/// A request to another service, as the caller describes it.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) query_params: Pairs,
    pub(super) headers: Pairs,
    pub(super) body_type: Option<BodyType>,
    pub(super) body: Option<Box<RawValue>>,
    pub(super) secret_tokens: Vec<String>,
    pub(super) context: Context,
}

/// Takes out of a body where the request belongs.
pub(super) fn destination(body: &mut ReceivedRequest<'_>) -> Result<Destination, Invalid> {
    let destination = Destination {
        project: body.lenient_property("project", text).map(Into::into),
        environment: body
            .lenient_property("environment", text)
            .map_or_else(EnvironmentName::default, Into::into),
        resource: body.lenient_property("resource", text).map(Into::into),
    };
    body.check()?;
    Ok(destination)
}

impl Call {
    /// Reads what is left of a body.
    pub(super) fn parse(mut body: ReceivedRequest<'_>) -> Result<Self, Invalid> {
        let call = Self {
            method: body.lenient_property("method", method).unwrap_or_default(),
            url: body.lenient_property("url", url).unwrap_or_default(),
            query_params: body
                .lenient_property("query_params", pairs)
                .unwrap_or_default(),
            headers: body.lenient_property("headers", pairs).unwrap_or_default(),
            body_type: body.lenient_property("body_type", body_type),
            body: body.raw_property("body"),
            secret_tokens: body
                .lenient_property("secret_tokens", names)
                .unwrap_or_default(),
            context: body
                .lenient_property("context", context)
                .unwrap_or_default(),
        };
        // Nothing depends on it.
        body.lenient_property("draft", |json| match json.get() {
            "true" | "false" | "0" | "1" | r#""0""# | r#""1""# => Ok(()),
            _ => Err("must be 0 or 1".to_owned()),
        });
        body.finish()?;
        match call.url.is_empty() {
            true => Err(Invalid::field("url", "this field is required")),
            false => Ok(call),
        }
    }
}

fn text(json: &RawValue) -> Result<String, String> {
    serde_json::from_str(json.get()).map_err(|_| "must be text".to_owned())
}

fn method(json: &RawValue) -> Result<Method, String> {
    match Method::from_bytes(text(json)?.to_ascii_uppercase().as_bytes()) {
        // The first makes a tunnel, the second gives secrets back.
        Ok(method) if method != Method::CONNECT && method != Method::TRACE => Ok(method),
        _ => Err("must be a method such as GET or POST".to_owned()),
    }
}

fn url(json: &RawValue) -> Result<String, String> {
    let url = text(json)?;
    match url.len() > MAX_URL {
        true => Err(format!("must be at most {MAX_URL} bytes")),
        false => Ok(url),
    }
}

fn pairs(json: &RawValue) -> Result<Pairs, String> {
    pairs::parse(json.get())
}

fn body_type(json: &RawValue) -> Result<BodyType, String> {
    BodyType::named(&text(json)?).ok_or_else(|| {
        let names = BodyType::ALL.map(BodyType::as_str).join(", ");
        format!("must be one of {names}")
    })
}

fn names(json: &RawValue) -> Result<Vec<String>, String> {
    let list = text(json)?;
    let names = list.split(',').map(str::trim);
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

fn context(json: &RawValue) -> Result<Context, String> {
    Context::parse(json.get()).map_err(|_| "must be an object".to_owned())
}

#[cfg(test)]
mod tests {
    use svc_model::JsonObject;

    use super::*;

    fn parse(body: &str) -> Result<Call, Vec<String>> {
        let body = ReceivedRequest::of_body(serde_json::from_str(body).unwrap());
        Call::parse(body).map_err(|invalid| {
            let fields = invalid.field_errors().iter();
            fields.map(|(name, _)| name.clone()).collect()
        })
    }

    #[test]
    fn everything_but_the_url_may_be_left_out_or_null() {
        for rest in [
            "",
            r#","method":null,"query_params":null,"headers":"","body_type":"","body":null,"secret_tokens":"","context":null,"draft":null"#,
        ] {
            let call = parse(&format!(r#"{{"url":"https://a.example/"{rest}}}"#)).unwrap();
            assert_eq!(call.method, Method::GET);
            assert!(call.headers.is_empty() && call.query_params.is_empty());
            assert!(call.secret_tokens.is_empty() && call.body_type.is_none());
        }
        let Destination {
            project,
            environment,
            ..
        } = destination(&mut ReceivedRequest::of_body(JsonObject::new())).unwrap();
        assert_eq!((project, environment.as_str()), (None, "prod"));
    }

    #[test]
    fn every_field_that_is_wrong_or_unknown_is_named() {
        let wrong = parse(
            r#"{"metod":"GET","method":"CONNECT","url":7,"query_params":7,"headers":[1],"body_type":"XML",
                "secret_tokens":["a"],"context":[],"draft":2}"#,
        );
        let mut wrong = wrong.unwrap_err();
        wrong.sort();
        let fields = "body_type context draft headers method metod query_params secret_tokens url";
        assert_eq!(wrong.join(" "), fields);
        assert_eq!(parse("{}").unwrap_err(), ["url"]);
        for method in ["TRACE", "trace", "connect", "G ET", "G\r\nET"] {
            let body = serde_json::json!({"url": "https://a.example/", "method": method});
            assert_eq!(
                parse(&body.to_string()).unwrap_err(),
                ["method"],
                "{method}"
            );
        }
    }

    #[test]
    fn secret_tokens_are_a_comma_list() {
        let call = parse(r#"{"url":"https://a.example/","secret_tokens":" a, b ,,"}"#).unwrap();
        assert_eq!(call.secret_tokens, ["a", "b"]);
    }
}
