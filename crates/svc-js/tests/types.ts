// Uses everything that the package exports, as its users would. It is compiled and never run: what has to be
// an error is marked as one.

import {
  createClientFromRequest,
  etagOf,
  init,
  Svc,
  SvcRequestError,
  type AggregateFunction,
  type AggregateOptions,
  type AuthState,
  type CallOptions,
  type Collection,
  type FieldDescription,
  type Filter,
  type Filters,
  type FilterValue,
  type Group,
  type GroupLookup,
  type GroupOptions,
  type Json,
  type JsonInput,
  type List,
  type ListOptions,
  type Lookup,
  type ModelDescription,
  type ModelRelation,
  type Page,
  type PageOptions,
  type Pages,
  type PageSettings,
  type PageSettingsInput,
  type Pagination,
  type PasswordChanged,
  type ProxyRequest,
  type Record,
  type RecordId,
  type RegisterOptions,
  type Revision,
  type Selection,
  type SqlOptions,
  type SqlResult,
  type SvcOptions,
  type Team,
  type Teams,
  type TokenStorage,
  type User,
  type UserInfo,
  type Users,
  type ViewOptions,
  type WriteOptions,
} from "svc-js";
import type { Models, OrdersCreate, OrdersField, OrdersRelations, OrdersUpdate } from "./shop.js";

/** Compiles when a value is of exactly this type, which an `any` is not. */
function exactly<Expected>() {
  return <Given>(
    given: Given,
    ..._: (<T>() => T extends Given ? 1 : 2) extends <T>() => T extends Expected ? 1 : 2 ? [] : [never]
  ): Given => given;
}

interface Order {
  id: bigint;
  status: "new" | "paid";
  total: string | null;
}

export async function loading(module: WebAssembly.Module) {
  exactly<void>()(await init());
  await init(module);
  await init(new Uint8Array(8));
  await init(new ArrayBuffer(8));
  await init(new URL("https://example.com/svc_js_bg.wasm"));
  await init("/svc_js_bg.wasm");
  await init(fetch("/svc_js_bg.wasm"));
  await init(await fetch("/svc_js_bg.wasm"));
  // @ts-expect-error a number is no module
  await init(1);
}

export function construction() {
  new Svc();
  const memory = new Map<string, string>();
  const storage: TokenStorage = {
    getItem: (key) => memory.get(key) ?? null,
    setItem: (key, value) => void memory.set(key, value),
    removeItem: (key) => void memory.delete(key),
  };
  const options: SvcOptions = {
    project: "demo",
    environment: "dev",
    apiBaseUrl: "https://data.example.com",
    appBaseUrl: "https://app.example.com/api",
    draft: true,
    apiToken: "abc",
    env: { VITE_SVC_PROJECT: "demo", DEV: true },
    storage,
  };
  new Svc(options);
  new Svc({ storage: localStorage });
  new Svc({ storage: sessionStorage });
  // @ts-expect-error a misspelt option
  new Svc({ projcet: "demo" });
  // @ts-expect-error a switch, not a text
  new Svc({ draft: "1" });
  // @ts-expect-error a storage has to be able to remove
  new Svc({ storage: { getItem: () => null, setItem: () => {} } });
  // @ts-expect-error a class
  Svc();
}

export function requests(request: Request) {
  exactly<Svc>()(createClientFromRequest(request));
  createClientFromRequest(request.headers);
  createClientFromRequest({ headers: { "x-svc-project": "demo", "set-cookie": ["a", "b"], te: undefined } });
  createClientFromRequest({ "x-svc-project": "demo" });
  // @ts-expect-error a URL is no request
  createClientFromRequest("https://example.com");
  // @ts-expect-error there is nothing to read
  createClientFromRequest();
}

