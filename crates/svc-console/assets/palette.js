// Finds places by typing, in a dialog that Ctrl+K opens, and lists the keys of a place, with parts of the page that finds
// places without a script.

const link = document.querySelector("[data-palette]");
const dialogs = {};
let asking;
let shown;

/** A part of the page, as elements. A request parses it, so that no text has to become markup here. */
function part(fragment, typed = "") {
  asking?.abort();
  const request = new XMLHttpRequest();
  asking = request;
  return new Promise((resolve) => {
    request.open("GET", `${link.pathname}?q=${encodeURIComponent(typed)}`);
    request.setRequestHeader("svc-fragment", fragment);
    request.responseType = "document";
    request.onload = () => resolve([...request.response.body.children]);
    request.onerror = () => location.assign(link.href);
    request.send();
  });
}

/** Opens a dialog, which is made once. */
async function open(fragment, label) {
  const known = dialogs[fragment];
  const dialog = known ?? document.createElement("dialog");
  if (!known) {
    dialogs[fragment] = dialog;
    dialog.className = "palette";
    dialog.setAttribute("aria-label", label);
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
  }
  if (document.querySelector("dialog[open]")) return undefined;
  dialog.showModal();
  if (!known) dialog.append(...(await part(fragment)));
  return dialog;
}

async function find() {
  const dialog = await open("dialog", link.textContent);
  const input = dialog?.querySelector("input");
  if (!input) return;
  input.select();
  input.focus();
  dialog.oninput = () => {
    shown = show(dialog, input.value);
  };
  dialog.onkeydown = (event) => move(event, dialog, input);
  dialog.oninput();
}

/** Shows what fits; `recent.js` puts first what was open before. */
async function show(dialog, typed) {
  const parts = await part("results", typed);
  dialog.querySelector("#found")?.remove();
  dialog.append(...parts);
  dialog.dispatchEvent(new CustomEvent("svc-found", { bubbles: true, detail: typed }));
}

async function move(event, dialog, input) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = () => [...dialog.querySelectorAll("a")].filter((it) => it.checkVisibility());
  const at = links().indexOf(document.activeElement);
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? input : links()[next])?.focus();
  } else if (event.key === "Escape") {
    // Without clearing the field first.
    event.preventDefault();
    dialog.close();
  } else if (event.key === "Enter" && event.target === input) {
    event.preventDefault();
    // What was typed last may not be answered yet.
    await shown;
    links()[0]?.click();
  } else if (event.key.length === 1 && at >= 0) {
    input.focus();
  }
}

async function keys() {
  const dialog = await open("keys", "?");
  for (const key of dialog?.querySelectorAll("[data-needs]") ?? []) {
    key.hidden = key.dataset.needs !== "" && !document.querySelector(key.dataset.needs);
  }
  dialog?.querySelector("button").focus();
}

addEventListener("keydown", (event) => {
  if (!link || event.isComposing || event.altKey) return;
  const isTyped = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
    event.preventDefault();
    find();
  } else if (event.key === "?" && !isTyped && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    keys();
  }
});

link?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  find();
});
