// A headless browser, and tabs that remember what nobody should see.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";

import puppeteer from "puppeteer-core";

/** How long anything on a page may take, in milliseconds. */
const PATIENCE = 20_000;

/** Starts the browser. It ends by itself when this process is gone. */
export function launchBrowser() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    // Its parent holds the other end.
    pipe: true,
    args: [
      // Root, which is the user in most containers, cannot use the sandbox; and containers have little shared memory.
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--lang=en-US",
    ],
    env: { ...process.env, LANGUAGE: "en_US" },
  });
}

/** Polls until the value is the expected one, and returns it. */
export async function until(look, isWanted) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const seen = await look();
    if (isWanted(seen)) return seen;
    if (Date.now() > deadline) assert.fail(`${isWanted} was not true within ${PATIENCE} ms of ${inspect(seen)}`);
    await pause(25);
  }
}

/** Somebody's browser: tabs that share their storage with each other and with nobody else. */
export class Visitor {
  #context;
  #tabs = [];

  static async arrive(browser) {
    const visitor = new Visitor();
    visitor.#context = await browser.createBrowserContext();
    return visitor;
  }

  async open(url) {
    const tab = new Tab(await this.#context.newPage());
    this.#tabs.push(tab);
    await tab.begin(url);
    return tab;
  }

  /** What went wrong in any tab. */
  get problems() {
    return this.#tabs.flatMap(({ problems }) => problems);
  }

  /** The origins that any tab asked for anything. */
  get origins() {
    const urls = this.#tabs.flatMap(({ urls }) => urls.map((url) => new URL(url)));
    // Pictures in the browser's own style sheet have data URLs.
    return new Set(urls.filter(({ protocol }) => protocol !== "data:").map(({ origin }) => origin));
  }

  async leave() {
    await this.#context.close();
  }
}

class Tab {
  /** Warnings and errors of the console, violations of the policy, errors that nobody caught. */
  problems = [];
  /** What was asked for. */
  urls = [];

  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) this.problems.push(message.text());
    });
    page.on("pageerror", (error) => this.problems.push(String(error)));
    page.on("request", (request) => this.urls.push(request.url()));
  }

  async begin(url) {
    await this.page.evaluateOnNewDocument(() => {
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
        console.error("against the policy:", violatedDirective, blockedURI, sample);
      });
    });
    await this.page.goto(url);
  }

  /** Makes this the tab that is looked at: in others the browser lets things rest. */
  async turnTo() {
    await this.page.bringToFront();
  }

  async reload() {
    await this.page.reload();
  }

  async click(selector) {
    await this.page.locator(selector).click();
  }

  /** Replaces what is in a field. */
  async fill(selector, value) {
    await this.page.locator(selector).fill(value);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  /** The texts of all visible elements of a selector. */
  texts(selector) {
    return this.page.$$eval(selector, (elements) =>
      elements.filter((element) => element.checkVisibility()).map((element) => element.textContent.trim()),
    );
  }

  /** Waits until the one visible element of a selector has such a text. */
  async says(selector, pattern) {
    const [text] = await until(
      () => this.texts(selector),
      (texts) => texts.length === 1 && pattern.test(texts[0]),
    ).catch((error) => {
      error.message = `${selector} does not say ${pattern}: ${error.message}`;
      throw error;
    });
    return text;
  }

  async sees(selector) {
    await this.page.waitForSelector(selector, { visible: true });
  }

  async seesNo(selector) {
    await this.page.waitForSelector(selector, { hidden: true });
  }

  /** What is in a field. */
  value(selector) {
    return this.page.$eval(selector, ({ value }) => value);
  }

  /** The `id` of what the keyboard acts on. */
  focused() {
    return this.page.evaluate(() => document.activeElement.id);
  }

  /** What the origin's storage has under a key. */
  stored(key) {
    return this.page.evaluate((key) => localStorage.getItem(key), key);
  }
}
