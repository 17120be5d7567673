// A cell that is changed in its place.

const live = document.querySelector("#live");
const says = document.querySelector("[data-grid]")?.dataset;
const make = (name, properties) => Object.assign(document.createElement(name), properties);
const notice = (textContent) => make("p", { className: "notice error", textContent });
const ask = (address, options) => svcPart(address, "cell", options).catch(() => ({ content: notice(says.lost) }));
const fire = (on, name, detail) => on.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
let editor;
let at;
// The cell whose form is awaited, and what is typed meanwhile.
let opening;
let typed = "";
// What the form held at first; nothing once it was refused.
let base;

const own = () => editor?.querySelector(".cell-form");
const held = () => String(new URLSearchParams(new FormData(own())));
const isDirty = () => own() && held() !== base;
const input = () => editor.querySelector("input:not([type=hidden]), textarea, select");

/** Says what is wrong, and leads to the input. */
function tell() {
  live.textContent = editor.querySelector(".notice, .field-error")?.textContent ?? "";
  (input() ?? editor.querySelector("a") ?? editor).focus();
}

/** The same above the form. */
function say(content) {
  editor.firstChild.replaceChildren(content);
  tell();
}

function close() {
  editor?.remove();
  editor = opening = null;
  fire(at, "svc-go");
}

addEventListener("svc-open", async ({ target: cell, detail }) => {
  const { record } = cell.closest("tr").dataset;
  const { field } = cell.dataset;
  if (!record) return;
  if (isDirty()) return say(notice(says.unsaved));
  opening = cell;
  typed = detail;
  const { content } = await ask(`${record}?${new URLSearchParams({ _field: field, _list: location.search.slice(1) })}`);
  if (opening !== cell) return;
  opening = null;
  editor?.remove();
  at = cell;
  editor = make("div", { className: "editor", tabIndex: -1, role: "dialog", ariaLabel: field });
  editor.append(make("div"), content);
  document.body.append(editor);
  const box = cell.getBoundingClientRect();
  const left = Math.max(12, Math.min(box.left, innerWidth - editor.offsetWidth - 12));
  Object.assign(editor.style, { left: `${left + scrollX}px`, top: `${box.bottom + scrollY + 2}px` });
  base = own() && held();
  if (typed && base && input()?.matches("input, textarea")) {
    input().value = (detail ? "" : input().value) + typed;
    fire(input(), "input");
  }
  tell();
  editor.scrollIntoView({ block: "nearest" });
});

addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (editor && event.key === "Escape") close();
  if (!opening || event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  typed += event.key;
  event.preventDefault();
  event.stopPropagation();
}, true);
addEventListener("click", (event) => { if (event.target.closest("[data-close]")) close(); });
addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });

addEventListener("submit", async (event) => {
  const form = event.target;
  const [box, cell] = [editor, at];
  if (!box?.contains(form)) return;
  // Choosing has a page of its own.
  if (event.submitter?.name === "pick") return void (base = held());
  event.preventDefault();
  const isCell = form === own();
  if (isCell && held() === base) return close();
  const body = new URLSearchParams(new FormData(form));
  box.inert = true;
  const { ok, content } = await ask(form.getAttribute("action"), { method: "POST", body });
  box.inert = false;
  const saved = ok && content.querySelector("td");
  if (saved) fire(cell, "svc-saved", content);
  if (box !== editor) return;
  if (saved) {
    at = saved;
    close();
  } else if (ok && !isCell) {
    // Signed in again.
    say("");
    if (own()) own().requestSubmit();
    else close();
  } else if (content.querySelector(".cell-form")) {
    say("");
    form.replaceWith(content);
    base = null;
    tell();
  } else {
    say(content);
  }
});
