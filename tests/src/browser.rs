//! A browser without scripts, for the pages of the console.

use html5ever::{ParseOpts, parse_document, tendril::TendrilSink, tree_builder::TreeBuilderOpts};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::{Answer, Call, Service};

/// The fields of a form with their values, in their order.
pub type Fields = Vec<(String, String)>;

/// A browser that keeps one cookie.
#[derive(Debug)]
pub struct Browser {
    origin: String,
    /// The cookie of a session; empty without one.
    pub cookie: String,
}

/// A form of a page, with what a browser would send of it.
#[derive(Clone, Debug)]
pub struct Form {
    /// Where it is sent to.
    pub action: String,
    /// Where its buttons send it to instead.
    pub elsewhere: Vec<String>,
    /// Its fields; of buttons none.
    pub fields: Fields,
}

impl Browser {
    /// A browser in which nobody is signed in.
    pub fn new(service: &Service) -> Self {
        let app = service.text("/app_base_url");
        Self::at(app.strip_suffix("/api").unwrap())
    }

    /// The same for a service of which only the origin is known.
    pub fn at(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            cookie: String::new(),
        }
    }

    /// Scheme, host and port of the console.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// A browser in which somebody has signed in.
    pub fn signed_in(service: &Service, email: &str, password: &str) -> Self {
        let mut browser = Self::new(service);
        let answer = browser.post(
            "/console/sign-in/",
            &[("email", email), ("password", password), ("next", "")],
        );
        assert_eq!(answer.status, 303, "{}", answer.body);
        browser.keep(&answer);
        browser
    }

    /// Keeps the cookie that an answer sets.
    pub fn keep(&mut self, answer: &Answer) {
        let set = answer.header("set-cookie");
        assert!(
            set.contains("HttpOnly") && set.contains("SameSite=Lax"),
            "{set}"
        );
        self.cookie = set.split(';').next().unwrap().to_owned();
    }

    /// A request with the cookie.
    pub fn call(&self, method: &str, path: &str) -> Call {
        let call = Call::new(method, &format!("{}{path}", self.origin));
        call.header("cookie", &self.cookie)
    }

    /// Whatever is at a path to which a page of the console leads.
    pub fn get(&self, path: &str) -> Answer {
        self.follow(path).send()
    }

    fn follow(&self, path: &str) -> Call {
        self.call("GET", path)
            .header("sec-fetch-site", "same-origin")
    }

    /// A page that must be there, and be without a fault in its HTML.
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(
            answer
                .header("content-security-policy")
                .contains("default-src 'none'")
        );
        assert!(["private, no-cache", "no-store"].contains(&answer.header("cache-control")));
        assert_eq!(faults_of(&answer.body), Vec::<String>::new(), "{path}");
        answer.body
    }

    /// A part of a page, as a script asks for it.
    pub fn fragment(&self, path: &str, name: &str) -> String {
        let call = self.follow(path).header("svc-fragment", name);
        call.expect(200).body
    }

    /// Sends a form.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.post_from(path, fields, &self.origin)
    }

    /// Sends a form from a page of this origin.
    pub fn post_from(&self, path: &str, fields: &[(&str, &str)], origin: &str) -> Answer {
        self.call("POST", path)
            .header("origin", origin)
            .form(fields)
            .send()
    }

    /// Sends the form of a page that goes to this address, with some fields changed. A button is a field too.
    pub fn submit(&self, action: &str, page: &str, changed: &[(&str, &str)]) -> Answer {
        let fields = filled(page, action, changed);
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        self.post(action, &fields)
    }

    /// Sends the form of a page with a file in it, with some fields changed.
    pub fn upload(
        &self,
        action: &str,
        page: &str,
        changed: &[(&str, &str)],
        file: &[u8],
    ) -> Answer {
        let fields = filled(page, action, changed);
        let mut body = Vec::new();
        for (name, value) in &fields {
            let part = format!(
                "--svc-tests\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
            body.extend(part.into_bytes());
        }
        let head = "--svc-tests\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\
                    Content-Type: application/octet-stream\r\n\r\n";
        body.extend(head.as_bytes());
        body.extend(file);
        body.extend(b"\r\n--svc-tests--\r\n");
        self.call("POST", action)
            .header("content-type", "multipart/form-data; boundary=svc-tests")
            .header("origin", &self.origin)
            .body(body)
            .send()
    }

    /// The same where it must lead on: gives the address that it leads to.
    pub fn submit_ok(&self, action: &str, page: &str, changed: &[(&str, &str)]) -> String {
        let answer = self.submit(action, page, changed);
        assert_eq!(answer.status, 303, "{action}: {}", answer.body);
        answer.header("location").to_owned()
    }
}

/// The fields of the form of a page with some changed, as a browser sends them: each line ends with CR and LF.
#[track_caller]
fn filled(page: &str, action: &str, changed: &[(&str, &str)]) -> Fields {
    let mut fields = form_of(page, action).fields;
    for (name, value) in changed {
        fields.retain(|(known, _)| known != name);
        fields.push(((*name).to_owned(), (*value).to_owned()));
    }
    for (_, value) in &mut fields {
        let lines = value.replace("\r\n", "\n").replace('\r', "\n");
        *value = lines.replace('\n', "\r\n");
    }
    fields
}

