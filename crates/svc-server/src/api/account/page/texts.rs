//! The texts of the pages: a value for each language.

use http::{HeaderMap, header};

/// What the pages say in a language.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) language: &'static str,
    pub(super) accept_invitation: CallTexts,
    pub(super) reset_password: CallTexts,
    pub(super) change_email: CallTexts,
    pub(super) first_name: &'static str,
    pub(super) last_name: &'static str,
    pub(super) password: &'static str,
    pub(super) code: &'static str,
    /// What to enter as the code.
    pub(super) paste: &'static str,
    /// Where the address has no code.
    pub(super) incomplete: &'static str,
    /// Another page has sent the form.
    pub(super) foreign: &'static str,
    /// What was sent is no form.
    pub(super) not_a_form: &'static str,
    /// The service has said nothing that can be shown.
    pub(super) no_answer: &'static str,
    pub(super) console: &'static str,
}

/// What the page of a call says.
#[derive(Debug)]
pub(super) struct CallTexts {
    pub(super) title: &'static str,
    pub(super) text: &'static str,
    pub(super) button: &'static str,
    pub(super) done: &'static str,
}

/// The languages, English first.
const LANGUAGES: [&Texts; 2] = [&ENGLISH, &GERMAN];

const ENGLISH: Texts = Texts {
    language: "en",
    accept_invitation: CallTexts {
        title: "Accept your invitation",
        text: "Choose a password to join.",
        button: "Save",
        done: "Welcome. You can sign in now.",
    },
    reset_password: CallTexts {
        title: "Choose a new password",
        text: "You will be signed out everywhere else.",
        button: "Save",
        done: "Your password was changed. You can sign in now.",
    },
    change_email: CallTexts {
        title: "Confirm your e-mail address",
        text: "Press the button to confirm that this address is yours.",
        button: "Confirm",
        done: "Your e-mail address is confirmed.",
    },
    first_name: "First name",
    last_name: "Last name",
    password: "Password, 8 characters or more",
    code: "Code",
    paste: "Paste the link from your mail, or the part of it after the # sign.",
    incomplete: "This link is not complete. Open the one in your mail again, or paste it here.",
    foreign: "Nothing was changed: another page sent this form. Send it again from here.",
    not_a_form: "Nothing was changed: what was sent is not the form of this page. Send it again from here.",
    no_answer: "The service could not answer. Try again in a moment.",
    console: "To the console",
};

const GERMAN: Texts = Texts {
    language: "de",
    accept_invitation: CallTexts {
        title: "Einladung annehmen",
        text: "Wählen Sie ein Passwort, um beizutreten.",
        button: "Speichern",
        done: "Willkommen. Sie können sich jetzt anmelden.",
    },
    reset_password: CallTexts {
        title: "Neues Passwort wählen",
        text: "Überall sonst werden Sie abgemeldet.",
        button: "Speichern",
        done: "Ihr Passwort ist geändert. Sie können sich jetzt anmelden.",
    },
    change_email: CallTexts {
        title: "E-Mail-Adresse bestätigen",
        text: "Drücken Sie den Knopf, um zu bestätigen, dass diese Adresse Ihnen gehört.",
        button: "Bestätigen",
        done: "Ihre E-Mail-Adresse ist bestätigt.",
    },
    first_name: "Vorname",
    last_name: "Nachname",
    password: "Passwort, mindestens 8 Zeichen",
    code: "Code",
    paste: "Fügen Sie den Link aus Ihrer Mail ein, oder den Teil davon hinter dem Zeichen #.",
    incomplete: "Dieser Link ist nicht vollständig. Öffnen Sie den in Ihrer Mail noch einmal, oder fügen Sie ihn hier ein.",
    foreign: "Nichts wurde geändert: Eine andere Seite hat dieses Formular gesendet. Senden Sie es von hier aus noch einmal.",
    not_a_form: "Nichts wurde geändert: Was gesendet wurde, ist nicht das Formular dieser Seite. Senden Sie es von hier aus noch einmal.",
    no_answer: "Der Dienst konnte nicht antworten. Versuchen Sie es gleich noch einmal.",
    console: "Zur Konsole",
};

impl Texts {
    /// The texts of the first language in `Accept-Language` that the pages have, as the console chooses its own; else
    /// English.
    pub(super) fn of(headers: &HeaderMap) -> &'static Self {
        let wanted = headers.get(header::ACCEPT_LANGUAGE);
        let wanted = wanted
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let mut wanted = wanted.split(',').filter_map(|part| {
            let language = part.split([';', '-', '_']).next()?.trim();
            let mut known = LANGUAGES.into_iter();
            known.find(|texts| texts.language.eq_ignore_ascii_case(language))
        });
        wanted.next().unwrap_or(&ENGLISH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_gets_its_language_or_english() {
        let of = |accepted: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, accepted.parse().unwrap());
            Texts::of(&headers).language
        };
        assert_eq!(of("fr-CH, de-AT;q=0.9, en;q=0.8"), "de");
        assert_eq!(of("DE"), "de");
        assert_eq!(of("en-GB,de"), "en");
        assert_eq!(of("fr, *;q=0.5"), "en");
        assert_eq!(of(""), "en");
        assert_eq!(Texts::of(&HeaderMap::new()).language, "en");
    }
}
