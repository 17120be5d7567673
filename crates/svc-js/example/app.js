// The user who is signed in, and the parts of the page that they see.

import { Svc } from "./svc-js/index.js";
import { CustomerList } from "./customers.js";
import { edit } from "./editor.js";
import { inWords, isComplete, submit } from "./errors.js";

const $ = (id) => document.getElementById(id);
const login = $("login");

/** The storage key for the address of the service. The client itself stores the tokens. */
const SETTINGS = "svc_example";

let svc;
const customers = () => svc.collection("shop", "customers");
const list = new CustomerList({ onEdit: change, onError: failed });

login.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isComplete(login)) return;
  const { email, password, apiBaseUrl, project, environment } = Object.fromEntries(new FormData(login));
  submit(login, async () => {
    localStorage.setItem(SETTINGS, JSON.stringify({ apiBaseUrl, project, environment }));
    connect();
    try {
      // Signing up does not sign the user in.
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
  // Other tabs stay signed in until they are reloaded; `logout({ revoke: true })` would end the session.
  await svc.logout();
  showLogin();
  say("You are logged out.");
});

$("create").addEventListener("click", () => change());

/** Opens the editor for a new customer, or for the one with this key. */
async function change(id) {
  say("");
  try {
    const done = await edit(customers(), id);
    if (done === undefined) return;
    say(done);
    await list.load();
    if (id !== undefined) list.focus(id);
  } catch (error) {
    failed(error);
  }
}

/** Restores the state of the last visit. */
async function start() {
  // The address of the service is not read from the URL: a link could send the user's tokens to another service.
  const settings = JSON.parse(localStorage.getItem(SETTINGS) ?? "{}");
  for (const [name, value] of Object.entries(settings)) login.elements.namedItem(name).value = value;
  connect();
  say("Loading …");
  try {
    // The client has read the tokens from `localStorage`; without tokens nothing is sent.
    const { authenticated, user } = await svc.isAuthenticated();
    if (authenticated) await showCustomers(user);
    else showLogin();
  } catch (error) {
    showLogin();
    await failed(error);
  }
}

/** Makes a client for the service in the form, without sending anything. */
function connect() {
  const { apiBaseUrl, project, environment } = login.elements;
  svc = new Svc({ apiBaseUrl: apiBaseUrl.value, project: project.value, environment: environment.value });
}

async function showCustomers(user) {
  $("who").textContent = [user.firstName, user.lastName].filter(Boolean).join(" ") || user.username;
  view("signed-in");
  login.elements.password.value = "";
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
  say("");
}

/** Handles the error of a call that does not come from a form. */
async function failed(error) {
  // A client whose session has ended has no token.
  if (error.kind === "auth" && (await svc.getHeaders()) === undefined) {
    showLogin();
    say("Your session has ended. Log in again.");
  } else {
    say("");
    $("error").textContent = inWords(error);
  }
}

/** Shows a message, which screen readers read aloud. */
function say(text) {
  $("message").textContent = text;
  $("error").textContent = "";
}

await start();