export async function account(svc: Svc, signal: AbortSignal) {
  const call: CallOptions = { signal, requestId: "a", timeout: 1_000 };
  const login = await svc.loginViaEmailPassword("ann@example.com", "correct horse", call);
  const token: AuthState = exactly<AuthState>()(login.token);
  exactly<string>()(token.accessToken);
  exactly<string>()(token.refreshToken);
  exactly<string | undefined>()(token.accessTokenExpires);
  exactly<string | undefined>()(token.refreshTokenExpires);
  const user: UserInfo = exactly<UserInfo>()(login.user);
  exactly<string>()(user.uid);
  exactly<string>()(user.username);
  exactly<boolean>()(user.hasPassword);
  exactly<string | null>()(user.email);
  exactly<string | null>()(user.firstName);
  exactly<string | null>()(user.lastName);
  exactly<string | null>()(user.language);
  exactly<string | null>()(user.timezone);
  // @ts-expect-error a password is needed
  await svc.loginViaEmailPassword("ann@example.com");

  const who = await svc.isAuthenticated(call);
  if (who.authenticated) {
    exactly<UserInfo>()(who.user);
  } else {
    // @ts-expect-error nobody is signed in
    who.user;
  }

  const newcomer: RegisterOptions = {
    email: "bob@example.com",
    password: "correct horse",
    firstName: "Bob",
    lastName: "Builder",
    language: "en",
    timezone: "Europe/Berlin",
    ...call,
  };
  const registered = await svc.registerViaEmailPassword(newcomer);
  if (registered.result) {
    exactly<UserInfo>()(registered.user);
  }
  // @ts-expect-error a password is needed
  await svc.registerViaEmailPassword({ email: "bob@example.com" });

  const changed: PasswordChanged = await svc.changePassword("new", "old", call);
  exactly<boolean>()(changed.result);
  exactly<AuthState | undefined>()(changed.newState);
  await svc.changePassword("new");
  exactly<{ result: boolean }>()(await svc.resetPassword("ann@example.com", call));
  exactly<PasswordChanged>()(await svc.resetPasswordComplete("code", "new", call));
  exactly<{ result: boolean; sentConfirmationTo: string }>()(await svc.changeEmail("a@example.com", "old", call));
  await svc.changeEmail("a@example.com");
  exactly<{ result: boolean; oldEmail: string; newEmail: string }>()(await svc.changeEmailComplete("code", call));
  exactly<{ Authorization: string } | undefined>()(await svc.getHeaders());
  await fetch("https://data.example.com", { headers: { ...(await svc.getHeaders()) } });
  exactly<PasswordChanged>()(await svc.acceptInvitation("code", "new", { firstName: "Ann", lastName: "Lee", ...call }));
  exactly<void>()(await svc.loadServiceToken("token"));
  exactly<void>()(await svc.logout());
  await svc.logout({ revoke: true, signal: AbortSignal.timeout(1000) });
  await svc.getHeaders({ signal: AbortSignal.timeout(1000) });
  // @ts-expect-error no such option
  await svc.logout({ everywhere: true });
}

export async function lists(svc: Svc, signal: AbortSignal) {
  const lookup: Lookup = "gte";
  const value: FilterValue = new Date();
  const filters: Filters = {
    status: ["new", "paid"],
    total: { [lookup]: 100, lt: 10n },
    created_at: { range: [value, value], isnull: false },
    note: null,
    open: true,
  };
  const filter: Filter = {
    or: [
      { field: "status", value: "paid" },
      { not: { field: "total", lookup: "in", value: [1, 2] } },
      { and: [{ field: "created_at", lookup: "lt", value: new Date() }] },
    ],
  };
  const selection: Selection = {
    filters,
    exclude: { status: "new" },
    filter,
    search: "chair",
    relation: "id.items.order_id|product_id.v1,v2",
    timezone: "Europe/Berlin",
  };
  const pagination: Pagination = { page: 2, perPage: 100 };
  const options: ListOptions = {
    ...selection,
    orderBy: ["-created_at", "id"],
    pagination,
    fields: ["id", "status"],
    count: "none",
    signal,
  };
  // @ts-expect-error no such lookup
  const _wrong: Filters = { total: { greater: 1 } };
  // @ts-expect-error an operator and a field at once say two things; neither has a list
  const _worse: Filter = { and: { field: "a", value: 1 } };

  const orders: Collection<Order> = svc.collection<Order>("shop", "orders");
  const list: List<Order> = exactly<List<Order>>()(orders.list(options));
  const page: Page<Order> = exactly<Page<Order>>()(await list);
  exactly<number | null>()(page.count);
  exactly<string | null>()(page.next);
  exactly<string | null>()(page.previous);
  exactly<Order[]>()(page.results);
  for await (const order of orders.list({ pagination: false, orderBy: "-id" })) {
    exactly<Order>()(order);
  }
  for await (const page of list.byPage()) {
    exactly<Page<Order>>()(page);
  }
  exactly<Page<Order> | undefined>()(await list.catch(() => undefined));
  exactly<Page<Order>>()(await list.finally(() => {}));
  exactly<number>()(await list.then((page) => page.results.length));
  exactly<[Page<Order>, Page<Record>]>()(await Promise.all([list, svc.collection("shop", "items").list()]));
  // @ts-expect-error `await` or `for await`
  list.results;
  // @ts-expect-error every page, or a number of them
  orders.list({ pagination: true });
  // @ts-expect-error a way of counting that there is not
  orders.list({ count: "roughly" });
}

