// The client for every platform: `index.js` and `node.js` load the WebAssembly module.

import load, { Client } from "./svc_js.js";
import { SvcRequestError, failed, object } from "./error.js";
import { parse, stringify } from "./json.js";
import { List, page, pairs, selection, texts } from "./list.js";

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

/** The entity tags of objects that calls returned. */
const etags = new WeakMap();

/** The entity tag of a record or page that a call returned. */
export const etagOf = (value) => etags.get(value);

function ifMatch(value) {
  if (value === undefined || typeof value === "string") return value;
  const etag = etags.get(value);
  if (etag !== undefined) return etag;
  throw failed("request", "ifMatch must be an entity tag or an object that a call returned");
}

/** The client; `load` loads WebAssembly when it is needed. */
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

  async loginViaEmailPassword(email, password, options) {
    return this.#account("account.login", { email, password }, options);
  }

  async isAuthenticated({ timeout = 30_000, ...options } = {}) {
    // The time limit covers both a refresh and the request.
    const end = performance.now() + timeout;
    if ((await this.getHeaders({ timeout, ...options })) === undefined) return { authenticated: false };
    const left = { timeout: Math.max(end - performance.now(), 0), ...options };
    return { authenticated: true, user: await this.#account("account.user", undefined, left) };
  }

  async logout({ revoke = false, signal } = {}) {
    signal?.throwIfAborted();
    const client = await this.#ready();
    await settled(client.logout(revoke, signal), signal);
  }

  async registerViaEmailPassword({ email, password, firstName, lastName, language, timezone, ...options }) {
    const user = { email, password, first_name: firstName, last_name: lastName, language, timezone };
    return this.#account("account.register", user, options);
  }

  async changePassword(newPassword, currentPassword, options) {
    const passwords = { new_password: newPassword, current_password: currentPassword };
    return this.#account("account.change_password", passwords, options);
  }

  async resetPassword(email, options) {
    return this.#account("account.reset_password", { email }, options);
  }

  async resetPasswordComplete(code, newPassword, options) {
    const reset = { code, new_password: newPassword };
    return this.#account("account.reset_password_complete", reset, options);
  }

  async changeEmail(newEmail, currentPassword, options) {
    const change = { new_email: newEmail, current_password: currentPassword };
    return this.#account("account.change_email", change, options);
  }

  async changeEmailComplete(code, options) {
    return this.#account("account.change_email_complete", { code }, options);
  }

  async getHeaders({ signal, ...options } = {}) {
    signal?.throwIfAborted();
    const client = await this.#ready();
    const value = await settled(client.authorization(options, signal), signal);
    return value === undefined ? undefined : { Authorization: value };
  }

  async acceptInvitation(code, password, { firstName, lastName, ...options } = {}) {
    const accepted = { code, password, first_name: firstName, last_name: lastName };
    return this.#account("account.accept_invitation", accepted, options);
  }

  async loadServiceToken(token) {
    const client = await this.#ready();
    guarded(() => client.loadServiceToken(token));
  }

  // --- Records, SQL, resources, the HTTP proxy

  collection(resource, model) {
    return new Collection((...of) => this.#call(...of), { resource, model });
  }

  async sql(resource, query, { params, offset, limit, orderBy, count, timezone, schema, ...options } = {}) {
    const body = { query, offset, limit, order_by: texts(orderBy), count, timezone, schema };
    if (Array.isArray(params)) Object.assign(body, { v: 1, params });
    else body.params_obj = params;
    const answer = object(await this.#call("sql.query", body, { resource, ...options }));
    const { column_descriptions, row_count, count: counted, ...result } = answer;
    return { ...result, columnDescriptions: column_descriptions, rowCount: row_count, count: counted ?? undefined };
  }

  async reload(resource, options) {
    await this.#call("resources.reload", undefined, { resource, ...options });
  }

  modelDescriptions(resource, options) {
    return this.#call("resources.model_descriptions", undefined, { resource, ...options });
  }

  async proxy({ url, method, resource, queryParams, headers, bodyType, body, secretTokens, context, ...options }) {
    const { project, environment, draft } = await this.#ready();
    const request = {
      project,
      environment,
      resource,
      method,
      url,
      query_params: queryParams,
      headers,
      body_type: bodyType,
      body,
      secret_tokens: secretTokens?.join(","),
      context,
      draft,
    };
    const [status, head, bytes] = await this.#send("proxy.send", request, options);
    // A response with one of these statuses has no body, and `Response` does not accept even an empty one.
    const hasBody = ![204, 205, 304].includes(status);
    return new Response(hasBody ? bytes : null, { status, headers: head });
  }

  // --- Calls into WebAssembly

  async #ready() {
    if (this.#client === undefined) {
      await start(this.#load);
      // Another call may have made the client meanwhile.
      this.#client ??= guarded(this.#make);
    }
    return this.#client;
  }

  async #send(name, body, { signal, ...args } = {}) {
    signal?.throwIfAborted();
    const client = await this.#ready();
    return settled(client.call(name, { ...args, body: stringify(body) }, signal), signal);
  }

  async #call(name, body, options) {
    const [, headers, bytes] = await this.#send(name, body, options);
    if (bytes.length === 0) return undefined;
    const value = readable(new TextDecoder().decode(bytes));
    const etag = headers.get("etag");
    if (etag !== null && typeof value === "object" && value !== null) etags.set(value, etag);
    return value;
  }

  async #account(name, body, options) {
    return camel(object(await this.#call(name, body, options)));
  }

  /** @internal A client from `make` for answering a request of the service. */
  static forServiceRequest(request, make) {
    const headers = headersOf(request);
    const missing = REQUIRED.filter((name) => !headers[name.toLowerCase()]);
    if (missing.length > 0) {
      throw failed("options", `the request has no header${missing.length > 1 ? "s" : ""} ${missing.join(", ")}`);
    }
    const client = make({
      project: headers["x-svc-project"],
      environment: headers["x-svc-environment"],
      apiBaseUrl: headers["x-svc-api-base-url"] || undefined,
      // Not read as a boolean: only its presence counts.
      draft: headers["x-svc-draft"] ? true : undefined,
      storage: null,
    });
    const makeClient = client.#make;
    client.#make = () => {
      const made = makeClient();
      made.loadServiceToken(headers["x-svc-service-token"]);
      return made;
    };
    return client;
  }
}

