// The places of the console. A new one is one line here: everything in `places.test.mjs` and `budgets.test.mjs` is
// checked there then.

const main = "/console/projects/main/prod/";
const dev = "/console/projects/main/dev/";
const records = (model) => `${main}records/sqlite/${encodeURIComponent(model)}/`;

/**
 * Each with a `name` and a `path`; `open` gives the address in place of a path. `signedOut`: nobody is signed in.
 * `status`: what it answers when that is not 200. `snapshot`: what screen readers get is kept in `snapshots/`.
 * `dark`: there is a picture in dark colours too. `whole`: pictures show the whole page, and not only its beginning.
 */
export const places = [
  { name: "sign-in", path: "/console/sign-in/", signedOut: true, snapshot: true, dark: true },
  { name: "enter", open: (links) => links.enter, signedOut: true, snapshot: true },
  { name: "first-run", open: (links) => links.firstRun, signedOut: true, snapshot: true },
  { name: "projects", path: "/console/projects/", snapshot: true },
  { name: "environment", path: main, snapshot: true, dark: true },
  { name: "environment-empty", path: dev },
  { name: "connect", path: `${main}connect/`, snapshot: true, dark: true },
  { name: "connect-sqlite", path: `${main}connect/?engine=sqlite` },
  { name: "resource", path: `${main}resources/sqlite/`, snapshot: true },
  { name: "resource-delete", path: `${main}resources/sqlite/delete/`, snapshot: true },
  { name: "models", path: `${main}records/sqlite/`, snapshot: true },
  { name: "records", path: records("parts"), snapshot: true, dark: true },
  { name: "records-filtered", path: `${records("items")}?kind=3&_order_by=-id`, dark: true },
  { name: "records-none", path: `${records("items")}?kind=99` },
  { name: "records-wrong", path: `${records("items")}?nothing=1` },
  { name: "records-types", path: records("kinds") },
  { name: "records-names", path: records(`order "of" <i>things</i> & 'more'/ü?#`) },
  { name: "records-without-key", path: records("notes") },
  { name: "records-view", path: records("part_names") },
  { name: "records-wide", path: records("wide") },
  { name: "records-large", path: records("large") },
  { name: "record", path: `${records("parts")}record/1/`, snapshot: true, dark: true },
  { name: "record-types", path: `${records("kinds")}record/1/` },
  { name: "record-large", path: `${records("large")}record/1/` },
  { name: "record-new", path: `${records("parts")}new/`, snapshot: true },
  { name: "record-delete", path: `${records("parts")}record/5/delete/`, snapshot: true, dark: true },
  { name: "record-forbidden", path: `${records("makers")}record/1/delete/` },
  { name: "find", path: `${main}find/?q=part`, snapshot: true },
  { name: "find-empty", path: `${main}find/` },
  { name: "find-nothing", path: "/console/find/?q=nothing" },
  { name: "components", path: "/console/components/", dark: true, whole: true },
  { name: "problem", path: "/console/nowhere/", status: 404, snapshot: true },
];