export async function records(svc: Svc, signal: AbortSignal) {
  const items = svc.collection("shop", "items");
  const record: Record = await items.get(1);
  exactly<Json | undefined>()(record["name"]);

  const orders = svc.collection<Order>("shop", "orders");
  const id: RecordId = [1, "two", 3n];
  const view: ViewOptions = { fields: ["id"], timezone: "+02:00", signal };
  const order = exactly<Order>()(await orders.get(1n, view));
  await orders.get("a");
  await orders.get(id);
  exactly<Order>()(await orders.create({ status: "new", created_at: new Date(), note: undefined }, view));
  const write: WriteOptions = { ifMatch: order, signal };
  exactly<Order>()(await orders.update(order.id, { status: "paid" }, { ...view, ...write }));
  exactly<void>()(await orders.delete(order.id, { ifMatch: '"5f"' }));
  exactly<string | undefined>()(etagOf(order));
  // @ts-expect-error a text has no entity tag
  etagOf("order");
  // @ts-expect-error a function is no value
  await orders.create({ status: () => "new" });
  // @ts-expect-error what is deleted?
  await orders.delete();
  // @ts-expect-error a switch is no key
  await orders.get(true);
  // @ts-expect-error a collection has a model
  svc.collection("shop");

  const func: AggregateFunction = "sum";
  const aggregate: AggregateOptions = { func, column: "total", filters: { status: "paid" }, signal };
  exactly<Json>()(await orders.aggregate(aggregate));
  const unit: GroupLookup = "date_month";
  const grouping: GroupOptions = {
    ...aggregate,
    by: ["status", { column: "created_at", lookup: unit }],
    limit: 10,
  };
  const groups: Group[] = await orders.group(grouping);
  for (const group of groups) {
    exactly<Json>()(group.group);
    exactly<Json>()(group.y_func);
    exactly<Json | undefined>()(group["group_2"]);
  }
  await orders.group({ func: "count", by: "status" });
  // @ts-expect-error no such function
  await orders.aggregate({ func: "median" });
  // @ts-expect-error grouped by what?
  await orders.group({ func: "count" });
}

export async function queries(svc: Svc, signal: AbortSignal) {
  const options: SqlOptions = {
    params: { since: new Date(), status: ["paid"] },
    offset: 10,
    limit: 10,
    orderBy: "-id",
    count: true,
    timezone: "UTC",
    schema: "public",
    signal,
  };
  const result: SqlResult = await svc.sql("shop", "SELECT id FROM orders WHERE created_at > :since", options);
  exactly<Json[][]>()(result.data);
  exactly<string[]>()(result.columns);
  exactly<{ [column: string]: { field: string } }>()(result.columnDescriptions);
  exactly<number>()(result.rowCount);
  exactly<number | undefined>()(result.count);
  exactly<boolean>()(result.truncated);
  await svc.sql("shop", "SELECT %s", { params: [1n] });
  exactly<number>()(result.limit);
  exactly<void>()(await svc.reload("shop", { signal }));
  const models = exactly<ModelDescription[]>()(await svc.modelDescriptions("shop", { signal }));
  for (const model of models) {
    exactly<FieldDescription[]>()(model.fields);
    exactly<ModelRelation[]>()(model.relations);
  }
  // @ts-expect-error a query is a text
  await svc.sql("shop", ["SELECT 1"]);
}

export async function people(svc: Svc, signal: AbortSignal) {
  const users: Users = svc.users;
  for await (const user of users.list({ search: "ann" })) {
    exactly<User>()(user);
    exactly<string>()(user.uid);
    exactly<string>()(user.email);
    exactly<string>()(user.group);
    exactly<string>()(user.date_add);
    exactly<string | null>()(user.first_name);
    exactly<string | null>()(user.last_name);
  }
  exactly<Page<User>>()(await users.list());
  const ann = exactly<User>()(await users.get("u1", { signal }));
  exactly<User>()(await users.create({ email: "a@example.com", group: ann.group, first_name: "A", last_name: "B" }));
  exactly<User>()(await users.update(ann.uid, { group: "t1", first_name: null, last_name: null }, { signal }));
  exactly<void>()(await users.delete(ann.uid, { signal }));
  // @ts-expect-error an address stays as it is
  await users.update(ann.uid, { email: "b@example.com" });
  // @ts-expect-error a team is needed
  await users.create({ email: "a@example.com" });

  const teams: Teams = svc.teams;
  const { results } = exactly<Page<Team>>()(await teams.list({ signal }));
  exactly<Team[]>()(results);
  const team = exactly<Team>()(await teams.get("t1", { signal }));
  exactly<string>()(team.uid);
  exactly<Team>()(await teams.update(team.uid, { name: "Editors" }, { signal }));
  // @ts-expect-error teams are neither made nor deleted
  await teams.delete(team.uid);
  // @ts-expect-error it belongs to the client
  svc.users = users;
}

