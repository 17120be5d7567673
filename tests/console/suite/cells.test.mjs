// A cell that is changed in its place, over a database of its own.

import assert from "node:assert/strict";
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Visitor, findingsOfAxe, launch, settled } from "./support/browser.mjs";
import { EMAIL, PASSWORD, World, databases } from "./support/service.mjs";
import { text } from "./support/texts.mjs";

const LIST = "/console/projects/main/prod/records/own/parts/";
let folder;
let file;
let browser;
let world;
let kept;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-cells-"));
  file = join(folder, "own.db");
  await copyFile(databases.places.sqlite.replace(/^sqlite:/, ""), file);
  [browser, world] = await Promise.all([launch(), World.start({ own: `sqlite:${file}` })]);
  const visitor = await Visitor.arrive(browser, world.origin);
  kept = await visitor.signIn();
  await visitor.leave();
});

after(async () => {
  await Promise.allSettled([browser?.close(), world?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** Opens the list for somebody, with what is sent by POST. */
async function visit(look, path = LIST) {
  const visitor = await Visitor.arrive(browser, world.origin, { storageState: kept });
  try {
    const page = await visitor.context.newPage();
    const sent = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    await page.goto(path);
    await settled(page);
    await look({ page, visitor, sent, cell: (id, field) => page.locator(`tr[data-record$="/record/${id}/"] [data-field=${field}]`) });
  } finally {
    await visitor.leave();
  }
}

const editor = (page) => page.locator(".editor");
const live = (page) => page.locator("#live");
const isFocused = (locator) => locator.evaluate((it) => it === document.activeElement);
/** Waits until an element is said to have a text. */
async function says(locator, wanted) {
  await locator.filter({ hasText: wanted }).waitFor({ state: "attached" });
}

test("what was typed in a cell stays while the network or the database is away, and is saved then", async () => {
  await visit(async ({ page, visitor, cell }) => {
    await cell(4, "name").dblclick();
    const input = editor(page).locator('[name="value:name"]');
    await input.fill("nut 2");
    await visitor.context.setOffline(true);
    await input.press("Enter");
    await editor(page).getByText(text("cell-lost")).waitFor();
    await says(live(page), text("cell-lost"));
    assert.equal(await input.inputValue(), "nut 2");
    assert.deepEqual(await findingsOfAxe(page), []);
    await visitor.context.setOffline(false);
    await rename(file, `${file}.away`);
    await input.press("Enter");
    await editor(page).getByText(/cannot be reached right now/).waitFor();
    assert.equal(await input.inputValue(), "nut 2");
    await rename(`${file}.away`, file);
    await input.press("Enter");
    await editor(page).waitFor({ state: "detached" });
    assert.equal(await cell(4, "name").innerText(), "nut 2");
    await says(live(page), text("saved"));
    assert.match(await world.data("own", "models/parts/4"), /"nut 2"/);
    const known = /ERR_INTERNET_DISCONNECTED/;
    assert.deepEqual(visitor.unexpected([503]).filter((problem) => !known.test(problem)), []);
  });
});

test("rows stay, greyed and with the time, while the database or the service is away, and are back by themselves", async () => {
  await visit(async ({ page, visitor, cell }) => {
    const away = page.locator("#away");
    const frame = page.locator(".table-frame");
    const isGrey = () => frame.evaluate((it) => getComputedStyle(it).filter !== "none");
    const known = { timeout: 20_000 };
    assert.equal(await isGrey(), false);
    await cell(4, "name").dblclick();
    const input = editor(page).locator('[name="value:name"]');
    await input.fill("typed meanwhile");
    await rename(file, `${file}.away`);
    const [before] = text("away-database", { time: "TIME" }).split("TIME");
    await away.getByText(before).waitFor(known);
    assert.match(await away.innerText(), /\d\d:\d\d/);
    assert.equal(await isGrey(), true);
    // It is said once, however often it is asked.
    await away.evaluate((it) => { it.isSaid = true; });
    // The second answer comes after the first one was used.
    const isAsked = (answer) => answer.request().headers()["svc-fragment"] === "away";
    for (let answers = 0; answers < 2; answers += 1) await page.waitForResponse(isAsked, known);
    assert.equal(await away.evaluate((it) => it.isSaid), true);
    assert.ok(await cell(5, "name").isVisible());
    assert.equal(await input.inputValue(), "typed meanwhile");
    assert.deepEqual(await findingsOfAxe(page), []);
    await rename(`${file}.away`, file);
    await away.waitFor({ ...known, state: "hidden" });
    assert.equal(await isGrey(), false);
    await visitor.context.setOffline(true);
    await away.getByText(text("away-service")).waitFor(known);
    assert.equal(await isGrey(), true);
    await visitor.context.setOffline(false);
    await away.waitFor({ ...known, state: "hidden" });
    assert.equal(await input.inputValue(), "typed meanwhile");
    const offline = /ERR_INTERNET_DISCONNECTED/;
    assert.deepEqual(visitor.unexpected().filter((problem) => !offline.test(problem)), []);
  });
});

test("Enter saves a short text as it was typed, without a line break", async () => {
  await visit(async ({ page, cell }) => {
    await cell(5, "note").dblclick();
    await editor(page).locator('[name="value:note"]').fill("one line");
    await page.keyboard.press("Enter");
    await editor(page).waitFor({ state: "detached" });
    assert.equal(await cell(5, "note").innerText(), "one line");
    assert.equal(JSON.parse(await world.data("own", "models/parts/5")).note, "one line");
  });
});

test("a session that has ended is begun again beside the cell, and what was typed is saved", async () => {
  await visit(async ({ page, visitor, cell }) => {
    await cell(4, "note").dblclick();
    await editor(page).locator('[name="value:note"]').fill("typed before");
    await visitor.context.clearCookies();
    await editor(page).getByRole("button", { name: text("save"), exact: true }).click();
    await editor(page).getByLabel(text("email")).fill(EMAIL);
    await editor(page).getByLabel(text("password")).fill("wrong");
    await page.keyboard.press("Enter");
    await editor(page).getByText(text("sign-in-wrong")).waitFor();
    assert.deepEqual(await findingsOfAxe(page), []);
    await editor(page).getByLabel(text("password")).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await editor(page).waitFor({ state: "detached" });
    assert.equal(await cell(4, "note").innerText(), "typed before");
    kept = await visitor.context.storageState();
    assert.deepEqual(visitor.unexpected([401]), []);
  });
});

test("a cell with a value that is not saved is neither replaced nor left without a question", async () => {
  await visit(async ({ page, visitor, sent, cell }) => {
    await cell(4, "name").dblclick();
    const input = editor(page).locator('[name="value:name"]');
    await input.fill("unsaved");
    await cell(5, "note").dblclick();
    await editor(page).getByText(text("cell-unsaved")).waitFor();
    assert.equal(await input.inputValue(), "unsaved");
    const asked = [];
    page.once("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.dismiss();
    });
    await page.getByRole("link", { name: "parts", exact: true }).or(page.locator("thead a")).last().click({ noWaitAfter: true });
    await editor(page).waitFor();
    assert.deepEqual(asked, ["beforeunload"]);
    await page.keyboard.press("Escape");
    await editor(page).waitFor({ state: "detached" });
    assert.deepEqual(sent, []);
    assert.deepEqual(visitor.unexpected(), []);
  });
});

test("a cell is changed by keys alone, Escape leaves the keys where they were, and no change sends nothing", async () => {
  await visit(async ({ page, visitor, sent, cell }) => {
    const name = cell(5, "name");
    await name.click();
    await page.keyboard.press("Escape");
    assert(await isFocused(name));
    await page.keyboard.press("F2");
    await editor(page).waitFor();
    await page.keyboard.press("Enter");
    await editor(page).waitFor({ state: "detached" });
    assert(await isFocused(name));
    // Keys of the browser, and those that lead elsewhere, begin no value.
    for (const key of ["Control+1", "Control+l", "Meta+b", "Alt+x", "Space", "Shift"]) await page.keyboard.press(key);
    await name.dispatchEvent("keydown", { key: "a", isComposing: true, bubbles: true });
    await name.dispatchEvent("keydown", { key: "Process", bubbles: true });
    await name.dispatchEvent("keydown", { key: "a", keyCode: 229, bubbles: true });
    assert.equal(await editor(page).count(), 0);
    await name.focus();
    await page.keyboard.type("new bolt");
    const input = editor(page).locator('[name="value:name"]');
    await input.waitFor();
    await page.waitForFunction(() => document.activeElement.value === "new bolt");
    await page.keyboard.press("Escape");
    assert.deepEqual(sent, []);
    assert.equal(await name.innerText(), "screw");
    await page.keyboard.type("7");
    await page.waitForFunction(() => document.activeElement.value === "7");
    await page.keyboard.press("Enter");
    await editor(page).waitFor({ state: "detached" });
    assert.equal(await name.innerText(), "7");
    assert(await isFocused(name));
    assert.deepEqual(await findingsOfAxe(page), []);
    await page.getByRole("button", { name: text("undo") }).click();
    await page.getByText(text("undone")).waitFor();
    assert.match(await world.data("own", "models/parts/5"), /"screw"/);
    assert.deepEqual(visitor.unexpected(), []);
  });
});

test("what was refused is announced, and so is the order", async () => {
  await visit(async ({ page, visitor, cell }) => {
    await says(live(page), text("sorted-down", { name: "price" }));
    await cell(5, "amount").click();
    await page.keyboard.type("many");
    await page.waitForFunction(() => document.activeElement.value === "many");
    await page.keyboard.press("Enter");
    const error = editor(page).locator(".field-error");
    await error.waitFor();
    await says(live(page), await error.innerText());
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.locator("dialog.palette[open]").getByText(text("keys-edit"), { exact: true }).waitFor();
    assert.deepEqual(visitor.unexpected([400]), []);
  }, `${LIST}?_order_by=-price`);
});

test("a form that was left comes back as it was, and not with a part of what was typed", async () => {
  await visit(async ({ page, visitor }) => {
    const note = page.locator('[name="value:note"]');
    const amount = page.locator('[name="value:amount"]');
    const before = [await note.inputValue(), await amount.inputValue()];
    page.on("dialog", (dialog) => dialog.accept());
    await note.fill("other");
    await amount.fill("77");
    await page.getByRole("link", { name: text("back-to-list") }).click();
    await page.waitForURL((url) => url.pathname === LIST);
    await page.goBack();
    await amount.waitFor();
    assert.deepEqual([await note.inputValue(), await amount.inputValue()], before);
    assert.deepEqual(visitor.unexpected(), []);
  }, `${LIST}record/4/`);
});
