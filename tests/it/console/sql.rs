//! SQL: values, results, errors with their places, cancelling, and saved queries.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use svc_tests::{
    PROMPT,
    browser::{Browser, faults_of, form_of},
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};

use super::{ENGINES, HOME, PASSWORD, Setup, signed_in};

fn editor(engine: &str) -> String {
    format!("{HOME}sql/{engine}/")
}

/// The address of a query, as a form leads to it.
fn running(engine: &str, query: &str) -> String {
    let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("{}?query={query}&run=1", editor(engine))
}

#[test]
fn a_query_asks_for_its_values_and_shows_its_rows_exactly_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    assert!(browser.page(&format!("{HOME}sql/")).contains("sql/p/"));
    for engine in ENGINES {
        let place = editor(engine);
        let page = browser.page(&place);
        assert!(page.contains("makers") && page.contains("price"), "{page}");
        let text = "SELECT name, note, price, amount\nFROM parts\nWHERE id = :id OR name = :name";
        let asks = browser.submit_ok(&place, &page, &[("query", text), ("action", "run")]);
        assert!(asks.ends_with("&ask=1"), "{asks}");
        let page = browser.page(&asks);
        let values = [
            ("p.id", "1"),
            ("t.id", "number"),
            ("p.name", "it's"),
            ("action", "run"),
        ];
        let ran = browser.submit_ok(&place, &page, &values);
        assert!(ran.ends_with("&run=1"), "{ran}");
        let page = browser.page(&ran);
        for shown in [
            "one row",
            " ms",
            "12345678901234.5000",
            "9007199254740993",
            "bolt",
            // The fields keep what was typed.
            "value=\"it's\"",
            "value=\"number\" selected",
        ] {
            assert!(page.contains(shown), "{engine}: {shown}: {page}");
        }
        let csv = browser.get(&ran.replace("/?", "/csv/?"));
        assert_eq!(csv.status, 200, "{}", csv.body);
        assert!(csv.header("content-type").starts_with("text/csv"));
        assert!(csv.header("content-disposition").starts_with("attachment"));
        assert!(csv.body.contains("9007199254740993"), "{}", csv.body);
        // Long values are cut, and the order of the query stays.
        let ordered = browser.page(&running(engine, "SELECT id FROM parts ORDER BY id DESC"));
        let rows: Vec<&str> = ordered
            .split("<td class=\"number\"><bdi>")
            .skip(1)
            .collect();
        assert!(
            rows[0].starts_with('2') && rows[1].starts_with('1'),
            "{engine}: {ordered}"
        );
        // By position, and NULL as a value of its own.
        let position = running(engine, "SELECT COALESCE(%s, 'was NULL')") + "&p.1=x&t.1=null";
        assert!(browser.page(&position).contains("was NULL"), "{engine}");
        let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n";
        let many = browser.page(&running(engine, many));
        assert!(
            many.contains("the first 200 rows; there are more"),
            "{engine}: {many}"
        );
    }
}

#[test]
fn an_error_is_marked_in_the_text_on_every_engine() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        for (text, place, marked) in [
            (
                "SELECT id,\n  pricee\nFROM parts",
                "line 2, column 3",
                "<mark>pricee</mark>",
            ),
            (
                "SELECT id\nFROM partz",
                "line 2, column 6",
                "<mark>partz</mark>",
            ),
            (
                "SELECT id\nFROM parts WHERE (",
                "line 2, column 18",
                "<mark>(</mark>",
            ),
            (
                "SELECT 1;\nDELETE FROM parts",
                "line 1, column 9",
                "<mark>;</mark>",
            ),
        ] {
            let page = browser.page(&running(engine, text));
            assert!(page.contains("role=\"alert\""), "{engine}: {page}");
            assert!(
                page.contains(place) && page.contains(marked),
                "{engine} {text}: {page}"
            );
            // The text is still there.
            let sent = form_of(&page, &editor(engine)).fields;
            let kept = sent.iter().find(|(name, _)| name == "query").unwrap();
            assert_eq!(kept.1.replace("\r\n", "\n"), text);
        }
    }
    // What a value says is never markup.
    let page = browser.page(&running("s", "SELECT name, 1 AS \"<b>\" FROM makers"));
    assert!(
        !page.contains("<script>alert") && !page.contains("<b>"),
        "{page}"
    );
}

