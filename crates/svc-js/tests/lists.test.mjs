// Lists of records against the demo shop: what is asked for, and the ways to walk.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { emptyList, target, watchFetch } from "./support/fetch.mjs";
import { startService } from "./support/service.mjs";

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

const ids = ({ results }) => results.map(({ id }) => id);
const collect = async (list) => {
  const records = [];
  for await (const record of list) records.push(record);
  return records;
};

const rejected = async (promise) => {
  const error = await Promise.resolve(promise).then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

/** The query of the request that a list makes. */
async function query(t, options) {
  const requests = watchFetch(t, emptyList);
  await new Svc({ project: "demo" }).collection("shop", "orders").list(options);
  return Object.fromEntries(requests[0].url.searchParams);
}

test("a list is the first page, with 25 records unless asked otherwise", async () => {
  const page = await orders.list();
  assert.deepEqual(Object.keys(page).sort(), ["count", "next", "previous", "results"]);
  assert.equal(page.count, 100_000);
  assert.equal(page.results.length, 25);
  assert.equal(page.previous, null);
  assert.match(page.next, /^http.*[?&]_after=/);
  // The default order is that of the key, from the end.
  assert.deepEqual(ids(page).slice(0, 2), [100_000, 99_999]);
});

test("a field whose name begins like a parameter is compared in the tree of conditions", async (t) => {
  const condition = { field: "_hidden", lookup: "gt", value: 5 };
  assert.deepEqual(await query(t, { filters: { _hidden: { gt: 5 } } }), { _filter: JSON.stringify(condition) });
  const filter = { field: "id", value: 1 };
  const { _filter, status } = await query(t, { filters: { _hidden: { gt: 5 }, status: "paid" }, filter });
  assert.deepEqual(JSON.parse(_filter), { and: [filter, condition] });
  assert.equal(status, "paid");
});

test("pagination asks for a page and its size", async () => {
  const page = await orders.list({ pagination: { page: 3, perPage: 2 }, orderBy: "id" });
  assert.deepEqual(ids(page), [5, 6]);
  assert.notEqual(page.previous, null);
  const past = await products.list({ pagination: { page: 1000 } });
  assert.deepEqual(past.results, []);
  assert.equal(past.next, null);
});

test("pagination: false asks for everything at once, and gives it as one page", async (t) => {
  const requests = watchFetch(t);
  const page = await products.list({ pagination: false, orderBy: "id" });
  assert.equal(requests[0].url.searchParams.get("_no_pagination"), "1");
  assert.deepEqual({ ...page, results: ids(page) }, {
    count: 500,
    next: null,
    previous: null,
    results: Array.from({ length: 500 }, (_, index) => index + 1),
  });
});

test("filters compare with a value, with null, with several, and by lookup", async () => {
  const all = { status: "paid", id: { lte: 2000, gt: 100 }, shipped_at: null };
  const { results, count } = await orders.list({ filters: all, pagination: { perPage: 2000 } });
  assert.ok(count > 0 && count === results.length);
  for (const { status, id, shipped_at } of results) {
    assert.ok(status === "paid" && id > 100 && id <= 2000 && shipped_at === null);
  }
  assert.deepEqual(ids(await orders.list({ filters: { id: [3, 1, 2] }, orderBy: "id" })), [1, 2, 3]);
  assert.deepEqual(ids(await orders.list({ filters: { id: { in: [7n, "8"] } }, orderBy: "id" })), [7, 8]);
  assert.deepEqual(ids(await orders.list({ filters: { id: { range: [5, 7] } }, orderBy: "id" })), [5, 6, 7]);
  const active = await products.list({ filters: { active: false }, pagination: false });
  assert.ok(active.count > 0 && active.results.every(({ active }) => active === false));
});

test("a value with commas, quotes or signs of the query is compared as it is", async () => {
  const note = 'a,b "c" & d=e+f%20g #h';
  const { id } = await orders.create({ customer_id: 1, note });
  assert.deepEqual(ids(await orders.list({ filters: { note } })), [id]);
  assert.deepEqual(ids(await orders.list({ filters: { note: [note, "x"] } })), [id]);
  assert.deepEqual(ids(await orders.list({ filters: { note: { icontains: '"C" & D' } } })), [id]);
  await orders.delete(id);
});

test("filters are sent as their lookups say", async (t) => {
  const at = new Date(Date.UTC(2026, 8, 15, 12));
  const k = { contains_any: ["[x", "y"], contained_by: [], len__gt: 2 };
  const filters = { a: 1, b: null, c: [1, 2], d: { gte: 1, lt: 2n }, e: at, f: { isnull: false }, g: true, h: "", k };
  assert.deepEqual(await query(t, { filters, exclude: { i: "x", j: { in: ["y"] } } }), {
    a: "1",
    b__isnull: "true",
    c__in: "1,2",
    d__gte: "1",
    d__lt: "2",
    e: "2026-09-15T12:00:00.000Z",
    f__isnull: "false",
    g: "true",
    h: "",
    k__contained_by: "",
    k__contains_any: '"[x",y',
    k__len__gt: "2",
    exclude__i: "x",
    exclude__j__in: "y",
  });
});

test("a filter that is undefined is an error, since leaving it out would give more than was asked for", async (t) => {
  const requests = watchFetch(t, emptyList);
  const wrong = [
    [{ filters: { status: undefined } }, /the filter of status is undefined/],
    [{ exclude: { status: undefined } }, /the filter of status is undefined/],
    [{ filters: { id: { gt: undefined } } }, /the filter of id/],
    [{ filters: { id: { gt: null } } }, /the filter of id/],
    [{ filters: { id: { gt: [1] } } }, /needs one value for gt/],
    [{ filters: { id: { gt: {} } } }, /the filter of id/],
    [{ filters: { id: Symbol("a") } }, /the filter of id/],
    [{ filters: { id: { in: 1 } } }, /needs an array for in/],
    [{ filters: { id: { range: "1,2" } } }, /needs an array for range/],
  ];
  for (const [options, message] of wrong) {
    const error = await rejected(orders.list(options));
    assert.equal(error.kind, "request");
    assert.match(error.message, message);
    await rejected(orders.aggregate({ func: "count", ...options }));
    await rejected(orders.group({ func: "count", by: "status", ...options }));
    await rejected(collect(orders.list(options)));
  }
  assert.deepEqual(requests, []);
});

test("several values of which one is undefined or null are an error too", async (t) => {
  const requests = watchFetch(t, emptyList);
  for (const nothing of [undefined, null]) {
    for (const filters of [{ status: ["paid", nothing] }, { id: { in: [1, nothing] } }, { id: { range: [nothing, 2] } }]) {
      assert.equal((await rejected(orders.list({ filters }))).kind, "request", JSON.stringify(filters));
    }
  }
  assert.deepEqual(requests, []);
});

test("a date that is none is an error of the call", async (t) => {
  const requests = watchFetch(t, emptyList);
  const invalid = new Date("no date");
  for (const filters of [{ created_at: invalid }, { created_at: { lt: invalid } }]) {
    assert.equal((await rejected(orders.list({ filters }))).kind, "request");
  }
  assert.deepEqual(requests, []);
});

test("a field or lookup that the service does not know is its error", async () => {
  const error = await rejected(orders.list({ filters: { no_such_column: 1 } }));
  assert.equal(error.status, 400);
  assert.ok("no_such_column" in error.fieldErrors, error.body);
  assert.equal((await rejected(orders.list({ filters: { id: { greater: 1 } } }))).status, 400);
});

test("exclude keeps what none of the conditions holds for", async () => {
  const filters = { id: { lte: 1000 } };
  const { count } = await orders.list({ filters });
  const paid = await orders.list({ filters: { ...filters, status: "paid" } });
  const others = await orders.list({ filters, exclude: { status: "paid" } });
  assert.equal(paid.count + others.count, count);
  assert.ok(others.results.every(({ status }) => status !== "paid"));
});

test("a tree of conditions holds beside the others", async () => {
  const filter = {
    or: [
      { field: "id", value: 1 },
      { and: [{ field: "id", lookup: "in", value: [2, 3n] }, { not: { field: "id", value: 3 } }] },
      { field: "id", lookup: "range", value: [10, 11] },
    ],
  };
  assert.deepEqual(ids(await orders.list({ filter, orderBy: "id" })), [1, 2, 10, 11]);
  assert.deepEqual(ids(await orders.list({ filter, filters: { id: { lt: 10 } }, orderBy: "id" })), [1, 2]);
  assert.equal(await orders.aggregate({ func: "count", filter }), 4);
});

test("search looks into every searchable column", async () => {
  const { results, count } = await products.list({ search: "YO-YO" });
  assert.ok(count > 0);
  assert.ok(results.every((record) => JSON.stringify(record).toLowerCase().includes("yo-yo")));
});

test("relation keeps records that have such related records", async () => {
  const { id } = (await svc.collection("shop", "order_items").list({ filters: { order_id: 1 } })).results[0];
  const { results } = await orders.list({ relation: `id.order_items.order_id|id.${id}` });
  assert.deepEqual(results.map(({ id }) => id), [1]);
  assert.equal((await rejected(orders.list({ relation: "nonsense" }))).status, 400);
});

test("orderBy takes one column or several, descending with a minus", async () => {
  assert.deepEqual(ids(await orders.list({ orderBy: "id", pagination: { perPage: 2 } })), [1, 2]);
  assert.deepEqual(ids(await orders.list({ orderBy: ["-id"], pagination: { perPage: 2 } })), [100_000, 99_999]);
  const { results } = await orders.list({ orderBy: ["status", "-id"], pagination: { perPage: 200 } });
  const sorted = [...results].sort((a, b) => (a.status < b.status ? -1 : a.status > b.status ? 1 : b.id - a.id));
  assert.deepEqual(results, sorted);
});

test("fields, count and timezone are those that are asked for", async () => {
  const { results } = await orders.list({ fields: ["created_at"], timezone: "+02:00", filters: { id: 7 } });
  assert.deepEqual(Object.keys(results[0]).sort(), ["created_at", "id"]);
  assert.match(results[0].created_at, /\+02:00$/);
  assert.equal((await orders.list({ count: "none" })).count, null);
  assert.equal((await orders.list({ count: "exact" })).count, 100_000);
  assert.equal(typeof (await orders.list({ count: "estimated" })).count, "number");
  assert.equal((await rejected(orders.list({ count: "roughly" }))).status, 400);
});

test("options of a list are sent under the names of the wire", async (t) => {
  const options = {
    search: "tea",
    relation: "id.items.order_id|id.1",
    timezone: "Europe/Berlin",
    orderBy: ["-a", "b"],
    pagination: { page: 2, perPage: 10_000 },
    fields: ["a", "b"],
    count: "none",
    filter: { field: "a", value: 9007199254740993n },
  };
  assert.deepEqual(await query(t, options), {
    _search: "tea",
    _relation: "id.items.order_id|id.1",
    tz: "Europe/Berlin",
    _order_by: "-a,b",
    page: "2",
    _per_page: "10000",
    _fields: "a,b",
    _count: "none",
    _filter: '{"field":"a","value":9007199254740993}',
  });
});

test("an option that is null is none", async (t) => {
  const options = ["search", "relation", "timezone", "orderBy", "fields", "count", "filter", "filters", "exclude", "pagination"];
  assert.deepEqual(await query(t, Object.fromEntries(options.map((name) => [name, null]))), {});
  assert.deepEqual(await query(t, { pagination: { page: null, perPage: null } }), {});
});

test("a page that is no whole number is an error of the call", async (t) => {
  const requests = watchFetch(t, emptyList);
  for (const pagination of [{ page: 1.5 }, { page: -1 }, { page: "2" }, { perPage: NaN }, { perPage: 2 ** 40 }]) {
    assert.equal((await rejected(orders.list({ pagination }))).kind, "request", JSON.stringify(pagination));
  }
  assert.deepEqual(requests, []);
});

test("a list that nobody waits for sends nothing, and each wait sends one request", async (t) => {
  const requests = watchFetch(t, emptyList);
  const list = orders.list();
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.deepEqual(requests, []);
  await list;
  assert.equal(requests.length, 1);
  await list;
  assert.equal(requests.length, 2);
});

test("then, catch and finally are those of a promise", async () => {
  assert.equal(await orders.list().then(({ results }) => results.length), 25);
  assert.equal(await svc.collection("shop", "none").list().catch(({ status }) => status), 404);
  let called = 0;
  assert.equal((await orders.list().finally(() => (called += 1))).results.length, 25);
  assert.equal(called, 1);
  const [page, [other]] = await Promise.all([orders.list(), Promise.all([products.list()])]);
  assert.equal(page.count + other.count, 100_500);
});

test("for await walks over everything, page by page", async (t) => {
  const requests = watchFetch(t);
  const records = await collect(products.list({ orderBy: "id", pagination: { perPage: 120 } }));
  assert.deepEqual(records.map(({ id }) => id), Array.from({ length: 500 }, (_, index) => index + 1));
  assert.equal(requests.length, 5);
  // All pages but the first are found by a cursor.
  assert.deepEqual(requests.map(({ url }) => url.searchParams.has("_after")), [false, true, true, true, true]);
});

test("for await keeps the selection on every page, and begins with the page that is asked for", async () => {
  const options = { filters: { id: { lte: 10 } }, orderBy: "-id", fields: ["id"], pagination: { page: 2, perPage: 3 } };
  assert.deepEqual(await collect(orders.list(options)), [7, 6, 5, 4, 3, 2, 1].map((id) => ({ id })));
});

test("for await over pagination: false is one request", async (t) => {
  const requests = watchFetch(t);
  assert.equal((await collect(products.list({ pagination: false }))).length, 500);
  assert.equal(requests.length, 1);
});

test("for await asks for no page that is not needed", async (t) => {
  const requests = watchFetch(t);
  for await (const record of orders.list({ pagination: { perPage: 2 } })) {
    if (record.id === 99_998) break;
  }
  assert.equal(requests.length, 2);
});

test("a list can be walked over twice", async () => {
  const list = orders.list({ filters: { id: { lte: 5 } }, pagination: { perPage: 2 } });
  assert.deepEqual(await collect(list), await collect(list));
});

test("byPage walks over the pages", async () => {
  const sizes = [];
  for await (const { results, count } of products.list({ pagination: { perPage: 200 } }).byPage()) {
    sizes.push([results.length, count]);
  }
  assert.deepEqual(sizes, [[200, 500], [200, 500], [100, 500]]);
});

test("what follows next stays on the client's own base URL, with its own selection", async (t) => {
  const next = "https://evil.example/elsewhere?_after=abc&_per_page=10000&status=all";
  const requests = watchFetch(t, ({ url }) =>
    url.searchParams.has("_after")
      ? emptyList()
      : Response.json({ count: 2, next, previous: null, results: [{ id: 1 }] }),
  );
  const shop = new Svc({ project: "demo", apiToken: "secret" }).collection("shop", "orders");
  await collect(shop.list({ filters: { status: "paid" }, pagination: { perPage: 1 } }));
  assert.deepEqual(requests.map(({ url }) => url.origin), ["http://127.0.0.1:8080", "http://127.0.0.1:8080"]);
  const { searchParams } = requests[1].url;
  assert.deepEqual(Object.fromEntries(searchParams), { status: "paid", _per_page: "1", _after: "abc" });
});

test("a next that leads to the same page again is an error and no endless walk", async (t) => {
  const requests = watchFetch(t, () =>
    Response.json({ count: 2, next: "http://a.example/?page=2", previous: null, results: [{ id: 1 }] }),
  );
  const error = await rejected(collect(new Svc({ project: "demo" }).collection("shop", "orders").list()));
  assert.equal(error.kind, "decode");
  assert.equal(requests.length, 2, requests.map(target).join());
});

test("an answer that is no list is an error of its own kind", async (t) => {
  const answers = ["null", "1", '"a"', "{}", '{"results":1}', '{"results":{}}', '{"results":[],"next":5}'];
  for (const answer of answers) {
    watchFetch(t, () => new Response(answer));
    const error = await rejected(new Svc({ project: "demo" }).collection("shop", "orders").list());
    assert.equal(error.kind, "decode", answer);
  }
});
