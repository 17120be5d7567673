// Clients for answering requests of the service (specification, section 5, "Service requests").

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { after, before, test } from "node:test";

import { createClientFromRequest, Svc, SvcRequestError } from "svc-js";

import { emptyList, watchFetch } from "./support/fetch.mjs";
import { startService, UNTHROTTLED } from "./support/service.mjs";
import { FakeStorage, fakeWindow, KEY } from "./support/storage.mjs";
import { entry } from "./support/tokens.mjs";

let service;
let token;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
  const add = ["service-token", "add", "--team", "Editor", "--project", service.project];
  ({ token } = await service.run(...add));
});

after(() => service.stop());

const HEADERS = { "X-Svc-Project": "demo", "X-Svc-Environment": "dev", "X-Svc-Service-Token": "svcs_abc" };

/** The request of a list of records by the client of a service request with these headers. */
async function listed(t, headers) {
  const requests = watchFetch(t, emptyList);
  await createClientFromRequest({ headers }).collection("shop", "orders").list();
  assert.equal(requests.length, 1);
  return requests[0];
}

test("rule 1: project, environment and token are read from three headers", async (t) => {
  const { url, headers } = await listed(t, HEADERS);
  assert.equal(url.href, "http://127.0.0.1:8080/projects/demo/dev/shop/models/orders");
  assert.equal(headers.get("authorization"), "JWT svcs_abc");
});

test("rule 1: all three are required, and what is missing is named", () => {
  for (const name of Object.keys(HEADERS)) {
    for (const nothing of [undefined, ""]) {
      const make = () => createClientFromRequest({ headers: { ...HEADERS, [name]: nothing } });
      assert.throws(make, { name: "SvcRequestError", kind: "options", message: `the request has no header ${name}` });
    }
  }
  assert.throws(() => createClientFromRequest({ headers: {} }), {
    message: "the request has no headers X-Svc-Project, X-Svc-Environment, X-Svc-Service-Token",
  });
  assert.throws(() => createClientFromRequest(new Request("http://a.example")), SvcRequestError);
});

test("the client is there at once, and sends nothing by itself", (t) => {
  const requests = watchFetch(t, emptyList);
  assert.ok(createClientFromRequest({ headers: HEADERS }) instanceof Svc);
  assert.deepEqual(requests, []);
});

test("a Fetch Request, its Headers, and objects of headers in any case are read", async (t) => {
  const requests = watchFetch(t, emptyList);
  const lower = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toLowerCase(), value]));
  const shapes = [
    new Request("http://a.example", { headers: HEADERS }),
    new Headers(HEADERS),
    { headers: new Headers(HEADERS) },
    HEADERS,
    lower,
    { headers: { ...lower, "set-cookie": ["a", "b"], te: undefined } },
  ];
  for (const shape of shapes) {
    await createClientFromRequest(shape).collection("shop", "orders").list();
  }
  assert.equal(requests.length, shapes.length);
  for (const { url, headers } of requests) {
    assert.equal(url.pathname, "/projects/demo/dev/shop/models/orders");
    assert.equal(headers.get("authorization"), "JWT svcs_abc");
  }
});

