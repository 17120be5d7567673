// Keeps what is typed into a form until it is sent, and offers it again.

const offer = document.querySelector("[data-typed]");
const form = offer.nextElementSibling;
const { account, saved } = form.elements;
const key = `svc-typed ${account.value} ${form.getAttribute("action")} ${saved?.value ?? ""}`;
const held = () => [...new FormData(form)].filter(([name]) => !/password|^_token|^item_/.test(name));
// Set where the form is shown again.
let timer = offer.dataset.typed;
const before = timer ? "" : String(held());
const known = JSON.parse(localStorage.getItem(key));

function drop() {
  timer = clearTimeout(timer);
  localStorage.removeItem(key);
}

function keep() {
  if (timer && form.isConnected && String(held()) !== before) {
    try {
      localStorage.setItem(key, JSON.stringify([Date.now(), held()]));
    } catch {
      // There is no room.
    }
  }
  timer = clearTimeout(timer);
}

if (known && !timer) {
  offer.querySelector("time").textContent = new Date(known[0]).toLocaleString();
  offer.hidden = false;
}
keep();
offer.addEventListener("click", ({ target }) => {
  if (!target.type) return;
  if (target.name) drop();
  else for (const [name, value] of known[1]) if (form.elements[name]) form.elements[name].value = value;
  offer.hidden = true;
  form.querySelector("input:not([type=hidden]), textarea").focus();
});
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(keep, 500);
});
addEventListener("submit", ({ target, submitter }) => {
  if (submitter?.name === "pick") return;
  timer = clearTimeout(timer);
  if (target === form) drop();
});
addEventListener("visibilitychange", keep);
