// Lists: their options, and iterating over them.

import { failed, object } from "./error.js";
import { stringify } from "./json.js";

const LISTS = ["in", "range", "contains_all", "contains_any", "contained_by"];

/** The options of a call, with its selection as a query string: names and values, as on the wire. */
export function selection({
  filters,
  exclude,
  filter,
  search,
  relation,
  orderBy,
  fields,
  count,
  timezone,
  pagination,
  ...options
} = {}) {
  const { page, perPage, after, before, last } = pagination || {};
  const and = filter ? [filter] : [];
  const query = {
    ...conditions(filters, "", and),
    ...conditions(exclude, "exclude__"),
    _filter: stringify(and[1] ? { and } : and[0]),
    _search: search,
    _relation: relation,
    _order_by: names("orderBy", texts(orderBy)),
    _fields: names("fields", fields),
    _count: count,
    tz: timezone,
    _no_pagination: pagination === false ? "1" : undefined,
    _per_page: whole("perPage", perPage),
    page: whole("page", page),
    _after: after,
    _before: before,
    _last: last ? "1" : undefined,
  };
  return { query: pairs(query), ...options };
}

/** The names and values that are not undefined. */
export const pairs = (object) =>
  Object.entries(object ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);

/** Returns one text or several texts as an array. */
export const texts = (value) => (typeof value === "string" ? [value] : value);

function conditions(filters, prefix, and) {
  const query = {};
  for (const [field, value] of Object.entries(filters ?? {})) {
    if (value === undefined) {
      // A filter that is left out by mistake would return too many records.
      throw failed("request", `the filter of ${field} is undefined; leave it out or use null`);
    }
    const operand = (value) => operandOf(field, value);
    for (const [lookup, compared] of Object.entries(lookups(value))) {
      const takesList = LISTS.includes(lookup);
      if (takesList !== Array.isArray(compared)) {
        throw failed("request", `the filter of ${field} needs ${takesList ? "an array" : "one value"} for ${lookup}`);
      }
      // A name that could be read as something else is always written with its lookup.
      const isPlain = lookup === "exact" && !/__|^_|^(page|tz|draft)$/.test(field);
      // Keys that begin with `_` are parameters.
      if (field[0] === "_" && and) and.push({ field, lookup, value: compared });
      else query[`${prefix}${field}${isPlain ? "" : `__${lookup}`}`] = takesList ? commaList(compared.map(operand)) : operand(compared);
    }
  }
  return query;
}

/** The values that a field is compared with, by lookup. */
function lookups(value) {
  if (value === null) return { isnull: true };
  if (Array.isArray(value)) return { in: value };
  return typeof value === "object" && !(value instanceof Date) ? value : { exact: value };
}

function operandOf(field, value) {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (["string", "number", "bigint", "boolean"].includes(typeof value)) return String(value);
  throw failed("request", `the filter of ${field} must be a string, number, boolean or date`);
}

function names(option, values) {
  if ((values ?? null) === null) return undefined;
  if (Array.isArray(values) && values.every((name) => typeof name === "string")) return commaList(values);
  throw failed("request", `${option} must be an array of strings`);
}

function whole(option, number) {
  if ((number ?? null) === null || (Number.isInteger(number) && number > 0 && number < 2 ** 32)) return number;
  throw failed("request", `${option} must be a positive integer`);
}

/** A comma-separated list; values that contain a separator are quoted. */
const commaList = (values) =>
  values.map((value) => (/^$|^[\s[]|[,"|]|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join();

/** A page, from an envelope or a bare array. */
export function page(answer) {
  if (Array.isArray(answer)) return { count: answer.length, next: null, previous: null, results: answer };
  const { count, next, previous, results } = object(answer);
  object(Array.isArray(results) && typeof (next ?? "") === "string" && results);
  return { count, next, previous, results };
}

/** A list that was not requested yet. */
export class List {
  #fetch;
  #options;

  /**
   * @param {(options: object) => Promise<object>} fetch requests a page
   * @param {object} options the options of the list
   */
  constructor(fetch, options = {}) {
    this.#fetch = fetch;
    this.#options = options;
  }

  then(onFulfilled, onRejected) {
    return this.#fetch(this.#options).then(onFulfilled, onRejected);
  }

  catch(onRejected) {
    return this.then(undefined, onRejected);
  }

  finally(onFinally) {
    return this.then().finally(onFinally);
  }

  async *byPage() {
    let options = this.#options;
    for (;;) {
      const page = await this.#fetch(options);
      yield page;
      if (!page.next) return;
      options = { ...options, pagination: following(options.pagination, page.next) };
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const { results } of this.byPage()) yield* results;
  }
}

/** The start of the next page. Only the cursor of the link is used, so that calls stay on the client's base URL. */
function following(pagination, next) {
  const query = new URLSearchParams(next.slice(next.indexOf("?")));
  const after = query.get("_after") ?? undefined;
  const page = Number(query.get("page") ?? 0) || undefined;
  const here = pagination || {};
  if (!(after ?? page >= 1) || (after === here.after && page === here.page)) {
    throw failed("decode", "the next link is bad");
  }
  return { perPage: here.perPage, page, after };
}
