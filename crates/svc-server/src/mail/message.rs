//! The texts of mails, and the messages that carry them.

use std::{collections::HashMap, sync::LazyLock};

use jiff::Timestamp;
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
};
use maud::{DOCTYPE, html};
use serde::Deserialize;
use svc_store::{Mail, MailKind, Secret};
use uuid::Uuid;

use super::smtp::Unsent;

/// The most characters of a project's name that a mail shows.
const MAX_NAME: usize = 100;
/// The header by which other programs know that nobody waits for an answer (RFC 3834).
const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");

/// What a mail says.
struct Letter {
    subject: String,
    /// What happened.
    sentence: String,
    /// What the link does.
    action: &'static str,
    /// Where the link leads; not every mail has one.
    link: Option<String>,
    /// Until when the link is good.
    expires: String,
    /// What to do if one did not ask for the mail.
    unasked: String,
    /// Who writes.
    project: String,
}

/// What a kind of mail says. `{project}` and `{about}` stand for what a letter is about.
#[derive(Deserialize)]
struct Words {
    sentence: String,
    action: String,
    unasked: String,
}

/// The words of each kind of mail, by its name in the store.
static WORDS: LazyLock<HashMap<String, Words>> = LazyLock::new(|| {
    let file = include_str!("../../templates/mail/letters.json");
    serde_json::from_str(file).expect("the file holds the words of each kind")
});

/// Styles of the parts of a mail: programs for mail read no others.
mod style {
    pub(super) const BODY: &str = "margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5";
    pub(super) const FRAME: &str = "max-width:560px;margin:0 auto";
    pub(super) const HEAD: &str = "font-size:20px;line-height:1.3;margin:0 0 16px";
    pub(super) const TEXT: &str = "margin:0 0 16px";
    pub(super) const SMALL: &str = "margin:0 0 16px;font-size:14px";
    pub(super) const ACTION: &str = "margin:24px 0";
    pub(super) const BUTTON: &str = "display:inline-block;padding:12px 20px;border-radius:6px;background:#2f4fd0;color:#ffffff;text-decoration:none;font-weight:600";
    pub(super) const ADDRESS: &str = "word-break:break-all";
    pub(super) const END: &str = "margin:24px 0 0;padding-top:12px;border-top:1px solid #dfe2e8;font-size:13px;color:#5c6470";
}

/// Makes the message of a mail.
pub(super) fn build(mail: &Mail, from: &Mailbox) -> Result<Message, Unsent> {
    let letter = Letter::new(
        mail.kind,
        &mail.project_name,
        mail.link.as_ref().map(Secret::expose),
        mail.about.as_deref(),
        mail.expires,
    );
    letter.message(mail.uid, from, &mail.to)
}

/// An address in the form that every mail server accepts: a domain with other letters is written in ASCII.
fn address(text: &str) -> Option<Address> {
    let (user, domain) = text.rsplit_once('@')?;
    let address = match domain.is_ascii() {
        true => Address::new(user, domain),
        false => Address::new(user, idna::domain_to_ascii(domain).ok()?),
    };
    address.ok()
}

impl Letter {
    fn new(
        kind: MailKind,
        project: &str,
        link: Option<&str>,
        about: Option<&str>,
        expires: Timestamp,
    ) -> Self {
        let project = line(project);
        let name = match about {
            Some(_) if kind == MailKind::EmailChanged => "email_changed_to",
            _ => kind.as_str(),
        };
        // The file does not know a kind that is new.
        let words = WORDS.get(name).unwrap_or(&WORDS["other"]);
        let about = about.map(line).unwrap_or_default();
        let filled = |text: &str| {
            // What comes from outside may look like a name, and is not looked through.
            let parts = text.split("{project}");
            let parts = parts.map(|part| part.replace("{about}", &about));
            parts.collect::<Vec<_>>().join(&project)
        };
        Self {
            sentence: filled(&words.sentence),
            action: &words.action,
            unasked: filled(&words.unasked),
            link: link.map(str::to_owned),
            expires: until(expires),
            subject: kind.subject(&project),
            project,
        }
    }

