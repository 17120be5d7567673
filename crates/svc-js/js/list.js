// Lists: what they ask for, and the ways to walk them.

import { failed, object } from "./error.js";
import { stringify } from "./json.js";

const LISTS = ["in", "range"];

/** The options of a call, with its selection as WebAssembly takes it. */
export function selection({ filters, exclude, filter, orderBy, pagination, ...options } = {}) {
  const paginated = pagination === false ? { noPagination: true } : pagination;
  return {
    conditions: [...conditions(filters, false), ...conditions(exclude, true)],
    filter: stringify(filter),
    orderBy: texts(orderBy),
    ...paginated,
    ...options,
  };
}

/** One text or several, as several. */
export function texts(value) {
  if (value === undefined) return undefined;
  return typeof value === "string" ? [value] : value;
}

function* conditions(filters, exclude) {
  for (const [field, value] of Object.entries(filters ?? {})) {
    if (value === undefined) {
      // A filter that is left out by mistake would give more than was asked for.
      throw failed("request", `the filter of ${field} is undefined; leave it out, or compare with null`);
    }
    const one = (value) => operand(field, value);
    if (value === null) {
      yield { field, lookup: "isnull", value: "true", exclude };
    } else if (Array.isArray(value)) {
      yield { field, lookup: "in", values: value.map(one), exclude };
    } else if (typeof value === "object" && !(value instanceof Date)) {
      for (const [lookup, compared] of Object.entries(value)) {
        const many = LISTS.includes(lookup);
        if (many !== Array.isArray(compared)) {
          throw failed("request", `the filter of ${field} needs ${many ? "an array" : "one value"} for ${lookup}`);
        }
        yield many
          ? { field, lookup, values: compared.map(one), exclude }
          : { field, lookup, value: one(compared), exclude };
      }
    } else {
      yield { field, lookup: "exact", value: one(value), exclude };
    }
  }
}

function operand(field, value) {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (["string", "number", "bigint", "boolean"].includes(typeof value)) return String(value);
  throw failed("request", `the filter of ${field} compares with something that is no text, number, switch or date`);
}

/** A page, of an envelope or of a bare array. */
export function page(answer) {
  if (Array.isArray(answer)) return { count: answer.length, next: null, previous: null, results: answer };
  const { count, next, previous, results } = object(answer);
  object(results);
  return { count, next, previous, results };
}

/** A list that was not asked for yet. */
export class List {
  #fetch;
  #options;

  /**
   * @param {(options: object) => Promise<object>} fetch asks for a page
   * @param {object} options which list
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
    return this.#fetch(this.#options).finally(onFinally);
  }

  async *byPage() {
    let options = this.#options;
    for (;;) {
      const page = await this.#fetch(options);
      yield page;
      if (page.next === null) return;
      options = { ...options, pagination: following(options.pagination, page.next) };
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const { results } of this.byPage()) yield* results;
  }
}

/** Where the next page is. Of the link only the cursor counts, so that calls stay on the client's base URL. */
function following(pagination, next) {
  const query = new URLSearchParams(next.slice(next.indexOf("?")));
  const page = Number(query.get("page") ?? 1);
  const after = query.get("_after") ?? undefined;
  if (!(page >= 1) || (page === (pagination?.page ?? 1) && after === pagination?.after)) {
    throw failed("decode", "the link to the next page leads nowhere");
  }
  return { ...pagination, page, after };
}
