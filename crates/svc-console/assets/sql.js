// Keys in the editor of queries: Ctrl-Enter runs the text, Enter in the box beside it looks for a model.

addEventListener("keydown", (event) => {
  const action = event.target.dataset?.enter;
  if (event.key !== "Enter" || event.isComposing || !action) return;
  if (action === "run" && !event.ctrlKey && !event.metaKey) return;
  const form = event.target.form;
  const button = [...form.elements].find((field) => field.name === "action" && field.value === action);
  event.preventDefault();
  form.requestSubmit(button);
});
