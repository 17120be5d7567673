// Where the links in mails lead: the last step of an invitation, of a forgotten password, of a new address.
// The code stands behind `#`, so that it is in no log and no Referer.
"use strict";

const calls = {
  accept_invitation: { password: "password", names: true },
  reset_password_complete: { password: "new_password" },
  change_email_complete: {},
};

const texts = {
  en: {
    accept_invitation: {
      title: "Accept your invitation",
      text: "Choose a password to join.",
      done: "Welcome. You can sign in now.",
    },
    reset_password_complete: {
      title: "Choose a new password",
      text: "You will be signed out everywhere else.",
      done: "Your password was changed. You can sign in now.",
    },
    change_email_complete: {
      title: "Confirm your e-mail address",
      text: "Press the button to confirm that this address is yours.",
      done: "Your e-mail address is confirmed.",
    },
    save: "Save",
    confirm: "Confirm",
    away: "The service could not be reached. Try again in a moment.",
    incomplete: "This link is not complete. Open the one in your mail again.",
  },
  de: {
    accept_invitation: {
      title: "Einladung annehmen",
      text: "Wählen Sie ein Passwort, um beizutreten.",
      done: "Willkommen. Sie können sich jetzt anmelden.",
    },
    reset_password_complete: {
      title: "Neues Passwort wählen",
      text: "Überall sonst werden Sie abgemeldet.",
      done: "Ihr Passwort ist geändert. Sie können sich jetzt anmelden.",
    },
    change_email_complete: {
      title: "E-Mail-Adresse bestätigen",
      text: "Drücken Sie den Knopf, um zu bestätigen, dass diese Adresse Ihnen gehört.",
      done: "Ihre E-Mail-Adresse ist bestätigt.",
    },
    save: "Speichern",
    confirm: "Bestätigen",
    away: "Der Dienst ist nicht zu erreichen. Versuchen Sie es gleich noch einmal.",
    incomplete: "Dieser Link ist nicht vollständig. Öffnen Sie den in Ihrer Mail noch einmal.",
    first: "Vorname",
    last: "Nachname",
    password: "Passwort, mindestens 8 Zeichen",
    console: "Zur Konsole",
  },
};

const language = navigator.languages.map((name) => name.slice(0, 2)).find((name) => name in texts) ?? "en";
const words = texts[language];
document.documentElement.lang = language;
for (const part of document.querySelectorAll("[data-text]")) {
  part.textContent = words[part.dataset.text] ?? part.textContent;
}

const element = (id) => document.getElementById(id);
const name = location.pathname.replace(/\/+$/, "").split("/").pop();
const call = calls[name];
const code = decodeURIComponent(location.hash.slice(1));

function show(text) {
  element("text").textContent = text;
}

function fail(messages) {
  const list = element("errors");
  list.replaceChildren(...messages.map((message) => {
    const item = document.createElement("li");
    item.textContent = message;
    return item;
  }));
  list.hidden = messages.length === 0;
}

function messagesOf(body) {
  if (typeof body.detail === "string") return [body.detail];
  return Object.entries(body).flatMap(([field, messages]) =>
    messages.map((message) => (field === "non_field_errors" ? message : `${field.replaceAll("_", " ")}: ${message}`)));
}

async function send(event) {
  event.preventDefault();
  const given = new FormData(element("form"));
  const body = { code };
  if (call.password) body[call.password] = given.get("password");
  if (call.names) {
    for (const field of ["first_name", "last_name"]) {
      if (given.get(field)) body[field] = given.get(field);
    }
  }
  fail([]);
  element("send").disabled = true;
  try {
    const response = await fetch(location.pathname, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) {
      fail(messagesOf(answer));
      return;
    }
    // Used up: nobody needs it in the history.
    history.replaceState(null, "", location.pathname);
    element("form").hidden = true;
    show(words[name].done);
    // Without a console the link leads nowhere.
    element("next").hidden = element("next").firstElementChild.getAttribute("href") === "";
  } catch {
    fail([words.away]);
  } finally {
    element("send").disabled = false;
  }
}

if (call && code) {
  document.title = words[name].title;
  element("title").textContent = words[name].title;
  show(words[name].text);
  element("names").hidden = !call.names;
  element("more-names").hidden = !call.names;
  element("password").hidden = !call.password;
  element("password").querySelector("input").required = Boolean(call.password);
  element("send").textContent = call.password ? words.save : words.confirm;
  element("form").addEventListener("submit", send);
  element("form").hidden = false;
} else {
  show(words.incomplete);
}
