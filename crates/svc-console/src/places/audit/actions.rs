//! What was done, in words: the actions that the audit trail is known to have, by their groups.

use std::{collections::HashMap, sync::LazyLock};

use maud::{Markup, html};

use crate::texts::Texts;

/// A group of actions: its name in the trail, its text, and its verbs.
type Group = (&'static str, &'static str, &'static [&'static str]);

const CHANGES: &[&str] = &["create", "update", "delete"];
const KEYS: &[&str] = &["create", "revoke"];

const GROUPS: &[Group] = &[
    (
        "records",
        "audit-of-records",
        &[
            "create",
            "update",
            "replace",
            "delete",
            "bulk_create",
            "update_all",
            "delete_all",
        ],
    ),
    (
        "pages",
        "audit-of-pages",
        &[
            "create",
            "update",
            "delete",
            "create_draft",
            "update_draft",
            "delete_draft",
            "publish",
            "discard",
            "restore",
        ],
    ),
    (
        "account",
        "audit-of-account",
        &[
            "login",
            "logout",
            "register",
            "accept_invitation",
            "change_password",
            "reset_password",
            "reset_password_complete",
            "change_email",
            "change_email_complete",
            "update",
            "end_session",
            "end_other_sessions",
            "sign_in_code",
        ],
    ),
    (
        "users",
        "audit-of-users",
        &[
            "create", "update", "delete", "suspend", "resume", "invite", "act_as",
        ],
    ),
    (
        "members",
        "audit-of-members",
        &["create", "update", "replace", "delete"],
    ),
    ("project_teams", "audit-of-project-teams", CHANGES),
    ("teams", "audit-of-teams", CHANGES),
    ("rights", "audit-of-rights", &["set", "remove"]),
    ("items", "audit-of-items", CHANGES),
    ("resources", "audit-of-resources", CHANGES),
    (
        "environments",
        "audit-of-environments",
        &["create", "update", "delete", "copy"],
    ),
    ("projects", "audit-of-projects", CHANGES),
    (
        "imports",
        "audit-of-imports",
        &["begin", "cancel", "resume"],
    ),
    ("accounts", "audit-of-accounts", CHANGES),
    ("functions", "audit-of-functions", &["call"]),
    ("proxy", "audit-of-proxy", &["send"]),
    ("secrets", "audit-of-secrets", &["set", "delete"]),
    ("allow_hosts", "audit-of-allow-hosts", &["create", "delete"]),
    ("tokens", "audit-of-tokens", KEYS),
    ("service_tokens", "audit-of-service-tokens", KEYS),
    (
        "api_keys",
        "audit-of-api-keys",
        &["create", "revoke", "exclude"],
    ),
    ("account_keys", "audit-of-account-keys", KEYS),
    ("signing_keys", "audit-of-signing-keys", &["rotate"]),
];

/// What was done: by the verb, and by the whole action where the verb means something else there.
const VERBS: &[(&str, &str)] = &[
    ("accept_invitation", "audit-did-accept-invitation"),
    ("act_as", "audit-did-act-as"),
    ("begin", "audit-did-begin"),
    ("bulk_create", "audit-did-bulk-create"),
    ("call", "audit-did-call"),
    ("cancel", "audit-did-cancel"),
    ("change_email", "audit-did-change-email"),
    ("change_email_complete", "audit-did-change-email-complete"),
    ("change_password", "audit-did-change-password"),
    ("copy", "audit-did-copy"),
    ("create", "audit-did-create"),
    ("create_draft", "audit-did-create-draft"),
    ("delete", "audit-did-delete"),
    ("delete_all", "audit-did-delete-all"),
    ("delete_draft", "audit-did-delete-draft"),
    ("discard", "audit-did-discard"),
    ("end_other_sessions", "audit-did-end-other-sessions"),
    ("end_session", "audit-did-end-session"),
    ("exclude", "audit-did-exclude"),
    ("imports.resume", "audit-did-go-on"),
    ("invite", "audit-did-invite"),
    ("login", "audit-did-login"),
    ("logout", "audit-did-logout"),
    ("publish", "audit-did-publish"),
    ("register", "audit-did-register"),
    ("remove", "audit-did-remove"),
    ("replace", "audit-did-replace"),
    ("reset_password", "audit-did-reset-password"),
    (
        "reset_password_complete",
        "audit-did-reset-password-complete",
    ),
    ("restore", "audit-did-restore"),
    ("resume", "audit-did-resume"),
    ("revoke", "audit-did-revoke"),
    ("rotate", "audit-did-rotate"),
    ("send", "audit-did-send"),
    ("set", "audit-did-set"),
    ("sign_in_code", "audit-did-sign-in-code"),
    ("suspend", "audit-did-suspend"),
    ("update", "audit-did-update"),
    ("update_all", "audit-did-update-all"),
    ("update_draft", "audit-did-update-draft"),
];

/// An action in words; one that is not known as it is.
pub(super) fn words(texts: &Texts, action: &str) -> Markup {
    match known(texts, action) {
        Some(words) => html! { span title=(action) { (words) } },
        None => html! { code { (action) } },
    }
}

/// The words of each action, by language: a page has them all as a choice.
static WORDS: LazyLock<HashMap<&'static str, HashMap<String, String>>> = LazyLock::new(|| {
    let all = Texts::all().iter();
    all.map(|texts| (texts.language(), words_of_all(texts)))
        .collect()
});

