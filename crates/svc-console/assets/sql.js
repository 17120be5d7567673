// Ctrl-Enter runs the query, or what is selected of it; Enter in the box beside it looks for a model.

const area = document.querySelector("#query");
const form = area.form;
const run = form.querySelector("button.primary");
const whole = run.textContent;

addEventListener("keydown", (event) => {
  const action = event.target.dataset?.enter;
  if (event.key !== "Enter" || event.isComposing || !action) return;
  if (action === "run" && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  form.requestSubmit(action === "run" ? run : document.querySelector(`button[value="${action}"]`));
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