export async function pageSettings(svc: Svc, signal: AbortSignal) {
  const pages: Pages = svc.pages;
  const options: PageOptions = { draft: true, signal };
  exactly<PageSettings[]>()(await pages.list(options));
  const page = exactly<PageSettings>()(await pages.get("p1", options));
  exactly<string>()(page.uid);
  exactly<string>()(page.environment);
  exactly<string>()(page.view);
  exactly<string>()(page.unique_name);
  exactly<string>()(page.name);
  exactly<string | null>()(page.resource);
  exactly<string | null>()(page.model);
  exactly<string>()(page.params);
  exactly<boolean>()(page.draft);
  exactly<boolean>()(page.deleted);
  exactly<string>()(page.date_add);
  exactly<Json | undefined>()(page["colour"]);
  const input: PageSettingsInput = {
    view: "list",
    unique_name: "orders",
    name: "Orders",
    resource: "shop",
    model: null,
    params: "{}",
    colour: { text: "red", since: new Date() },
  };
  exactly<PageSettings>()(await pages.create(input, options));
  exactly<PageSettings>()(await pages.update(page.uid, { name: "Orders" }, { ...options, ifMatch: page }));
  exactly<void>()(await pages.delete(page.uid, { ifMatch: etagOf(page) ?? "*", draft: true }));
  exactly<string[]>()(await pages.publish([page.uid], { signal }));
  exactly<string[]>()(await pages.publish());
  exactly<string[]>()(await pages.discard([page.uid], { signal }));
  const revisions = exactly<Revision[]>()(await pages.revisions(page.uid, { signal }));
  for (const revision of revisions) {
    exactly<number>()(revision.number);
    exactly<string>()(revision.date_add);
    exactly<string | null>()(revision.author);
    exactly<boolean>()(revision.draft);
    exactly<boolean>()(revision.deleted);
    exactly<PageSettings>()(await pages.restore(page.uid, revision.number, { ifMatch: page }));
  }
  // @ts-expect-error a list of uids
  await pages.publish(page.uid);
}

export async function proxying(svc: Svc, signal: AbortSignal) {
  const request: ProxyRequest = {
    url: "https://api.example.com/{{id}}",
    method: "POST",
    resource: "shop",
    queryParams: { q: "chair" },
    headers: [{ name: "Authorization", value: "Bearer {-key-}" }],
    bodyType: "JSON",
    body: { a: 1, at: new Date() },
    secretTokens: ["key"],
    context: { id: 1 },
    signal,
  };
  const answer: Response = await svc.proxy(request);
  exactly<number>()(answer.status);
  // @ts-expect-error a kind of body that there is not
  await svc.proxy({ url: "https://api.example.com", bodyType: "XML" });
  // @ts-expect-error where to?
  await svc.proxy({});
}

export async function failures(svc: Svc) {
  try {
    await svc.collection("shop", "orders").get(1);
  } catch (error) {
    if (error instanceof SvcRequestError) {
      const plain: Error = error;
      exactly<string>()(plain.message);
      exactly<number | undefined>()(error.status);
      exactly<string | undefined>()(error.requestId);
      exactly<string[]>()(error.generalErrors);
      exactly<{ [field: string]: string[] }>()(error.fieldErrors);
      exactly<string | undefined>()(error.body);
      switch (error.kind) {
        case "status":
        case "transport":
        case "decode":
        case "request":
        case "auth":
        case "options":
        case "store":
          break;
        default:
          exactly<never>()(error.kind);
      }
      // @ts-expect-error it is what it is
      error.status = 200;
    }
  }
}

export function values() {
  const json: Json = [null, true, 1, 1n, "a", { b: [] }];
  const input: JsonInput = [null, true, 1, 1n, "a", new Date(), { b: undefined, c: json }];
  // @ts-expect-error dates are not what comes
  const _date: Json = new Date();
  // @ts-expect-error a symbol is no value
  const _symbol: JsonInput = Symbol("a");
  return input;
}

/** What `svc generate typescript` has written of the demo. */
export async function generated(svc: Svc) {
  const orders = svc.collection<Models["shop"]["orders"]>("shop", "orders");
  const order = await orders.get(1);
  exactly<number>()(order.id);
  exactly<string>()(order.total);
  exactly<string | null>()(order.note);
  // @ts-expect-error there is no such field
  exactly<string>()(order.totl);
  const created: OrdersCreate = { customer_id: 1, note: null };
  await orders.create(created);
  // @ts-expect-error a new order has a customer
  const _nobody: OrdersCreate = { status: "paid" };
  const changes: OrdersUpdate = { status: "paid" };
  await orders.update(order.id, changes);
  // @ts-expect-error an order has a customer
  const _removed: OrdersUpdate = { customer_id: null };
  const fields: OrdersField[] = ["id", "status"];
  await orders.get(1, { fields });
  // @ts-expect-error there is no such field
  const _field: OrdersField = "totl";
  return (related: OrdersRelations) => exactly<string | undefined>()(related.customer?.email);
}
