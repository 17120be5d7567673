// What the suite looks for is found when it is there.

import assert from "node:assert/strict";
import { test } from "node:test";

import { places } from "./places.mjs";
import { findingsOfAxe } from "./support/browser.mjs";
import { Tour } from "./support/tour.mjs";

const tour = new Tour();
const place = places.find(({ name }) => name === "records");

test("a picture without words, a pale text, and what is against the policy are found", async () => {
  await tour.visit(place, {}, async ({ page, visitor, go }) => {
    await go();
    assert.deepEqual(visitor.unexpected(), []);
    await page.evaluate(() => {
      document.querySelector("main").append(document.createElement("img"));
      const pale = document.createElement("p");
      pale.append("pale");
      pale.style.color = "#ddd";
      document.querySelector("main").append(pale);
      const script = document.createElement("script");
      script.src = "https://elsewhere.example/a.js";
      document.body.append(script);
    }).catch(() => {});
    const rules = (await findingsOfAxe(page)).map((finding) => finding.split(" | ")[0]);
    assert.deepEqual(rules.toSorted(), ["color-contrast", "image-alt"]);
    assert(visitor.problems.some((problem) => problem.includes("against the policy")), visitor.problems.join("\n"));
  });
});

test("a request to another host and an error of a script are found", async () => {
  await tour.visit(place, {}, async ({ page, visitor, go }) => {
    await go();
    await page.goto("data:text/html,<script>setTimeout(() => { throw new Error('planted') })</script><img src='http://127.0.0.1:9/a'>");
    await page.waitForTimeout(300);
    assert(visitor.problems.some((problem) => problem.includes("asks another host: http://127.0.0.1:9/")));
    assert(visitor.problems.some((problem) => problem.includes("planted")));
  });
});
