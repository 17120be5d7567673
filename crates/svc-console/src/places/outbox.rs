//! Where the links of mails are that no mail server has taken.

use maud::{Markup, html};
use serde_json::Value;
use svc_api::{Client, Error};
use svc_model::administration::{account::Account, service::Setting};

use crate::{ui::secret, visit::Visit};

/// What somebody does who has invited somebody else. Only operators know where the store is.
pub(super) async fn hint(
    visit: &Visit,
    client: &Client,
    account: &Account,
) -> Result<Markup, Error> {
    let texts = visit.texts;
    if !account.is_operator {
        return Ok(html! { p.small.muted { (texts.get("outbox-ask")) } });
    }
    let service = client.administration().service().get().send().await?;
    Ok(html! {
        @if let Some(command) = command(&service.settings) {
            p.small.muted { (texts.get("outbox-command")) }
            (secret::copied(texts, &html! { (command) }))
        }
    })
}

/// The command that shows the links of mails; `None` where a mail server takes them.
pub(super) fn command(settings: &[Setting]) -> Option<String> {
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    let has_server = find("smtp-url").is_some_and(|setting| setting.hidden);
    let text = |name: &str| find(name).and_then(|setting| setting.value.as_str());
    let folder = text("dir").map(|dir| format!(" --dir {}", shell_word(dir)));
    // The password in the address of a database is not known.
    let database = find("store").filter(|setting| setting.value != Value::Null);
    let database = database.map(|_| " --store URL").unwrap_or_default();
    let folder = folder.unwrap_or_default();
    (!has_server).then(|| format!("svc mail list{folder}{database}"))
}

/// A text as one word of a command line.
fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_command_names_the_store_and_no_part_of_its_path_is_another_command() {
        let setting = |name: &str, value: Value| Setting::new(name, value, "flag");
        let dir = |dir: &str| command(&[setting("dir", json!(dir))]);
        assert_eq!(
            dir("/srv/svc-demo").as_deref(),
            Some("svc mail list --dir /srv/svc-demo")
        );
        assert_eq!(
            dir("/a b/it's;x").as_deref(),
            Some(r"svc mail list --dir '/a b/it'\''s;x'")
        );
        let database = [
            setting("store", json!("postgres://a@b/c")),
            setting("dir", json!("d")),
        ];
        assert_eq!(
            command(&database).as_deref(),
            Some("svc mail list --dir d --store URL")
        );
        let mut server = setting("smtp-url", Value::Null);
        assert!(command(&[server.clone()]).is_some());
        server.hidden = true;
        assert_eq!(command(&[server]), None);
    }
}
