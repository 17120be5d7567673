// Messages of errors, shown beside the fields that they are about.

import { SvcRequestError } from "./svc-js/index.js";

/** The message of an error for the user of the page. Only errors of these fields are included. */
export function inWords(error, fieldErrors = error.fieldErrors) {
  if (!(error instanceof SvcRequestError)) {
    console.error(error);
    return `This page has a fault: ${error.message}`;
  }
  if (error.kind === "transport") {
    // Browsers hide the reason: an unreachable service looks like one that does not accept this origin.
    return `The service did not answer. Is it running, and does it let this page in? It does when it is started with --cors-origins ${location.origin}`;
  }
  if (error.status === 412) {
    return "Somebody else has changed this customer in the meantime. Your changes are not saved.";
  }
  const fields = Object.entries(fieldErrors).map(([field, messages]) => `${field}: ${messages.join(", ")}`);
  const said = [...error.generalErrors, ...fields];
  // A message begins with the name of the call, for readers of logs.
  const text = sentence(said.length === 0 ? error.message.replace(/^[\w.]+: /, "") : said.join("; "));
  return error.status >= 500 ? `${text} (request ${error.requestId})` : text;
}

/** Whether the form is valid; shows the browser's messages at the fields if not. */
export function isComplete(form) {
  clear(form);
  for (const field of form.elements) {
    if (!field.checkValidity()) mark(field, field.validationMessage);
  }
  return !focusInvalid(form);
}

/** Handles the submit event of a form, one at a time. Errors are shown in the form and passed to `onError`. */
export async function submit(form, work, onError) {
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  clear(form);
  try {
    await work();
  } catch (error) {
    show(form, error);
    onError?.(error);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

/** Removes all messages from a form. */
export function clear(form) {
  form.querySelector("[role=alert]").textContent = "";
  for (const message of form.querySelectorAll(".field .error")) message.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** Shows messages about a field at the field, and all others at the form. */
function show(form, error) {
  const { fieldErrors = {}, generalErrors = [] } = error;
  const others = {};
  for (const [name, messages] of Object.entries(fieldErrors)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) mark(field, sentence(messages.join("; ")));
    else others[name] = messages;
  }
  const isAllSaid = focusInvalid(form) && generalErrors.length === 0 && Object.keys(others).length === 0;
  if (!isAllSaid) form.querySelector("[role=alert]").textContent = inWords(error, others);
}

function mark(field, text) {
  const message = document.createElement("p");
  message.id = `${field.id}-error`;
  message.className = "error";
  message.textContent = text;
  field.closest(".field").append(message);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", message.id);
}

function focusInvalid(form) {
  const first = form.querySelector("[aria-invalid]");
  const folded = first?.closest("details");
  if (folded) folded.open = true;
  first?.focus();
  return first !== null;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
