// `fetch` under a test's eyes.

const real = globalThis.fetch;

/**
 * Stands before `fetch` until the test ends, and gives the array of the requests that come.
 *
 * @param {import("node:test").TestContext} t the test
 * @param {(request: object, pass: () => Promise<Response>) => Response | Promise<Response>} [answer] answers a
 *   request instead of the service, or passes it on
 */
export function watchFetch(t, answer = (_, pass) => pass()) {
  const requests = [];
  globalThis.fetch = async (url, init) => {
    const request = {
      url: new URL(url),
      method: init.method,
      headers: new Headers(init.headers),
      text: init.body === undefined ? "" : new TextDecoder().decode(init.body),
      init,
    };
    requests.push(request);
    return answer(request, () => real(url, init));
  };
  t.after(() => {
    globalThis.fetch = real;
  });
  return requests;
}

/** Answers every request with an empty list. */
export const emptyList = () => Response.json({ count: 0, next: null, previous: null, results: [] });

/** The path of a request, with its query. */
export const target = ({ url }) => url.pathname + url.search;

/** What a call of this name was asked with, such as `auth/refresh`. */
export const named = (requests, name) => requests.filter(({ url }) => url.pathname.endsWith(`/${name}`));

/** A promise, and what settles it. */
export function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
