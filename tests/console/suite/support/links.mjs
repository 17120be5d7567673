// Services whose links lead in without a password: each link works at the service that has printed it.

import { Service } from "./service.mjs";

/** Starts a demo and a service that nobody operates yet, and gives their links. */
export async function startLinks() {
  const read = (line) => /^\s*console\s+(http\S+)/.exec(line)?.[1];
  const services = await Promise.all([Service.start(["demo"], read), Service.start(["serve"], read)]);
  const [enter, firstRun] = services.map(({ ready }) => ready);
  return { enter, firstRun, stop: () => Promise.all(services.map((service) => service.stop())) };
}
