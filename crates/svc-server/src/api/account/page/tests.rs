use super::*;

const PURPOSES: [Purpose; 3] = [
    Purpose::AcceptInvitation,
    Purpose::ResetPassword,
    Purpose::ChangeEmail,
];
const MARKUP: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;";

fn page(purpose: Purpose, language: &'static str) -> Page {
    let mut headers = HeaderMap::new();
    let language = HeaderValue::from_static(language);
    headers.insert(header::ACCEPT_LANGUAGE, language);
    Page {
        purpose,
        texts: Texts::of(&headers),
        up: "../".to_owned(),
        console: None,
    }
}

fn entered(code: &str) -> Form {
    Form {
        code: code.to_owned(),
        first_name: code.to_owned(),
        last_name: code.to_owned(),
        password: code.to_owned(),
    }
}

#[test]
fn a_page_has_nothing_inline_that_its_policy_forbids_in_either_language() {
    for purpose in PURPOSES {
        for language in ["en", "de"] {
            let page = page(purpose, language);
            let form = page.form(&Form::default(), &Wrong::default()).into_string();
            let done = page.done().into_string();
            for html in [form, done] {
                assert!(html.contains(&format!("<html lang=\"{language}\">")));
                assert!(html.contains(purpose.texts(page.texts).title), "{html}");
                assert!(!html.contains("style=") && !html.contains("<style"));
                let is_handler = |rest: &str| {
                    rest.split([' ', '>'])
                        .next()
                        .is_some_and(|it| it.contains('='))
                };
                assert!(!html.split(" on").skip(1).any(is_handler), "{html}");
                assert_eq!(html.matches("<script").count(), 1);
                assert!(html.contains("src=\"../account.js\"></script>"), "{html}");
            }
        }
    }
    assert!(!SCRIPT_FILE.contains("innerHTML") && !SCRIPT_FILE.contains("eval("));
}

#[test]
fn what_was_entered_and_what_the_service_says_is_text_and_never_markup() {
    for purpose in PURPOSES {
        let page = page(purpose, "en");
        let said = serde_json::json!({
            "code": [MARKUP], "first_name": [MARKUP], MARKUP: [MARKUP], "non_field_errors": [MARKUP],
        });
        let wrong = Wrong::of_answer(&page, said.to_string().as_bytes());
        let html = page.form(&entered(MARKUP), &wrong).into_string();
        // Nor is a password sent back.
        assert!(
            !html.contains("type=\"password\"") || html.contains("value=\"\" type=\"password\"")
        );
        assert_eq!(html.matches("<script").count(), 1, "{html}");
        assert!(!html.contains("<img") && !html.contains("\"'>"), "{html}");
    }
}

#[test]
fn messages_are_at_their_fields_and_others_above_the_form() {
    let page = page(Purpose::AcceptInvitation, "en");
    let of = |body: &str| {
        let wrong = Wrong::of_answer(&page, body.as_bytes());
        page.form(&entered("typed"), &wrong).into_string()
    };
    let html = of(r#"{"code": ["is unknown"], "password": ["is weak"], "other": ["is odd"]}"#);
    for part in [
        "<div id=\"code-error\"><p class=\"field-error\">is unknown</p></div>",
        "<div id=\"password-error\"><p class=\"field-error\">is weak</p></div>",
        "<p>other: is odd</p>",
        "aria-invalid=\"true\" aria-describedby=\"code-error\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(html.matches("value=\"typed\"").count(), 3, "{html}");
    assert_eq!(html.matches("aria-invalid").count(), 2, "{html}");
    assert!(of(r#"{"detail": "wait", "error_code": "throttled"}"#).contains("<p>wait</p>"));
    for body in ["", "[]", "{}", "{\"code\": 7}", "<html>"] {
        let wrong = Wrong::of_answer(&page, body.as_bytes());
        assert!(!page.form(&entered(""), &wrong).0.contains("&lt;"));
    }
    assert!(of("").contains(page.texts.no_answer));
}

#[test]
fn each_page_asks_for_what_its_call_needs() {
    let fields = |purpose: Purpose| {
        let page = page(purpose, "en");
        let html = page.form(&Form::default(), &Wrong::default()).into_string();
        let names = html.split(" name=\"").skip(1);
        let names = names.map(|rest| rest.split('"').next().unwrap_or_default().to_owned());
        let action = format!("action=\"../{}/form\"", purpose.name());
        assert!(html.contains(&action), "{html}");
        names
            .filter(|name| purpose.has_field(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        fields(Purpose::AcceptInvitation),
        ["code", "first_name", "last_name", "password"]
    );
    assert_eq!(fields(Purpose::ResetPassword), ["code", "new_password"]);
    assert_eq!(fields(Purpose::ChangeEmail), ["code"]);
}

#[test]
fn links_lead_to_the_folder_of_the_calls_from_every_spelling_of_a_path() {
    for (path, up) in [
        ("/api/account/auth/accept_invitation", ""),
        ("/api/account/auth/accept_invitation/", "../"),
        ("/api/account/auth/accept_invitation/form", "../"),
        ("/projects/form/prod/auth/accept_invitation/form/", "../../"),
        ("/projects/form/form/auth/accept_invitation", ""),
    ] {
        assert_eq!(way_up(path), up, "{path}");
    }
}
