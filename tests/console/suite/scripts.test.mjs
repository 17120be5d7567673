// What the modules of the console add to links and forms.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { places } from "./places.mjs";
import { Visitor, findingsOfAxe } from "./support/browser.mjs";
import { picture } from "./support/snapshots.mjs";
import { text } from "./support/texts.mjs";
import { Tour } from "./support/tour.mjs";

const tour = new Tour();
const place = (wanted) => places.find(({ name }) => name === wanted);

test("the count comes by itself, and the slash leads to the search", async () => {
  await tour.visit(place("records-filtered"), {}, async ({ page, visitor, go }) => {
    await go();
    assert.equal(await page.locator("#count").innerText(), "36 records");
    await page.keyboard.press("/");
    assert(await page.getByRole("searchbox").evaluate((it) => it === document.activeElement));
    // In a field it is a slash.
    await page.keyboard.type("a/b");
    assert.equal(await page.getByRole("searchbox").inputValue(), "a/b");
    assert.deepEqual(visitor.unexpected(), []);
  });
});

for (const javaScriptEnabled of [true, false]) {
  test(`a record leads back to its row on the page of the list that one came from${javaScriptEnabled ? "" : ", without scripts"}`, async () => {
    const records = place("records-filtered");
    const list = { ...records, path: `${records.path.replace("kind=3&", "")}&_per_page=20` };
    await tour.visit(list, { javaScriptEnabled }, async ({ page, visitor, go }) => {
      // Without scripts the count does not come by itself, so nothing is waited for.
      await (javaScriptEnabled ? go() : page.goto(list.path));
      for (let number = 0; number < 2; number += 1) await page.locator("a[rel=next]").click();
      const here = page.url();
      const keys = () => page.locator("tbody a.key").allInnerTexts();
      const before = await keys();
      const opened = before.at(-1);
      await page.locator("tbody a.key").last().click();
      await page.getByRole("button", { name: text("save"), exact: true }).click();
      await page.getByRole("link", { name: text("back-to-list") }).click();
      assert.equal(page.url(), `${here}#row-${opened}`);
      assert.deepEqual(await keys(), before);
      const row = page.locator("tr:target");
      assert.equal(await row.locator("a.key").innerText(), opened);
      const { top, bottom } = await row.evaluate((it) => it.getBoundingClientRect().toJSON());
      const height = page.viewportSize().height;
      assert(top > 0 && bottom < height, `${top} to ${bottom} of ${height}`);
      assert.deepEqual(visitor.unexpected(), []);
    });
  });
}

test("a menu closes with Escape, and gives back the focus", async () => {
  await tour.visit(place("records"), {}, async ({ page, go }) => {
    await go();
    const summary = page.locator("summary", { hasText: text("columns") });
    await summary.press("Enter");
    const box = page.locator(".checks input").first();
    await box.press("Escape");
    assert(!(await box.isVisible()));
    assert(await summary.evaluate((it) => it === document.activeElement));
  });
});

test("a column is found by typing, and pinned ones stay where they are when the table is scrolled", async () => {
  await tour.visit(place("records-pinned"), {}, async ({ page, visitor, go }) => {
    await go();
    const pinned = page.locator("tbody td.pinned");
    const lefts = () => pinned.evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().left));
    const frame = page.locator(".table-frame");
    const before = await lefts();
    assert.equal(before.length, 3);
    assert((await frame.evaluate((it) => (it.scrollTo(300, 0), it.scrollLeft))) > 200);
    assert.deepEqual(await lefts(), before);
    await page.locator("summary", { hasText: text("columns") }).click();
    await page.getByRole("searchbox", { name: text("columns-find") }).fill("C29");
    const found = page.locator("#columns > div:visible");
    // c29, and c290 to c299.
    assert.equal(await found.count(), 11);
    await found.last().getByRole("checkbox").check();
    await page.getByRole("button", { name: text("columns-apply"), exact: true }).click();
    await page.waitForURL(/_fields=[^&]*,c299&_pin=c1&_pin=id/);
    assert.equal(await page.locator("th.pinned").count(), 3);
    assert.deepEqual(visitor.unexpected(), []);
  });
});

test("a form that was changed asks before it is left, and one that was not does not", async () => {
  await tour.visit(place("record"), {}, async ({ page, go }) => {
    await go();
    const asked = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.accept();
    });
    await page.reload();
    assert.deepEqual(asked, []);
    await page.locator('[name="value:name"]').fill("other");
    await page.reload();
    assert.deepEqual(asked, ["beforeunload"]);
  });
});