/** A function that makes the client of WebAssembly. The options are read now, not when the client is made. */
function maker({ project, environment, apiBaseUrl, appBaseUrl, draft, apiToken, env, storage }) {
  const variables = pairs(env).filter(([name]) => name.includes("SVC_"));
  const options = {
    project,
    environment,
    apiBaseUrl,
    appBaseUrl,
    draft: draft === undefined || draft === null ? undefined : Boolean(draft),
    apiToken,
    env: variables,
  };
  const kept = storage === undefined ? localStorageOf(globalThis) : (storage ?? undefined);
  const restored = restoredFrom(kept);
  return () => new Client(options, kept && keeping(kept), restored);
}

/** The storage. Fields that others have written into the entry of a session are kept when its tokens change. */
function keeping(storage) {
  const further = (session, key) => {
    try {
      const entry = JSON.parse(storage.getItem(key));
      const { access_token_expires, refresh_token_expires, unanswered_since, ...kept } = entry;
      return kept.access_token && (kept.session ?? session) === session ? kept : {};
    } catch {
      return {};
    }
  };
  return {
    getItem: (key) => storage.getItem(key),
    removeItem: (key) => storage.removeItem(key),
    setItem(key, text) {
      const tokens = JSON.parse(text);
      storage.setItem(key, JSON.stringify({ ...further(tokens.session, key), ...tokens }));
    },
  };
}

/** The current content of the storage. */
function restoredFrom(storage) {
  try {
    // An empty storage is remembered too: later changes have no effect.
    return storage?.getItem("svc_auth") ?? "";
  } catch {
    // It is read again at the first call, which then fails with the error.
    return undefined;
  }
}

/** The browser's `localStorage`, if there is one and it may be used. */
function localStorageOf({ window }) {
  try {
    return window?.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}

/** The required headers of a request of the service. */
const REQUIRED = ["X-Svc-Project", "X-Svc-Environment", "X-Svc-Service-Token"];

/** The headers of a request by their names in lower case. */
function headersOf(request) {
  const headers = request.headers ?? request;
  const entries = typeof headers.entries === "function" ? [...headers.entries()] : Object.entries(headers);
  const text = (value) => (Array.isArray(value) ? value[0] : value);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), text(value)]));
}

