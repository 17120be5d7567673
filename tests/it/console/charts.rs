//! Charts of models and of queries, and the dashboard.

use svc_tests::{
    Answer,
    browser::{Browser, form_of, forms_of},
    wait_until,
};

use super::{ENGINES, HOME, PASSWORD, Setup, list, signed_in};

fn chart(engine: &str, query: &str) -> String {
    format!("{HOME}charts/model/{engine}/parts/?{query}")
}

#[test]
fn a_model_is_counted_and_added_up_exactly_and_drawn_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let records = browser.page(&format!("{}?amount__gt=1", list(engine)));
        let place = format!("{HOME}charts/model/{engine}/parts/?amount__gt=1");
        assert!(records.contains(&place), "{engine}: {records}");
        let count = browser.page(&place);
        assert!(count.contains("<data value=\"1\""), "{engine}: {count}");
        assert!(count.contains("One filter holds."), "{count}");
        let sum = browser.page(&chart(engine, "_y_func=sum&_y_column=price"));
        assert!(
            sum.contains("<data value=\"12345678901234.5000\""),
            "{engine}: {sum}"
        );
        for shape in ["bar", "line", "pie"] {
            let query = format!("_y_func=sum&_y_column=amount&_x_column=name&_shape={shape}");
            let page = browser.page(&chart(engine, &query));
            for shown in [
                "role=\"img\"",
                "<title>",
                "9007199254740993",
                "bolt",
                ">empty<",
            ] {
                assert!(page.contains(shown), "{engine} {shape} {shown}: {page}");
            }
            // A label leads to its records.
            assert!(page.contains("parts/?name=bolt"), "{engine}: {page}");
        }
        let wrong = browser.page(&chart(engine, "_y_func=sum&_y_column=name&_x_column=id"));
        assert!(wrong.contains("role=\"alert\""), "{wrong}");
        let wrong = browser.page(&chart(engine, "_y_func=sum"));
        assert!(wrong.contains("Choose a field"), "{wrong}");
        let wrong = browser.page(&chart(engine, "nothing=1"));
        assert!(
            wrong.contains("role=\"alert\"") && wrong.contains("nothing"),
            "{wrong}"
        );
    }
}

/// A service over a table with points in time in each engine.
fn visits() -> Setup {
    let script = "CREATE TABLE visits (id INTEGER PRIMARY KEY, at TIMESTAMP NULL, price NUMERIC(20,4));\
        INSERT INTO visits VALUES (1, '2025-11-30 23:59:59', 0.1000), (2, '2026-02-01 00:00:00', 0.2000), \
        (3, '2026-02-28 12:00:00', 0.3000), (4, NULL, 7);";
    Setup::over(script, script, script)
}

#[test]
fn months_without_records_are_there_and_each_leads_to_its_records_on_every_engine() {
    let setup = visits();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let query = "_y_func=sum&_y_column=price&_x_column=at&_x_lookup=date_month&_shape=line";
        let place = format!("{HOME}charts/model/{engine}/visits/?{query}");
        let page = browser.page(&place);
        for shown in [
            "2025-11: 0.1000",
            "2025-12: 0",
            "2026-01: 0",
            "2026-02: 0.5000",
            "NULL: 7.0000",
        ] {
            assert!(page.contains(shown), "{engine} {shown}: {page}");
        }
        // A label leads to exactly its records.
        let (_, link) = page.split_once("visits/?at__gte=2026-02-01").unwrap();
        let link = format!("at__gte=2026-02-01{}", link.split_once('"').unwrap().0);
        let link = link.replace("&amp;", "&");
        let records = browser.page(&format!("{HOME}records/{engine}/visits/?{link}"));
        for (id, is_there) in [(1, false), (2, true), (3, true), (4, false)] {
            let record = format!("record/{id}/");
            assert_eq!(
                records.contains(&record),
                is_there,
                "{engine} {id}: {records}"
            );
        }
    }
}