/// What does not end in time.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
    SELECT count(*) AS console_endless FROM n a, n b, n c, n d WHERE a.i + b.i + c.i + d.i < 0";

/// Whether the server works on it.
fn is_at_work(engine: &str, postgres: &mut postgres::Client) -> bool {
    match engine {
        "p" => {
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() \
                AND query LIKE '%console_endless%'";
            let count: i64 = postgres.query_one(sql, &[]).unwrap().get(0);
            count > 0
        }
        _ => {
            let sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST \
                WHERE INFO LIKE '%console_endless%' AND ID <> CONNECTION_ID()";
            MariadbServer::shared().number(sql) > 0
        }
    }
}

/// The beginning of a page that is still being sent, up to this text, and the rest of it.
pub(super) fn begun(browser: &Browser, path: &str, until: &str) -> (String, TcpStream) {
    let host = browser.origin().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n",
        browser.cookie
    )
    .unwrap();
    let mut text = Vec::new();
    let mut bytes = [0; 4096];
    while !String::from_utf8_lossy(&text).contains(until) {
        let count = stream.read(&mut bytes).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&bytes[..count]);
    }
    (String::from_utf8_lossy(&text).into_owned(), stream)
}

#[test]
fn a_query_that_runs_is_cancelled_from_its_page_and_ends_in_the_database() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let url = PostgresServer::shared().database("SELECT 1");
    let mut postgres = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    for engine in ENGINES {
        let has_server = engine != "s";
        let path = running(engine, ENDLESS);
        let (page, mut rest) = begun(&browser, &path, "Cancel it</button></form></div>");
        let (_, form) = page.split_once("class=\"running\"").unwrap();
        let form = format!("<!DOCTYPE html><div {form}");
        let (_, action) = form.split_once("action=\"").unwrap();
        let action = action.split_once('"').unwrap().0.replace("&amp;", "&");
        if has_server {
            wait_until("the server works on it", || {
                is_at_work(engine, &mut postgres)
            });
        }
        let cancelled = Instant::now();
        let back = browser.submit_ok(&action, &form, &[]);
        if has_server {
            wait_until("the server does not work on it", || {
                !is_at_work(engine, &mut postgres)
            });
            assert!(cancelled.elapsed() < PROMPT, "{engine}");
        }
        let mut end = String::new();
        rest.read_to_string(&mut end).unwrap();
        assert!(end.contains("It was cancelled."), "{engine}: {end}");
        let page = browser.page(&back);
        assert!(
            page.contains("It was cancelled.") && page.contains("console_endless"),
            "{page}"
        );

        // Who leaves the page ends the query too.
        let (_, rest) = begun(&browser, &path, "class=\"running\"");
        if has_server {
            wait_until("the server works on it", || {
                is_at_work(engine, &mut postgres)
            });
        }
        drop(rest);
        if has_server {
            wait_until("the server does not work on it", || {
                !is_at_work(engine, &mut postgres)
            });
        }
    }
}