test("signing out in one tab leaves nothing to read in the others", async () => {
  // Somebody else's session than that of the other tests, which goes on.
  const visitor = await Visitor.arrive(tour.browser, tour.world.origin);
  try {
    await visitor.signIn();
    const [left, read] = [await visitor.open(place("record").path), await visitor.open(place("records").path)];
    // One with a form that was changed, and somebody who stays if asked.
    const changed = await visitor.open("/console/profile/");
    const asked = [];
    changed.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.dismiss();
    });
    await changed.locator('[name="first_name"]').fill("other");
    await left.locator("header summary").last().click();
    await left.getByRole("button", { name: text("sign-out") }).click();
    await read.getByText("bolt").waitFor({ state: "detached", timeout: 2_000 });
    await Promise.all([read.waitForURL(/\/sign-in\//), changed.waitForURL(/\/sign-in\//)]);
    assert.deepEqual(asked, []);
    await changed.getByLabel(text("password")).waitFor();
    await read.goBack().catch(() => {});
    assert.equal(await read.getByText("bolt").count(), 0);
    assert.deepEqual(visitor.unexpected(), []);
  } finally {
    await visitor.leave();
  }
});

// Longer than what is kept between two pages; without JavaScript there are fewer rows, and longer ones.
const files = [
  { javaScriptEnabled: true, rows: 110_000, note: "a note" },
  { javaScriptEnabled: false, rows: 1_000, note: "n".repeat(3_000) },
];
for (const { javaScriptEnabled, rows, note } of files) {
  const how = javaScriptEnabled ? "" : " without JavaScript";
  test(`a large file is imported whole, and its refused rows are in another file${how}`, async () => {
    // Each hundredth row has a price that is none.
    const line = (at) => `${100_000 + at},imported,${at % 100 === 50 ? "dear" : "1.5"},${note}`;
    const file = ["id,name,price,note", ...Array.from({ length: rows }, (_, at) => line(at)), ""].join("\n");
    assert(file.length > 2 << 20);
    const sent = { name: "parts.csv", mimeType: "text/csv", buffer: Buffer.from(file) };
    const made = "models/parts?name=imported";
    try {
      await tour.visit(place("records-import"), { javaScriptEnabled }, async ({ page, visitor, go }) => {
        page.setDefaultTimeout(120_000);
        await go();
        await page.locator('[type="file"]').setInputFiles(sent);
        await page.getByRole("button", { name: text("import-read") }).click();
        const run = page.getByRole("button", { name: text("import-run"), exact: true });
        await run.click();
        // The browser asks for the file, which it has to send again.
        const again = page.locator('[type="file"]:invalid');
        await again.setInputFiles(sent);
        await run.click();
        await page.waitForURL(/\/imports\/[^/]+\/$/);
        await page.reload();
        await page.getByText(text("import-done")).waitFor();
        const refused = rows / 100;
        const facts = (await page.locator(".notice").innerText()).replaceAll(/[^\w :]/g, "");
        assert(facts.includes(`${rows} rows read: ${rows - refused} new records 0 changed ${refused} refused`), facts);
        assert.equal(JSON.parse(await tour.world.data("sqlite", `${made}&_per_page=1`)).count, rows - refused);
        const coming = page.waitForEvent("download");
        await page.getByRole("link", { name: text("import-refused-file") }).click();
        const lines = (await readFile(await (await coming).path(), "utf8")).split("\r\n");
        assert.equal(lines.filter((row) => row.includes("dear")).length, refused);
        assert.deepEqual(visitor.unexpected(), []);
      });
    } finally {
      await tour.world.data("sqlite", made, null, "DELETE");
    }
  });
}

test("what is selected of a query runs alone, and the button and the result say so", async () => {
  await tour.visit(place("sql"), {}, async ({ page, visitor, go }) => {
    await go();
    const area = page.locator("#query");
    const whole = page.getByRole("button", { name: text("sql-run"), exact: true });
    const part = page.getByRole("button", { name: text("sql-run-part"), exact: true });
    await area.fill("SELECT 1 AS one;\nSELECT 'ä' AS two");
    await whole.waitFor();
    await page.keyboard.press("Shift+Home");
    await part.waitFor();
    assert.equal(await whole.count(), 0);
    await picture(page, "sql-part-1280");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/&part=17-34&/);
    assert.equal((await page.locator("#result thead").innerText()).trim(), "two");
    await page.getByText(text("sql-part")).waitFor();
    // The text is whole, and what ran is selected in it.
    assert.equal(await area.inputValue(), "SELECT 1 AS one;\nSELECT 'ä' AS two");
    await part.waitFor();
    await area.press("ArrowLeft");
    await whole.waitFor();
    assert.deepEqual(visitor.unexpected(), []);
  });
});

