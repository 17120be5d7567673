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

/** Has a `window` with this `localStorage`, or with what this function gives, until the test ends. */
export function fakeWindow(t, localStorage) {
  globalThis.window =
    typeof localStorage === "function" ? Object.defineProperty({}, "localStorage", { get: localStorage }) : { localStorage };
  t.after(() => {
    delete globalThis.window;
  });
}

/** Makes it this time, in milliseconds since 1970, until the test ends; what is returned can make it another. */
export function fakeClock(t, time) {
  const clock = { time };
  t.mock.method(Date, "now", () => clock.time);
  return clock;
}
