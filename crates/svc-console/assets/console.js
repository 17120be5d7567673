// What makes the pages quicker to use. Each of them works without this.

const policy = globalThis.trustedTypes?.createPolicy("svc", { createHTML: (html) => html });
const channel = new BroadcastChannel("svc-console");

/** Asks for a part of a page, for the other modules too. */
globalThis.svcPart = async (address, name, options = {}) => {
  const answer = await fetch(address, { ...options, headers: { "svc-fragment": name } });
  const html = await answer.text();
  const made = document.createElement("template");
  made.innerHTML = policy ? policy.createHTML(html) : html;
  return { ok: answer.ok, content: made.content };
};

/** Each part that takes longer than the page asks for itself. */
async function load(part) {
  const { ok, content } = await svcPart(location.href, part.dataset.fragment);
  if (ok) part.replaceWith(content);
}

for (const part of document.querySelectorAll("[data-fragment]")) load(part);

// A key leads to what it stands for, unless somebody is typing.
addEventListener("keydown", (event) => {
  const at = event.target;
  const types = at.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "Escape") {
    const menu = at.closest?.("details.menu[open]");
    if (menu) menu.open = false;
    menu?.querySelector("summary").focus();
    return;
  }
  if (types || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  for (const goal of document.querySelectorAll("[data-key]")) {
    if (goal.dataset.key !== event.key) continue;
    event.preventDefault();
    if (goal instanceof HTMLAnchorElement) goal.click();
    else goal.focus();
  }
});

// A text that is to be used elsewhere has a button that copies it.
for (const text of document.querySelectorAll("[data-copy]")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: text.dataset.copy });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = text.dataset.done;
    document.querySelector("#live").textContent = text.dataset.done;
  });
  // Browsers let a page copy over TLS and on this machine.
  if (navigator.clipboard) text.after(button);
}

// A menu closes when something else is looked at.
addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) menu.open &&= menu.contains(target);
});

// Typing a value chooses it over NULL and the default.
addEventListener("input", (event) => {
  if (event.target.type === "radio") return;
  const typed = event.target.closest?.(".field")?.querySelectorAll('.states :is([value="text"], [value="mine"])');
  for (const chosen of typed ?? []) chosen.checked = true;
});

// Nothing that was typed is left behind by mistake, unless the session has ended: then it is not shown any more.
let isOver = false;
for (const form of document.querySelectorAll("form[data-guard]")) {
  // Of a file its name counts.
  const held = () => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value.name ?? value]));
  const before = held();
  let isSent = false;
  form.addEventListener("submit", () => { isSent = true; });
  addEventListener("beforeunload", (event) => {
    if (!isSent && !isOver && held() !== before) event.preventDefault();
  });
}

// Signing out in one tab leaves nothing to read in the others.
for (const form of document.querySelectorAll('form[action$="/sign-out/"]')) {
  form.addEventListener("submit", () => channel.postMessage("signed-out"));
}
channel.addEventListener("message", () => {
  isOver = true;
  document.body.replaceChildren();
  setTimeout(() => location.reload(), 1000);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
