// The constructor's options: their defaults, the environment keys that stand in for them, precedence and parsing
// (specification, section 5, "Client library").

import assert from "node:assert/strict";
import { test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { emptyList, target, watchFetch } from "./support/fetch.mjs";

/** The request of a list of records by a client with these options. */
async function listed(t, options) {
  const requests = watchFetch(t, emptyList);
  await new Svc(options).collection("shop", "orders").list();
  assert.equal(requests.length, 1);
  return requests[0];
}

/** The request of a list of pages. */
async function pagesListed(t, options) {
  const requests = watchFetch(t, () => Response.json([]));
  await new Svc(options).pages.list();
  return requests[0].url.href;
}

const draftOf = ({ url }) => url.searchParams.get("draft");

test("without options the data host is on this machine and the environment is prod", async (t) => {
  const { url, method, headers, text } = await listed(t, { project: "demo" });
  assert.equal(url.href, "http://127.0.0.1:8080/projects/demo/prod/shop/models/orders");
  assert.equal(method, "GET");
  assert.equal(text, "");
  assert.equal(headers.get("authorization"), null);
  assert.equal(headers.get("accept"), "application/json");
});

test("a project is not asked for by the constructor, and missed by a call without a request", async (t) => {
  const requests = watchFetch(t, emptyList);
  for (const svc of [new Svc(), new Svc({}), new Svc({ project: undefined }), new Svc({ project: null })]) {
    const error = await svc.collection("shop", "orders").list().catch((error) => error);
    assert.ok(error instanceof SvcRequestError);
    assert.equal(error.kind, "request");
    assert.match(error.message, /no project is set/);
  }
  assert.deepEqual(requests, []);
});

test("project, environment and base URL make the base of every request", async (t) => {
  const options = { project: "my shop", environment: "dev", apiBaseUrl: "https://data.example.com/base" };
  const { url } = await listed(t, options);
  assert.equal(url.href, "https://data.example.com/base/projects/my%20shop/dev/shop/models/orders");
});

test("a slash at the end of a base URL is left out", async (t) => {
  const { url } = await listed(t, { project: "demo", apiBaseUrl: "https://data.example.com//" });
  assert.equal(url.href, "https://data.example.com/projects/demo/prod/shop/models/orders");
  const pages = await pagesListed(t, { project: "demo", appBaseUrl: "https://app.example.com/api/" });
  assert.equal(pages, "https://app.example.com/api/projects/demo/prod/view_settings/?draft=0");
});

test("the application host is the path /api of the data host unless it is given", async (t) => {
  const options = { project: "demo", apiBaseUrl: "https://data.example.com" };
  const path = "/projects/demo/prod/view_settings/?draft=0";
  assert.equal(await pagesListed(t, options), `https://data.example.com/api${path}`);
  const appBaseUrl = "https://app.example.com/v1/api";
  assert.equal(await pagesListed(t, { ...options, appBaseUrl }), `${appBaseUrl}${path}`);
});

test("a base URL that is none fails at the first call, and the error quotes no password", async (t) => {
  const requests = watchFetch(t, emptyList);
  const wrong = {
    "data.example.com": /absolute URL/,
    "ftp://data.example.com": /http:\/\/ or https:\/\//,
    "https://ann:hidden@data.example.com": /user name or password/,
    "https://data.example.com?draft=1": /query/,
    "https://data.example.com#a": /fragment/,
    "": /absolute URL/,
  };
  for (const [apiBaseUrl, message] of Object.entries(wrong)) {
    const svc = new Svc({ project: "demo", apiBaseUrl });
    const error = await svc.getHeaders().catch((error) => error);
    assert.ok(error instanceof SvcRequestError, apiBaseUrl);
    assert.equal(error.kind, "options");
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hidden/);
    // It is no better at the second one.
    await assert.rejects(svc.getHeaders(), { kind: "options" });
  }
  assert.deepEqual(requests, []);
});

test("an option that is no text fails at the first call", async () => {
  await assert.rejects(new Svc({ project: 1 }).getHeaders(), { message: "project must be a string" });
});

test("draft is sent as draft=1 when it is true and not at all otherwise", async (t) => {
  assert.equal(draftOf(await listed(t, { project: "demo", draft: true })), "1");
  for (const draft of [false, undefined, null]) {
    assert.equal(draftOf(await listed(t, { project: "demo", draft })), null);
  }
});

