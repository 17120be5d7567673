// Finds places by typing, in a dialog (Ctrl+K), and lists the keys of a place.

const link = document.querySelector("[data-palette]");
const dialogs = {};
let asking;
let shown;

/** A part of the page that finds places; nothing where another is asked for meanwhile. */
function part(fragment, typed = "") {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const made = svcPart(`${link.pathname}?q=${encodeURIComponent(typed)}`, fragment, { signal });
  const failed = () => new Promise(() => { if (!signal.aborted) location.assign(link.href); });
  return made.then(({ content }) => content, failed);
}

/** Opens a dialog, which is made once. */
async function open(fragment, label) {
  const known = dialogs[fragment];
  const dialog = known ?? Object.assign(document.createElement("dialog"), { className: "palette", ariaLabel: label });
  if (!known) {
    dialogs[fragment] = dialog;
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
  }
  if (document.querySelector("dialog[open]")) return undefined;
  dialog.showModal();
  if (!known) dialog.append(await part(fragment));
  return dialog;
}

async function find() {
  const dialog = await open("dialog", link.textContent);
  const input = dialog?.querySelector("input");
  if (!input) return;
  input.select();
  input.focus();
  dialog.oninput = () => { shown = show(dialog, input.value); };
  dialog.onkeydown = (event) => move(event, dialog, input);
  dialog.oninput();
}

/** Shows what fits; `recent.js` puts first what was open before. */
async function show(dialog, typed) {
  const found = await part("results", typed);
  dialog.querySelector("#found")?.remove();
  dialog.append(found);
  dialog.dispatchEvent(new CustomEvent("svc-found", { bubbles: true, detail: typed }));
}

async function move(event, dialog, input) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = () => [...dialog.querySelectorAll("a")].filter((it) => it.checkVisibility());
  const at = links().indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    const next = at + step;
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
