// How a visit begins and ends.

import assert from "node:assert/strict";

import { HOME, listOf, signIn } from "./steps.mjs";
import { EMAIL } from "../support/service.mjs";
import { text } from "../support/texts.mjs";

export const begin = {
  async "sign in, and choose project, database and model"({ person, resource }) {
    await person.go("/console/projects/");
    assert.match(person.place, /^\/console\/sign-in\//);
    await signIn(person);
    assert.equal(person.place, "/console/projects/");
    await person.leaveBy(person.page.locator("main .card").first());
    await person.leaveBy(person.link(resource));
    await person.leaveBy(person.link("parts"));
    assert.equal(person.place, listOf(resource, "parts"));
  },
};

export const end = {
  async "sign out"({ person }) {
    await person.go(HOME);
    await person.choose(person.page.locator("summary", { hasText: EMAIL }));
    await person.leaveBy(person.button(text("sign-out")));
    assert.equal(person.place, "/console/sign-in/");
    await person.go(HOME);
    assert.match(person.place, /^\/console\/sign-in\//);
  },
};
