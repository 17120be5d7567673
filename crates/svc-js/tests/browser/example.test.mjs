// The example page in a browser, against a service of another origin.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Visitor, launchBrowser, until } from "../support/browser.mjs";
import { PASSWORD, UNTHROTTLED, startService } from "../support/service.mjs";

/** The web origin of the page, which `cargo xtask test` serves. */
const PAGE = process.env.SVC_JS_PAGE;
const EDITOR = "ann@example.com";

let browser;
let service;

before(async () => {
  service = await startService({ args: [`--cors-origins=${PAGE}`, ...UNTHROTTLED] });
  await service.addUser(EDITOR, { team: "Editor" });
  browser = await launchBrowser();
});

after(async () => {
  await Promise.allSettled([browser?.close(), service?.stop()]);
});

/**
 * A test in which somebody visits the page. Nothing may go wrong unseen, and nobody else is asked for anything:
 * `refusals` are the statuses that the browser may complain about, `complaints` what else it may say.
 */
function visit(name, { refusals = [], complaints = [], origins = () => [service.baseUrl] }, work) {
  test(name, async () => {
    const visitor = await Visitor.arrive(browser);
    try {
      await work(visitor);
      const expected = [...refusals.map((status) => new RegExp(`responded with a status of ${status} `)), ...complaints];
      const problems = visitor.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
      assert.deepEqual(problems, []);
      assert.deepEqual(visitor.origins, new Set([PAGE, ...origins()]));
    } finally {
      await visitor.leave();
    }
  });
}

async function fillLogin(tab, { email = EDITOR, password = PASSWORD, url = service.baseUrl } = {}) {
  await tab.sees("#login");
  await tab.click("summary");
  await tab.fill("#login-url", url);
  await tab.fill("#login-email", email);
  await tab.fill("#login-password", password);
}

async function logIn(visitor) {
  const tab = await visitor.open(PAGE);
  await fillLogin(tab);
  await tab.click("#login .primary");
  await listIsShown(tab);
  return tab;
}

const listIsShown = (tab) => tab.says("#range", /^1–20 of \d/);
const names = (tab) => tab.texts("td.name");

/** Searches for a text that one customer has, and opens the editor of that customer. */
async function openEditor(tab, text) {
  await tab.fill("#search", text);
  await tab.says("#range", /^1–1 of 1$/);
  await tab.click("tbody button");
  await tab.sees("#editor");
}

async function createCustomer(name, email) {
  const { baseUrl, project, environment, shopToken } = service;
  const answer = await fetch(`${baseUrl}/projects/${project}/${environment}/shop/models/customers`, {
    method: "POST",
    headers: { "Authorization": shopToken, "Content-Type": "application/json" },
    body: JSON.stringify({ name, email, country: "FR" }),
  });
  assert.equal(answer.status, 201);
  return answer.json();
}

visit("somebody logs in and sees the customers", {}, async (visitor) => {
  const tab = await logIn(visitor);
  assert.match(await tab.says("#range", /of/), /^1–20 of 10,\d{3}$/);
  assert.equal((await names(tab)).length, 20);
  await tab.says("#who", /^ann@example\.com$/);
  assert.equal(await tab.focused(), "heading");
});

visit("customers are found by a text", {}, async (visitor) => {
  const tab = await logIn(visitor);
  await tab.fill("#search", "customer00001@");
  await tab.says("#range", /^1–1 of 1$/);
  assert.deepEqual(await tab.texts("td.email"), ["customer00001@example.com"]);
  await tab.fill("#search", "nobody at all");
  await tab.says("#range", /^No customers found$/);
  assert.deepEqual(await names(tab), []);
});

visit("customers are sorted by a column, and back by the same", {}, async (visitor) => {
  const tab = await logIn(visitor);
  const sorted = (order) => tab.sees(`th[aria-sort=${order}] [value=email]`);
  await tab.fill("#search", "customer0000");
  await tab.says("#range", /^1–9 of 9$/);
  await tab.click("th [value=email]");
  await sorted("ascending");
  const ascending = await tab.texts("td.email");
  assert.equal(ascending[0], "customer00001@example.com");
  await tab.click("th [value=email]");
  await sorted("descending");
  assert.deepEqual(await tab.texts("td.email"), ascending.toReversed());
});

