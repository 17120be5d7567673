// What people do with records and databases.

import assert from "node:assert/strict";

import { HOME, enter, isSaved, listOf, recordOf, save, signIn } from "./steps.mjs";
import { text } from "../support/texts.mjs";

export const records = {
  async "find a record, and change one of its fields"({ person, resource }) {
    await person.go(listOf(resource, "parts"));
    await person.fill(person.page.getByRole("searchbox"), "bolt");
    await person.leaveBy(person.button(text("search")));
    await person.leaveBy(person.link("1"));
    await person.fill(person.field("value:name"), "long bolt");
    await save(person);
    await isSaved(person);
  },

  async "save a form in which nothing was changed"({ person, resource }) {
    await person.go(recordOf(resource, "parts", "3"));
    await save(person);
    await person.page.getByText(text("unchanged"), { exact: true }).waitFor();
  },

  async "choose NULL for one field, and the empty text for another"({ person, resource }) {
    await person.go(recordOf(resource, "parts", "4"));
    await person.pick(person.field("state:name").and(person.page.locator('[value="null"]')));
    await person.fill(person.field("value:note"), "");
    await save(person);
    await isSaved(person);
  },

  async "make a record, of which the database fills one field"({ person, resource }) {
    await person.go(listOf(resource, "parts"));
    await person.leaveBy(person.link(text("record-new")));
    await enter(person, "id", "70");
    await enter(person, "name", "  Größe <10> 'mm' ");
    await person.leaveBy(person.button(text("create")));
    await isSaved(person);
    assert.equal(person.place.split("?")[0], recordOf(resource, "parts", "70"));
  },

  async "enter something wrong, and put it right"({ person, resource }) {
    await person.go(recordOf(resource, "parts", "5"));
    await person.fill(person.field("value:note"), "kept\nin two lines");
    await person.fill(person.field("value:amount"), "many");
    await save(person);
    await person.page.locator(".field.wrong .field-error").waitFor();
    assert.equal(await person.field("value:note").inputValue(), "kept\nin two lines");
    await person.fill(person.field("value:amount"), "9007199254740995");
    await save(person);
    await isSaved(person);
  },

  async "save what somebody else has changed meanwhile"({ person, resource, world }) {
    await person.go(recordOf(resource, "parts", "2"));
    await world.data(resource, "models/parts/2", { note: "theirs" });
    await person.fill(person.field("value:name"), "mine");
    await save(person);
    await person.page.getByRole("alert").waitFor();
    await save(person);
    await isSaved(person);
  },

  async "sign in again in the middle of a form"({ person, resource }) {
    const path = recordOf(resource, "makers", "2");
    await person.go(path);
    await person.page.context().clearCookies();
    await person.fill(person.field("value:name"), "typed before");
    await save(person);
    await signIn(person);
    await person.leaveBy(person.button(text("go-on")));
    await isSaved(person);
    assert.equal(person.place.split("?")[0], path);
  },

  async "filter, order, turn the page, and remove the filter"({ person, resource, sent }) {
    await person.go(listOf(resource, "items"));
    await person.choose(person.page.locator("summary", { hasText: text("filter-add") }));
    const isWhole = person.page.locator("#filter:not([aria-busy])");
    await person.select(person.field("_add_field"), "kind");
    await isWhole.waitFor();
    // What fits the field comes by itself, or after a button.
    const lookup = person.field("_add_lookup");
    if (!(await lookup.count())) await person.leaveBy(person.button(text("go-on")));
    await person.select(lookup, text("lookup-lt"));
    await isWhole.waitFor();
    await person.fill(person.field("_add_value"), "3");
    await person.leaveBy(person.button(text("filter-apply")));
    await person.leaveBy(person.link("title"));
    await person.leaveBy(person.link(text("next")));
    const shown = await person.page.locator("tbody a.key").allInnerTexts();
    const all = JSON.parse(await sent("items", "kind__lt=3&_order_by=title,id&_per_page=1000&_count=none"));
    assert.deepEqual(shown, all.results.slice(50, 100).map(({ id }) => String(id)));
    await person.leaveBy(person.link(text("filter-remove")));
    assert.doesNotMatch(person.place, /kind__lt/);
  },

  async "change many records, and take it back"({ person, resource, sent }) {
    const query = "id__lt=31&_order_by=id&_per_page=100&_count=none";
    const before = await sent("items", query);
    await person.go(`${listOf(resource, "items")}?id__lt=31`);
    await person.select(person.field("_which"), text("bulk-all"));
    await person.leaveBy(person.button(text("bulk-change")));
    await person.fill(person.field("value:title"), "the same");
    await person.leaveBy(person.button(text("bulk-preview")).first());
    await person.leaveBy(person.page.locator('[value="run"]'));
    assert.match(await sent("items", query), /the same/);
    await person.leaveBy(person.button(text("undo")));
    await person.page.locator(".notice.done", { hasText: "30" }).waitFor();
    assert.equal(await sent("items", query), before);
  },

  async "choose columns"({ person, resource }) {
    await person.go(listOf(resource, "wide"));
    await person.choose(person.page.locator("summary", { hasText: text("columns") }));
    for (const name of ["c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12"]) {
      await person.check(person.page.getByRole("checkbox", { name, exact: true }), false);
    }
    await person.check(person.page.getByRole("checkbox", { name: "c300", exact: true }));
    await person.leaveBy(person.button(text("columns-apply")));
    const heads = await person.page.locator("thead th:not(.choose) bdi").allInnerTexts();
    assert.deepEqual(heads, ["id", "c1", "c300"]);
    assert.deepEqual(await person.page.locator("tbody td:not(.choose)").allInnerTexts(), ["1", "10", "3000"]);
  },

  async "change a record whose names have to be escaped everywhere"({ person, resource }) {
    const model = `order "of" <i>things</i> & 'more'/ü?#`;
    await person.go(`${HOME}records/${resource}/`);
    await person.leaveBy(person.link(model));
    await person.leaveBy(person.link("1"));
    await person.fill(person.field("value:ä/ö?#&=%"), "<u>&amp;</u>");
    await person.fill(person.page.getByLabel(`'"><img src=x>`), "'\";--");
    await save(person);
    await isSaved(person);
  },

  async "follow a reference there and back"({ person, resource }) {
    await person.go(recordOf(resource, "parts", "3"));
    await person.leaveBy(person.link(text("refers-open", { model: "makers", key: "1" })));
    assert.equal(person.place, recordOf(resource, "makers", "1"));
    await person.leaveBy(person.page.locator(".related").getByRole("link", { name: "parts" }));
    assert.equal(person.place, `${listOf(resource, "parts")}?maker_id=1`);
  },

  async "find a model by a part of its name, and a record by its key"({ person, resource }) {
    const [box, find] = [person.field("q"), person.button(text("search"))];
    await person.go(`${HOME}find/`);
    await person.fill(box, `${resource} tags`);
    await person.leaveBy(find);
    await person.leaveBy(person.page.locator("#found a").first());
    assert.equal(person.place, listOf(resource, "part_tags"));
    await person.go(`${HOME}find/`);
    await person.fill(box, `${resource} makers 1`);
    await person.leaveBy(find);
    const path = recordOf(resource, "makers", "1");
    await person.leaveBy(person.page.locator(`#found a[href="${path}"]`));
    assert.equal(person.place, path);
  },

  async "delete a record with a key of two columns"({ person, resource }) {
    await person.go(`${listOf(resource, "part_tags")}?tag=${encodeURIComponent("a,b/c")}`);
    await person.leaveBy(person.link("a,b/c"));
    await person.leaveBy(person.link(text("delete")));
    await person.fill(person.field("confirm"), "part_tags");
    await person.leaveBy(person.button(text("delete")));
    assert.equal(person.place.split("?")[0], listOf(resource, "part_tags"));
  },

  async "delete a record with what belongs to it, after a wrong name"({ person, resource }) {
    await person.go(recordOf(resource, "parts", "5"));
    await person.leaveBy(person.link(text("delete")));
    await person.page.getByText("part_tags").waitFor();
    await person.fill(person.field("confirm"), "wrong");
    await person.leaveBy(person.button(text("delete")));
    await person.page.getByText(text("confirm-name-wrong", { name: "parts" })).waitFor();
    await person.fill(person.field("confirm"), "parts");
    await person.leaveBy(person.button(text("delete")));
    assert.equal(person.place.split("?")[0], listOf(resource, "parts"));
  },

  async "not delete a record that others need"({ person, resource }) {
    await person.go(`${recordOf(resource, "makers", "1")}delete/`);
    assert(await person.button(text("delete")).isDisabled());
  },

  async "connect a database, look at it, and disconnect it"({ person, resource, spare }) {
    const name = `new-${resource}`;
    await person.go(HOME);
    await person.leaveBy(person.link(text("connect")));
    await person.leaveBy(person.link("URL"));
    await person.fill(person.field("name"), name);
    await person.fill(person.field("url"), spare);
    await person.leaveBy(person.button(text("connect-test")));
    await person.page.getByRole("status").waitFor();
    await person.leaveBy(person.button(text("connect-save")));
    assert.equal(person.place, `${HOME}records/${name}/`);
    await person.go(`${HOME}resources/${name}/`);
    await person.leaveBy(person.button(text("reload")));
    await person.page.getByText(text("reloaded"), { exact: true }).waitFor();
    await person.leaveBy(person.link(text("disconnect")));
    await person.fill(person.field("confirm"), name);
    await person.leaveBy(person.button(text("disconnect")));
    assert.equal(person.place, HOME);
  },
};
