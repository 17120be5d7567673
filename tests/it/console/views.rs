//! Views that are kept, and the columns that somebody wants to see.

use svc_tests::browser::Browser;

use super::{EMAIL, HOME, PASSWORD, Setup, list, signed_in};

#[test]
fn a_view_is_kept_shared_changed_and_deleted() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let list = list("s");
    let new = format!("{list}views/new/?name=bolt&_order_by=-id&_fields=id,name");
    let page = browser.page(&new);
    let at = browser.submit_ok(&new, &page, &[("name", "My <bolts>"), ("shared", "on")]);
    let (_, uid) = at.split_once("_view=").unwrap();
    let (uid, _) = uid.split_once('&').unwrap();
    let page = browser.page(&at);
    assert!(
        page.contains("My &lt;bolts&gt;") && page.contains("record/1/"),
        "{page}"
    );
    assert!(!page.contains("record/2/"), "{page}");
    assert!(browser.page(&list).contains("My &lt;bolts&gt;"));

    // Another browser of the same person sees it, and what was changed is in the address.
    let other = Browser::signed_in(&setup.service, EMAIL, PASSWORD);
    let page = other.page(&format!("{list}?_view={uid}&name=bolt&_fields=id"));
    assert!(
        page.contains(&format!("views/{uid}/?name=bolt&amp;_fields=id")),
        "{page}"
    );

    // A column that a migration removed is named, and the view still opens.
    let gone =
        format!("{list}?_view={uid}&gone__icontains=x&_fields=id,lost&_order_by=away&name=bolt");
    let page = browser.page(&gone);
    for name in ["gone", "lost", "away"] {
        assert!(page.contains(name), "{name}: {page}");
    }
    assert!(
        page.contains("record/1/") && !page.contains("record/2/"),
        "{page}"
    );

    assert!(page.contains("more records may be shown: gone<"), "{page}");

    let twice = browser.page(&format!("{list}?_view={uid}&lost=1&_fields=id,lost"));
    assert!(!twice.contains("lost, lost"), "{twice}");

    let change = format!("{list}views/{uid}/?_order_by=name");
    let page = browser.page(&change);
    let at = browser.submit_ok(&change, &page, &[("name", "Others")]);
    assert!(at.ends_with("&_order_by=name"), "{at}");
    let delete = format!("{list}views/{uid}/delete/");
    let page = browser.page(&delete);
    browser.submit_ok(&delete, &page, &[]);
    assert_eq!(browser.get(&change).status, 404);
}

#[test]
fn chosen_columns_are_there_again_after_signing_in_elsewhere() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let list = list("p");
    let page = browser.page(&format!("{list}?_fields=id,amount"));
    let remember = format!("{list}views/columns/");
    let back = browser.submit_ok(&remember, &page, &[]);
    assert_eq!(back, format!("{list}?_saved=1"));
    let other = Browser::signed_in(&setup.service, EMAIL, PASSWORD);
    let page = other.page(&list);
    assert!(
        page.contains("data-field=\"amount\"") && !page.contains("data-field=\"note\""),
        "{page}"
    );
    // The models of other databases are as before.
    let other_database = format!("{HOME}records/s/parts/");
    assert!(other.page(&other_database).contains("data-field=\"note\""));
    let forgotten = other.submit_ok(&remember, &page, &[]);
    assert!(other.page(&forgotten).contains("data-field=\"note\""));
}
