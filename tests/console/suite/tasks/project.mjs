// What people do who look after a project, its application and the service. Each `way` has names of its own, since all of
// them are at work in one project.

import assert from "node:assert/strict";

import { HOME, isSaved, openMenu, recordOf, save } from "./steps.mjs";
import { text } from "../support/texts.mjs";

/** The row of a table that has this text. */
const row = (person, of) => person.page.locator("table.records tbody tr", { hasText: of });

export const project = {
  async "make a page, publish it, change it, and restore what was published"({ person, way }) {
    await person.go(`${HOME}pages/`);
    await person.leaveBy(person.link(text("pages-new")));
    await person.fill(person.field("name"), `Orders by ${way}`);
    await person.fill(person.field("params"), '{"width": 1.10}');
    await person.leaveBy(person.button(text("create")));
    const place = person.place.split("?")[0];
    await person.leaveBy(person.link(text("pages-publish")));
    await person.leaveBy(person.page.locator("main form button.primary"));
    await person.page.getByText(text("pages-published-this"), { exact: true }).waitFor();
    await person.fill(person.field("params"), '{"width": 2}');
    await person.leaveBy(person.button(text("pages-save")));
    await person.leaveBy(person.link(text("pages-changes")));
    await person.page.locator(".diff").waitFor();
    await person.go(`${place}revisions/`);
    await person.leaveBy(person.page.locator("table.records tbody a").last());
    await person.leaveBy(person.button(text("pages-restore")));
    assert.match(await person.field("params").inputValue(), /"width": 1\.10/);
  },

  async "let a user in, see what the user sees, and suspend the user"({ person, way, resource }) {
    const email = `user-${way}@example.com`;
    await person.go(`${HOME}users/`);
    await person.leaveBy(person.link(text("users-invite")));
    await person.fill(person.field("email"), email);
    await openMenu(person, text("users-with-password"));
    await person.fill(person.field("password"), "correct horse battery");
    await person.leaveBy(person.button(text("users-invite")));
    await person.page.getByText(text("users-done-made"), { exact: true }).waitFor();
    const place = person.place.split("?")[0];
    await person.leaveBy(person.link(text("users-see-as")));
    await person.page.locator(".seen-as", { hasText: email }).waitFor();
    await person.leaveBy(person.link(resource));
    await person.leaveBy(person.page.locator(".seen-as a.button"));
    assert.doesNotMatch(person.place, /\/as\//);
    await person.go(place);
    await person.leaveBy(person.link(text("users-suspend")));
    await person.leaveBy(person.button(text("users-suspend")));
    await person.page.getByText(text("users-done-suspended"), { exact: true }).waitFor();
    await person.leaveBy(person.button(text("users-resume")));
    await person.page.getByText(text("users-done-resumed"), { exact: true }).waitFor();
  },

  async "make a team that reads one model alone"({ person, way, resource }) {
    const name = `Readers by ${way}`;
    await person.go(`${HOME}teams/`);
    await person.leaveBy(person.link(text("teams-new")));
    await person.fill(person.field("name"), name);
    await person.leaveBy(person.button(text("create")));
    await person.go(`${HOME}rights/?resource=${resource}`);
    await person.leaveBy(person.page.getByRole("link", { name: new RegExp(`: ${name}, makers$`) }));
    await person.check(person.page.locator('[name="right"][value="read"]'));
    await person.leaveBy(person.button(text("rights-set")));
    await person.go(`${HOME}rights/?resource=${resource}`);
    const cell = person.page.getByRole("link", { name: new RegExp(`: ${name}, makers$`) });
    assert.doesNotMatch(await cell.getAttribute("class"), /inherited/);
  },

  async "make a token, set a secret, allow a host, and revoke the token"({ person, way, resource }) {
    const name = `program of ${way}`;
    const integrations = `${HOME}integrations/`;
    await person.go(integrations);
    await openMenu(person, text("integrations-token-new"));
    await person.select(person.field("resource"), resource);
    await person.fill(person.field("name"), name);
    await person.leaveBy(person.button(text("create")));
    await person.page.getByText(/svct_\w+/).first().waitFor();
    await person.go(integrations);
    await person.leaveBy(person.link(text("integrations-secrets")));
    await openMenu(person, text("integrations-secret-set"));
    await person.select(person.field("resource"), resource);
    await person.fill(person.field("name"), `key_${way}`);
    await person.fill(person.field("hosts"), "api.example.com");
    await person.fill(person.field("secret"), "a secret value");
    await save(person);
    await row(person, `key_${way}`).waitFor();
    assert.doesNotMatch(await person.page.content(), /a secret value/);
    await person.leaveBy(person.link(text("integrations-hosts")));
    await person.fill(person.field("host"), `${way}.internal.example:8443`);
    await person.leaveBy(person.button(text("integrations-host-allow")));
    await row(person, `${way}.internal.example:8443`).waitFor();
    await person.go(integrations);
    await person.leaveBy(row(person, name).getByRole("link", { name: text("credentials-revoke") }));
    await person.leaveBy(person.button(text("credentials-revoke")));
    assert.equal(await row(person, name).count(), 0);
  },

  async "find out who changed a record, and what"({ person, resource }) {
    const record = recordOf(resource, "makers", "1");
    await person.go(record);
    await person.fill(person.field("value:name"), "looked for");
    await save(person);
    await isSaved(person);
    await person.go(`${HOME}audit/`);
    await person.fill(person.field("record"), "1");
    await person.fill(person.field("model"), "makers");
    await person.leaveBy(person.button(text("audit-show")));
    await person.leaveBy(person.page.locator("table.records tbody tr", { hasText: resource }).first().getByRole("link").first());
    await person.page.locator(".differences", { hasText: "looked for" }).waitFor();
    await person.leaveBy(person.link("1"));
    assert.equal(person.place, `${record}history/`);
  },

  async "make an environment, and delete it"({ person, way }) {
    const environments = `${HOME}settings/environments/`;
    await person.go(environments);
    await person.leaveBy(person.link(text("settings-environment-new")));
    await person.fill(person.field("unique_name"), `of-${way}`);
    await person.leaveBy(person.button(text("create")));
    await person.go(`/console/projects/main/of-${way}/settings/environments/of-${way}/delete/`);
    await person.fill(person.field("confirm"), `of-${way}`);
    await person.leaveBy(person.button(text("settings-environment-delete")));
    await person.go(environments);
    assert.equal(await row(person, `of-${way}`).count(), 0);
  },

  async "change one's name, and make and revoke an API key"({ person, way }) {
    await person.go("/console/profile/");
    await person.fill(person.field("first_name"), `Ann by ${way}`);
    await save(person);
    await isSaved(person);
    await person.leaveBy(person.link(text("profile-keys")));
    await openMenu(person, text("profile-key-new"));
    await person.fill(person.field("name"), `key of ${way}`);
    await person.leaveBy(person.button(text("create")));
    await person.page.getByText(/svck_\w+/).first().waitFor();
    await person.go("/console/profile/keys/");
    await person.leaveBy(row(person, `key of ${way}`).getByRole("link", { name: text("credentials-revoke") }));
    await person.leaveBy(person.button(text("credentials-revoke")));
    assert.equal(await row(person, `key of ${way}`).count(), 0);
  },

  async "look at the nodes, the databases, the figures, the mails and the settings of the service"({ person, resource }) {
    await person.go("/console/service/");
    for (const part of ["service-databases", "service-figures", "service-mails", "service-settings"]) {
      await person.leaveBy(person.page.locator(".tabs").getByRole("link", { name: text(part), exact: true }));
    }
    await person.page.getByText("statement-timeout").first().waitFor();
    await person.leaveBy(person.page.locator(".tabs").getByRole("link", { name: text("service-databases"), exact: true }));
    await row(person, resource).first().waitFor();
  },
};
