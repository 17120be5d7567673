// A cell that is changed in its place: the form is that of the record, beside the cell. Nothing is shown as saved before it is.

const policy = globalThis.trustedTypes?.createPolicy("svc-cell", { createHTML: (html) => html });
let editor = null;
let at = null;

/** What the service answers about a cell. */
async function ask(address, options) {
  const answer = await fetch(address, { ...options, headers: { "svc-fragment": "cell" } });
  const html = await answer.text();
  const made = document.createElement("template");
  made.innerHTML = policy ? policy.createHTML(html) : html;
  return { ok: answer.ok, content: made.content };
}

const focus = () => (editor.querySelector("input:not([type]), textarea, select") ?? editor.querySelector("a, button"))?.focus();

function close() {
  editor?.remove();
  editor = null;
  at?.dispatchEvent(new CustomEvent("svc-go", { bubbles: true }));
}

addEventListener("svc-open", async ({ target: cell }) => {
  const { record } = cell.closest("tr").dataset;
  if (!record) return;
  const query = new URLSearchParams({ _field: cell.dataset.field, _list: location.search.slice(1) });
  const made = await ask(`${record}?${query}`);
  if (!made.ok) {
    location.href = record;
    return;
  }
  editor?.remove();
  at = cell;
  editor = document.createElement("div");
  editor.className = "editor";
  editor.setAttribute("role", "dialog");
  editor.setAttribute("aria-label", cell.dataset.field);
  editor.append(made.content);
  document.body.append(editor);
  const box = cell.getBoundingClientRect();
  const left = Math.min(box.left, innerWidth - editor.offsetWidth - 12);
  editor.style.left = `${Math.max(12, left) + scrollX}px`;
  editor.style.top = `${box.bottom + scrollY + 2}px`;
  focus();
});

addEventListener("keydown", (event) => { if (editor && event.key === "Escape") close(); });
addEventListener("click", (event) => { if (event.target.closest("[data-close]")) close(); });

addEventListener("submit", async (event) => {
  const form = event.target;
  // Choosing a reference has a page of its own.
  if (!form.matches(".cell-form") || event.submitter?.name === "pick") return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  form.querySelectorAll("button").forEach((button) => { button.disabled = true; });
  const made = await ask(form.getAttribute("action"), { method: "POST", body });
  const cell = made.content.querySelector("td");
  if (made.ok && cell) {
    cell.className = at.className;
    at.replaceWith(cell);
    at = cell;
    close();
  } else {
    form.replaceWith(made.content);
    focus();
  }
});
