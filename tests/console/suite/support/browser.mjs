// A browser, and pages that remember what must not happen on any of them.

import { axeSource, chromium } from "./packages.mjs";
import { EMAIL, PASSWORD } from "./service.mjs";
import { text } from "./texts.mjs";

/** How long anything on a page may take, in milliseconds. */
const PATIENCE = 20_000;
/** What axe checks. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** Starts the browser. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    // Root, which is the user in most containers, cannot use the sandbox; and containers have little shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--lang=en-US"],
  });
}

/** Somebody's browser: pages that share their cookies with each other and with nobody else. */
export class Visitor {
  /** What went wrong on any page. */
  problems = [];

  static async arrive(browser, origin, options = {}) {
    const visitor = new Visitor();
    visitor.origin = origin;
    // Without transitions between pages, which would be in the way of anyone who does not wait for their end.
    const calm = { reducedMotion: "reduce", viewport: DESK, locale: "en-US" };
    visitor.context = await browser.newContext({ baseURL: origin, ...calm, ...options });
    visitor.context.setDefaultTimeout(PATIENCE);
    await visitor.context.addInitScript(watch);
    visitor.context.on("request", (request) => visitor.#look(request.url()));
    visitor.context.on("weberror", (error) => visitor.problems.push(String(error.error())));
    visitor.context.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) visitor.problems.push(message.text());
    });
    return visitor;
  }

  #look(url) {
    const { protocol, origin } = new URL(url);
    // Pictures in the browser's own style sheet have data URLs.
    if (protocol !== "data:" && origin !== this.origin) this.problems.push(`asks another host: ${url}`);
  }

  /** Opens a page. */
  async open(path) {
    const page = await this.context.newPage();
    await page.goto(path);
    return page;
  }

  /** Signs in with a form, and gives what the browser keeps. */
  async signIn() {
    const page = await this.open("/console/sign-in/");
    await page.getByLabel(text("email")).fill(EMAIL);
    await page.getByLabel(text("password")).fill(PASSWORD);
    await page.getByRole("button", { name: text("sign-in") }).click();
    await page.locator("header.bar").waitFor();
    await page.close();
    return this.context.storageState();
  }

  /** What went wrong; refusals with one of these statuses are expected. */
  unexpected(statuses = []) {
    const expected = statuses.map((status) => `responded with a status of ${status} `);
    return this.problems.filter((problem) => !expected.some((part) => problem.includes(part)));
  }

  async leave() {
    await this.context.close();
  }
}

/** Waits until the parts of a page have come that ask for themselves. */
export async function settled(page) {
  await page.locator("[data-fragment]").first().waitFor({ state: "detached" });
}

/** Runs in every page before anything else. */
function watch() {
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
    console.error("against the policy:", violatedDirective, blockedURI, sample);
  });
  const seen = { paint: 0, moved: [] };
  Object.defineProperty(globalThis, "seenBySuite", { value: seen });
  const observe = (type, take) => {
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  };
  observe("largest-contentful-paint", (entry) => {
    seen.paint = Math.max(seen.paint, entry.startTime);
  });
  observe("layout-shift", ({ hadRecentInput, value, sources }) => {
    if (hadRecentInput) return;
    const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
      `${(node?.outerHTML ?? node?.textContent)?.slice(0, 80)} from ${from.x}, ${from.y} to ${to.x}, ${to.y}`);
    seen.moved.push(moved.join("; ") || `something, by ${value}`);
  });
}

/**
 * What axe finds on a page, one line for each element. It runs apart from the page's own scripts, so that the policy of
 * the page stays in force.
 */
export async function findingsOfAxe(page, { rules, impacts = ["serious", "critical"] } = {}) {
  const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: TAGS };
  const found = await apart(page, `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ["violations"] })})
    .then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, any }) =>
      ({ impact, text: [id, target.join(" "), html.slice(0, 200), any[0]?.message ?? ""].join(" | ") }))))`);
  return found.filter(({ impact }) => impacts.includes(impact)).map(({ text }) => text);
}

/** The value of an expression that can use axe. */
async function apart(page, expression) {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send("Page.getFrameTree");
    const world = { frameId: frameTree.frame.id, worldName: "axe" };
    const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", world);
    await session.send("Runtime.evaluate", { contextId, expression: axeSource });
    const options = { contextId, expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  } finally {
    await session.detach();
  }
}