    /// The mail as plain text.
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.sentence);
        if let Some(link) = &self.link {
            let (action, expires) = (self.action, &self.expires);
            text.push_str(&format!(
                "\n{action}:\n{link}\n\nThe link is good until {expires}, and only once.\n"
            ));
        }
        text.push_str(&format!("\n{}\n\n-- \n{}", self.unasked, self.project));
        text
    }

    /// The mail as HTML.
    fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.subject) }
                }
                body style=(style::BODY) {
                    div style=(style::FRAME) {
                        h1 style=(style::HEAD) { (self.subject) }
                        p style=(style::TEXT) { (self.sentence) }
                        @if let Some(link) = &self.link {
                            p style=(style::ACTION) { a href=(link) style=(style::BUTTON) { (self.action) } }
                            p style=(style::SMALL) {
                                "Or open this address:" br;
                                a href=(link) style=(style::ADDRESS) { (link) }
                            }
                            p style=(style::SMALL) { "The link is good until " (self.expires) ", and only once." }
                        }
                        p style=(style::SMALL) { (self.unasked) }
                        p style=(style::END) { (self.project) }
                    }
                }
            }
        };
        page.into_string()
    }

    fn message(&self, uid: Uuid, from: &Mailbox, to: &str) -> Result<Message, Unsent> {
        let never = |what: &str| Unsent::Refused(what.to_owned());
        let to = address(to).ok_or_else(|| never("no mail can be sent to such an address"))?;
        // Given, so that it is not read out of the headers again, where a quoted address reads differently.
        let envelope = Envelope::new(Some(from.email.clone()), vec![to.clone()])
            .map_err(|_| never("no message can be made of it"))?;
        let automatic = HeaderValue::new(AUTO_SUBMITTED, "auto-generated".to_owned());
        Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to))
            .subject(self.subject.clone())
            .message_id(Some(format!("<{uid}@{}>", from.email.domain())))
            .raw_header(automatic)
            .envelope(envelope)
            .multipart(MultiPart::alternative_plain_html(self.text(), self.html()))
            .map_err(|_| never("no message can be made of it"))
    }
}

/// A text from outside on one line: without control characters, and of limited length.
fn line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_NAME).collect()
}

