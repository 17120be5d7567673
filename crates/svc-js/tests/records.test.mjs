// Single records, aggregates and groups against the demo shop.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { etagOf, Svc, SvcRequestError } from "svc-js";

import { target, watchFetch } from "./support/fetch.mjs";
import { connectPlaces } from "./support/places.mjs";
import { startService } from "./support/service.mjs";

/** An integer that a number cannot hold. */
const BIG = 9007199254740993n;

let service;
let svc;
let orders;
let products;

before(async () => {
  service = await startService();
  svc = new Svc({ ...service.options, apiToken: service.shopToken });
  orders = svc.collection("shop", "orders");
  products = svc.collection("shop", "products");
});

after(() => service.stop());

let skus = 0;
const product = (more) => ({ sku: `T-${(skus += 1)}`, name: "Tea", category: "drinks", price: "4.50", ...more });

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

test("get gives a record, by a number or its text", async () => {
  const record = await orders.get(7);
  const names = ["created_at", "customer_id", "id", "note", "shipped_at", "status", "total"];
  assert.deepEqual(Object.keys(record).sort(), names);
  assert.equal(record.id, 7);
  assert.match(record.total, /^\d+\.\d\d$/);
  assert.deepEqual(await orders.get("7"), record);
  assert.deepEqual(await orders.get(7n), record);
  assert.deepEqual(await orders.get([7]), record);
});

test("get gives only the fields that are asked for, and dates in the time zone", async () => {
  assert.deepEqual(Object.keys(await orders.get(7, { fields: ["status"] })).sort(), ["id", "status"]);
  const { created_at: utc } = await orders.get(7);
  const { created_at: local } = await orders.get(7, { timezone: "+02:00" });
  assert.match(utc, /Z$/);
  assert.match(local, /\+02:00$/);
  assert.equal(Date.parse(local), Date.parse(utc));
});

test("a record that is not there is a 404", async () => {
  const error = await rejected(orders.get(123456789));
  assert.equal(error.status, 404);
  assert.equal((await rejected(svc.collection("shop", "no_such_model").get(1))).status, 404);
});

test("create gives the record as it is stored, update changes what is given, delete takes it away", async () => {
  const created = await products.create(product({ attributes: { tags: ["a"], weight: 1.5 } }));
  assert.equal(typeof created.id, "number");
  assert.equal(created.active, true);
  assert.deepEqual(created.attributes, { tags: ["a"], weight: 1.5 });
  assert.deepEqual(await products.get(created.id), created);
  const updated = await products.update(created.id, { price: "5.00", attributes: undefined });
  assert.deepEqual(updated, { ...created, price: "5.00" });
  assert.equal(await products.delete(created.id), undefined);
  assert.equal((await rejected(products.get(created.id))).status, 404);
});

test("null empties a column and undefined leaves it as it is", async () => {
  const { id } = await products.create(product({ attributes: { a: 1 } }));
  assert.deepEqual((await products.update(id, { name: "Mate", attributes: undefined })).attributes, { a: 1 });
  assert.equal((await products.update(id, { attributes: null })).attributes, null);
});

test("a Date is written as its time", async () => {
  const created_at = new Date(Date.UTC(2026, 8, 15, 12, 30));
  const { id } = await orders.create({ customer_id: 1, created_at });
  assert.equal(Date.parse((await orders.get(id)).created_at), created_at.getTime());
});

test("views of what is written can be chosen", async () => {
  const created = await products.create(product(), { fields: ["sku"] });
  assert.deepEqual(Object.keys(created).sort(), ["id", "sku"]);
  const updated = await products.update(created.id, { name: "Mate" }, { fields: ["name"] });
  assert.deepEqual(updated, { id: created.id, name: "Mate" });
});

test("what is wrong with a record is told by field", async () => {
  const error = await rejected(products.create({ name: "Tea", no_such_column: 1 }));
  assert.equal(error.kind, "status");
  assert.equal(error.status, 400);
  assert.ok("no_such_column" in error.fieldErrors, JSON.stringify(error.fieldErrors));
  const taken = product();
  await products.create(taken);
  const twice = await rejected(products.create(taken));
  assert.deepEqual(twice.fieldErrors, { sku: ["record with the same value already exists"] });
});

test("an object that was read stands for its entity tag in ifMatch", async () => {
  const created = await products.create(product());
  const read = await products.get(created.id);
  assert.match(etagOf(read), /^"[^"]+"$/);
  assert.equal(etagOf(read), etagOf(created));
  const updated = await products.update(read.id, { name: "Mate" }, { ifMatch: read });
  assert.notEqual(etagOf(updated), etagOf(read));
  const error = await rejected(products.update(read.id, { name: "Cocoa" }, { ifMatch: read }));
  assert.equal(error.status, 412);
  assert.equal((await products.get(read.id)).name, "Mate");
  assert.equal((await rejected(products.delete(read.id, { ifMatch: read }))).status, 412);
  await products.delete(read.id, { ifMatch: updated });
});

test("an entity tag itself can be given to ifMatch", async () => {
  const created = await products.create(product());
  assert.equal((await rejected(products.update(created.id, {}, { ifMatch: '"other"' }))).status, 412);
  const updated = await products.update(created.id, { name: "Mate" }, { ifMatch: etagOf(created) });
  assert.equal((await rejected(products.delete(created.id, { ifMatch: etagOf(created) }))).status, 412);
  await products.delete(created.id, { ifMatch: etagOf(updated) });
});

