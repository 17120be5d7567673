// Runs before each example of the book's chapter about this client. What the chapter takes for granted is
// global, so that an example may also declare it for itself.

import { Svc } from "svc-js";

const { env } = process;

// An example that waits for something that never comes ends anyway.
setTimeout(() => {
  console.error("the example did not end within a minute");
  process.exit(1);
}, 60_000).unref();

Object.assign(globalThis, {
  project: env.SVC_PROJECT,
  environment: env.SVC_ENVIRONMENT,
  apiBaseUrl: env.SVC_API_BASE_URL,
  appBaseUrl: env.SVC_APP_BASE_URL,
  apiKey: env.SVC_API_KEY,
  apiToken: env.SVC_API_TOKEN,
  toolsToken: env.SVC_TOOLS_TOKEN,
  email: env.SVC_EMAIL,
  password: env.SVC_PASSWORD,
});

// A client whose user is signed in.
globalThis.svc = new Svc({ project, environment, apiBaseUrl, appBaseUrl });
await svc.loginViaEmailPassword(email, password);
