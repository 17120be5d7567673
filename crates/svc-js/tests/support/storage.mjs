// Storages of tokens, and what is in them.

/** The key of the tokens. */
export const KEY = "svc_auth";

/** What `localStorage` is to a browser. */
export class FakeStorage {
  entries = new Map();

  getItem(key) {
    return this.entries.get(key) ?? null;
  }

  setItem(key, value) {
    this.entries.set(key, String(value));
  }

  removeItem(key) {
    this.entries.delete(key);
  }

  /** What is kept under the key of the tokens. */
  get tokens() {
    return JSON.parse(this.getItem(KEY));
  }

  set tokens(tokens) {
    this.setItem(KEY, JSON.stringify(tokens));
  }
}

/** Has a `window` with this `localStorage` until the test ends. */
export function fakeWindow(t, localStorage) {
  globalThis.window = typeof localStorage === "function" ? Object.create(null, { localStorage: { get: localStorage } }) : { localStorage };
  t.after(() => {
    delete globalThis.window;
  });
}

/** Makes it this time, in milliseconds since 1970, until the test ends or `setTime` makes it another. */
export function fakeClock(t, time) {
  t.mock.timers.enable({ apis: ["Date"], now: time });
  return t.mock.timers;
}