/// The form of a page that goes to this address, by itself or by one of its buttons.
#[track_caller]
pub fn form_of(page: &str, action: &str) -> Form {
    let forms = forms_of(page);
    let actions: Vec<String> = forms.iter().map(|form| form.action.clone()).collect();
    let goes = |form: &Form| form.action == action || form.elsewhere.iter().any(|it| it == action);
    let found = forms.into_iter().find(goes);
    found.unwrap_or_else(|| panic!("no form goes to {action}, but to {actions:?}: {page}"))
}

/// The forms of a page that are sent by POST.
pub fn forms_of(page: &str) -> Vec<Form> {
    let dom = parsed(page);
    let mut forms = Vec::new();
    each(&dom.document, &mut |node| {
        if name_of(node) == "form" && attribute(node, "method").as_deref() == Some("post") {
            let (mut fields, mut elsewhere) = (Fields::new(), Vec::new());
            each(node, &mut |field| {
                fields.extend(field_of(field));
                elsewhere.extend(attribute(field, "formaction"));
            });
            let action = attribute(node, "action").unwrap_or_default();
            forms.push(Form {
                action,
                elsewhere,
                fields,
            });
        }
    });
    forms
}

/// The address of the only link of a page with this text.
pub fn link_of(page: &str, text: &str) -> String {
    only_link(page, text, |link| text_of(link).trim() == text)
}

/// The same of the only link with this attribute.
pub fn link_with(page: &str, name: &str, value: &str) -> String {
    only_link(page, value, |link| {
        attribute(link, name).as_deref() == Some(value)
    })
}

/// The addresses of all links of a page.
pub fn links_of(page: &str) -> Vec<String> {
    links(page, |_| true)
}

fn links(page: &str, is_wanted: impl Fn(&Handle) -> bool) -> Vec<String> {
    let dom = parsed(page);
    let mut found = Vec::new();
    each(&dom.document, &mut |node| {
        if name_of(node) == "a" && is_wanted(node) {
            found.extend(attribute(node, "href"));
        }
    });
    found
}

fn only_link(page: &str, what: &str, is_wanted: impl Fn(&Handle) -> bool) -> String {
    let mut found = links(page, is_wanted);
    assert_eq!(found.len(), 1, "{what}: {found:?}: {page}");
    found.remove(0)
}

/// What a browser sends of an element.
fn field_of(node: &Handle) -> Option<(String, String)> {
    let name = attribute(node, "name").filter(|_| attribute(node, "disabled").is_none())?;
    let value = || attribute(node, "value");
    match &*name_of(node) {
        "input" => match attribute(node, "type").as_deref() {
            Some("radio" | "checkbox") if attribute(node, "checked").is_none() => None,
            Some("radio" | "checkbox") => Some((name, value().unwrap_or_else(|| "on".into()))),
            Some("submit" | "file") => None,
            _ => Some((name, value().unwrap_or_default())),
        },
        // As browsers do: line breaks become CRLF.
        "textarea" => Some((name, text_of(node).replace('\n', "\r\n"))),
        "select" => {
            let mut options = Vec::new();
            each(node, &mut |option| {
                if name_of(option) == "option" {
                    let value = attribute(option, "value").unwrap_or_else(|| text_of(option));
                    options.push((attribute(option, "selected").is_some(), value));
                }
            });
            let selected = options.iter().position(|(is_selected, _)| *is_selected);
            let chosen = options.into_iter().nth(selected.unwrap_or(0));
            chosen.map(|(_, value)| (name, value))
        }
        _ => None,
    }
}

/// What is wrong with the HTML of a page.
pub fn faults_of(page: &str) -> Vec<String> {
    let dom = parsed(page);
    let mut faults: Vec<String> = dom
        .errors
        .borrow()
        .iter()
        .map(|fault| fault.to_string())
        .collect();
    let mut ids = Vec::new();
    each(&dom.document, &mut |node| {
        if let Some(id) = attribute(node, "id") {
            if ids.contains(&id) {
                faults.push(format!("two elements have the id {id}"));
            }
            ids.push(id);
        }
        for forbidden in ["style", "onclick", "onload", "onerror"] {
            if attribute(node, forbidden).is_some() {
                faults.push(format!("an element has the attribute {forbidden}"));
            }
        }
    });
    faults
}

fn parsed(page: &str) -> RcDom {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    parse_document(RcDom::default(), options).one(page)
}

fn each(node: &Handle, take: &mut dyn FnMut(&Handle)) {
    for child in node.children.borrow().iter() {
        take(child);
        each(child, take);
    }
}

fn name_of(node: &Handle) -> String {
    match &node.data {
        NodeData::Element { name, .. } => name.local.to_string(),
        _ => String::new(),
    }
}

fn attribute(node: &Handle, wanted: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return None;
    };
    let attributes = attrs.borrow();
    let found = attributes.iter().find(|it| &*it.name.local == wanted);
    found.map(|it| it.value.to_string())
}

fn text_of(node: &Handle) -> String {
    let mut text = String::new();
    each(node, &mut |child| {
        if let NodeData::Text { contents } = &child.data {
            text.push_str(&contents.borrow());
        }
    });
    text
}