#[test]
fn the_rows_of_a_query_are_drawn_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let query = "SELECT '2026-01-31' AS day, 3 AS n UNION ALL SELECT '2026-03-01', 4.5";
        let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let sql = format!("{HOME}charts/sql/{engine}/?query={query}");
        let page = browser.page(&sql);
        assert!(page.contains("2026-03-01: 4.5"), "{engine}: {page}");
        let pie = browser.page(&format!("{sql}&_shape=pie"));
        assert!(pie.contains("60.0 %"), "{engine}: {pie}");
        // What was saved has the text itself.
        let place = format!("{HOME}charts/sql/{engine}/");
        let mut forms = forms_of(&pie).into_iter();
        let form = forms.find(|form| form.action.starts_with(&place)).unwrap();
        let names = [("item_name", "Days"), ("action", "save-new")];
        let saved = browser.submit_ok(&form.action, &pie, &names);
        let page = browser.page(&saved);
        assert!(
            page.contains("60.0 %") && page.contains("Days"),
            "{engine}: {page}"
        );
    }
}

#[test]
fn a_query_of_somebody_else_is_drawn_only_when_who_looks_says_so() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = format!("{HOME}charts/sql/s/");
    let page = browser.page(&format!("{place}?query=SELECT%20name,%20id%20FROM%20parts"));
    let mut forms = forms_of(&page).into_iter();
    let form = forms.find(|form| form.action.starts_with(&place)).unwrap();
    let named = [
        ("item_name", "Names"),
        ("item_shared", "on"),
        ("action", "save-new"),
    ];
    let saved = browser.submit_ok(&form.action, &page, &named);
    let page = browser.page(&saved);
    assert!(page.contains("<svg") && page.contains("bolt"), "{page}");
    browser.submit_ok(&format!("{HOME}dashboard/"), &page, &[("action", "add")]);
    assert!(browser.fragment(HOME, "tile-0").contains("bolt"));

    setup.run("account add bob@example.com --password-stdin");
    setup.run("member set bob@example.com --team Administrator --project main");
    let bob = Browser::signed_in(&setup.service, "bob@example.com", PASSWORD);
    for asked in [bob.page(&saved), bob.fragment(HOME, "tile-0")] {
        assert!(
            asked.contains("SELECT name, id FROM parts") && !asked.contains("bolt"),
            "{asked}"
        );
        let ran = bob.submit_ok(&place, &asked, &[("action", "run")]);
        assert!(ran.contains("query=SELECT"), "{ran}");
        assert!(bob.page(&ran).contains("bolt"));
    }

    setup.run("account add eve@example.com --password-stdin");
    setup.run("member set eve@example.com --team Editor --project main");
    let eve = Browser::signed_in(&setup.service, "eve@example.com", PASSWORD);
    let refused = eve.get(&saved);
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("administrators"), "{}", refused.body);
    let refused = eve.post(&saved, &named);
    assert_eq!(refused.status, 403, "{}", refused.body);
    // Nor is it listed for her.
    assert_eq!(tile(&eve, "tile-0").status, 404);
    for place in [
        HOME,
        &format!("{HOME}charts/"),
        &format!("{HOME}dashboard/"),
    ] {
        let page = eve.page(place);
        assert!(!page.contains("Names"), "{place}: {page}");
    }
}

/// The answer to a script that asks for a part of the dashboard.
fn tile(browser: &Browser, name: &str) -> Answer {
    let call = browser.call("GET", HOME).header("svc-fragment", name);
    call.header("sec-fetch-site", "same-origin").send()
}