fn words_of_all(texts: &Texts) -> HashMap<String, String> {
    let said = |wanted: &str| VERBS.iter().find(|(name, _)| *name == wanted);
    let mut words = HashMap::new();
    for (group, text, verbs) in GROUPS {
        for verb in *verbs {
            let action = format!("{group}.{verb}");
            if let Some((_, verb)) = said(&action).or_else(|| said(verb)) {
                let both = format!("{}: {}", texts.get(text), texts.get(verb));
                words.insert(action, both);
            }
        }
    }
    words
}

/// An action in words, if it is known.
pub(super) fn known(texts: &Texts, action: &str) -> Option<&'static str> {
    let words = WORDS.get(texts.language())?.get(action)?;
    Some(words)
}

/// The actions as options, by language, none of which is chosen: most pages have them so.
static OPTIONS: LazyLock<HashMap<&'static str, Markup>> = LazyLock::new(|| {
    let all = Texts::all().iter();
    all.map(|texts| (texts.language(), options(texts, "")))
        .collect()
});

/// The actions as a field of a form, with the one that is chosen.
pub(super) fn choice(texts: &Texts, chosen: &str) -> Markup {
    let is_known =
        known(texts, chosen).is_some() || GROUPS.iter().any(|(name, ..)| *name == chosen);
    html! {
        select name="action" {
            option value="" { (texts.get("audit-any")) }
            @match OPTIONS.get(texts.language()) {
                Some(options) if !is_known => {
                    @if !chosen.is_empty() { option value=(chosen) selected { (chosen) } }
                    (options)
                },
                _ => (options(texts, chosen)),
            }
        }
    }
}

fn options(texts: &Texts, chosen: &str) -> Markup {
    html! {
        @for (name, text, verbs) in GROUPS {
            optgroup label=(texts.get(text)) {
                @if verbs.len() > 1 {
                    option value=(name) selected[*name == chosen] { (texts.get(text)) ": " (texts.get("audit-any-of")) }
                }
                @for verb in *verbs {
                    @let action = format!("{name}.{verb}");
                    option value=(action) selected[action == chosen] {
                        (known(texts, &action).unwrap_or(&action))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_words_in_every_language() {
        for texts in Texts::all() {
            for (group, text, verbs) in GROUPS {
                for verb in *verbs {
                    let action = format!("{group}.{verb}");
                    let words = known(texts, &action).unwrap_or_default();
                    let is_said = !words.is_empty() && !words.contains("audit-");
                    assert!(is_said, "{action} in {}: {words}", texts.language());
                }
                assert_ne!(texts.get(text), **text);
            }
            for unknown in ["records.explode", "moons.create", "records", ""] {
                assert_eq!(known(texts, unknown), None);
            }
        }
        let used = |name: &str| {
            let (group, verb) = name.split_once('.').unwrap_or(("", name));
            let mut groups = GROUPS
                .iter()
                .filter(|(known, ..)| group.is_empty() || group == *known);
            groups.any(|(.., verbs)| verbs.contains(&verb))
        };
        assert!(VERBS.iter().all(|(verb, _)| used(verb)));
    }

    /// Operations that leave no line of their name: they change nothing, or the line has the second name.
    const OTHERWISE: &[(&str, &str)] = &[
        ("account.refresh", ""),
        ("account_keys.delete", "api_keys.revoke"),
        ("account_sessions.delete", "account.end_session"),
        ("allowed_hosts.create", "allow_hosts.create"),
        ("allowed_hosts.delete", "allow_hosts.delete"),
        ("project_resources.create", "resources.create"),
        ("project_resources.delete", "resources.delete"),
        ("project_resources.test", ""),
        ("project_resources.update", "resources.update"),
        ("records.aggregate", ""),
        ("records.group", ""),
        ("resources.reload", ""),
        ("secrets.remove", "secrets.delete"),
        ("sign_in.update", "projects.update"),
        ("sql.query", ""),
        ("statements.cancel", ""),
        ("user_sessions.delete", "account.end_session"),
        ("users.add", "users.create"),
    ];

    /// The Rust files below a folder.
    fn files(folder: &std::path::Path, into: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => files(&path, into),
                false => {
                    let text = std::fs::read_to_string(path).unwrap();
                    let code = text
                        .lines()
                        .filter(|line| !line.trim_start().starts_with("//"));
                    into.push(code.collect::<Vec<_>>().join("\n"));
                }
            }
        }
    }

    #[test]
    fn every_operation_that_may_leave_a_line_has_words() {
        let texts = &Texts::all()[0];
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut declared = Vec::new();
        for name in ["svc-model", "svc-auth"] {
            files(&crates.join(name).join("src"), &mut declared);
        }
        let mut count = 0;
        for text in &declared {
            let mut method = "";
            for part in text.split("#[operation(").skip(1) {
                // The method comes first, and the name in the next attribute.
                let Some(rest) = part.strip_prefix("name = \"") else {
                    if !part.starts_with("new") {
                        (method, _) = part.split_once(' ').unwrap();
                    }
                    continue;
                };
                let (name, _) = rest.split_once('"').unwrap();
                if method != "GET" {
                    let otherwise = OTHERWISE.iter().find(|(known, _)| *known == name);
                    let action = otherwise.map_or(name, |(_, action)| action);
                    let is_said = action.is_empty() || known(texts, action).is_some();
                    assert!(is_said, "{name}");
                    count += 1;
                }
            }
        }
        assert!(count > 60, "{count}");

        let mut store = Vec::new();
        files(&crates.join("svc-store/src"), &mut store);
        for before in ["entry(\"", "entry_by(\"", "AuditEntry::new(\""] {
            for text in &store {
                let text = text.split("#[cfg(test)]").next().unwrap();
                for part in text.split(before).skip(1) {
                    let (action, _) = part.split_once('"').unwrap();
                    assert!(known(texts, action).is_some(), "{action}");
                }
            }
        }
    }
}
