// A table of records that is moved in by keys, and whose cells are changed in their place. The form of a cell is that of the
// record; without this, the record's page has it.

const policy = globalThis.trustedTypes?.createPolicy("svc-grid", { createHTML: (html) => html });
const table = document.querySelector("table.records");

/** What the service answers about a cell. */
async function ask(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { ...options.headers, "svc-fragment": "cell" } });
  const made = document.createElement("template");
  const html = await answer.text();
  // A cell stands only within a row.
  made.innerHTML = policy ? policy.createHTML(html) : html;
  return { ok: answer.ok, content: made.content };
}

if (table?.querySelector("tr[data-record]")) {
  let at = null;
  let editor = null;
  table.setAttribute("role", "grid");
  const rows = () => [...table.tBodies[0].rows];
  const cells = (row) => [...row.querySelectorAll("td[data-field]")];
  const go = (cell) => {
    if (!cell) return;
    if (at) at.tabIndex = -1;
    at = cell;
    at.tabIndex = 0;
    at.focus();
    at.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  for (const row of rows()) {
    for (const cell of cells(row)) {
      cell.tabIndex = -1;
      cell.querySelectorAll("a").forEach((link) => { link.tabIndex = -1; });
    }
  }
  at = cells(rows()[0])[0] ?? null;
  if (at) at.tabIndex = 0;

  const close = (back = true) => {
    editor?.remove();
    editor = null;
    if (back) go(at);
  };
  const place = (cell) => {
    const box = cell.getBoundingClientRect();
    const left = Math.min(box.left, innerWidth - editor.offsetWidth - 12);
    editor.style.left = `${Math.max(12, left) + scrollX}px`;
    editor.style.top = `${box.bottom + scrollY + 2}px`;
  };
  const open = async (cell) => {
    const record = cell.closest("tr").dataset.record;
    if (!record) return;
    const query = new URLSearchParams({ _field: cell.dataset.field, _list: location.search.slice(1) });
    const made = await ask(`${record}?${query}`);
    if (!made.ok) { location.href = record; return; }
    close(false);
    at = cell;
    editor = document.createElement("div");
    editor.className = "editor";
    editor.setAttribute("role", "dialog");
    editor.setAttribute("aria-label", cell.dataset.field);
    editor.append(made.content);
    document.body.append(editor);
    place(cell);
    (editor.querySelector("input:not([type]), textarea, select") ?? editor.querySelector("a, button")).focus();
  };

  table.addEventListener("dblclick", (event) => {
    const cell = event.target.closest("td[data-field]");
    if (cell && !event.target.closest("a, input")) open(cell);
  });
  table.addEventListener("focusin", (event) => {
    if (event.target.matches("td[data-field]") && event.target !== at) go(event.target);
  });
  table.addEventListener("keydown", (event) => {
    const cell = event.target;
    if (!cell.matches?.("td[data-field]") || event.altKey || event.metaKey || event.isComposing) return;
    const row = cell.parentElement;
    const column = cells(row).indexOf(cell);
    const all = rows();
    const line = all.indexOf(row);
    const to = {
      ArrowRight: () => cells(row)[column + 1],
      ArrowLeft: () => cells(row)[column - 1],
      ArrowDown: () => all[line + 1] && cells(all[line + 1])[column],
      ArrowUp: () => all[line - 1] && cells(all[line - 1])[column],
      Home: () => cells(event.ctrlKey ? all[0] : row)[0],
      End: () => cells(event.ctrlKey ? all.at(-1) : row).at(-1),
    }[event.key];
    if (to) { event.preventDefault(); go(to()); }
    else if (!event.ctrlKey && (event.key === "F2" || event.key === "Enter")) { event.preventDefault(); open(cell); }
  });
  addEventListener("keydown", (event) => {
    if (editor && event.key === "Escape") { event.preventDefault(); close(); }
  });
  addEventListener("click", (event) => {
    if (editor && event.target.closest("[data-close]")) close();
  });
  addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches(".cell-form")) return;
    event.preventDefault();
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    const body = new URLSearchParams(new FormData(form));
    const made = await ask(form.action, { method: "POST", body });
    const cell = made.content.querySelector("td");
    if (made.ok && cell) {
      at.replaceWith(cell);
      cell.querySelectorAll("a").forEach((link) => { link.tabIndex = -1; });
      at = cell;
      close();
    } else {
      form.replaceWith(made.content);
      editor?.querySelector("input:not([type]), textarea, select")?.focus();
    }
  });
}
