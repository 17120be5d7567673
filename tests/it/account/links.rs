//! The pages that links in mails lead to: their forms do all without a script.

mod attacks;
mod flows;

use reqwest::Url;
use serde_json::json;
use svc_tests::{
    Answer, Call, Program,
    browser::{Form, faults_of, forms_of},
};

use crate::people::{Home, PASSWORD, home};

const CHOSEN: &str = "a chosen password";
const CALLS: [&str; 3] = [
    "accept_invitation",
    "reset_password_complete",
    "change_email_complete",
];

/// Whose people.
#[derive(Clone, Copy, Debug, PartialEq)]
enum People {
    /// Users of a project.
    Users,
    /// Accounts of the service.
    Accounts,
}

const ALL: [People; 2] = [People::Users, People::Accounts];

impl People {
    fn call(self, home: &Home, method: &str, path: &str) -> Call {
        match self {
            Self::Users => home.call(method, &format!("auth/{path}")),
            Self::Accounts => {
                let path = format!("/account/auth/{path}");
                home.service().app_anonymous(method, &path)
            }
        }
    }

    /// Adds somebody, with a password or by an invitation.
    fn add(self, email: &str, password: Option<&str>) {
        let (run, kind) = match self {
            Self::Users => (&["--team=Editor", "--project=main"][..], "user"),
            Self::Accounts => (&[][..], "account"),
        };
        let mut arguments = vec![kind, "add", email, "--json"];
        arguments.extend(run);
        if password.is_some() {
            arguments.push("--password-stdin");
        }
        let program = Program::new(home().path(), &arguments);
        program.input(password.unwrap_or_default()).run_json();
    }

    fn login(self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.call(home(), "POST", "login/").json(&body).send()
    }

    /// The link of an invitation.
    fn invited(self, email: &str) -> String {
        self.add(email, None);
        link(email)
    }

    /// The link for another password.
    fn forgotten(self, email: &str) -> String {
        self.add(email, Some(PASSWORD));
        let body = json!({ "email": email });
        self.call(home(), "POST", "reset_password/")
            .json(&body)
            .expect(200);
        link(email)
    }

    /// The link that confirms another address.
    fn moving(self, email: &str, to: &str) -> String {
        self.add(email, Some(PASSWORD));
        let session = self.login(email, PASSWORD).json();
        let token = session["token"]["access_token"].as_str().unwrap();
        let body = json!({ "new_email": to, "current_password": PASSWORD });
        self.call(home(), "POST", "change_email/")
            .authorization(&format!("JWT {token}"))
            .json(&body)
            .expect(200);
        link(to)
    }
}

/// The link of the newest mail to an address.
fn link(to: &str) -> String {
    let mails = home().mails(to);
    let link = mails.iter().rev().find_map(|mail| mail["link"].as_str());
    link.unwrap_or_else(|| panic!("no link for {to}: {mails:?}"))
        .to_owned()
}

fn code_of(link: &str) -> &str {
    link.split_once('#').unwrap().1
}

/// A page as a browser without scripts has it.
struct Page {
    url: Url,
    body: String,
    language: &'static str,
}

impl Page {
    /// Opens a link: what follows `#` stays with the browser.
    fn open(link: &str, language: &'static str) -> Self {
        let (url, _) = link.split_once('#').unwrap_or((link, ""));
        let answer = Call::new("GET", url).header("accept-language", language);
        let answer = answer.expect(200);
        check(&answer, language, "no-cache");
        Self {
            url: url.parse().unwrap(),
            body: answer.body,
            language,
        }
    }

    fn form(&self) -> Form {
        let mut forms = forms_of(&self.body);
        assert_eq!(forms.len(), 1, "{}", self.body);
        forms.remove(0)
    }

    /// Sends the form as it is, with these fields entered.
    fn submit(&self, entered: &[(&str, &str)]) -> (Self, Answer) {
        let Form {
            action, mut fields, ..
        } = self.form();
        for (name, value) in entered {
            let field = fields.iter_mut().find(|(known, _)| known == name);
            let (_, field) = field.unwrap_or_else(|| panic!("no field {name}: {}", self.body));
            (*value).clone_into(field);
        }
        let fields: Vec<_> = fields.iter().map(|(name, it)| (&**name, &**it)).collect();
        let url = self.url.join(&action).unwrap();
        let answer = Call::new("POST", url.as_str())
            .header("accept-language", self.language)
            .header("sec-fetch-site", "same-origin")
            .header("origin", "null")
            .form(&fields)
            .send();
        check(&answer, self.language, "no-store");
        let next = Self {
            url,
            body: answer.body.clone(),
            language: self.language,
        };
        (next, answer)
    }

    #[track_caller]
    fn done(&self, entered: &[(&str, &str)]) -> String {
        let (page, answer) = self.submit(entered);
        assert_eq!(answer.status, 200, "{}", page.body);
        assert!(forms_of(&page.body).is_empty(), "{}", page.body);
        page.body
    }

    #[track_caller]
    fn refused(&self, entered: &[(&str, &str)]) -> Self {
        let (page, answer) = self.submit(entered);
        assert_eq!(answer.status, 400, "{}", page.body);
        page
    }

    #[track_caller]
    fn has(&self, texts: &[&str]) {
        for text in texts {
            assert!(self.body.contains(text), "{text}: {}", self.body);
        }
    }
}

/// What every page has, whatever it says.
#[track_caller]
fn check(answer: &Answer, language: &str, kept: &str) {
    assert!(answer.header("content-type").starts_with("text/html"));
    assert_eq!(answer.header("cache-control"), kept);
    assert_eq!(answer.header("vary"), "accept-language");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
    assert!(policy.contains("form-action 'self'"), "{policy}");
    let html = format!("<html lang=\"{language}\">");
    assert!(answer.body.contains(&html), "{}", answer.body);
    assert_eq!(faults_of(&answer.body), Vec::<String>::new());
    assert_eq!(answer.header("set-cookie"), "");
}
