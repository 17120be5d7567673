// Somebody who does tasks: with the mouse or with the keyboard alone, with JavaScript or without.

import assert from "node:assert/strict";

/** How many times Tab is pressed before something is taken to be out of reach. */
const REACH = 400;

export class Person {
  constructor(page, { keyboard }) {
    this.page = page;
    this.keyboard = keyboard;
  }

  async go(path) {
    await this.page.goto(path);
  }

  /** The path that is open, with its query. */
  get place() {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  link(name) {
    return this.page.getByRole("link", { name, exact: true });
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** The field of a form with this name. */
  field(name) {
    return this.page.locator(`[name=${JSON.stringify(name)}]`);
  }

  /** Follows a link, presses a button, or opens a menu. */
  async choose(locator) {
    if (!this.keyboard) return locator.click();
    await this.#reachAnywhere(locator);
    await this.page.keyboard.press("Enter");
  }

  /** The same where another page comes then. */
  async leaveBy(locator) {
    const gone = this.page.waitForEvent("framenavigated");
    await this.choose(locator);
    await gone;
    await this.page.waitForLoadState();
  }

  /** Replaces what is in a field. */
  async fill(locator, text) {
    if (!this.keyboard) return locator.fill(text);
    await this.#reach(locator);
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Delete");
    await this.page.keyboard.insertText(text);
  }

  /** Chooses an option by its name. */
  async select(locator, name) {
    if (!this.keyboard) {
      await locator.selectOption({ label: name });
      return;
    }
    await this.#reach(locator);
    // The first letters lead to an option, if they are typed without a pause.
    await this.page.keyboard.type(name);
    const chosen = await locator.evaluate((select) => select.selectedOptions[0].label);
    assert.equal(chosen, name);
  }

  /** Checks or unchecks a box. */
  async check(locator, isChecked = true) {
    if (!this.keyboard) return locator.setChecked(isChecked);
    if ((await locator.isChecked()) === isChecked) return;
    await this.#reach(locator);
    await this.page.keyboard.press("Space");
    assert.equal(await locator.isChecked(), isChecked);
  }

  /** Chooses one of several options that exclude each other. */
  async pick(locator) {
    if (!this.keyboard) return locator.check();
    const name = await locator.getAttribute("name");
    await this.#reach(this.field(name).and(this.page.locator(":checked")));
    for (let tries = 0; tries < 5 && !(await locator.isChecked()); tries += 1) {
      await this.page.keyboard.press("ArrowRight");
    }
    assert(await locator.isChecked());
  }

  /** The same for what may be in a cell of a grid, which has keys of its own. */
  async #reachAnywhere(locator) {
    await locator.waitFor({ state: "attached" });
    const cell = await locator.evaluate((it) => {
      const found = it.closest("[role=grid] :is(td, th)");
      return found && [found.parentElement.rowIndex, found.cellIndex];
    });
    if (!cell) return this.#reach(locator);
    const [row, column] = cell;
    await this.#reach(this.page.locator("[role=grid] [tabindex='0']"));
    const keys = ["Control+Home", ...Array(column).fill("ArrowRight")];
    keys.push(...(row === 0 ? ["ArrowUp"] : Array(row - 1).fill("ArrowDown")));
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Goes from field to field until an element has the focus. */
  async #reach(locator) {
    await locator.waitFor({ state: "attached" });
    const element = await locator.elementHandle();
    for (let tries = 0; tries < REACH; tries += 1) {
      if (await element.evaluate((it) => it === document.activeElement)) return;
      await this.page.keyboard.press("Tab");
    }
    assert.fail(`${locator} is not reached with Tab`);
  }
}
