//! What a caller asks the proxy for: the fields of the body.

use http::Method;
use serde_json::value::RawValue;
use svc_model::{EnvironmentName, Invalid, JsonObject, ProjectName, ResourceName, proxy::BodyType};

use super::{
    pairs::{self, Pairs},
    template::{Context, shown},
};

/// The fields there are.
const KNOWN: &str = "project, environment, resource, method, url, query_params, headers, body_type, body, \
     secret_tokens, context, draft";
/// The longest URL, before names are replaced.
const MAX_URL: usize = 16 * 1024;

/// Where the request belongs: what is looked at first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
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
pub(super) fn place(body: &mut JsonObject) -> Result<Place, Invalid> {
    let mut fields = Fields::of(body);
    let place = Place {
        project: fields.text("project").map(ProjectName::from),
        environment: fields
            .text("environment")
            .map_or_else(EnvironmentName::default, EnvironmentName::from),
        resource: fields.text("resource").map(ResourceName::from),
    };
    fields.invalid.into_result()?;
    Ok(place)
}

impl Call {
    /// Reads what is left of a body.
    pub(super) fn parse(body: &mut JsonObject) -> Result<Self, Invalid> {
        let mut fields = Fields::of(body);
        let call = Self {
            method: fields.method(),
            url: fields.url(),
            query_params: fields.pairs("query_params"),
            headers: fields.pairs("headers"),
            body_type: fields.body_type(),
            body: fields.body.remove("body"),
            secret_tokens: fields.secret_tokens(),
            context: fields.context(),
        };
        fields.draft();
        let Fields {
            body, mut invalid, ..
        } = fields;
        for (name, _) in body.iter() {
            invalid.push_field(
                shown(name),
                format!("this field cannot be given here; known are: {KNOWN}"),
            );
        }
        invalid.into_result()?;
        Ok(call)
    }
}

struct Fields<'b> {
    body: &'b mut JsonObject,
    invalid: Invalid,
}

impl<'b> Fields<'b> {
    fn of(body: &'b mut JsonObject) -> Self {
        Self {
            body,
            invalid: Invalid::new(),
        }
    }

    /// The JSON of a field, unless it is null.
    fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        self.body.remove(name).filter(|json| json.get() != "null")
    }

    /// A text, unless it is empty.
    fn text(&mut self, name: &str) -> Option<String> {
        let json = self.take(name)?;
        match serde_json::from_str::<String>(json.get()) {
            Ok(text) => Some(text).filter(|text| !text.is_empty()),
            Err(_) => {
                self.invalid.push_field(name, "must be text");
                None
            }
        }
    }

    fn method(&mut self) -> Method {
        let Some(text) = self.text("method") else {
            return Method::GET;
        };
        match Method::from_bytes(text.to_ascii_uppercase().as_bytes()) {
            // The first makes a tunnel, the second gives secrets back.
            Ok(method) if method != Method::CONNECT && method != Method::TRACE => method,
            _ => {
                self.invalid
                    .push_field("method", "must be a method such as GET or POST");
                Method::GET
            }
        }
    }

    fn url(&mut self) -> String {
        let is_wrong = !self.invalid.is_empty();
        let url = self.text("url").unwrap_or_default();
        if url.is_empty() && !is_wrong {
            self.invalid.push_field("url", "this field is required");
        }
        if url.len() > MAX_URL {
            self.invalid
                .push_field("url", format!("must be at most {MAX_URL} bytes"));
        }
        url
    }

    fn pairs(&mut self, name: &str) -> Pairs {
        let Some(json) = self.take(name) else {
            return Vec::new();
        };
        pairs::parse(json.get()).unwrap_or_else(|message| {
            self.invalid.push_field(name, message);
            Vec::new()
        })
    }

    fn body_type(&mut self) -> Option<BodyType> {
        let name = self.text("body_type")?;
        let known = BodyType::named(&name);
        if known.is_none() {
            let names = BodyType::ALL.map(BodyType::as_str).join(", ");
            self.invalid
                .push_field("body_type", format!("must be one of {names}"));
        }
        known
    }

    fn secret_tokens(&mut self) -> Vec<String> {
        let list = self.text("secret_tokens").unwrap_or_default();
        let names = list
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    fn context(&mut self) -> Context {
        let Some(json) = self.take("context") else {
            return Context::default();
        };
        Context::parse(json.get()).unwrap_or_else(|_| {
            self.invalid.push_field("context", "must be an object");
            Context::default()
        })
    }

    /// Nothing depends on it.
    fn draft(&mut self) {
        if let Some(json) = self.take("draft")
            && !matches!(
                json.get(),
                "true" | "false" | "0" | "1" | r#""0""# | r#""1""#
            )
        {
            self.invalid.push_field("draft", "must be 0 or 1");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<Call, Vec<String>> {
        let mut body: JsonObject = serde_json::from_str(body).unwrap();
        Call::parse(&mut body).map_err(|invalid| {
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
        let mut body: JsonObject = serde_json::from_str("{}").unwrap();
        let place = place(&mut body).unwrap();
        assert_eq!((place.project, place.environment.as_str()), (None, "prod"));
    }

    #[test]
    fn every_field_that_is_wrong_or_unknown_is_named() {
        let wrong = parse(
            r#"{"metod":"GET","method":"CONNECT","url":7,"query_params":7,"headers":[1],"body_type":"XML",
                "secret_tokens":["a"],"context":[],"draft":2}"#,
        );
        let mut wrong = wrong.unwrap_err();
        wrong.sort();
        assert_eq!(
            wrong,
            [
                "body_type",
                "context",
                "draft",
                "headers",
                "method",
                "metod",
                "query_params",
                "secret_tokens",
                "url"
            ]
        );
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
