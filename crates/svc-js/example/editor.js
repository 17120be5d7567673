// The dialog in which a customer is created, changed or deleted.

import { clear, isComplete, submit } from "./errors.js";

const $ = (id) => document.getElementById(id);
const dialog = $("editor");
const form = $("customer");

/** The data of the dialog: the collection, and the record as it was read, or `undefined` for a new one. */
let customers;
let stored;
/** Ends the promise of {@link edit}. */
let tell;

/**
 * Opens the dialog for the customer with this key, or for a new one.
 *
 * @returns a message about what was done; nothing when the dialog was cancelled
 * @throws {SvcRequestError} when the customer cannot be read
 */
export async function edit(collection, id) {
  customers = collection;
  fill(id === undefined ? undefined : await customers.get(id));
  dialog.showModal();
  return new Promise((resolve) => {
    tell = resolve;
  });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isComplete(form)) return;
  attempt(async () => {
    const saved =
      stored === undefined
        ? await customers.create(values())
        : // Refused when somebody else has changed the customer since it was read.
          await customers.update(stored.id, values(), { ifMatch: stored });
    finish(`${saved.name} is saved.`);
  });
});

$("delete").addEventListener("click", async () => {
  if (!(await confirmed(`Delete ${stored.name}?`))) return;
  attempt(async () => {
    await customers.delete(stored.id, { ifMatch: stored });
    finish(`${stored.name} is deleted.`);
  });
});

$("load-again").addEventListener("click", () => attempt(async () => fill(await customers.get(stored.id))));
$("cancel").addEventListener("click", () => dialog.close());
// This also runs when the dialog was closed with the Escape key.
dialog.addEventListener("close", () => tell());

function attempt(work) {
  return submit(form, work, ({ status }) => {
    $("load-again").hidden = status !== 412;
  });
}

function finish(done) {
  tell(done);
  dialog.close();
}

/** Puts a customer into the form. */
function fill(customer) {
  stored = customer;
  clear(form);
  form.reset();
  $("editor-title").textContent = customer === undefined ? "New customer" : "Edit customer";
  $("delete").hidden = customer === undefined;
  $("load-again").hidden = true;
  for (const field of fields()) {
    const value = customer?.[field.name];
    if (field.type === "checkbox") field.checked = value === true;
    else field.value = value ?? "";
  }
}

/** The customer in the form. A field without text is a column without a value. */
function values() {
  const value = (field) => (field.type === "checkbox" ? field.checked : field.value.trim() || null);
  return Object.fromEntries(fields().map((field) => [field.name, value(field)]));
}

const fields = () => [...form.elements].filter((element) => element instanceof HTMLInputElement);

/** Asks the user for confirmation before data is lost. */
async function confirmed(question) {
  const dialog = $("confirm");
  $("confirm-title").textContent = question;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "yes";
}
