// What makes the pages quicker to use. Each of them works without this.

const policy = globalThis.trustedTypes?.createPolicy("svc", { createHTML: (html) => html });
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("svc-console") : undefined;

/** Puts the parts into the page that take longer than the page: each asks for itself. */
async function load(part) {
  const answer = await fetch(location.href, { headers: { "svc-fragment": part.dataset.fragment } });
  if (!answer.ok) return;
  const html = await answer.text();
  const made = document.createElement("template");
  made.innerHTML = policy ? policy.createHTML(html) : html;
  part.replaceWith(made.content);
}

for (const part of document.querySelectorAll("[data-fragment]")) load(part);

// A key leads to what it stands for, unless somebody is typing.
addEventListener("keydown", (event) => {
  const at = event.target;
  const types = at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName));
  if (event.key === "Escape") {
    const menu = at instanceof Element ? at.closest("details.menu[open]") : null;
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
    return;
  }
  if (types || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  for (const goal of document.querySelectorAll("[data-key]")) {
    if (goal.dataset.key === event.key) {
      event.preventDefault();
      if (goal instanceof HTMLAnchorElement) goal.click();
      else goal.focus();
    }
  }
});

// A text that is to be used elsewhere has a button that copies it.
for (const text of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = text.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = text.dataset.done;
    document.querySelector("#live").textContent = text.dataset.done;
  });
  // Only where the browser lets a page copy: over TLS, and on this machine.
  if (navigator.clipboard) text.after(button);
}

// A menu closes when something else is looked at.
addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// Typing a value chooses it over NULL and the default.
addEventListener("input", (event) => {
  const field = event.target.closest?.(".field");
  const chosen = field?.querySelector('.states input[value="text"]');
  if (chosen && event.target.type !== "radio") chosen.checked = true;
});

// Nothing that was typed is left behind by mistake.
for (const form of document.querySelectorAll("form[data-guard]")) {
  // Of a file its name counts.
  const held = () => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value.name ?? value]));
  const before = held();
  let isSent = false;
  form.addEventListener("submit", () => { isSent = true; });
  addEventListener("beforeunload", (event) => {
    if (!isSent && held() !== before) event.preventDefault();
  });
}

// Signing out in one tab leaves nothing to read in the others.
for (const form of document.querySelectorAll('form[action$="/sign-out/"]')) {
  form.addEventListener("submit", () => channel?.postMessage("signed-out"));
}
channel?.addEventListener("message", () => {
  document.body.replaceChildren();
  setTimeout(() => location.reload(), 1000);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