const typedBefore = (page) => page.locator("[data-typed]:not([hidden])");
const isKept = (page) => page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith("svc-typed ")));

test("what was typed and not sent is offered after a reload, a crash, and signing in, and signing out forgets it", async () => {
  const visitor = await Visitor.arrive(tour.browser, tour.world.origin);
  const accept = (page) => page.on("dialog", (dialog) => dialog.accept());
  const put = (page) => typedBefore(page).getByRole("button", { name: text("typed-put") }).click();
  const path = place("record").path;
  try {
    await visitor.signIn();
    const page = await visitor.open(place("record-new").path);
    accept(page);
    const [name, note] = ["name", "note"].map((field) => page.locator(`[name="value:${field}"]`));
    await name.fill("typed <b>");
    await note.fill("two\nlines");
    await isKept(page);
    await page.reload();
    await typedBefore(page).waitFor();
    await picture(page, "typed-1280");
    assert.deepEqual(await findingsOfAxe(page), []);
    assert.equal(await name.inputValue(), "");
    const session = await visitor.context.newCDPSession(page);
    const crashed = page.waitForEvent("crash");
    session.send("Page.crash").catch(() => {});
    await crashed;
    const next = await visitor.context.newPage();
    accept(next);
    await next.goto(place("record-new").path);
    await put(next);
    assert.equal(await next.locator('[name="value:name"]').inputValue(), "typed <b>");
    assert.equal(await next.locator('[name="value:note"]').inputValue(), "two\nlines");
    assert(await next.locator('[name="state:name"][value="text"]').or(next.locator('[name="state:name"][type="hidden"]')).count());
    // Another form has nothing of it. What is typed when a page is left does not wait for a pause.
    await next.goto(path);
    assert.equal(await typedBefore(next).count(), 0);
    await next.locator('[name="value:note"]').fill("left at once");
    await next.goto(place("sql").path);
    // The session ends meanwhile.
    await visitor.context.clearCookies();
    await next.goto(path);
    await visitor.signIn();
    await next.goto(path);
    await put(next);
    assert.equal(await next.locator('[name="value:note"]').inputValue(), "left at once");
    await next.reload();
    await typedBefore(next).getByRole("button", { name: text("typed-discard") }).click();
    await next.reload();
    await next.locator('[name="value:note"]').waitFor();
    assert.equal(await typedBefore(next).count(), 0);
    // SQL that was run is not offered, and that which was not is, until signing out.
    await next.goto(place("sql").path);
    await next.locator("#query").fill("SELECT 42 AS typed");
    await next.getByRole("button", { name: text("sql-run"), exact: true }).click();
    await next.locator("#result td").getByText("42").waitFor();
    await next.goto(place("sql").path);
    await next.locator("#query").waitFor();
    assert.equal(await typedBefore(next).count(), 0);
    await next.locator("#query").fill("SELECT 43");
    await next.reload();
    await put(next);
    assert.equal(await next.locator("#query").inputValue(), "SELECT 43");
    await next.locator("header summary").last().click();
    await next.getByRole("button", { name: text("sign-out") }).click();
    await next.waitForURL(/\/sign-in\//);
    assert.deepEqual(await next.evaluate(() => Object.keys(localStorage)), []);
    assert.deepEqual(visitor.unexpected(), []);
  } finally {
    await visitor.leave();
  }
});

test("what a browser has no room for is sent all the same", async () => {
  await tour.visit(place("record"), {}, async ({ page, visitor, go }) => {
    await go();
    const note = page.locator('[name="value:note"]');
    const before = await note.inputValue();
    const refuses = () => {
      Storage.prototype.setItem = () => {
        window.wasRefused = true;
        throw new DOMException("", "QuotaExceededError");
      };
    };
    await page.evaluate(refuses);
    for (const written of ["too long to keep", before]) {
      await note.fill(written);
      await page.waitForFunction(() => window.wasRefused);
      await page.getByRole("button", { name: text("save"), exact: true }).click();
      await page.waitForURL(/saved=1/);
      assert.equal(await note.inputValue(), written);
      await page.evaluate(refuses);
    }
    assert.deepEqual(visitor.unexpected(), []);
  });
});

test("what was typed comes back over what somebody else has written since, and is compared with it", async () => {
  const { path } = place("record");
  await tour.visit(place("record"), {}, async ({ page, visitor, go }) => {
    await go();
    page.on("dialog", (dialog) => dialog.accept());
    const note = page.locator('[name="value:note"]');
    const before = await note.inputValue();
    await note.fill("mine");
    await isKept(page);
    const other = await visitor.context.newPage();
    await other.goto(path);
    await typedBefore(other).waitFor();
    await other.locator('[name="value:note"]').fill("theirs");
    await other.getByRole("button", { name: text("save"), exact: true }).click();
    await other.waitForURL(/saved=1/);
    await other.close();
    await note.fill("mine again");
    await isKept(page);
    await page.reload();
    assert.equal(await note.inputValue(), "theirs");
    await typedBefore(page).getByRole("button", { name: text("typed-put") }).click();
    await page.getByRole("button", { name: text("save"), exact: true }).click();
    await page.getByText(text("conflict-theirs"), { exact: true }).waitFor();
    assert.equal(await note.inputValue(), "mine again");
    await note.fill(before);
    await page.getByRole("button", { name: text("save"), exact: true }).click();
    await page.waitForURL(/saved=1/);
    assert.equal(visitor.unexpected().filter((it) => !String(it).includes("412")).length, 0);
  });
});

test("typing a value chooses it over NULL", async () => {
  await tour.visit(place("record-types"), {}, async ({ page, go }) => {
    await go();
    const state = (value) => page.locator(`[name="state:short"][value="${value}"]`);
    await state("null").check();
    await page.locator('[name="value:short"]').fill("typed");
    assert(await state("text").isChecked());
  });
});

const palette = (page) => page.locator("dialog.palette[open]");
const focused = (page) => page.evaluate(() => document.activeElement.textContent);

test("the palette finds models and records by keys alone, and Escape gives back the focus", async () => {
  await tour.visit(place("record"), {}, async ({ page, visitor, go }) => {
    await go();
    const field = page.locator('[name="value:name"]');
    await field.focus();
    await page.keyboard.press("Control+k");
    const box = palette(page).getByRole("searchbox");
    await box.waitFor();
    await page.keyboard.type("item");
    await palette(page).getByRole("link", { name: /items/ }).first().waitFor();
    assert.deepEqual(await findingsOfAxe(page), []);
    await picture(page, "palette-1280");
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(page), /^items/);
    await page.keyboard.press("ArrowUp");
    assert(await box.evaluate((it) => it === document.activeElement));
    await page.keyboard.press("Escape");
    assert.equal(await palette(page).count(), 0);
    assert(await field.evaluate((it) => it === document.activeElement));
    // Enter waits for what was typed last.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("makers 2");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/makers\/record\/2\/$/);
    assert.deepEqual(visitor.unexpected(), []);
  });
});

