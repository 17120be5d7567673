// What the modules of the console add to links and forms.

import assert from "node:assert/strict";
import { test } from "node:test";

import { places } from "./places.mjs";
import { Visitor } from "./support/browser.mjs";
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

test("a menu closes with Escape, and gives back the focus", async () => {
  await tour.visit(place("records"), {}, async ({ page, go }) => {
    await go();
    const summary = page.locator("summary", { hasText: text("columns") });
    await summary.press("Enter");
    await page.getByRole("checkbox").first().press("Escape");
    assert(!(await page.getByRole("checkbox").first().isVisible()));
    assert(await summary.evaluate((it) => it === document.activeElement));
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
    await left.locator("header summary").last().click();
    await left.getByRole("button", { name: text("sign-out") }).click();
    await read.getByText("bolt").waitFor({ state: "detached", timeout: 2_000 });
    await read.waitForURL(/\/sign-in\//);
    await read.goBack().catch(() => {});
    assert.equal(await read.getByText("bolt").count(), 0);
    assert.deepEqual(visitor.unexpected(), []);
  } finally {
    await visitor.leave();
  }
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
