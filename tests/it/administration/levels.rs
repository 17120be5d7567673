//! Every call of the application host by every kind of caller, as the declarations say.

use serde_json::json;

use super::{member, operator};
use crate::people::Home;

/// The levels, each with the rights of those before it.
const LEVELS: [&str; 6] = [
    "account",
    "whole account",
    "member",
    "editor",
    "administrator",
    "operator",
];

#[test]
fn every_call_is_refused_below_its_level_and_to_every_other_credential() {
    let home = Home::new();
    let rank = |level: &str| LEVELS.iter().position(|it| *it == level).unwrap();
    let operator = operator(&home);
    // A key of an account that is a member of another project alone.
    home.run(&["project", "add", "other"]);
    let foreign = home.run(&[
        "key",
        "add",
        "--project",
        "other",
        "--email",
        "foreign@example.com",
    ]);
    let foreign = format!("Bearer {}", foreign["api_key"].as_str().unwrap());
    let callers = [
        (foreign, "whole account"),
        (member(&home, "reader@example.com", "Read Only"), "member"),
        (member(&home, "editor@example.com", "Editor"), "editor"),
        (
            member(&home, "admin@example.com", "Administrator"),
            "administrator",
        ),
        (operator, "operator"),
    ];
    let user = home.member("user@example.com", "Administrator").header();
    let document = home.service().app_anonymous("GET", "/openapi.json").ok();
    let mut tried = 0;
    for (template, methods) in document["paths"].as_object().unwrap() {
        let path = template
            .replace("{project}", "main")
            .replace("{environment}", "prod")
            .replace(['{', '}'], "");
        for (method, operation) in methods.as_object().unwrap() {
            let Some(level) = operation["x-level"].as_str() else {
                continue;
            };
            tried += 1;
            let method = method.to_uppercase();
            let call = || {
                let call = home.service().app_anonymous(&method, &path);
                // Nothing of it can be done: no operation has this property.
                call.json(&json!({"no_such_property": true}))
            };
            let name = format!("{method} {template}");
            assert_eq!(call().send().status, 401, "{name} anonymous");
            for other in [&user, home.shop_token(), home.tools_token()] {
                let status = call().authorization(other).send().status;
                let is_history = template.ends_with("/history/");
                assert!(
                    status == 403 || status == 401 || is_history,
                    "{name} {status}"
                );
            }
            for (credential, their) in &callers {
                let answer = call().authorization(credential).send();
                let is_allowed = rank(their) >= rank(level);
                let body = &answer.body;
                match is_allowed {
                    false => assert_eq!(answer.status, 403, "{name} by {their}: {body}"),
                    true => {
                        let status = answer.status.as_u16();
                        assert!(
                            status != 401 && status != 403 && status < 500,
                            "{name} by {their}: {status} {body}"
                        );
                    }
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
}
