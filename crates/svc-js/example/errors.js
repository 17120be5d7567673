// Errors in words, beside the fields that they are about.

import { SvcRequestError } from "./svc-js/index.js";

/** What went wrong, for whoever sits in front of the page. Of fields only these are named. */
export function inWords(error, fieldErrors = error.fieldErrors) {
  if (!(error instanceof SvcRequestError)) {
    console.error(error);
    return `This page has a fault: ${error.message}`;
  }
  if (error.kind === "transport") {
    // A browser tells nobody why: a service that is not there looks like one that does not know this page.
    return `The service did not answer. Is it running at that address, and was it started with --cors-origins ${location.origin}?`;
  }
  if (error.status === 412) {
    return "Somebody else has changed this customer in the meantime. Your changes are not saved.";
  }
  const fields = Object.entries(fieldErrors).map(([field, messages]) => `${field}: ${messages.join(", ")}`);
  const said = [...error.generalErrors, ...fields];
  const text = sentence(said.length === 0 ? error.message : said.join("; "));
  return error.status >= 500 ? `${text} (request ${error.requestId})` : text;
}

/**
 * Does the work of a form, once at a time. What goes wrong is shown in the form, unless `elsewhere` takes it.
 *
 * A field's own message goes into the element that its `aria-describedby` names, all others into `[role=alert]`.
 */
export async function submit(form, work, elsewhere = () => false) {
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  clear(form);
  try {
    await work();
  } catch (error) {
    if (!elsewhere(error)) show(form, error);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

/** Takes all messages out of a form. */
export function clear(form) {
  for (const element of form.querySelectorAll(".error")) element.textContent = "";
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

function show(form, error) {
  const others = {};
  for (const [name, messages] of Object.entries(error.fieldErrors ?? {})) {
    const field = form.elements.namedItem(name);
    const place = document.getElementById(field?.getAttribute("aria-describedby"));
    if (place === null) {
      others[name] = messages;
      continue;
    }
    field.setAttribute("aria-invalid", "true");
    place.textContent = sentence(messages.join("; "));
  }
  const invalid = form.querySelector("[aria-invalid]");
  invalid?.focus();
  const isAllSaid = invalid !== null && Object.keys(others).length === 0 && error.generalErrors.length === 0;
  if (!isAllSaid) form.querySelector("[role=alert]").textContent = inWords(error, others);
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
