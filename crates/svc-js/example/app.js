// Who is signed in, and what they see.

import { Svc } from "./svc-js/index.js";
import { CustomerList } from "./customers.js";
import { edit } from "./editor.js";
import { inWords, submit } from "./errors.js";

const $ = (id) => document.getElementById(id);
const login = $("login");

/** Under which key the page keeps which service it talks to; the tokens are the client's business. */
const SETTINGS = "svc_example";

let svc;
const customers = () => svc.collection("shop", "customers");
const list = new CustomerList({ onEdit: change, onError: failed });

// The address bar has no say in it: a link could send somebody's tokens to a service of its author.
connect(JSON.parse(localStorage.getItem(SETTINGS) ?? "{}"));
try {
  // The client found the tokens of an earlier visit in `localStorage`.
  say("Loading …");
  const { authenticated, user } = await svc.isAuthenticated();
  say("");
  if (authenticated) await showCustomers(user);
  else showLogin();
} catch (error) {
  say("");
  showLogin();
  await failed(error);
}

login.addEventListener("submit", (event) => {
  event.preventDefault();
  const { email, password, apiBaseUrl, project, environment } = Object.fromEntries(new FormData(login));
  submit(login, async () => {
    const settings = { apiBaseUrl, project, environment };
    localStorage.setItem(SETTINGS, JSON.stringify(settings));
    connect(settings);
    try {
      // Signing up signs nobody in.
      if (event.submitter?.name === "signUp") await svc.registerViaEmailPassword({ email, password });
      const { user } = await svc.loginViaEmailPassword(email, password);
      await showCustomers(user);
    } catch (error) {
      if (error.kind === "transport") $("service").open = true;
      throw error;
    }
  });
});

$("log-out").addEventListener("click", async () => {
  // Other tabs stay signed in until they are loaded again; `logout({ revoke: true })` would end the session.
  await svc.logout();
  showLogin();
  say("You are logged out.");
});

$("create").addEventListener("click", () => change());

/** Lets somebody make a customer, or change the one with this key. */
async function change(id) {
  say("");
  try {
    const done = await edit(customers(), id);
    if (done === undefined) return;
    await list.load();
    say(done);
  } catch (error) {
    await failed(error);
  }
}

/** Makes the client. Nothing is sent. */
function connect(settings) {
  for (const [name, value] of Object.entries(settings)) login.elements.namedItem(name).value = value;
  svc = new Svc(settings);
}

async function showCustomers(user) {
  $("who").textContent = [user.firstName, user.lastName].filter(Boolean).join(" ") || user.username;
  view("signed-in");
  say("");
  login.reset();
  $("heading").focus();
  await list.open(customers());
}

function showLogin() {
  view("signed-out");
  list.close();
  $("login-email").focus();
}

function view(section) {
  for (const { id } of document.querySelectorAll("main > section")) $(id).hidden = id !== section;
  $("session").hidden = section !== "signed-in";
  $("error").textContent = "";
}

/** A call failed that no form is to blame for. */
async function failed(error) {
  if (error.status === 401) {
    await svc.logout();
    showLogin();
    say("Your session has ended. Log in again.");
  } else {
    $("error").textContent = inWords(error);
  }
}

/** Says what has happened, to screen readers as well. */
function say(text) {
  $("message").textContent = text;
  $("error").textContent = "";
}
