// Steps that several tasks have, and where things are.

import { EMAIL, PASSWORD } from "../support/service.mjs";
import { text } from "../support/texts.mjs";

export const HOME = "/console/projects/main/prod/";

export const listOf = (resource, model) => `${HOME}records/${resource}/${encodeURIComponent(model)}/`;
export const recordOf = (resource, model, key) => `${listOf(resource, model)}record/${encodeURIComponent(key)}/`;

export async function save(person) {
  await person.leaveBy(person.button(text("save")));
}

export async function isSaved(person) {
  await person.page.getByText(text("saved"), { exact: true }).waitFor();
}

/** Enters a value where NULL or a default could be chosen too. */
export async function enter(person, name, value) {
  const state = person.field(`state:${name}`).and(person.page.locator('[type="radio"][value="text"]'));
  if (await state.count()) await person.pick(state);
  await person.fill(person.field(`value:${name}`), value);
}

export async function signIn(person) {
  await person.fill(person.page.getByLabel(text("email")), EMAIL);
  await person.fill(person.page.getByLabel(text("password")), PASSWORD);
  await person.leaveBy(person.button(text("sign-in")));
}

/** Opens what is folded away under this name. */
export async function openMenu(person, name) {
  await person.choose(person.page.locator("summary").getByText(name, { exact: true }));
}