test("places that were open before come first, and signing out forgets them", async () => {
  const visitor = await Visitor.arrive(tour.browser, tour.world.origin);
  try {
    await visitor.signIn();
    const page = await visitor.open(place("records-wide").path);
    await page.goto(place("records").path);
    await page.keyboard.press("Control+k");
    const before = palette(page).locator("[data-recent] a");
    await before.first().waitFor();
    assert.match((await before.allInnerTexts()).join("\n"), /parts\n.*wide/);
    await page.keyboard.press("Escape");
    await page.locator("header summary").last().click();
    await page.getByRole("button", { name: text("sign-out") }).click();
    await page.waitForURL(/\/sign-in\//);
    assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), []);
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
    assert.deepEqual(visitor.unexpected(), []);
  } finally {
    await visitor.leave();
  }
});

test("the question mark lists the keys of the place, and is a question mark in a field", async () => {
  await tour.visit(place("records"), {}, async ({ page, visitor, go }) => {
    await go();
    await page.keyboard.press("?");
    await palette(page).getByText(text("keys-copy")).waitFor();
    assert.deepEqual(await findingsOfAxe(page), []);
    await picture(page, "keys-1280");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").press("?");
    assert.equal(await page.getByRole("searchbox").inputValue(), "?");
    assert.deepEqual(visitor.unexpected(), []);
  });
  await tour.visit(place("projects"), {}, async ({ page, go }) => {
    await go();
    await page.keyboard.press("?");
    await palette(page).getByText(text("find"), { exact: true }).waitFor();
    assert(!(await palette(page).getByText(text("keys-copy")).isVisible()));
  });
});