#[test]
fn a_member_sees_nothing_on_the_first_page_of_what_the_team_may_not_read() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = chart("s", "_y_func=count&_x_column=name&_shape=bar");
    let page = browser.page(&place);
    let shared = [
        ("item_name", "Parts by name"),
        ("item_shared", "1"),
        ("action", "save-new"),
    ];
    let saved = browser.submit_ok(&place, &page, &shared);
    let dashboard = format!("{HOME}dashboard/");
    browser.submit_ok(&dashboard, &browser.page(&saved), &[("action", "add")]);
    for count in ["s.parts", "s.makers", "p.parts"] {
        browser.post(&dashboard, &[("count", count), ("action", "add")]);
    }
    let charts = browser.page(&format!("{HOME}charts/"));
    let (_, uid) = charts.split_once("charts/saved/").unwrap();
    let chart = format!("{HOME}charts/saved/{}/", uid.split('/').next().unwrap());

    let mia = setup.member("mia@example.com", "Editor");
    assert!(mia.page(HOME).contains("Parts by name"));
    assert_eq!(mia.get(&chart).status, 303);
    let forbid = |place: &[&str]| {
        let forbid = [
            "rights",
            "set",
            "Editor",
            "--project",
            "main",
            "--rights",
            "none",
        ];
        let command = [&forbid[..], place].concat();
        svc_tests::Program::new(setup.folder.path(), &command).run_ok();
    };
    forbid(&["--resource", "s", "--model", "parts"]);
    forbid(&["--resource", "m"]);
    // The service hears of what a command does within a second.
    wait_until("the rights hold", || !mia.page(HOME).contains("records/m/"));
    let home = mia.page(HOME);
    for there in ["s.makers", "p.parts", "records/s/makers/"] {
        assert!(home.contains(there), "{there}: {home}");
    }
    for hidden in ["Parts by name", "s.parts", "records/s/parts/", "records/m/"] {
        assert!(!home.contains(hidden), "{hidden}: {home}");
    }
    let answer = mia.get(&chart);
    assert_eq!(answer.status, 404, "{}", answer.body);
    assert!(!answer.body.contains("parts"), "{}", answer.body);
    // Nor does any other place.
    let charts = mia.page(&format!("{HOME}charts/"));
    assert!(!charts.contains("Parts by name"), "{charts}");
    assert!(charts.contains("value=\"p\"") && !charts.contains("value=\"m\""));
    let arranged = mia.page(&dashboard);
    assert!(arranged.contains("s.makers"), "{arranged}");
    for hidden in ["Parts by name", "s.parts"] {
        assert!(!arranged.contains(hidden), "{hidden}: {arranged}");
    }
    for name in ["tile-0", "tile-1"] {
        let part = tile(&mia, name);
        assert_eq!(part.status, 404, "{}", part.body);
        assert!(!part.body.contains("parts"), "{}", part.body);
    }
    // What somebody may not see is answered like what is not there.
    for name in ["m", "nothing"] {
        for below in ["", "diagram/"] {
            let answer = mia.get(&format!("{HOME}resources/{name}/{below}"));
            assert_eq!(answer.status, 404, "{name}/{below}: {}", answer.body);
        }
    }
    mia.page(&format!("{HOME}resources/s/"));
    // What others see of the shared dashboard stays when a copy of it is changed.
    mia.submit_ok(
        &dashboard,
        &arranged,
        &[("count", "p.makers"), ("chart", ""), ("action", "add")],
    );
    assert!(browser.page(HOME).contains("Parts by name"));
    forbid(&["--resource", "s"]);
    forbid(&["--resource", "p"]);
    wait_until("the first page is empty", || {
        let home = mia.page(HOME);
        home.contains("Your team may not read any table here")
    });
}

