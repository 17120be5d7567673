// Ctrl-Enter runs the query, or what is selected of it; Enter in the box beside it looks for a model.

const area = document.querySelector("#query");
const form = area.form;
const actions = [...form.elements].filter(({ name }) => name === "action");
const run = actions.find(({ value }) => value === "run");
const whole = run.textContent;
let timer;

addEventListener("keydown", (event) => {
  const action = event.target.dataset?.enter;
  if (event.key !== "Enter" || event.isComposing || !action) return;
  if (action === "run" && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  form.requestSubmit(action === "run" ? run : actions.find(({ value }) => value === action));
});

function choose() {
  const { selectionStart: from, selectionEnd: to, value } = area;
  const part = value.slice(from, to).trim();
  const isPart = part && part !== value.trim();
  run.value = isPart ? `run:${from}-${to}` : "run";
  run.textContent = isPart ? run.dataset.part : whole;
}

// What has run is selected as before.
if (area.dataset.part) area.setSelectionRange(...area.dataset.part.split("-"));
choose();
for (const type of ["selectionchange", "select", "input"]) document.addEventListener(type, choose);

function stop() {
  clearTimeout(timer);
  timer = undefined;
}

// What is typed is kept by the service, which offers it to whoever comes back.
function keep(keepalive) {
  stop();
  fetch(form.dataset.typed, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual", keepalive })
    .catch(() => {});
}

form.addEventListener("input", () => {
  stop();
  timer = setTimeout(keep, 1000, false);
});
form.addEventListener("submit", stop);
addEventListener("visibilitychange", () => { if (timer && document.hidden) keep(true); });