test("the table is moved in by keys, with one stop of Tab, and copied as a spreadsheet reads it", async () => {
  const options = { permissions: ["clipboard-read", "clipboard-write"] };
  await tour.visit(place("records"), options, async ({ page, visitor, go }) => {
    await go();
    const grid = page.getByRole("grid");
    assert.equal(await grid.locator('[tabindex="0"]').count(), 1);
    await page.getByRole("button", { name: text("search") }).focus();
    const stops = async () => {
      for (let tries = 0; tries < 12; tries += 1) {
        await page.keyboard.press("Tab");
        if (await grid.evaluate((it) => it.contains(document.activeElement))) return tries;
      }
      return undefined;
    };
    assert.notEqual(await stops(), undefined);
    // The first cell has the box that marks the record.
    await page.keyboard.press("Space");
    assert(await grid.getByRole("checkbox").first().isChecked());
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(page), "5");
    await page.keyboard.press("End");
    assert.equal(await focused(page), "500");
    await page.keyboard.press("Control+End");
    assert.equal(await focused(page), "9007199254740993");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(page), "screw");
    // Keys of the browser stay its own.
    await page.keyboard.press("Control+ArrowDown");
    assert.equal(await focused(page), "screw");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight"]) {
      await page.keyboard.press(key);
    }
    assert.equal(await grid.locator('[aria-selected="true"]').count(), 6);
    assert.deepEqual(await findingsOfAxe(page), []);
    await picture(page, "grid-1280");
    await page.keyboard.press("Control+c");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, "\t<b>Acme</b> 2\t\nbolt\tMüller & Söhne 1\t\"a  \nb\"");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/record\/1\/$/);
    assert.deepEqual(visitor.unexpected(), []);
  });
});

test("the code of a link in a mail moves out of the address into the form", async () => {
  await tour.visit(place("link-in-mail"), {}, async ({ page, visitor, go }) => {
    await go();
    const code = page.locator("#code");
    assert.equal(await code.inputValue(), "svcc_example");
    assert(!(await code.isVisible()));
    assert(!(await page.locator("#incomplete").isVisible()));
    assert.equal(new URL(page.url()).hash, "");
    // The next link, opened in the same tab.
    await page.evaluate(() => {
      location.hash = "svcc_next";
    });
    await page.waitForFunction(() => document.getElementById("code").value === "svcc_next");
    await page.getByLabel("First name").fill("Ann");
    await page.getByLabel("Password").fill("a chosen password");
    await page.getByRole("button").click();
    // A code that is refused can be exchanged for another.
    await page.locator("#code-error").waitFor();
    assert(await code.isVisible());
    assert.equal(await page.getByLabel("First name").inputValue(), "Ann");
    assert.deepEqual(await findingsOfAxe(page), []);
    assert.deepEqual(visitor.unexpected([400]), []);
  });
});

test("a link without its code says so, and the code can be pasted", async () => {
  await tour.visit(place("link-in-mail-incomplete"), {}, async ({ page, visitor, go }) => {
    await go();
    assert(await page.locator("#incomplete").isVisible());
    assert(await page.locator("#code").isVisible());
    assert.deepEqual(visitor.unexpected(), []);
  });
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "by its link" : "by pasting its link where there are no scripts";
  test(`an invitation is accepted ${how}`, async () => {
    const { service } = tour.world;
    const email = `link-${javaScriptEnabled}@example.com`;
    await service.run(["account", "add", email]);
    const mails = JSON.parse(await service.run(["mail", "list", "--json"]));
    const { link } = mails.find(({ to }) => to === email);
    const options = { javaScriptEnabled, locale: "de-DE" };
    const visitor = await Visitor.arrive(tour.browser, tour.world.origin, options);
    try {
      const page = await visitor.open(link);
      if (!javaScriptEnabled) await page.locator("#code").fill(link);
      await page.locator("#password").fill("a chosen password");
      await page.getByRole("button", { name: "Speichern" }).click();
      await page.getByRole("link", { name: "Zur Konsole" }).click();
      await page.waitForURL(/\/console\/sign-in\//);
      assert.deepEqual(visitor.unexpected(), []);
    } finally {
      await visitor.leave();
    }
  });
}
