// The tasks: by mouse, by keyboard, and by keyboard without JavaScript. Those about records and questions are done over a database of
// each engine; each way has databases of its own, which must be the same in the end.
//
// A new task is one function in `tasks/`. It gets a `person`, the `resource` that it works on, the `way` in which it is done, the
// `world` around it, another database (`spare`) of the same engine, and `sent`, which gives what a query of the service has.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { project } from "./tasks/project.mjs";
import { questions } from "./tasks/questions.mjs";
import { records } from "./tasks/records.mjs";
import { begin, end } from "./tasks/session.mjs";
import { Visitor, launch } from "./support/browser.mjs";
import { Person } from "./support/person.mjs";
import { ENGINES, World, databases } from "./support/service.mjs";
import { picture } from "./support/snapshots.mjs";

const WAYS = {
  mouse: { keyboard: false, javaScriptEnabled: true },
  keyboard: { keyboard: true, javaScriptEnabled: true },
  plain: { keyboard: true, javaScriptEnabled: false },
};
/** What tasks may change, with what its records are ordered by. */
const CHANGED = {
  parts: "id",
  makers: "id",
  part_tags: "part_id,tag",
  items: "id",
  [`order "of" <i>things</i> & 'more'/ü?#`]: "id",
};

let browser;
let world;

before(async () => {
  const all = Object.keys(WAYS).flatMap((way) => ENGINES.map((engine) => [`${engine}-${way}`, databases[way][engine]]));
  [browser, world] = await Promise.all([launch(), World.start(Object.fromEntries(all))]);
});

after(async () => {
  await Promise.allSettled([browser?.close(), world?.stop()]);
});

describe("tasks", { concurrency: ENGINES.length }, () => {
  for (const engine of ENGINES) {
    describe(engine, { concurrency: 1 }, () => {
      const tasks = { ...begin, ...records, ...questions, ...(engine === "sqlite" && project), ...end };
      for (const way of Object.keys(WAYS)) describe(way, () => doTasks(tasks, engine, way));
      test("all ways have left the same", () => compareDatabases(engine));
    });
  }
});

/** All tasks, one after the other, in one browser. */
function doTasks(tasks, engine, way) {
  const { keyboard, javaScriptEnabled } = WAYS[way];
  const resource = `${engine}-${way}`;
  const spare = databases.places[engine];
  const sent = (model, query) => world.data(resource, `models/${model}?${query}`);
  let visitor;
  let person;

  before(async () => {
    visitor = await Visitor.arrive(browser, world.origin, { javaScriptEnabled });
    person = new Person(await visitor.context.newPage(), { keyboard });
  });

  for (const [name, task] of Object.entries(tasks)) {
    test(`${name} (${engine}, ${way})`, async () => {
      try {
        await task({ person, resource, way, world, spare, sent });
      } catch (error) {
        await picture(person.page, `failed-${resource}-${name.replaceAll(/\W+/g, "-")}`);
        throw error;
      }
    });
  }

  test(`nothing else went wrong (${engine}, ${way})`, async () => {
    // Refused forms: wrong values, a session that has ended, a conflict.
    assert.deepEqual(visitor.unexpected([400, 401, 412]), []);
    await visitor.leave();
  });
}

/** What the three ways have made of their databases. */
async function compareDatabases(engine) {
  for (const [model, order] of Object.entries(CHANGED)) {
    const [first, ...rest] = await Promise.all(
      Object.keys(WAYS).map((way) => world.records(`${engine}-${way}`, model, order)),
    );
    for (const other of rest) assert.equal(other, first, model);
  }
  const [part] = (await world.records(`${engine}-mouse`, "parts")).split("\n").filter((line) => line.includes('"id":1,'));
  assert.match(part, /"name":"long bolt"/);
  // What was not changed is the same to the last digit and blank.
  assert.match(part, /"note":"a {2}\\nb"/);
  assert.match(part, /"amount":9007199254740993\b/);
}
