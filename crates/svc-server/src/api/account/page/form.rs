//! The form that a page sends: who has sent it, what is in it, and the call that it asks for.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header, request::Parts};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use svc_model::{Invalid, query::parse_pairs};

use super::{BODY_LIMIT, Purpose};
use crate::{
    Config,
    http::{ApiError, body},
};

const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// What was entered.
#[derive(Default)]
pub(super) struct Form {
    /// The code, or the link that it is in.
    pub(super) code: String,
    pub(super) first_name: String,
    pub(super) last_name: String,
    pub(super) password: String,
}

/// Why there is no form.
pub(super) enum Unread {
    /// A page of another site has sent it.
    Foreign,
    /// It is of another media type.
    NotAForm,
    /// It did not arrive, or is too large.
    Failed(ApiError),
}

impl Form {
    /// Reads the form of a request, which came to this origin.
    pub(super) async fn read(
        parts: &Parts,
        body: Body,
        config: &Config,
        origin: &str,
    ) -> Result<Self, Unread> {
        if is_foreign(&parts.headers, origin) {
            return Err(Unread::Foreign);
        }
        if !is_form(&parts.headers) {
            return Err(Unread::NotAForm);
        }
        let bytes = body::read(&parts.headers, body, config, BODY_LIMIT).await;
        Self::parse(&bytes.map_err(Unread::Failed)?)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Unread> {
        let not_utf8 = || Unread::Failed(Invalid::general("the form is not UTF-8").into());
        let text = std::str::from_utf8(bytes).map_err(|_| not_utf8())?;
        let mut form = Self::default();
        for (name, value) in parse_pairs(text).map_err(|_| not_utf8())? {
            let field = match &*name {
                "code" => &mut form.code,
                "first_name" => &mut form.first_name,
                "last_name" => &mut form.last_name,
                "password" | "new_password" => &mut form.password,
                _ => continue,
            };
            *field = value.into_owned();
        }
        Ok(form)
    }

    /// The body of the call.
    pub(super) fn to_json(&self, purpose: Purpose) -> Bytes {
        let mut body = Map::new();
        let mut add = |name: &str, value: &str| {
            body.insert(name.to_owned(), Value::from(value));
        };
        add("code", &code_in(&self.code));
        if let Some(name) = purpose.password() {
            add(name, &self.password);
        }
        if purpose.has_names() {
            let names = [
                ("first_name", &self.first_name),
                ("last_name", &self.last_name),
            ];
            for (name, value) in names.into_iter().filter(|(_, value)| !value.is_empty()) {
                add(name, value);
            }
        }
        Value::Object(body).to_string().into()
    }
}

/// The code in what was pasted: the code itself, or a link that ends with it.
fn code_in(pasted: &str) -> String {
    // A mail may break a long link into lines.
    let pasted: String = pasted.split_whitespace().collect();
    let code = pasted.rsplit('#').next().unwrap_or_default();
    percent_decode_str(code).decode_utf8_lossy().into_owned()
}

/// Whether a page of another site has sent a request: by `Sec-Fetch-Site`, which browsers send over TLS, else by `Origin`.
/// The pages have no `Referer`, so that browsers call their origin `null`.
fn is_foreign(headers: &HeaderMap, origin: &str) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return !matches!(site.as_bytes(), b"same-origin" | b"none");
    }
    let Some(sender) = headers.get(header::ORIGIN) else {
        return false;
    };
    let sender = sender.to_str().unwrap_or_default();
    let host = headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let own = [host, host_of(origin)];
    match host_of(sender) {
        _ if sender == "null" => false,
        Some(sender) if !sender.is_empty() => !own.contains(&Some(sender)),
        _ => true,
    }
}

/// The host of a URL, with its port.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next()
}

/// Whether the headers say that a form follows, which is not compressed.
fn is_form(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let media_type = text(header::CONTENT_TYPE).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    let encoding = text(header::CONTENT_ENCODING).unwrap_or("identity");
    media_type.eq_ignore_ascii_case(MEDIA_TYPE) && encoding.eq_ignore_ascii_case("identity")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    fn parsed(text: &str) -> Form {
        Form::parse(text.as_bytes()).unwrap_or_else(|_| panic!("{text}"))
    }

    #[test]
    fn a_code_is_found_alone_and_in_its_link() {
        for pasted in [
            "svcc_aB-9",
            "  svcc_aB-9\r\n",
            "#svcc_aB-9",
            "https://a.example/x/auth/accept_invitation#svcc_aB-9",
            "https://a.example/x/auth/accept_\r\n invitation#svcc_aB-\r\n9",
            "https://a.example/#/app#svcc%5FaB-9",
        ] {
            assert_eq!(code_in(pasted), "svcc_aB-9", "{pasted}");
        }
        assert_eq!(code_in(""), "");
        assert_eq!(code_in("%ff%"), "\u{fffd}%");
    }

    #[test]
    fn a_form_becomes_the_body_of_its_call_and_other_fields_are_left_out() {
        let form = parsed("code=a%23b&password=p%22+%26&first_name=%C3%84nn&last_name=&x=1&=&&");
        let of = |purpose: Purpose| {
            let body = form.to_json(purpose);
            serde_json::from_slice::<Value>(&body).unwrap()
        };
        assert_eq!(
            of(Purpose::AcceptInvitation),
            serde_json::json!({"code": "b", "password": "p\" &", "first_name": "Änn"})
        );
        assert_eq!(
            of(Purpose::ResetPassword),
            serde_json::json!({"code": "b", "new_password": "p\" &"})
        );
        assert_eq!(of(Purpose::ChangeEmail), serde_json::json!({"code": "b"}));
        for wrong in [&b"code=%ff"[..], b"code=\xff"] {
            assert!(matches!(Form::parse(wrong), Err(Unread::Failed(_))));
        }
    }

    #[test]
    fn only_pages_of_the_same_host_may_send_a_form() {
        let origin = "https://data.example.com/x";
        for (sent, foreign) in [
            (&[][..], false),
            (&[("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "same-site")], true),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "")], true),
            (
                &[("sec-fetch-site", "cross-site"), ("origin", "null")],
                true,
            ),
            (&[("origin", "null")], false),
            (&[("origin", "https://data.example.com")], false),
            (
                &[("origin", "http://inner:8080"), ("host", "inner:8080")],
                false,
            ),
            (
                &[("origin", "http://inner:8081"), ("host", "inner:8080")],
                true,
            ),
            (&[("origin", "https://evil.example")], true),
            (&[("origin", "https://data.example.com.evil.example")], true),
            (&[("origin", "")], true),
            (&[("origin", ""), ("host", "")], true),
            (&[("origin", "evil")], true),
        ] {
            assert_eq!(is_foreign(&headers(sent), origin), foreign, "{sent:?}");
        }
    }

    #[test]
    fn a_form_has_one_media_type_and_is_not_compressed() {
        let is = |sent: &[(&'static str, &'static str)]| is_form(&headers(sent));
        assert!(is(&[("content-type", "application/x-www-form-urlencoded")]));
        assert!(is(&[(
            "content-type",
            "Application/X-WWW-Form-Urlencoded; charset=utf-8"
        )]));
        assert!(!is(&[]));
        for other in ["application/json", "text/plain", "multipart/form-data", ""] {
            assert!(!is(&[("content-type", other)]), "{other}");
        }
        assert!(!is(&[
            ("content-type", "application/x-www-form-urlencoded"),
            ("content-encoding", "gzip")
        ]));
    }
}