#[test]
fn queries_are_saved_shared_changed_and_deleted() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = editor("s");
    let text = "SELECT name FROM parts WHERE id = :id";
    let page = browser.page(&place);
    let named = |name, action| [("query", text), ("item_name", name), ("action", action)];
    let refused = browser.submit(&place, &page, &named("", "save-new"));
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains(text), "{}", refused.body);
    let saved = browser.submit_ok(&place, &page, &named("Parts <1>", "save-new"));
    let page = browser.page(&saved);
    assert!(
        page.contains("Parts &lt;1&gt;") && page.contains("name=\"p.id\""),
        "{page}"
    );
    // A value that was saved is there again, and may be another one in the address.
    let values = [("p.id", "1"), ("t.id", "number"), ("action", "save")];
    let saved = browser.submit_ok(&place, &page, &values);
    let address = saved.split('&').next().unwrap();
    assert!(browser.page(&format!("{address}&run=1")).contains("bolt"));
    assert!(
        !browser
            .page(&format!("{address}&run=1&p.id=2"))
            .contains("bolt")
    );

    // Others see it when it is shared; they may not change it.
    setup.run("account add bob@example.com --password-stdin");
    setup.run("member set bob@example.com --team Administrator --project main");
    setup.run("account add eve@example.com --password-stdin");
    setup.run("member set eve@example.com --team Editor --project main");
    let bob = Browser::signed_in(&setup.service, "bob@example.com", PASSWORD);
    assert_eq!(bob.get(address).status, 404);
    let page = browser.page(address);
    let shared = [("item_shared", "on"), ("action", "save")];
    browser.submit_ok(&place, &page, &shared);
    assert!(bob.page(address).contains("Parts &lt;1&gt;"));
    // What somebody else has saved runs when a form says so, as the text that was shown.
    let asked = bob.page(&format!("{address}&run=1"));
    assert!(
        asked.contains("Another account") && !asked.contains("bolt"),
        "{asked}"
    );
    let ran = bob.submit_ok(&place, &asked, &[("action", "run")]);
    assert!(ran.contains("query=SELECT"), "{ran}");
    assert!(bob.page(&ran).contains("bolt"));
    // SQL sees everything, so it is for administrators alone.
    let eve = Browser::signed_in(&setup.service, "eve@example.com", PASSWORD);
    assert!(!eve.page(HOME).contains("prod/sql/"));
    for path in [&format!("{HOME}sql/"), address, &running("s", "SELECT 1")] {
        let refused = eve.get(path);
        assert_eq!(refused.status, 403, "{path}");
        assert!(refused.body.contains("administrators"), "{}", refused.body);
        assert_eq!(faults_of(&refused.body), Vec::<String>::new());
    }

    let page = browser.page(address);
    let (_, delete) = page.split_once("/saved/").unwrap();
    let delete = format!("{place}saved/{}", delete.split_once('"').unwrap().0);
    let asked = browser.page(&delete);
    assert!(asked.contains("for everybody"), "{asked}");
    browser.submit_ok(&delete, &asked, &[]);
    assert_eq!(browser.get(address).status, 404);
}

#[test]
fn a_long_text_survives_and_another_site_runs_nothing() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let place = editor("s");
    let page = browser.page(&place);
    let long = format!(
        "SELECT 'found' AS it -- {}\nFROM parts WHERE id = 1",
        "x".repeat(200_000)
    );
    let ran = browser.submit_ok(&place, &page, &[("query", &long), ("action", "run")]);
    assert!(ran.len() < 200, "{ran}");
    let page = browser.page(&ran);
    assert!(page.contains(&"x".repeat(200_000)) && page.contains("one row"));
    let found = browser.submit_ok(
        &place,
        &page,
        &[("structure", "note"), ("action", "structure")],
    );
    let page = browser.page(&found);
    assert!(
        page.contains("parts") && !page.contains(">makers<"),
        "{found}"
    );
    assert!(page.contains(&"x".repeat(200_000)));

    let path = running("s", "SELECT name FROM parts");
    let led = browser
        .call("GET", &path)
        .header("sec-fetch-site", "cross-site");
    let shown = led.expect(200).body;
    assert!(
        shown.contains("SELECT name FROM parts") && !shown.contains("bolt"),
        "{shown}"
    );
    let csv = path.replace("/?", "/csv/?");
    let led = browser
        .call("GET", &csv)
        .header("sec-fetch-site", "cross-site");
    assert_eq!(led.send().status, 303);
}
