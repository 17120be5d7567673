// What makes all pages quicker to use.

const policy = globalThis.trustedTypes?.createPolicy("svc", { createHTML: (html) => html });
const channel = new BroadcastChannel("svc-console");

/** Asks for a part of a page. */
globalThis.svcPart = async (address, name, options = {}) => {
  const answer = await fetch(address, { ...options, headers: { "svc-fragment": name } });
  const html = await answer.text();
  const made = document.createElement("template");
  made.innerHTML = policy?.createHTML(html) ?? html;
  return { ok: answer.ok, content: made.content };
};

// Each part that takes longer than the page asks for itself.
for (const part of document.querySelectorAll("[data-fragment]")) {
  svcPart(location.href, part.dataset.fragment).then(({ ok, content }) => ok && part.replaceWith(content));
}

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

// Browsers allow it over TLS and on this machine.
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = document.querySelector("#live").textContent = button.dataset.done;
  });
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

// Nothing that was typed is left by mistake.
for (const form of document.querySelectorAll("form[data-guard]")) {
  // Of a file its name counts.
  const held = () => String([...new FormData(form)].map(([name, value]) => [name, value.name ?? value]));
  const before = held();
  let isSent = false;
  form.addEventListener("submit", () => { isSent = true; });
  addEventListener("beforeunload", (event) => {
    if (!isSent && form.isConnected && held() !== before) event.preventDefault();
  });
}

// Signing out leaves nothing in other tabs, and nothing kept.
for (const form of document.querySelectorAll('form[action$="/console/sign-out/"]')) {
  form.addEventListener("submit", () => {
    channel.postMessage("signed-out");
    for (const key of Object.keys(localStorage)) if (key.startsWith("svc-typed")) localStorage.removeItem(key);
  });
}
channel.addEventListener("message", () => {
  document.body.replaceChildren();
  setTimeout(() => location.reload(), 1000);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