#[test]
fn charts_are_saved_and_put_on_the_dashboard() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = chart("s", "_y_func=count&_x_column=name&_shape=bar");
    let page = browser.page(&place);
    let names = [("item_name", "Parts by name"), ("action", "save-new")];
    let saved = browser.submit_ok(&place, &page, &names);
    let page = browser.page(&saved);
    assert!(
        page.contains("Parts by name") && page.contains("Saved."),
        "{page}"
    );
    let dashboard = format!("{HOME}dashboard/");
    assert!(browser.page(HOME).contains("Put charts and counts here"));
    browser.submit_ok(&dashboard, &page, &[("action", "add")]);
    let page = browser.page(&dashboard);
    assert!(page.contains("the chart is not shared"), "{page}");
    let wrong = browser.post(&dashboard, &[("count", "s.nothing"), ("action", "add")]);
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("value=\"s.nothing\""), "{}", wrong.body);
    let added = browser.post(&dashboard, &[("count", "s.parts"), ("action", "add")]);
    assert_eq!(added.status, 303, "{}", added.body);

    // Slow parts come by themselves, and each has a link without a script.
    let home = browser.page(HOME);
    assert!(
        home.contains("data-fragment=\"tile-1\"") && home.contains("Parts by name"),
        "{home}"
    );
    assert!(!home.contains("<svg"), "{home}");
    let first = browser.fragment(HOME, "tile-0");
    assert!(first.contains("<svg") && first.contains("bolt"), "{first}");
    assert!(browser.fragment(HOME, "tile-1").contains("big-number\">2<"));

    // The order is changed by forms; what somebody else has moved meanwhile is not.
    let page = browser.page(&dashboard);
    let forms = form_of(&page, &dashboard);
    let moved = forms
        .fields
        .iter()
        .find(|(name, _)| name == "tile")
        .unwrap();
    let down = browser.post(&dashboard, &[("tile", &moved.1), ("action", "down")]);
    assert_eq!(down.status, 303);
    assert!(browser.fragment(HOME, "tile-1").contains("<svg"));

    // Others see it, without the chart that is not shared.
    setup.run("account add eve@example.com --password-stdin");
    setup.run("member set eve@example.com --team Editor --project main");
    let eve = Browser::signed_in(&setup.service, "eve@example.com", PASSWORD);
    let home = eve.page(HOME);
    assert!(
        home.contains("s.parts") && !home.contains("Parts by name"),
        "{home}"
    );
    assert_eq!(tile(&eve, "tile-1").status, 404);
    // What she changes is hers.
    let page = eve.page(&dashboard);
    let first = form_of(&page, &dashboard);
    let first = first
        .fields
        .iter()
        .find(|(name, _)| name == "tile")
        .unwrap();
    eve.post(&dashboard, &[("tile", &first.1), ("action", "remove")]);
    assert!(!eve.page(HOME).contains("s.parts"));
    assert!(browser.page(HOME).contains("s.parts"));
    let page = eve.page(&dashboard);
    assert!(page.contains("Only you see"), "{page}");
    eve.post(&dashboard, &[("action", "forget")]);
    assert!(eve.page(HOME).contains("s.parts"));

    // Only administrators decide what everybody sees first.
    assert!(!eve.page(&dashboard).contains("unshare"));
    eve.post(&dashboard, &[("action", "unshare")]);
    assert!(eve.page(HOME).contains("s.parts"));
    browser.post(&dashboard, &[("action", "unshare")]);
    assert!(!eve.page(HOME).contains("s.parts") && browser.page(HOME).contains("s.parts"));
    browser.post(&dashboard, &[("action", "share")]);
    assert!(eve.page(HOME).contains("s.parts"));

    let opened = browser.get(&format!("{HOME}charts/"));
    let (_, uid) = opened.body.split_once("charts/saved/").unwrap();
    let uid = uid.split('/').next().unwrap();
    assert_eq!(eve.get(&format!("{HOME}charts/saved/{uid}/")).status, 404);
    let delete = format!("{HOME}charts/saved/{uid}/delete/");
    assert_eq!(eve.get(&delete).status, 404);
    let asked = browser.page(&delete);
    browser.submit_ok(&delete, &asked, &[]);
    assert!(browser.fragment(HOME, "tile-1").contains("It was deleted"));
}