test("an object without an entity tag is refused by ifMatch, and nothing is sent", async (t) => {
  const created = await products.create(product());
  const requests = watchFetch(t);
  for (const ifMatch of [{ ...created }, {}, null]) {
    for (const write of [products.update(created.id, { name: "Mate" }, { ifMatch }), products.delete(created.id, { ifMatch })]) {
      const error = await rejected(write);
      assert.equal(error.kind, "request");
      assert.match(error.message, /ifMatch must be an entity tag/);
    }
  }
  assert.deepEqual(requests, []);
  assert.equal(etagOf({}), undefined);
});

test("an ifMatch that is undefined is none", async () => {
  const created = await products.create(product());
  assert.equal((await products.update(created.id, { name: "Mate" }, { ifMatch: undefined })).name, "Mate");
});

test("integers of 64 bits keep their digits on the way there and back", async () => {
  const created = await products.create(product({ id: BIG, attributes: { big: -BIG, small: 1, text: `${BIG}` } }));
  assert.equal(created.id, BIG);
  const read = await products.get(BIG);
  assert.equal(read.id, BIG);
  assert.deepEqual(read.attributes, { big: -BIG, small: 1, text: `${BIG}` });
  const { results } = await products.list({ filters: { id: BIG } });
  assert.deepEqual(results, [read]);
  assert.deepEqual((await products.list({ filters: { id: BIG - 1n } })).results, []);
  assert.equal(await products.aggregate({ func: "max", column: "id" }), BIG);
  await products.delete(BIG);
});

test("bigints that a number can hold come back as numbers", async () => {
  const { attributes } = await products.create(product({ attributes: { a: 5n, b: BigInt(Number.MAX_SAFE_INTEGER) } }));
  assert.deepEqual(attributes, { a: 5, b: Number.MAX_SAFE_INTEGER });
});

test("parts of a path are escaped", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  const odd = svc.collection("my shop", "a/b?");
  await odd.get("1/2#3");
  assert.equal(target(requests[0]), "/projects/demo/prod/my%20shop/models/a%2Fb%3F/1%2F2%233");
});

test("a key that is none is an error and no request", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  for (const id of ["", [], undefined, null, true, {}, [1, undefined], ["a", null]]) {
    for (const call of [orders.get(id), orders.update(id, {}), orders.delete(id)]) {
      assert.equal((await rejected(call)).kind, "request", JSON.stringify(id));
    }
  }
  assert.deepEqual(requests, []);
});

test("aggregate gives a value over the selected records", async () => {
  const count = await orders.aggregate({ func: "count" });
  assert.equal(count, (await orders.list()).count);
  const filters = { status: "paid" };
  const paid = await orders.aggregate({ func: "count", filters });
  assert.ok(paid > 0 && paid < count, `${paid} of ${count}`);
  assert.equal(await orders.aggregate({ func: "count", exclude: filters }), count - paid);
  const [min, max] = await Promise.all(["min", "max"].map((func) => orders.aggregate({ func, column: "id", filters: { id: { range: [5, 9] } } })));
  assert.deepEqual([min, max], [5, 9]);
  assert.equal(await orders.aggregate({ func: "max", column: "id", filters: { id: -1 } }), null);
});

test("group gives a value for each group, in order", async () => {
  const groups = await orders.group({ func: "count", by: "status", filters: { id: { lte: 1000 } } });
  assert.ok(groups.length > 2);
  assert.deepEqual(Object.keys(groups[0]).sort(), ["group", "y_func"]);
  assert.deepEqual(groups.map(({ group }) => group), groups.map(({ group }) => group).sort());
  assert.equal(groups.reduce((sum, { y_func }) => sum + y_func, 0), 1000);
});

test("group takes several columns, units of dates and a limit", async () => {
  const by = [{ column: "created_at", lookup: "date_year" }, "status"];
  const groups = await orders.group({ func: "max", column: "id", by, limit: 3 });
  assert.equal(groups.length, 3);
  for (const { group, group_2, y_func } of groups) {
    assert.match(group, /^\d{4}-01-01$/);
    assert.equal(typeof group_2, "string");
    assert.equal(typeof y_func, "number");
  }
  const one = await orders.group({ func: "count", by: { column: "created_at", lookup: "date_year" } });
  assert.ok(one.every(({ group }) => /^\d{4}-01-01$/.test(group)));
});

test("a function or column that is not there is an error of the service", async () => {
  assert.equal((await rejected(orders.aggregate({ func: "median", column: "id" }))).status, 400);
  assert.equal((await rejected(orders.group({ func: "count", by: "no_such_column" }))).status, 400);
});

// The last one: the service starts again.
test("a record with a composite key is got, changed and deleted by its parts", async (t) => {
  const apiToken = await connectPlaces(service, t);
  const places = new Svc({ ...service.options, apiToken });
  const readings = places.collection("places", "readings");
  const key = ["a,b/c %2C?", BIG];
  const created = await readings.create({ place: key[0], number: key[1], value: -9223372036854775808n });
  assert.deepEqual(created, { place: key[0], number: BIG, value: -9223372036854775808n });
  await readings.create({ place: "a", number: 1, value: null });
  assert.deepEqual(await readings.get(key), created);
  assert.deepEqual(await readings.get(["a", 1]), { place: "a", number: 1, value: null });
  assert.equal((await readings.update(key, { value: 9223372036854775807n })).value, 9223372036854775807n);
  const { results } = await readings.list({ orderBy: ["place", "-number"] });
  assert.deepEqual(results.map(({ place, number }) => [place, number]), [["a", 1], key]);
  await readings.delete(key);
  assert.equal((await rejected(readings.get(key))).status, 404);
});
