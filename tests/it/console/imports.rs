//! Imports of CSV.

use serde_json::json;
use svc_tests::{browser::form_of, wait_until};

use super::{ENGINES, Setup, list, signed_in};

const FILE: &str = "ID;Name;Price;Rest\r\n0021;0005;1.50;x\r\n22;\"a\nb\";many;y\r\n23;;;z\r\n";

#[test]
fn a_file_is_mapped_tried_and_imported_once() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let import = format!("{}import/", list(engine));
        let count = || {
            let answer = setup
                .service
                .data("GET", engine, "/models/parts?_per_page=1")
                .ok();
            answer["count"].clone()
        };
        let start = browser.page(&import);
        let [read, dry, run] = ["read", "dry", "run"].map(|step| format!("{import}?step={step}"));
        let none = browser.upload(&read, &start, &[], b"");
        assert_eq!(none.status, 400);
        let mapping = browser.upload(&read, &start, &[], FILE.as_bytes());
        assert_eq!(mapping.status, 200, "{}", mapping.body);
        assert!(
            mapping.body.contains("0021 · 22 · 23")
                && mapping.body.contains("<option value=\"price\" selected"),
            "{}",
            mapping.body
        );
        assert_eq!(
            svc_tests::browser::faults_of(&mapping.body),
            Vec::<String>::new()
        );

        let tried = browser.submit(&dry, &mapping.body, &[]);
        assert_eq!(tried.status, 200, "{}", tried.body);
        assert!(
            tried.body.contains("2 would be new records") && tried.body.contains("1 refused"),
            "{}",
            tried.body
        );
        assert_eq!(count(), json!(2));

        // Sent twice, it is one import.
        let place = browser.submit_ok(&run, &tried.body, &[]);
        let again = browser.submit_ok(&run, &tried.body, &[]);
        assert_eq!(place, again);
        wait_until("the import is done", || {
            browser.page(&place).contains("Imported.")
        });
        let page = browser.page(&place);
        assert!(page.contains("3 rows read: 2 new records"), "{page}");
        assert_eq!(count(), json!(4));
        let kept = setup.service.data("GET", engine, "/models/parts/21").ok();
        assert_eq!(
            (&kept["name"], &kept["price"]),
            (&json!("0005"), &json!("1.5000"))
        );
        let refused = browser.get(&format!("{place}refused/"));
        assert!(
            refused
                .header("content-disposition")
                .starts_with("attachment")
        );
        assert!(
            refused.body.contains("a\\nb") && refused.body.contains("price"),
            "{}",
            refused.body
        );
    }
}

#[test]
fn empty_cells_become_what_is_chosen_for_each_column() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let import = format!("{}import/", list(engine));
        let start = browser.page(&import);
        let file = b"id,name,note,amount\n51,,,\n";
        let read = format!("{import}?step=read");
        let mapping = browser.upload(&read, &start, &[], file).body;
        let run = format!("{import}?step=run");
        let mut fields = form_of(&mapping, &run).fields;
        let empties = fields.iter_mut().filter(|(name, _)| name == "empty");
        for ((_, value), chosen) in empties.zip(["", "text", "", "default"]) {
            chosen.clone_into(value);
        }
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let begun = browser.post(&run, &fields);
        assert_eq!(begun.status, 303, "{}", begun.body);
        let place = begun.header("location").to_owned();
        wait_until("the import is done", || {
            browser.page(&place).contains("Imported.")
        });
        let made = setup.service.data("GET", engine, "/models/parts/51").ok();
        let [name, note, amount] = ["name", "note", "amount"].map(|field| &made[field]);
        assert_eq!(
            (name, note, amount),
            (&json!(""), &json!(null), &json!(3)),
            "{engine}"
        );
    }
}

#[test]
fn what_was_exported_is_imported_as_the_same_rows() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let export = |of: &str| {
            let fields = "_fields=id,name,note,price&_order_by=id";
            let file = browser.get(&format!("{}export/?{fields}&_format=csv{of}", list(engine)));
            assert_eq!(file.status, 200, "{}", file.body);
            file.body
        };
        let file = export("");
        assert!(file.contains("\r\n2,\"\",,\r\n"), "{engine}: {file}");
        let file = file.replace("\r\n1,", "\r\n61,");
        let file = file.replace("\r\n2,", "\r\n62,");
        let import = format!("{}import/", list(engine));
        let read = format!("{import}?step=read");
        let mapping = browser.upload(&read, &browser.page(&import), &[], file.as_bytes());
        // The two are apart before anything is saved.
        assert!(
            mapping.body.contains("bolt · &quot;&quot;"),
            "{}",
            mapping.body
        );
        let place = browser.submit_ok(&format!("{import}?step=run"), &mapping.body, &[]);
        wait_until("the import is done", || {
            browser.page(&place).contains("Imported.")
        });
        assert_eq!(export("&id__gte=61"), file, "{engine}");
    }
}

#[test]
fn a_large_file_passes_through_to_the_service() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let import = format!("{}import/", list("s"));
    let mut file = String::from("id,name,note\n");
    let note = "n".repeat(2_000);
    for id in 1_000..11_000 {
        file += &format!("{id},large,{note}\n");
    }
    assert!(file.len() > 16 << 20);
    let start = browser.page(&import);
    let [read, dry, run] = ["read", "dry", "run"].map(|step| format!("{import}?step={step}"));
    let mapping = browser.upload(&read, &start, &[], file.as_bytes());
    assert_eq!(mapping.status, 200, "{}", mapping.body);
    assert!(mapping.body.len() < 100_000 && mapping.body.contains("type=\"file\""));
    // Its button comes after the file, as in a browser.
    let begun = browser.upload(&run, &mapping.body, &[], file.as_bytes());
    assert_eq!(begun.status, 303, "{}", begun.body);
    let place = begun.header("location");
    wait_until("the import is done", || {
        browser.page(place).contains("10,000 new records")
    });
    let again = browser.submit(&run, &mapping.body, &[]);
    assert!(again.status == 400 && again.body.contains("Choose a file."));
    assert!(again.body.contains("required"), "{}", again.body);
    let tried = browser.upload(&dry, &mapping.body, &[], file.as_bytes());
    assert_eq!(tried.status, 303, "{}", tried.body);
    // A form from elsewhere is refused before its file is looked at.
    let foreign = browser
        .call("POST", &import)
        .header("content-type", "multipart/form-data; boundary=x")
        .header("origin", "https://elsewhere.example")
        .body("--x--")
        .send();
    assert_eq!(foreign.status, 403);
}

#[test]
fn a_form_that_does_not_say_what_to_do_does_nothing() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
    let import = format!("{}import/", list("s"));
    let read = format!("{import}?step=read");
    let mapping = browser.upload(&read, &browser.page(&import), &[], FILE.as_bytes());
    let fields = form_of(&mapping.body, &format!("{import}?step=run")).fields;
    let mut fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    // Where the step was once, and where another one is.
    fields.push(("step", "run"));
    for place in [import.clone(), format!("{import}?step=walk")] {
        let asked = browser.post(&place, &fields);
        assert_eq!(asked.status, 400, "{}", asked.body);
        assert!(
            asked.body.contains("did not say what to do")
                && asked.body.contains("0021 · 22 · 23")
                && asked.body.contains("name=\"carried\""),
            "{}",
            asked.body
        );
    }
    let records = setup.service.data("GET", "s", "/models/parts").ok();
    assert_eq!(records["count"], json!(2));
}