visit("somebody turns the pages to and fro", {}, async (visitor) => {
  const tab = await logIn(visitor);
  const first = await names(tab);
  assert.equal(await tab.page.$eval("#previous", ({ disabled }) => disabled), true);
  await tab.click("#next");
  await tab.says("#range", /^21–40 of/);
  assert.notDeepEqual(await names(tab), first);
  await tab.click("#previous");
  await listIsShown(tab);
  assert.deepEqual(await names(tab), first);
});

visit("a customer is created, changed and deleted", {}, async (visitor) => {
  const tab = await logIn(visitor);
  await tab.click("#create");
  await tab.fill("#customer-name", "Grace Hopper");
  await tab.fill("#customer-email", "grace@navy.example");
  await tab.fill("#customer-country", "US");
  await tab.click("#customer-newsletter");
  await tab.click("#customer .primary");
  await tab.says("#message", /^Grace Hopper is saved\.$/);

  await openEditor(tab, "grace@navy.example");
  assert.equal(await tab.value("#customer-country"), "US");
  assert.equal(await tab.page.$eval("#customer-newsletter", ({ checked }) => checked), true);
  await tab.fill("#customer-name", "Rear Admiral Hopper");
  await tab.click("#customer .primary");
  await tab.says("#message", /^Rear Admiral Hopper is saved\.$/);
  await tab.says("td.name", /^Rear Admiral Hopper$/);

  await tab.click("tbody button");
  await tab.click("#delete");
  await tab.says("#confirm-title", /^Delete Rear Admiral Hopper\?$/);
  await tab.click("#confirm [value=no]");
  await tab.seesNo("#confirm");
  await tab.click("#delete");
  await tab.click("#confirm [value=yes]");
  await tab.says("#message", /^Rear Admiral Hopper is deleted\.$/);
  await tab.says("#range", /^No customers found$/);
});

visit("what the service refuses is said beside the field", { refusals: [400] }, async (visitor) => {
  const tab = await logIn(visitor);
  await tab.click("#create");
  await tab.click("#customer .primary");
  assert.equal((await tab.texts("#customer .field .error")).length, 3, "fields that are required");
  assert.equal(await tab.focused(), "customer-name");

  await tab.fill("#customer-name", "Somebody");
  await tab.fill("#customer-email", "somebody@example.com");
  await tab.fill("#customer-country", "FRANCE");
  await tab.click("#customer .primary");
  await tab.says("#customer-country-error", /^At most 2 characters/);
  assert.equal(await tab.focused(), "customer-country");

  await tab.fill("#customer-country", "FR");
  await tab.fill("#customer-email", "customer00001@example.com");
  await tab.click("#customer .primary");
  await tab.says("#customer-email-error", /already exists/);
  assert.deepEqual(await tab.texts("#customer-country-error"), []);
});

visit("a customer with orders is not deleted, and the dialog says why", { refusals: [400] }, async (visitor) => {
  const tab = await logIn(visitor);
  await openEditor(tab, "customer00001@");
  await tab.click("#delete");
  await tab.click("#confirm [value=yes]");
  await tab.says("#customer > .error", /^Other records refer to this one/);
});

visit("somebody is still signed in after the page was loaded again", {}, async (visitor) => {
  const tab = await logIn(visitor);
  assert.notEqual(await tab.stored("svc_auth"), null);
  await tab.reload();
  await listIsShown(tab);
  await tab.says("#who", /^ann@example\.com$/);
});

visit("logging out takes the tokens out of the storage", {}, async (visitor) => {
  const tab = await logIn(visitor);
  await tab.click("#log-out");
  await tab.says("#message", /^You are logged out\.$/);
  assert.equal(await tab.stored("svc_auth"), null);
  assert.deepEqual(await tab.page.$$("td"), []);
  assert.equal(await tab.value("#login-password"), "");
  assert.equal(await tab.value("#login-url"), service.baseUrl);
  await tab.reload();
  await tab.sees("#login");
  assert.equal(await tab.value("#login-url"), service.baseUrl);
});

visit("a tab keeps its session when another one logs out", {}, async (visitor) => {
  const tab = await logIn(visitor);
  const other = await visitor.open(PAGE);
  await listIsShown(other);
  await tab.turnTo();
  await tab.click("#log-out");
  await tab.sees("#login");
  await other.turnTo();
  assert.equal(await other.stored("svc_auth"), null);
  await other.click("#next");
  await other.says("#range", /^21–40 of/);
  await other.reload();
  await other.sees("#login");
});

