// What people ask a database: lists that they keep, SQL and charts.

import assert from "node:assert/strict";

import { HOME, listOf, openMenu } from "./steps.mjs";
import { text } from "../support/texts.mjs";

/** Keeps what a page shows under a name. */
async function keep(person, name) {
  await openMenu(person, text("save"));
  await person.fill(person.field("item_name"), name);
  await person.leaveBy(person.page.locator('[value="save-new"]'));
}

export const questions = {
  async "keep a list as a view, and open it again"({ person, resource }) {
    const name = `Third kind of ${resource}`;
    await person.go(`${listOf(resource, "items")}?kind=3&_order_by=-id`);
    await person.leaveBy(person.link(text("view-save")));
    await person.fill(person.field("name"), name);
    await person.leaveBy(person.button(text("save")));
    await person.go(listOf(resource, "makers"));
    await person.go(listOf(resource, "items"));
    await person.leaveBy(person.page.locator(".views").getByRole("link", { name }));
    assert.match(person.place, /kind=3&_order_by=-id/);
  },

  async "ask with SQL, keep the query, and ask it again with another value"({ person, resource }) {
    const keys = () => person.page.locator("table.records tbody tr td:first-child").allInnerTexts();
    const name = `Makers of ${resource}`;
    const run = () => person.leaveBy(person.button(text("sql-run")));
    await person.go(`${HOME}sql/${resource}/`);
    await person.fill(person.field("query"), "SELECT id, name FROM makers WHERE id = :key");
    await run();
    await person.fill(person.field("p.key"), "1");
    await person.select(person.field("t.key"), text("sql-type-number"));
    await run();
    assert.deepEqual(await keys(), ["1"]);
    await keep(person, name);
    await person.go(`${HOME}sql/${resource}/`);
    await person.leaveBy(person.link(name));
    await person.fill(person.field("p.key"), "2");
    await run();
    assert.deepEqual(await keys(), ["2"]);
  },

  async "draw a chart of a model, and keep it"({ person, resource }) {
    const name = `Items by kind of ${resource}`;
    await person.go(`${HOME}charts/?resource=${resource}`);
    await person.leaveBy(person.link("items"));
    await person.select(person.field("_x_column"), "kind");
    await person.leaveBy(person.button(text("chart-draw")));
    await person.page.locator("figure.chart svg").first().waitFor();
    await keep(person, name);
    await person.go(`${HOME}charts/`);
    await person.leaveBy(person.link(name));
    await person.page.locator("figure.chart svg").first().waitFor();
  },
};
