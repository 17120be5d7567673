// The client, for every platform: `index.js` and `node.js` say where WebAssembly comes from.

import load, { Client } from "./svc_js.js";
import { failed, thrown } from "./error.js";
import { parse, stringify } from "./json.js";
import { List, page, selection, texts } from "./list.js";

export { SvcRequestError } from "./error.js";

let loading;

/** Loads WebAssembly, once. */
export function start(source) {
  loading ??= Promise.resolve(source())
    .then((module_or_path) => load({ module_or_path }))
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** Entity tags of what was returned. */
const etags = new WeakMap();

/** The entity tag of a record or page that was returned. */
export const etagOf = (value) => etags.get(value);

function ifMatch(value) {
  if (value === undefined || typeof value === "string") return value;
  const etag = etags.get(value);
  if (etag !== undefined) return etag;
  throw failed("request", "ifMatch must be an entity tag, or an object that a call returned");
}

/** The client; `load` gives WebAssembly when it is needed. */
export class Core {
  #load;
  #make;
  #client;

  constructor(options, load) {
    this.#load = load;
    this.#make = maker(options ?? {});
    const call = (...of) => this.#call(...of);
    this.users = new Users(call);
    this.teams = new Teams(call);
    this.pages = new Pages(call);
  }

  // --- Accounts

  loginViaEmailPassword(email, password, options) {
    return this.#account("loginViaEmailPassword", { email, password }, options);
  }

  async isAuthenticated(options) {
    const client = await this.#ready();
    return camel(parse(await settled(client.isAuthenticated(options?.signal))));
  }

  async logout({ revoke = false } = {}) {
    const client = await this.#ready();
    await settled(client.logout(revoke));
  }

  registerViaEmailPassword({ email, password, firstName, lastName, language, timezone, ...options }) {
    const user = { email, password, firstName, lastName, language, timezone };
    return this.#account("registerViaEmailPassword", user, options);
  }

  changePassword(newPassword, currentPassword, options) {
    return this.#account("changePassword", { newPassword, currentPassword }, options);
  }

  resetPassword(email, options) {
    return this.#account("resetPassword", { email }, options);
  }

  resetPasswordComplete(code, newPassword, options) {
    return this.#account("resetPasswordComplete", { code, newPassword }, options);
  }

  changeEmail(newEmail, currentPassword, options) {
    return this.#account("changeEmail", { newEmail, currentPassword }, options);
  }

  changeEmailComplete(code, options) {
    return this.#account("changeEmailComplete", { code }, options);
  }

  async getHeaders() {
    const client = await this.#ready();
    const value = await settled(client.getAuthorization());
    return value === undefined ? undefined : { Authorization: value };
  }

  acceptInvitation(code, password, { firstName, lastName, ...options } = {}) {
    return this.#account("acceptInvitation", { code, password, firstName, lastName }, options);
  }

  async loadServiceToken(token) {
    const client = await this.#ready();
    guarded(() => client.loadServiceToken(String(token)));
  }

  // --- Records, SQL, resources, the HTTP proxy

  collection(resource, model) {
    return new Collection((...of) => this.#call(...of), { resource, model });
  }

  async sql(resource, query, { params, offset, limit, orderBy, count, timezone, schema, ...options } = {}) {
    const order_by = texts(orderBy);
    const wire = { query, offset, limit, order_by, count, timezone, schema };
    if (Array.isArray(params)) Object.assign(wire, { v: 1, params });
    else if (params !== undefined) wire.params_obj = params;
    const { column_descriptions, row_count, ...result } = await this.#call("sql", { resource, query: wire }, options);
    return { ...result, columnDescriptions: column_descriptions, rowCount: row_count };
  }

  async reload(resource, options) {
    await this.#call("reload", { resource }, options);
  }

  async modelDescriptions(resource, options) {
    return this.#call("modelDescriptions", { resource }, options);
  }

  async proxy({ url, method, resource, queryParams, headers, bodyType, body, secretTokens, context, ...options }) {
    const request = {
      url,
      method,
      resource,
      queryParams: pairs(queryParams),
      headers: pairs(headers),
      bodyType,
      body,
      secretTokens,
      context,
    };
    const [status, head, bytes] = await this.#send("proxy", request, options);
    // A response of these has no body, and `Response` takes not even an empty one.
    const empty = [204, 205, 304].includes(status);
    return new Response(empty ? null : bytes, { status, headers: head });
  }

  // --- The way to WebAssembly

  async #ready() {
    if (this.#client === undefined) {
      await start(this.#load);
      // Another call may have made it meanwhile.
      this.#client ??= guarded(this.#make);
    }
    return this.#client;
  }

  async #send(method, args, { signal, requestId, timeout } = {}) {
    signal?.throwIfAborted();
    const given = stringify(args);
    const options = stringify({ requestId, timeout: timeout === Infinity ? undefined : timeout });
    const client = await this.#ready();
    return settled(client[method](given, options, signal));
  }

  async #call(method, args, options) {
    const [text, etag] = await this.#send(method, args, options);
    const value = text === "" ? undefined : readable(text);
    if (etag !== undefined && typeof value === "object" && value !== null) etags.set(value, etag);
    return value;
  }

  async #account(method, args, options) {
    return camel(parse(await this.#send(method, args, options)));
  }

  /** @internal Begins with another way to make the client. */
  static forServiceRequest(request, make) {
    const client = make();
    client.#make = () => Client.fromServiceRequest(stringify(headersOf(request)));
    return client.#ready().then(() => client);
  }
}

/** What makes the client of WebAssembly. What it needs is looked at now, not when it is made. */
function maker({ project, environment, apiBaseUrl, appBaseUrl, draft, apiToken, env, storage }) {
  const variables = Object.entries(env ?? {})
    .filter(([name, value]) => name.includes("SVC_") && value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
  const options = stringify({
    project,
    environment,
    apiBaseUrl,
    appBaseUrl,
    draft: draft === undefined || draft === null ? undefined : Boolean(draft),
    apiToken,
    env: variables,
  });
  const kept = storage ?? localStorageOf(globalThis);
  const restored = kept?.getItem("svc_auth") ?? undefined;
  return () => new Client(options, kept, restored);
}

/** The browser's `localStorage`, where there is one that may be used. */
function localStorageOf({ window }) {
  try {
    return window?.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}

/** The headers of a request, as pairs. */
function headersOf(request) {
  const headers = request.headers ?? request;
  if (typeof headers.entries === "function") return [...headers.entries()];
  return Object.entries(headers)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
}

function pairs(values) {
  if (values === undefined) return undefined;
  if (Array.isArray(values)) return values.map(({ name, value }) => [name, String(value)]);
  return Object.entries(values).map(([name, value]) => [name, String(value)]);
}

async function settled(promise) {
  try {
    return await promise;
  } catch (error) {
    throw thrown(error);
  }
}

function guarded(make) {
  try {
    return make();
  } catch (error) {
    throw thrown(error);
  }
}

function readable(text) {
  try {
    return parse(text);
  } catch (cause) {
    throw Object.assign(failed("decode", `the answer is not JSON: ${cause.message}`), { cause, body: text });
  }
}

/** Names of the wire as those of JavaScript. */
function camel(value) {
  if (value === null || typeof value !== "object") return value;
  const named = ([name, value]) => [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), camel(value)];
  return Object.fromEntries(Object.entries(value).map(named));
}

class Collection {
  #call;
  #place;

  constructor(call, place) {
    this.#call = call;
    this.#place = place;
  }

  list(options) {
    return new List(async (options) => {
      const asked = { place: this.#place, selection: selection(options) };
      return page(await this.#call("recordsList", asked, options));
    }, options);
  }

  get(id, options) {
    return this.#item("recordsGet", options, { id });
  }

  create(record, options) {
    return this.#item("recordsCreate", options, { record });
  }

  update(id, record, options) {
    return this.#item("recordsUpdate", options, { id, record });
  }

  async delete(id, options) {
    await this.#item("recordsDelete", options, { id });
  }

  async aggregate({ func, column, ...options }) {
    const asked = { place: this.#place, selection: selection(options), func, column };
    return (await this.#call("recordsAggregate", asked, options)).y_func;
  }

  async group({ func, column, by, limit, ...options }) {
    const columns = (Array.isArray(by) ? by : [by]).map((by) => (typeof by === "string" ? { column: by } : by));
    const asked = { place: this.#place, selection: selection(options), func, column, by: columns, limit };
    return this.#call("recordsGroup", asked, options);
  }

  async #item(method, { fields, timezone, ifMatch: tag, ...options } = {}, { id, record }) {
    const parts = id === undefined ? undefined : (Array.isArray(id) ? id : [id]).map(String);
    const item = { place: this.#place, id: parts, record, fields, timezone, ifMatch: ifMatch(tag) };
    return this.#call(method, item, options);
  }
}

class Users {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    const ask = async (options) => page(await this.#call("usersList", { selection: selection(options) }, options));
    return new List(ask, options);
  }

  get(uid, options) {
    return this.#call("usersGet", { uid }, options);
  }

  create(user, options) {
    return this.#call("usersCreate", { user }, options);
  }

  update(uid, changes, options) {
    return this.#call("usersUpdate", { uid, changes }, options);
  }

  delete(uid, options) {
    return this.#call("usersDelete", { uid }, options);
  }
}

class Teams {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    const ask = async (options) => page(await this.#call("teamsList", { selection: selection(options) }, options));
    return new List(ask, options);
  }

  get(uid, options) {
    return this.#call("teamsGet", { uid }, options);
  }

  update(uid, changes, options) {
    return this.#call("teamsUpdate", { uid, changes }, options);
  }
}

class Pages {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return this.#page("pagesList", {}, options);
  }

  get(uid, options) {
    return this.#page("pagesGet", { uid }, options);
  }

  create(settings, options) {
    return this.#page("pagesCreate", { settings }, options);
  }

  update(uid, changes, options) {
    return this.#page("pagesUpdate", { uid, changes }, options);
  }

  delete(uid, options) {
    return this.#page("pagesDelete", { uid }, options);
  }

  async publish(uids, options) {
    return (await this.#call("pagesPublish", { uids }, options)).published;
  }

  async discard(uids, options) {
    return (await this.#call("pagesDiscard", { uids }, options)).discarded;
  }

  revisions(uid, options) {
    return this.#page("pagesRevisions", { uid }, options);
  }

  restore(uid, number, options) {
    return this.#page("pagesRestore", { uid, number }, options);
  }

  async #page(method, args, { draft, ifMatch: tag, ...options } = {}) {
    return this.#call(method, { ...args, draft, ifMatch: ifMatch(tag) }, options);
  }
}
