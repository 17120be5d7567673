//! What people do on the pages.

use super::{ALL, CHOSEN, Page, People, code_of};
use crate::people::{PASSWORD, home};

#[test]
fn an_invitation_is_accepted_by_a_form_alone() {
    for people in ALL {
        let email = format!("links-invited-{people:?}@example.com");
        let link = people.invited(&email);
        let page = Page::open(&link, "en");
        page.has(&["Accept your invitation", "First name", "Paste the link"]);
        let entered = [
            ("code", code_of(&link)),
            ("first_name", "Ann & <b>"),
            ("password", CHOSEN),
        ];
        let done = page.done(&entered);
        assert!(done.contains("You can sign in now."), "{done}");
        // Who has an account of the service goes on to the console, others to an application of their own.
        let console = "<a href=\"../../../../console/\">";
        assert_eq!(done.contains(console), people == People::Accounts, "{done}");
        let signed_in = people.login(&email, CHOSEN);
        let token = signed_in.json()["token"]["access_token"].clone();
        let user = people.call(home(), "GET", "user/");
        let user = user.authorization(&format!("JWT {}", token.as_str().unwrap()));
        let user = user.ok();
        assert_eq!(user["first_name"], "Ann & <b>");
        assert_eq!(user["last_name"].as_str().unwrap_or_default(), "");
    }
}

#[test]
fn a_password_is_chosen_again_with_the_whole_link_pasted_in_german_too() {
    for people in ALL {
        let email = format!("links-forgotten-{people:?}@example.com");
        let link = people.forgotten(&email);
        let page = Page::open(&link, "de");
        page.has(&["Neues Passwort wählen", "Fügen Sie den Link"]);
        let done = page.done(&[("code", &format!(" {link} ")), ("new_password", CHOSEN)]);
        assert!(done.contains("Ihr Passwort ist geändert."), "{done}");
        let console = "Zur Konsole";
        assert_eq!(done.contains(console), people == People::Accounts, "{done}");
        assert_eq!(people.login(&email, PASSWORD).status, 401);
        assert_eq!(people.login(&email, CHOSEN).status, 200);
    }
}

#[test]
fn an_address_is_confirmed_by_a_form_alone() {
    for people in ALL {
        let [from, to] = ["from", "to"].map(|end| format!("links-{end}-{people:?}@example.com"));
        let link = people.moving(&from, &to);
        let page = Page::open(&link, "de");
        assert_eq!(page.form().fields.len(), 1);
        let done = page.done(&[("code", code_of(&link))]);
        assert!(done.contains("Ihre E-Mail-Adresse ist bestätigt."));
        assert_eq!(people.login(&to, PASSWORD).status, 200);
    }
}

#[test]
fn a_form_that_is_refused_says_why_and_keeps_all_but_the_password() {
    for people in ALL {
        let email = format!("links-refused-{people:?}@example.com");
        let link = people.invited(&email);
        let markup = "\"><script>alert(1)</script>";
        let entered = [
            ("code", markup),
            ("first_name", "Ann"),
            ("last_name", "Lee <i>"),
            ("password", CHOSEN),
        ];
        let page = Page::open(&link, "de").refused(&entered);
        page.has(&["id=\"code-error\"", "is unknown, was used before"]);
        let fields = |page: &Page| {
            let fields = page.form().fields.into_iter();
            fields.map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(fields(&page), [markup, "Ann", "Lee <i>", ""]);
        assert_eq!(page.body.matches("<script").count(), 1);

        // The form of the page that follows is sent in turn.
        let page = page.refused(&[("code", code_of(&link)), ("password", "password")]);
        page.has(&["id=\"password-error\""]);
        assert_eq!(fields(&page), [code_of(&link), "Ann", "Lee <i>", ""]);
        let page = page.refused(&[("first_name", &"x".repeat(2000)), ("password", CHOSEN)]);
        page.has(&["id=\"first_name-error\""]);
        page.done(&[("first_name", "Ann"), ("password", CHOSEN)]);
        assert_eq!(people.login(&email, CHOSEN).status, 200);
        let used = Page::open(&link, "en");
        let used = used.refused(&[("code", &link), ("password", "another long one")]);
        used.has(&["is unknown, was used before"]);
        assert_eq!(people.login(&email, CHOSEN).status, 200);
    }
}
