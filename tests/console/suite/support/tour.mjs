// The places as somebody visits them, one after the other.

import { after, before } from "node:test";

import { Visitor, launch, settled } from "./browser.mjs";
import { startLinks } from "./links.mjs";
import { World, databases } from "./service.mjs";

/** The service, the browser and the links of a file of tests: made before its tests, and ended after them. */
export class Tour {
  constructor() {
    before(async () => {
      [this.browser, this.world, this.links] = await Promise.all([
        launch(),
        World.start(databases.places),
        startLinks(),
      ]);
      const visitor = await Visitor.arrive(this.browser, this.world.origin);
      this.kept = await visitor.signIn();
      await visitor.leave();
    });
    after(async () => {
      await Promise.allSettled([this.browser?.close(), this.world?.stop(), this.links?.stop()]);
    });
  }

  /** Goes to a place with an empty cache, and calls `look` with the page. Nothing may go wrong there. */
  async visit(place, options, look) {
    const address = new URL(place.open?.(this.links) ?? place.path, this.world.origin);
    const kept = place.signedOut ? {} : { storageState: this.kept };
    const visitor = await Visitor.arrive(this.browser, address.origin, { ...kept, ...options });
    try {
      const page = await visitor.context.newPage();
      const go = async () => {
        const answer = await page.goto(address.href);
        await settled(page);
        return answer;
      };
      await look({ page, visitor, go });
    } finally {
      await visitor.leave();
    }
  }
}
