//! `svc proxy`: a request to another service through the HTTP proxy, through the client.

use clap::Args;
use http::Method;
use serde::Serialize;
use serde_json::Value;
use svc_api::model::proxy::{BodyType, ProxyResponse};
use svc_model::ResourceName;

use crate::{
    client::{NOBODY, SessionDir, Target},
    context::Context,
    failure::Failure,
    input, output,
};

/// Send a request to another service, through the service and with its secrets
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc proxy GET https://api.crm.example/people --resource crm --header 'Authorization: Bearer {-token-}'\n  \
    svc proxy POST https://api.crm.example/people --resource crm --body '{\"name\": \"{{name}}\"}' --context name=Ann\n\n\
    It is sent for the user who is signed in: svc login EMAIL --project P. {-NAME-} stands for a secret token of the \
    resource (svc secret set), {{KEY}} for a value of --context. The body of the answer is written as it came.")]
pub(crate) struct Proxy {
    /// Method
    #[arg(value_parser = method)]
    method: Method,
    /// URL, http or https
    url: String,
    /// The resource whose secrets are used
    #[arg(long, value_name = "R")]
    resource: Option<ResourceName>,
    /// Query parameter; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    query: Vec<(String, String)>,
    /// Header; can be repeated
    #[arg(long, short = 'H', value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,
    /// Body: JSON, or else a text; @FILE reads a file, - standard input
    #[arg(long, value_name = "BODY")]
    body: Option<String>,
    /// How the body is written [default: JSON where it is some, else Raw]
    #[arg(long, value_name = "TYPE", value_parser = body_type)]
    body_type: Option<BodyType>,
    /// What stands for {{KEY}}: JSON, or else a text; can be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    context: Vec<(String, String)>,
    /// Secret that may be used; can be repeated, and without it all of the resource may be
    #[arg(long, value_name = "NAME")]
    secret: Vec<String>,
    /// Write status and headers before the body
    #[arg(long, short = 'i')]
    include: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    session: SessionDir,
}

/// An answer as programs are told of it.
#[derive(Serialize)]
struct Answer<'a> {
    status: u16,
    headers: Vec<[String; 2]>,
    /// Where it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    /// Where it is not: in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_hex: Option<String>,
}

fn method(text: &str) -> Result<Method, &'static str> {
    let wrong = "must be a method such as GET or POST";
    Method::from_bytes(text.to_ascii_uppercase().as_bytes()).map_err(|_| wrong)
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text
        .split_once('=')
        .ok_or("must be NAME=VALUE, such as page=2")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn header(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text
        .split_once(':')
        .ok_or("must be NAME: VALUE, such as 'Accept: text/plain'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn body_type(text: &str) -> Result<BodyType, String> {
    BodyType::named(text).ok_or_else(|| {
        let names = BodyType::ALL.map(BodyType::as_str).join(", ");
        format!("must be one of {names}")
    })
}

/// JSON where it is some, else a text.
fn value(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

impl Proxy {
    /// Sends the request and writes the answer.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = self.session.client(&self.target)?;
        if !client.account().session().is_signed_in() {
            return Err(Failure::usage(NOBODY));
        }
        let mut call = client.proxy().request(self.method, self.url);
        if let Some(resource) = self.resource {
            call = call.resource(resource);
        }
        for (name, value) in self.query {
            call = call.query_param(name, value);
        }
        for (name, value) in self.header {
            call = call.header(name, value);
        }
        for name in self.secret {
            call = call.secret_token(name);
        }
        for (key, text) in self.context {
            call = call.context(key, value(text));
        }
        if let Some(body) = self.body {
            let text = input::read_text(&body)?;
            // Numbers keep their digits: JSON goes as the text that it is.
            let is_json = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            let default = match is_json {
                true => BodyType::Json,
                false => BodyType::Raw,
            };
            let body_type = self.body_type.unwrap_or(default);
            call = call.change(|request| request.body(body_type, text));
        }
        let answer = call.await?;
        match context.output.is_json() {
            true => context.output.result(&to_json(&answer), "")?,
            false => write(&answer, self.include)?,
        }
        match answer.status.is_client_error() || answer.status.is_server_error() {
            true => Err(Failure::new(format!(
                "the other service answered {}",
                answer.status
            ))),
            false => Ok(()),
        }
    }
}

fn headers(answer: &ProxyResponse) -> impl Iterator<Item = [String; 2]> {
    answer.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        [name.to_string(), value.into_owned()]
    })
}

fn to_json(answer: &ProxyResponse) -> Answer<'_> {
    let body = std::str::from_utf8(&answer.body).ok();
    let body_hex = body.is_none().then(|| {
        let digits = answer.body.iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    });
    Answer {
        status: answer.status.as_u16(),
        headers: headers(answer).collect(),
        body,
        body_hex,
    }
}

fn write(answer: &ProxyResponse, include: bool) -> Result<(), Failure> {
    if include {
        let mut head = format!("{}\n", answer.status);
        for [name, value] in headers(answer) {
            head.push_str(&format!("{name}: {value}\n"));
        }
        head.push('\n');
        output::write_out(&head)?;
    }
    output::write_bytes(&answer.body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_where_they_end() {
        assert_eq!(header("A: b:c"), Ok(("A".to_owned(), "b:c".to_owned())));
        assert_eq!(pair("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert!(header("A b").is_err() && pair("a").is_err());
        assert_eq!(method("get"), Ok(Method::GET));
        assert!(method("G ET").is_err());
        assert_eq!(body_type("json"), Ok(BodyType::Json));
        assert!(body_type("XML").is_err());
        assert_eq!(value("7".to_owned()), 7);
        assert_eq!(value("x".to_owned()), "x");
    }
}