fn until(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [MailKind; 7] = [
        MailKind::Invitation,
        MailKind::ResetPassword,
        MailKind::ChangeEmail,
        MailKind::ConfirmEmail,
        MailKind::AlreadyRegistered,
        MailKind::PasswordChanged,
        MailKind::EmailChanged,
    ];
    const LINK: &str = "https://data.example.com/projects/crm/prod/auth/accept_invitation#svcc_x";

    fn letter(kind: MailKind, project: &str, link: Option<&str>, about: Option<&str>) -> Letter {
        let expires = "2026-11-28T10:00:59Z".parse().unwrap();
        Letter::new(kind, project, link, about, expires)
    }

    fn message(letter: &Letter, to: &str) -> Result<String, Unsent> {
        let from = "Sales <no-reply@example.com>".parse().unwrap();
        let message = letter.message(Uuid::from_u128(7), &from, to)?;
        Ok(String::from_utf8(message.formatted()).unwrap())
    }

    /// The names of the headers of a message, and of its parts.
    fn headers(message: &str) -> Vec<&str> {
        let (head, _) = message.split_once("\r\n\r\n").unwrap();
        head.lines()
            .filter(|line| !line.starts_with([' ', '\t']))
            .map(|line| line.split(':').next().unwrap())
            .collect()
    }

    #[test]
    fn every_kind_says_what_happened_where_the_link_leads_and_what_to_do_if_unasked() {
        for kind in KINDS {
            let letter = letter(kind, "Sales", Some(LINK), Some("new@example.com"));
            for text in [letter.text(), letter.html()] {
                let until = "2026-11-28 10:00 UTC";
                for part in [LINK, "Sales", until, letter.action, &letter.unasked] {
                    assert!(text.contains(part), "{kind:?} lacks {part}: {text}");
                }
                let sentence = &letter.sentence;
                assert!(sentence.ends_with('.') && text.contains(sentence), "{text}");
            }
            let without = self::letter(kind, "Sales", None, None);
            let text = without.text();
            assert!(
                !text.contains("http") && !text.contains("good until"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_message_has_both_forms_and_says_that_a_program_wrote_it() {
        let letter = letter(MailKind::Invitation, "Sales", Some(LINK), None);
        let message = message(&letter, "ada@example.com").unwrap();
        for part in [
            "From: Sales <no-reply@example.com>\r\n",
            "To: ada@example.com\r\n",
            "Subject: You are invited to Sales\r\n",
            "Message-ID: <00000000-0000-0000-0000-000000000007@example.com>\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Content-Type: multipart/alternative",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }

    #[test]
    fn the_name_of_a_project_is_a_text_and_never_markup_or_a_header() {
        let plain = letter(MailKind::Invitation, "Sales", Some(LINK), None);
        let plain = message(&plain, "ada@example.com").unwrap();
        for name in [
            "A\r\nBcc: eve@example.com",
            "A\nBcc: eve@example.com\n\nHello",
            "A\rBcc: eve@example.com",
            "A\u{2028}Bcc: eve@example.com",
            "A\0Bcc: eve@example.com\u{85}",
            "=?utf-8?q?=0D=0ABcc:_eve@example.com?=",
            "<script>alert(1)</script>",
            "\"><img src=x onerror=alert(1)>",
            "'; DROP TABLE",
            &"long ".repeat(10_000),
            "Ünïcödé 測試 🎉",
        ] {
            for kind in KINDS {
                let letter = letter(kind, name, Some(LINK), Some(name));
                let html = letter.html();
                assert!(
                    !html.contains("<script") && !html.contains("<img"),
                    "{html}"
                );
                let message = message(&letter, "ada@example.com").unwrap();
                assert_eq!(headers(&message), headers(&plain), "{name:?}");
                assert!(message.len() < 12_000, "{}", message.len());
                for line in message.split("\r\n") {
                    assert!(
                        line.len() <= 998 && !line.contains(['\r', '\n', '\0']),
                        "{line:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_link_cannot_leave_its_attribute() {
        let link = "https://a.example/\"onmouseover=\"x'<b>&#svcc_x";
        let letter = letter(MailKind::Invitation, "Sales", Some(link), None);
        let html = letter.html();
        assert!(
            !html.contains("/\"onmouseover") && !html.contains("<b>"),
            "{html}"
        );
    }

    #[test]
    fn an_address_that_could_say_more_than_an_address_gets_no_mail() {
        let letter = letter(MailKind::Invitation, "Sales", Some(LINK), None);
        for to in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "a b@example.com",
            "ada@example.com\r\nBcc: eve@example.com",
            "ada@example.com>\r\nRCPT TO:<eve@example.com",
            "ada@example.com,eve@example.com",
            "<ada@example.com>",
            "Ada <ada@example.com>",
            "\"a\r\nDATA\"@example.com",
        ] {
            let error = message(&letter, to).unwrap_err();
            assert!(
                matches!(&error, Unsent::Refused(text) if !text.contains("eve")),
                "{to:?}"
            );
        }
        // Unusual, but an address.
        let quoted = message(&letter, "\"a>b\"@example.com").unwrap();
        let names = headers(&quoted);
        assert_eq!(names.iter().filter(|name| **name == "To").count(), 1);
        assert!(quoted.contains("To: \"a>b\"@example.com\r\n"), "{quoted}");
    }

    #[test]
    fn a_domain_of_other_letters_is_written_in_ascii() {
        let address = address("ann@exämple.de").unwrap();
        assert_eq!(address.to_string(), "ann@xn--exmple-cua.de");
    }
}
