// SQL and the structure of resources against the demo shop.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { target, watchFetch } from "./support/fetch.mjs";
import { startService } from "./support/service.mjs";

let service;
let svc;

before(async () => {
  service = await startService();
  svc = new Svc({ ...service.options, apiToken: service.shopToken });
});

after(() => service.stop());

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

test("a query gives rows, columns, and their types", async () => {
  const result = await svc.sql("shop", "SELECT id, total, note FROM orders WHERE id <= 2 ORDER BY id");
  const { data, ...rest } = result;
  assert.deepEqual(data.map(([id]) => id), [1, 2]);
  assert.deepEqual(rest, {
    columns: ["id", "total", "note"],
    columnDescriptions: {
      id: { field: "IntegerField" },
      total: { field: "DecimalField" },
      note: { field: "TextField" },
    },
    rowCount: 2,
    limit: 10_000,
    count: undefined,
    truncated: false,
  });
});

test("values are bound by name", async () => {
  const params = { low: 5, high: 7n, status: "none' OR 1=1 --", nothing: null };
  const query = "SELECT id FROM orders WHERE id BETWEEN :low AND :high AND status <> :status AND :nothing IS NULL ORDER BY id";
  assert.deepEqual((await svc.sql("shop", query, { params })).data, [[5], [6], [7]]);
});

test("values are bound in order", async () => {
  const params = [7, "100%", null];
  const { data } = await svc.sql("shop", "SELECT id, %s, %s FROM orders WHERE id = %s", { params: [params[1], params[2], params[0]] });
  assert.deepEqual(data, [[7, "100%", null]]);
});

test("a bind without a value is an error, and so is a value without a bind", async () => {
  assert.equal((await rejected(svc.sql("shop", "SELECT :a", { params: {} }))).status, 400);
  assert.equal((await rejected(svc.sql("shop", "SELECT 1", { params: { a: 1 } }))).status, 400);
  assert.equal((await rejected(svc.sql("shop", "SELECT %s", { params: [] }))).status, 400);
});

test("integers of 64 bits keep their digits in both directions", async () => {
  const { data } = await svc.sql("shop", "SELECT 9007199254740993, -9223372036854775808, 9007199254740991, '9007199254740993'");
  assert.deepEqual(data, [[9007199254740993n, -9223372036854775808n, Number.MAX_SAFE_INTEGER, "9007199254740993"]]);
  const bound = await svc.sql("shop", "SELECT :big, :big - 1", { params: { big: 9007199254740993n } });
  assert.deepEqual(bound.data, [[9007199254740993n, 9007199254740992n]]);
  const listed = await svc.sql("shop", "SELECT %s", { params: [9223372036854775807n] });
  assert.deepEqual(listed.data, [[9223372036854775807n]]);
});

test("offset, limit, order and count are those that are asked for", async () => {
  const query = "SELECT id, status FROM orders WHERE id <= 10";
  const result = await svc.sql("shop", query, { offset: 1, limit: 3, orderBy: "-id", count: true });
  assert.deepEqual(result.data.map(([id]) => id), [9, 8, 7]);
  assert.equal(result.count, 10);
  assert.equal(result.limit, 3);
  assert.equal(result.rowCount, 3);
  const sorted = await svc.sql("shop", query, { orderBy: ["status", "-id"] });
  const expected = [...sorted.data].sort(([a, s], [b, t]) => (s < t ? -1 : s > t ? 1 : b - a));
  assert.deepEqual(sorted.data, expected);
});

test("dates are given in the time zone that is asked for", async () => {
  const query = "SELECT created_at FROM orders WHERE id = 1";
  const [[utc]] = (await svc.sql("shop", query)).data;
  const [[local]] = (await svc.sql("shop", query, { timezone: "+02:00" })).data;
  assert.match(local, /\+02:00$/);
  assert.equal(Date.parse(local), Date.parse(utc));
});

test("a result with too many rows is truncated and marked", async () => {
  const { rowCount, truncated, data } = await svc.sql("shop", "SELECT id FROM orders");
  assert.equal(rowCount, 10_000);
  assert.equal(data.length, 10_000);
  assert.equal(truncated, true);
});

test("a query that writes is refused", async () => {
  for (const query of ["DELETE FROM orders", "UPDATE orders SET note = 'x'", "SELECT 1; SELECT 2", "DROP TABLE orders"]) {
    const error = await rejected(svc.sql("shop", query));
    assert.equal(error.status, 400);
    assert.deepEqual(Object.keys(error.fieldErrors), ["query"], query);
  }
});

test("an error of the database is reported", async () => {
  const error = await rejected(svc.sql("shop", "SELECT no_such_column FROM orders"));
  assert.equal(error.status, 400);
  assert.match(error.generalErrors.join(), /no_such_column/);
});

test("what a query asks for is sent under the names of the wire", async (t) => {
  const requests = watchFetch(t, () => Response.json({ data: [] }));
  const at = new Date(Date.UTC(2026, 8, 15));
  await svc.sql("shop", "SELECT :at", { params: { at }, orderBy: "a", schema: "public", timezone: "UTC" });
  await svc.sql("shop", "SELECT %s", { params: [1n] });
  await svc.sql("shop", "SELECT 1");
  assert.ok(requests.every((request) => request.method === "POST" && target(request) === "/projects/demo/prod/shop/sql_get_query"));
  assert.deepEqual(requests.map(({ text }) => JSON.parse(text)), [
    { query: "SELECT :at", params_obj: { at: "2026-09-15T00:00:00.000Z" }, order_by: ["a"], schema: "public", timezone: "UTC" },
    { query: "SELECT %s", v: 1, params: [1] },
    { query: "SELECT 1" },
  ]);
});

test("reload reads the structure of a resource again, and resolves with nothing", async (t) => {
  const requests = watchFetch(t);
  assert.equal(await svc.reload("shop"), undefined);
  assert.deepEqual([requests[0].method, target(requests[0])], ["POST", "/projects/demo/prod/shop/reload"]);
  const error = await rejected(new Svc(service.options).reload("shop"));
  assert.equal(error.status, 401);
});

test("modelDescriptions returns the models of a resource", async () => {
  const models = await svc.modelDescriptions("shop");
  assert.deepEqual(models.map(({ model }) => model), ["customer_revenue", "customers", "order_items", "orders", "products"]);
  const orders = models.find(({ model }) => model === "orders");
  assert.equal(orders.primary_key_field, "id");
  assert.equal(orders.is_view, false);
  assert.ok(orders.fields.some(({ name, field }) => name === "total" && field === "DecimalField"));
  assert.ok(orders.relations.some(({ related_model, direction }) => related_model === "customers" && direction === "MANYTOONE"));
});

test("a response that is not a result is an error of kind decode", async (t) => {
  watchFetch(t, () => new Response("null"));
  assert.equal((await rejected(svc.sql("shop", "SELECT 1"))).kind, "decode");
  assert.equal((await rejected(svc.collection("shop", "orders").aggregate({ func: "count" }))).kind, "decode");
});
