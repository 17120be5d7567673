// The packages of the lock file, which are installed outside of the repository.

import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.MODULES, "suite.js"));

export const { chromium } = require("playwright-core");
/** The source of axe, which is evaluated in a page. */
export const { source: axeSource } = require("axe-core");
