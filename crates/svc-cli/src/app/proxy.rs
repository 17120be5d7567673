//! `svc proxy`: a request to another service through the HTTP proxy, through the client.

use clap::Args;
use http::Method;
use svc_api::model::proxy::{BodyType, NameValue, ProxyResponse};
use svc_model::ResourceName;

use crate::{
    client::{NOBODY, SessionDir, Target},
    context::Context,
    error::Error,
    input::{self, json_or_text},
    output::{self, Output, row},
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

fn method(text: &str) -> Result<Method, &'static str> {
    let wrong = "must be a method such as GET or POST";
    Method::from_bytes(text.to_ascii_uppercase().as_bytes()).map_err(|_| wrong)
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    input::split_at(text, '=', "must be NAME=VALUE, such as page=2")
}

fn header(text: &str) -> Result<(String, String), &'static str> {
    let wrong = "must be NAME: VALUE, such as 'Accept: text/plain'";
    let (name, value) = input::split_at(text, ':', wrong)?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn body_type(text: &str) -> Result<BodyType, String> {
    BodyType::named(text).ok_or_else(|| {
        let names = BodyType::ALL.map(BodyType::as_str).join(", ");
        format!("must be one of {names}")
    })
}

impl Proxy {
    /// Sends the request and writes the answer.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let client = self.session.client(&self.target)?;
        if !client.account().session().is_signed_in() {
            return Err(Error::usage(NOBODY));
        }
        let named = |(name, value)| NameValue::new(name, value);
        let context_values = self.context.into_iter();
        let call = client.proxy().request(self.method, self.url);
        let mut call = call.change(|mut request| {
            request.resource = self.resource;
            request.query_params = self.query.into_iter().map(named).collect();
            request.headers = self.header.into_iter().map(named).collect();
            request.secret_tokens = self.secret;
            request.context = context_values
                .map(|(key, text)| (key, json_or_text(text)))
                .collect();
            request
        });
        if let Some(body) = self.body {
            let text = input::read_text(&body)?;
            // Numbers keep their digits: JSON goes as the text that it is.
            let is_json = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            let body_type = self.body_type.unwrap_or(match is_json {
                true => BodyType::Json,
                false => BodyType::Raw,
            });
            call = call.change(|request| request.body(body_type, text));
        }
        let answer = call.await?;
        match context.output.is_json() {
            true => write_json(&answer, &context.output)?,
            false => write(&answer, self.include)?,
        }
        let status = answer.status;
        match status.is_client_error() || status.is_server_error() {
            true => Err(Error::new(format!("the other service answered {status}"))),
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

/// Writes the answer for programs: the body as text, or else in hexadecimal digits.
fn write_json(answer: &ProxyResponse, output: &Output) -> Result<(), Error> {
    let status = answer.status.as_u16();
    let headers: Vec<_> = headers(answer).collect();
    match std::str::from_utf8(&answer.body) {
        Ok(body) => output.result(&row! { status: status, headers: headers, body: body }, ""),
        Err(_) => {
            let digits = answer.body.iter().map(|byte| format!("{byte:02x}"));
            let body_hex: String = digits.collect();
            output.result(
                &row! { status: status, headers: headers, body_hex: body_hex },
                "",
            )
        }
    }
}

fn write(answer: &ProxyResponse, include: bool) -> Result<(), Error> {
    if include {
        let lines = headers(answer).map(|[name, value]| format!("{name}: {value}\n"));
        let lines: String = lines.collect();
        output::write_out(&format!("{}\n{lines}\n", answer.status))?;
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
        assert_eq!(json_or_text("7".to_owned()), 7);
        assert_eq!(json_or_text("x".to_owned()), "x");
    }
}