test("a request of Node's http is read, and answered with records of the service", async (t) => {
  const server = createServer(async (request, response) => {
    const svc = createClientFromRequest(request);
    response.end(JSON.stringify(await svc.collection("shop", "orders").get(1, { fields: ["id"] })));
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const headers = {
    "X-Svc-Project": service.project,
    "X-Svc-Environment": service.environment,
    "X-Svc-Service-Token": token,
    "X-Svc-API-Base-Url": service.baseUrl,
  };
  const [answer] = await once(send({ port: server.address().port, host: "127.0.0.1", headers }).end(), "response");
  const body = (await answer.toArray()).join("");
  assert.equal(body, '{"id":1}');
});

test("rule 2: base URL and draft are passed on where they are there", async (t) => {
  const { url } = await listed(t, { ...HEADERS, "X-Svc-API-Base-Url": "https://data.example.com/" });
  assert.equal(url.href, "https://data.example.com/projects/demo/dev/shop/models/orders");
  assert.equal((await listed(t, HEADERS)).url.search, "");
});

test("rule 2: draft is not read as a boolean, so that any text counts as true", async (t) => {
  for (const word of ["true", "1", "false", "0", "no", "off"]) {
    const { url } = await listed(t, { ...HEADERS, "X-Svc-Draft": word });
    assert.equal(url.search, "?draft=1", word);
  }
  assert.equal((await listed(t, { ...HEADERS, "X-Svc-Draft": "" })).url.search, "");
});

test("rule 3: a service token is loaded into a client that exists with the prefix JWT", async (t) => {
  const requests = watchFetch(t);
  const svc = new Svc(service.options);
  assert.equal(await svc.loadServiceToken(token), undefined);
  assert.deepEqual(await svc.getHeaders(), { Authorization: `JWT ${token}` });
  assert.equal((await svc.collection("shop", "orders").get(1)).id, 1);
  assert.equal(requests[0].headers.get("authorization"), `JWT ${token}`);
});

test("a service token goes before the tokens of a user until logout", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  const svc = new Svc({ ...service.options, storage });
  await svc.loadServiceToken("svcs_abc");
  assert.deepEqual(await svc.getHeaders(), { Authorization: "JWT svcs_abc" });
  await svc.logout();
  assert.equal(await svc.getHeaders(), undefined);
});

test("a service token that no header can hold is refused and not shown", async () => {
  const svc = new Svc(service.options);
  for (const wrong of ["hid\nden", "JWT hidden", ""]) {
    const error = await svc.loadServiceToken(wrong).then(() => assert.fail(), (error) => error);
    assert.ok(error instanceof SvcRequestError, JSON.stringify(wrong));
    assert.doesNotMatch(error.message, /hid/);
  }
  assert.equal(await svc.getHeaders(), undefined);
});

test("rule 4: neither a service token nor its client touches localStorage", async (t) => {
  const storage = new FakeStorage();
  storage.tokens = entry("of-the-user");
  const kept = storage.getItem(KEY);
  fakeWindow(t, storage);
  const svc = createClientFromRequest({ headers: HEADERS });
  assert.deepEqual(await svc.getHeaders(), { Authorization: "JWT svcs_abc" });
  await svc.logout();
  assert.equal(await svc.getHeaders(), undefined);
  assert.equal(storage.getItem(KEY), kept);
  const other = new Svc({ project: "demo" });
  await other.loadServiceToken("svcs_other");
  assert.equal(storage.getItem(KEY), kept);
});

test("rule 4: clients of two requests have nothing in common", async () => {
  const [one, two] = ["svcs_one", "svcs_two"].map((token) =>
    createClientFromRequest({ headers: { ...HEADERS, "X-Svc-Service-Token": token } }),
  );
  await one.getHeaders();
  assert.deepEqual(await two.getHeaders(), { Authorization: "JWT svcs_two" });
  await two.logout();
  assert.deepEqual(await one.getHeaders(), { Authorization: "JWT svcs_one" });
});

test("what is wrong with a header is said by the first call, without its value", async () => {
  const wrong = {
    "X-Svc-API-Base-Url": ["ftp://hidden", /^apiBaseUrl must begin with http:\/\//],
    "X-Svc-Service-Token": ["JWT hidden", /without that prefix/],
  };
  for (const [name, [value, message]] of Object.entries(wrong)) {
    const svc = createClientFromRequest({ headers: { ...HEADERS, [name]: value } });
    const error = await svc.getHeaders().catch((error) => error);
    assert.ok(error instanceof SvcRequestError);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hidden/);
  }
});

test("a service token does what its team may", async () => {
  const add = ["service-token", "add", "--team", "Read Only", "--project", service.project];
  const { token: reading } = await service.run(...add);
  const headers = {
    "X-Svc-Project": service.project,
    "X-Svc-Environment": service.environment,
    "X-Svc-Service-Token": reading,
    "X-Svc-API-Base-Url": service.baseUrl,
  };
  const orders = createClientFromRequest({ headers }).collection("shop", "orders");
  assert.equal((await orders.get(1)).id, 1);
  await assert.rejects(orders.update(1, { note: "mine" }), { status: 403 });
});
