//! What was done, in words: the actions that the audit trail is known to have, by their groups.

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
    ("members", "audit-of-members", CHANGES),
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

const VERBS: &[(&str, &str)] = &[
    ("accept_invitation", "audit-did-accept-invitation"),
    ("act_as", "audit-did-act-as"),
    ("bulk_create", "audit-did-bulk-create"),
    ("call", "audit-did-call"),
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
    ("end_session", "audit-did-end-session"),
    ("exclude", "audit-did-exclude"),
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

/// An action in words, if it is known.
pub(super) fn known(texts: &Texts, action: &str) -> Option<String> {
    let (group, verb) = action.split_once('.')?;
    let (_, group, verbs) = GROUPS.iter().find(|(name, ..)| *name == group)?;
    verbs.contains(&verb).then_some(())?;
    let (_, verb) = VERBS.iter().find(|(name, _)| *name == verb)?;
    Some(format!("{}: {}", texts.get(group), texts.get(verb)))
}

/// The actions as a field of a form, with the one that is chosen.
pub(super) fn choice(texts: &Texts, chosen: &str) -> Markup {
    let is_known =
        known(texts, chosen).is_some() || GROUPS.iter().any(|(name, ..)| *name == chosen);
    html! {
        select name="action" {
            option value="" { (texts.get("audit-any")) }
            @if !chosen.is_empty() && !is_known { option value=(chosen) selected { (chosen) } }
            @for (name, text, verbs) in GROUPS {
                optgroup label=(texts.get(text)) {
                    @if verbs.len() > 1 {
                        option value=(name) selected[*name == chosen] { (texts.get(text)) ": " (texts.get("audit-any-of")) }
                    }
                    @for verb in *verbs {
                        @let action = format!("{name}.{verb}");
                        option value=(action) selected[action == chosen] {
                            (known(texts, &action).unwrap_or_else(|| action.clone()))
                        }
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
        let used = |verb: &str| GROUPS.iter().any(|(.., verbs)| verbs.contains(&verb));
        assert!(VERBS.iter().all(|(verb, _)| used(verb)));
    }
}