test("every call about records, users, teams and accounts carries draft=1", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  const svc = new Svc({ project: "demo", draft: true, apiToken: "a" });
  const orders = svc.collection("shop", "orders");
  await orders.get(1);
  await orders.create({});
  await orders.update(1, {});
  await orders.delete(1);
  await orders.aggregate({ func: "count" });
  await orders.group({ func: "count", by: "status" });
  await svc.users.get("u");
  await svc.users.update("u", {});
  await svc.teams.get("t");
  await svc.isAuthenticated();
  await svc.resetPassword("ann@example.com");
  assert.equal(requests.length, 11);
  for (const request of requests) assert.equal(draftOf(request), "1", target(request));
});

test("pages say 0 or 1 in every request, and a call may say otherwise than its client", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  for (const draft of [true, false, undefined]) {
    const svc = new Svc({ project: "demo", draft });
    await svc.pages.get("p");
    await svc.pages.get("p", { draft: true });
    await svc.pages.update("p", {}, { draft: false });
  }
  assert.deepEqual(requests.map(draftOf), ["1", "1", "0", "0", "1", "0", "0", "1", "0"]);
});

test("the proxy is told of draft in its body", async (t) => {
  const requests = watchFetch(t, () => new Response("", { headers: { "x-svc-proxy": "1" } }));
  await new Svc({ project: "demo", draft: true }).proxy({ url: "https://api.example.com" });
  assert.equal(JSON.parse(requests[0].text).draft, true);
});

test("apiToken is given without prefix and sent as Bearer", async (t) => {
  const { headers } = await listed(t, { project: "demo", apiToken: "svct_abc" });
  assert.equal(headers.get("authorization"), "Bearer svct_abc");
  assert.deepEqual(await new Svc({ project: "demo", apiToken: "svct_abc" }).getHeaders(), {
    Authorization: "Bearer svct_abc",
  });
});

test("an apiToken that no header can hold is an error that does not show it", async () => {
  for (const apiToken of ["hid\nden", "Bearer hidden", ""]) {
    const error = await new Svc({ project: "demo", apiToken }).getHeaders().catch((error) => error);
    assert.ok(error instanceof SvcRequestError, JSON.stringify(apiToken));
    assert.doesNotMatch(error.message, /hid/);
  }
});

test("every setting has a key in env and the one with VITE_ is preferred", async (t) => {
  const plain = {
    SVC_PROJECT: "p",
    SVC_ENVIRONMENT: "e",
    SVC_DRAFT: "1",
    SVC_API_BASE_URL: "http://a.example",
    SVC_APP_BASE_URL: "http://b.example/api",
  };
  const vite = {
    VITE_SVC_PROJECT: "vp",
    VITE_SVC_ENVIRONMENT: "ve",
    VITE_SVC_DRAFT: "0",
    VITE_SVC_API_BASE_URL: "http://va.example",
    VITE_SVC_APP_BASE_URL: "http://vb.example/api",
  };
  const expected = [
    [plain, "http://a.example/projects/p/e/shop/models/orders?draft=1", "http://b.example/api/projects/p/e/view_settings/?draft=1"],
    [vite, "http://va.example/projects/vp/ve/shop/models/orders", "http://vb.example/api/projects/vp/ve/view_settings/?draft=0"],
  ];
  expected.push([{ ...vite, ...plain }, ...expected[1].slice(1)], [{ ...plain, ...vite }, ...expected[1].slice(1)]);
  for (const [env, records, pages] of expected) {
    assert.equal((await listed(t, { env })).url.href, records);
    assert.equal(await pagesListed(t, { env }), pages);
  }
});