visit("a wrong password is said in words", { refusals: [401] }, async (visitor) => {
  const tab = await visitor.open(PAGE);
  await fillLogin(tab, { password: "wrong horse" });
  await tab.click("#login .primary");
  await tab.says("#login > .error", /^The e-mail address or the password is wrong\.$/);
  assert.equal(await tab.stored("svc_auth"), null);
  await tab.fill("#login-password", PASSWORD);
  await tab.click("#login .primary");
  await listIsShown(tab);
});

visit("a session that has ended leads back to the form", { refusals: [401] }, async (visitor) => {
  const tab = await logIn(visitor);
  // Another client of the same session ends it at the service; this page is not told.
  await tab.page.evaluate(async (options) => {
    const { Svc } = await import("/svc-js/index.js");
    await new Svc(options).logout({ revoke: true });
  }, service.options);
  await tab.click("#next");
  await tab.says("#message", /^Your session has ended\./);
});

visit("somebody who signs up may look, and is told that they may not write", { refusals: [403] }, async (visitor) => {
  const tab = await visitor.open(PAGE);
  await fillLogin(tab, { email: "new@example.com" });
  await tab.click("#login [name=signUp]");
  await listIsShown(tab);
  await tab.says("#who", /^new@example\.com$/);
  await openEditor(tab, "customer00001@");
  await tab.click("#customer .primary");
  await tab.says("#customer > .error", /^The user's team may not write these records\.$/);
});

visit("the second of two editors is told about the first", { refusals: [412] }, async (visitor) => {
  const { email } = await createCustomer("Two Editors", "two@editors.example");
  const first = await logIn(visitor);
  const second = await visitor.open(PAGE);
  await listIsShown(second);
  await openEditor(second, email);
  await first.turnTo();
  await openEditor(first, email);
  await first.fill("#customer-name", "The First Was Here");
  await first.click("#customer .primary");
  await first.says("#message", /is saved/);

  await second.turnTo();
  await second.fill("#customer-name", "The Second Too");
  await second.click("#customer .primary");
  await second.says("#customer > .error", /^Somebody else has changed this customer/);
  assert.equal(await second.value("#customer-name"), "The Second Too", "what was typed is still there");

  await second.click("#load-again");
  await until(() => second.value("#customer-name"), (name) => name === "The First Was Here");
  await second.fill("#customer-name", "The Second Too");
  await second.click("#customer .primary");
  await second.says("#message", /^The Second Too is saved\.$/);
});

visit("script in a record is shown as text", {}, async (visitor) => {
  const name = `<img src=x onerror="window.ran = true"><script>window.ran = true</script>`;
  const { email } = await createCustomer(name, "script@example.com");
  const tab = await logIn(visitor);
  await openEditor(tab, email);
  assert.deepEqual(await tab.page.$eval("td.name", ({ textContent }) => textContent), name);
  assert.equal(await tab.value("#customer-name"), name);
  await tab.click("#delete");
  await tab.sees("#confirm");
  assert.equal(await tab.page.$eval("#confirm-title", ({ textContent }) => textContent), `Delete ${name}?`);
  assert.equal(await tab.page.evaluate(() => window.ran), undefined);
  assert.equal(await tab.page.$("main img"), null);
});

visit("the keyboard is enough", {}, async (visitor) => {
  const tab = await visitor.open(PAGE);
  await fillLogin(tab);
  await tab.press("Enter");
  await listIsShown(tab);
  await tab.page.focus("tbody tr:nth-child(3) button");
  await tab.press("Enter");
  await tab.sees("#editor");
  assert.equal(await tab.focused(), "customer-name");
  await tab.press("Escape");
  await tab.seesNo("#editor");
  const row = () => tab.page.evaluate(() => document.activeElement.closest("tr")?.rowIndex);
  assert.equal(await row(), 3);

  await tab.press("Enter");
  await tab.sees("#editor");
  await tab.press("Enter");
  await tab.says("#message", /is saved/);
  await until(row, (index) => index === 3);
});

const strange = {};
visit(
  "a service that does not let the page in is explained",
  { complaints: [/blocked by CORS policy/, /net::ERR_FAILED/], origins: () => [strange.service.baseUrl] },
  async (visitor) => {
    strange.service = await startService();
    try {
      const tab = await visitor.open(PAGE);
      await fillLogin(tab, { url: strange.service.baseUrl });
      // The form opens it in case that the address is wrong.
      await tab.click("summary");
      await tab.click("#login .primary");
      const text = await tab.says("#login > .error", /^The service did not answer\./);
      assert.ok(text.includes(`--cors-origins ${PAGE}`), text);
      await tab.sees("#login-url");
    } finally {
      await strange.service.stop();
    }
  },
);