async function settled(promise, signal) {
  try {
    return await promise;
  } catch (error) {
    signal?.throwIfAborted();
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

/** Converts what WebAssembly throws: the properties of an error. Anything else is a bug of this package. */
function thrown(error) {
  if (error?.kind === undefined) return error;
  // Messages about options have the names of the options in Rust.
  const message = error.message.replace(/^(api|app)_base_url/, "$1BaseUrl").replace(/^api_token/, "apiToken");
  return new SvcRequestError({ ...error, message });
}

function readable(text) {
  try {
    return parse(text);
  } catch ({ message }) {
    // The engine's own message is not used, since it quotes the text, which may contain tokens.
    const cause = new SyntaxError(`unexpected text${/ at position \d+/.exec(message)?.[0] ?? ""}`);
    throw failed("decode", "the answer is not JSON; is the base URL right?", { cause, body: text });
  }
}

/** Converts names of the wire to names of JavaScript. */
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
    return listOf((asked) => this.#call("records.list", undefined, { ...this.#place, ...asked }), options);
  }

  async get(id, options) {
    return this.#call("records.get", undefined, { ...this.#place, id: parts(id), ...selection(options) });
  }

  create(record, options) {
    return this.#call("records.create", record, { ...this.#place, ...selection(options) });
  }

  async update(id, changes, options) {
    const asked = { ...this.#place, id: parts(id), ...selection(tagged(options)) };
    return this.#call("records.update", changes, asked);
  }

  async delete(id, options) {
    await this.#call("records.delete", undefined, { ...this.#place, id: parts(id), ...tagged(options) });
  }

  async aggregate({ func, column, ...options }) {
    const asked = { ...this.#place, ...selection(options) };
    return object(await this.#call("records.aggregate", { func, column }, asked)).y_func;
  }

  async group({ func, column, by, limit, ...options }) {
    const columns = (Array.isArray(by) ? by : [by])
      .map((by) => (typeof by === "string" ? { column: by } : by))
      .map(({ column, lookup }) => ({ x_column: column, x_lookup: lookup }));
    const asked = { ...this.#place, ...selection({ ...options, pagination: { perPage: limit } }) };
    return this.#call("records.group", { x_columns: columns, y_func: func, y_column: column }, asked);
  }
}

/** The parts of a primary key. */
const parts = (id) =>
  (Array.isArray(id) ? id : [id]).map((part) => {
    if (["string", "number", "bigint"].includes(typeof part)) return String(part);
    throw failed("request", "a key must be a string, number, bigint, or an array of them");
  });

/** Replaces an object in `ifMatch` by its entity tag. */
const tagged = (options) => ({ ...options, ifMatch: ifMatch(options?.ifMatch) });

const listOf = (call, options) => new List(async (options) => page(await call(selection(options))), options);

class Users {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return listOf((asked) => this.#call("users.list", undefined, asked), options);
  }

  get(uid, options) {
    return this.#call("users.get", undefined, { uid, ...options });
  }

  create(user, options) {
    return this.#call("users.create", user, options);
  }

  update(uid, changes, options) {
    return this.#call("users.update", changes, { uid, ...options });
  }

  delete(uid, options) {
    return this.#call("users.delete", undefined, { uid, ...options });
  }
}

class Teams {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return listOf((asked) => this.#call("teams.list", undefined, asked), options);
  }

  get(uid, options) {
    return this.#call("teams.get", undefined, { uid, ...options });
  }

  update(uid, changes, options) {
    return this.#call("teams.update", changes, { uid, ...options });
  }
}

class Pages {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return this.#call("pages.list", undefined, options);
  }

  get(uid, options) {
    return this.#call("pages.get", undefined, { uid, ...options });
  }

  create(settings, options) {
    return this.#call("pages.create", settings, options);
  }

  async update(uid, changes, options) {
    return this.#call("pages.update", changes, { uid, ...tagged(options) });
  }

  async delete(uid, options) {
    await this.#call("pages.delete", undefined, { uid, ...tagged(options) });
  }

  async publish(uids, options) {
    return object(await this.#call("pages.publish", { uids }, options)).published;
  }

  async discard(uids, options) {
    return object(await this.#call("pages.discard", { uids }, options)).discarded;
  }

  revisions(uid, options) {
    return this.#call("pages.revisions", undefined, { uid, ...options });
  }

  async restore(uid, number, options) {
    return this.#call("pages.restore", undefined, { uid, number: String(number), ...tagged(options) });
  }
}