test("env is never read by itself", async (t) => {
  const keys = ["SVC_PROJECT", "VITE_SVC_PROJECT"];
  t.after(() => keys.forEach((key) => delete process.env[key]));
  for (const key of keys) process.env[key] = "from-the-process";
  await assert.rejects(async () => new Svc().collection("shop", "orders").list(), /no project is set/);
  const { url } = await listed(t, { env: process.env });
  assert.match(url.pathname, /^\/projects\/from-the-process\//);
});

test("rule 1: explicit options override values from env", async (t) => {
  const env = {
    VITE_SVC_PROJECT: "x",
    VITE_SVC_ENVIRONMENT: "x",
    VITE_SVC_DRAFT: "true",
    VITE_SVC_API_BASE_URL: "not even a URL",
    VITE_SVC_APP_BASE_URL: "http://x.example",
  };
  const options = {
    env,
    project: "p",
    environment: "e",
    draft: false,
    apiBaseUrl: "http://a.example",
    appBaseUrl: "http://b.example",
  };
  assert.equal((await listed(t, options)).url.href, "http://a.example/projects/p/e/shop/models/orders");
  assert.equal(await pagesListed(t, options), "http://b.example/projects/p/e/view_settings/?draft=0");
});

test("rule 1: an option that is undefined or null overrides nothing", async (t) => {
  const env = { SVC_PROJECT: "p", SVC_ENVIRONMENT: "e", SVC_DRAFT: "1", SVC_API_BASE_URL: "http://a.example" };
  for (const nothing of [undefined, null]) {
    const options = { env, project: nothing, environment: nothing, draft: nothing, apiBaseUrl: nothing };
    const { url } = await listed(t, options);
    assert.equal(url.href, "http://a.example/projects/p/e/shop/models/orders?draft=1");
  }
});

test("rule 2: values that are defined override defaults", async (t) => {
  const explicit = { project: "p", environment: "staging", apiBaseUrl: "https://data.example.com" };
  const env = { SVC_PROJECT: "p", SVC_ENVIRONMENT: "staging", SVC_API_BASE_URL: "https://data.example.com" };
  for (const options of [explicit, { env }]) {
    const { url } = await listed(t, options);
    assert.equal(url.href, "https://data.example.com/projects/p/staging/shop/models/orders");
  }
});

test("rule 3: some draft words mean false in any case and space, and all others mean true", async (t) => {
  const no = ["false", "0", "no", "off", "null", "undefined", " FALSE\t", "Off", "\nNULL ", "nO", "Undefined"];
  const yes = ["true", "1", "yes", "on", "nope", "00", "falsy"];
  for (const [words, expected] of [[no, null], [yes, "1"]]) {
    for (const word of words) {
      const request = await listed(t, { project: "demo", env: { SVC_DRAFT: word } });
      assert.equal(draftOf(request), expected, JSON.stringify(word));
    }
  }
});

test("rule 4: an empty draft is unset, so that the next key counts", async (t) => {
  for (const word of ["", "  ", "\t\n"]) {
    assert.equal(draftOf(await listed(t, { project: "demo", env: { SVC_DRAFT: word } })), null);
    const env = { VITE_SVC_DRAFT: word, SVC_DRAFT: "1" };
    assert.equal(draftOf(await listed(t, { project: "demo", env })), "1");
  }
});

test("other values of env that are empty are unset too", async (t) => {
  const env = { VITE_SVC_PROJECT: "", SVC_PROJECT: "demo", SVC_ENVIRONMENT: " ", SVC_API_BASE_URL: "" };
  const { url } = await listed(t, { env });
  assert.equal(url.href, "http://127.0.0.1:8080/projects/demo/prod/shop/models/orders");
});

test("there is no key for apiToken", async (t) => {
  const env = { SVC_PROJECT: "demo", SVC_API_TOKEN: "hidden", VITE_SVC_API_TOKEN: "hidden" };
  assert.equal((await listed(t, { env })).headers.get("authorization"), null);
});

test("env may hold values that are no texts, as that of Vite does", async (t) => {
  const env = { DEV: true, SSR: false, VITE_SVC_PROJECT: "demo", VITE_SVC_DRAFT: true, SVC_ENVIRONMENT: undefined };
  const { url } = await listed(t, { env });
  assert.equal(url.href, "http://127.0.0.1:8080/projects/demo/prod/shop/models/orders?draft=1");
});

test("options that change after construction change nothing", async (t) => {
  const env = { SVC_ENVIRONMENT: "e" };
  const options = { project: "p", env };
  const requests = watchFetch(t, emptyList);
  const svc = new Svc(options);
  options.project = "x";
  env.SVC_ENVIRONMENT = "x";
  await svc.collection("shop", "orders").list();
  assert.equal(requests[0].url.pathname, "/projects/p/e/shop/models/orders");
});
