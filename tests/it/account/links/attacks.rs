//! What is sent to the pages that they have not asked for.

use serde_json::json;
use svc_tests::{Call, browser::forms_of};

use super::{ALL, CALLS, CHOSEN, Page, People, check, code_of};
use crate::people::{Home, UNTHROTTLED, home};

#[test]
fn other_sites_cannot_send_a_form() {
    let email = "links-foreign@example.com";
    let link = People::Users.invited(email);
    let url = format!("{}/form", link.split_once('#').unwrap().0);
    let fields = [("code", code_of(&link)), ("password", CHOSEN)];
    let own = home().service().text("/base_url");
    for headers in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site"), ("origin", own)],
        &[("sec-fetch-site", "cross-site"), ("origin", "null")],
        &[("origin", "https://evil.example")],
    ] {
        let call = Call::new("POST", &url).form(&fields);
        let call = headers
            .iter()
            .fold(call, |call, (name, value)| call.header(name, value));
        let answer = call.expect(403);
        check(&answer, "en", "no-store");
        assert!(answer.body.contains("another page sent this form"));
        assert!(!answer.body.contains("svcc_"), "{}", answer.body);
    }
    assert_eq!(People::Users.login(email, CHOSEN).status, 401);
    // The code is good as before, for a page of this host and for a browser that says nothing.
    let answer = Call::new("POST", &url).header("origin", own).form(&fields);
    answer.expect(200);
}

#[test]
fn what_is_no_form_is_refused_with_a_page() {
    for people in ALL {
        for name in CALLS {
            let post = || people.call(home(), "POST", &format!("{name}/form"));
            let json = post().json(&json!({"code": "x"})).expect(415);
            let none = post().body("code=x").expect(415);
            let packed = post().form(&[("code", "x")]);
            let packed = packed.header("content-encoding", "gzip").expect(415);
            let large = post().form(&[("code", &"x".repeat(20_000))]).expect(413);
            let bytes = post().header("content-type", "application/x-www-form-urlencoded");
            let bytes = bytes.body(&b"code=%ff"[..]).expect(400);
            let huge = post().form(&[("code", &"x".repeat(5_000))]).expect(400);
            let empty = post().form(&[]).expect(400);
            for answer in [json, none, packed, large, bytes, huge, empty] {
                check(&answer, "en", "no-store");
                assert_eq!(forms_of(&answer.body).len(), 1, "{}", answer.body);
                let said = ["<div class=\"error\"", "-error\""];
                assert!(
                    said.iter().any(|it| answer.body.contains(it)),
                    "{}",
                    answer.body
                );
            }
            // Fields that belong to no call are left out, and so are parameters that a link has got on its way.
            let more = post().query(&[("utm_source", "mail")]);
            let more = more.form(&[("code", "x"), ("admin", "1")]).expect(400);
            assert!(!more.body.contains("utm") && !more.body.contains("admin"));
        }
    }
}

#[test]
fn every_spelling_of_a_path_has_the_page_and_its_files() {
    let base = home().service().text("/base_url");
    let app = home().service().text("/app_base_url");
    for below in [
        format!("{base}/projects/main/prod/auth"),
        format!("{base}/projects/m%61in/prod/auth"),
        format!("{base}/projects/%3Cscript%3E/%22%3E/auth"),
        format!("{base}/projects/form/form/auth"),
        format!("{app}/account/auth"),
    ] {
        for name in CALLS {
            for end in ["", "/", "/form", "/form/", "?code=%3Cscript%3E", "/form?x"] {
                let page = Page::open(&format!("{below}/{name}{end}"), "en");
                assert_eq!(page.body.matches("<script").count(), 1);
                assert!(!page.body.contains("%3C"), "{}", page.body);
                let action = page.url.join(&page.form().action).unwrap();
                assert_eq!(action.as_str(), format!("{below}/{name}/form"));
                for file in ["account.css", "account.js"] {
                    let at = page.body.find(file).unwrap();
                    let start = page.body[..at].rfind('"').unwrap() + 1;
                    let file = page.url.join(&page.body[start..at + file.len()]).unwrap();
                    Call::new("GET", file.as_str()).expect(200);
                }
                let head = Call::new("HEAD", page.url.as_str()).expect(200);
                assert_eq!(head.body, "");
                let (_, answer) = page.submit(&[("code", "svcc_x")]);
                assert_eq!(answer.status, 400, "{}", answer.body);
            }
        }
    }
    let other = home()
        .call("PUT", "auth/accept_invitation/form")
        .expect(405);
    assert!(other.header("allow").contains("POST"));
    home().call("GET", "auth/login/form").expect(404);
    home()
        .call("GET", "auth/accept_invitation/form/form")
        .expect(404);
}

#[test]
fn forms_count_for_the_address_of_the_browser_as_calls_do() {
    let trusted = "--trusted-proxies=127.0.0.1";
    let home = Home::with(&["--tries-per-address=3", trusted]);
    let form = |home: &Home, from: &str| {
        let call = home.call("POST", "auth/change_email_complete/form");
        let call = call.header("x-forwarded-for", from);
        call.form(&[("code", "svcc_wrong")]).send()
    };
    for _ in 0..3 {
        assert_eq!(form(&home, "203.0.113.1").status, 400);
    }
    let refused = form(&home, "203.0.113.1");
    assert_eq!(refused.status, 429);
    check(&refused, "en", "no-store");
    assert!(refused.body.contains("too many tries; wait "));
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    // The code that was entered is still there, and the call itself has the same limit.
    assert!(refused.body.contains("value=\"svcc_wrong\""));
    let call = home.auth("change_email_complete", &json!({"code": "svcc_wrong"}));
    call.header("x-forwarded-for", "203.0.113.1").expect(429);
    assert_eq!(form(&home, "203.0.113.2").status, 400);

    let limited = ["--address-rate-limit", "1/h:2", trusted];
    let home = Home::with(&[UNTHROTTLED, &limited[..]].concat());
    for _ in 0..2 {
        let answer = form(&home, "203.0.113.1");
        assert_eq!(answer.status, 400);
        assert!(
            answer.header("ratelimit").contains("r="),
            "{:?}",
            answer.headers
        );
    }
    let refused = form(&home, "203.0.113.1");
    assert_eq!(refused.status, 429);
    check(&refused, "en", "no-store");
    assert!(refused.body.contains("too many requests; wait "));
    // Looking at the page is free.
    let page = home.call("GET", "auth/change_email_complete");
    page.header("x-forwarded-for", "203.0.113.1").expect(200);
}

#[test]
fn the_call_itself_takes_json_and_no_form() {
    for name in CALLS {
        let form = home().call("POST", &format!("auth/{name}"));
        let refused = form.form(&[("code", "x")]).expect(415).json();
        assert_eq!(refused["error_code"], "unsupported_media_type");
        let json = home().auth(name, &json!({"code": "x"})).expect(400);
        assert!(json.header("content-type").starts_with("application/json"));
    }
}
