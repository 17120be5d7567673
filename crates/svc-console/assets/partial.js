// A choice that decides what the rest of a form looks like. Without this a button leads there.

let changes = 0;
addEventListener("change", async (event) => {
  const form = event.target.closest?.("form[data-partial]");
  if (!form || !event.target.matches("[data-next]")) return;
  const turn = (changes += 1);
  form.setAttribute("aria-busy", "true");
  // Somebody may still be typing the name of an option.
  await new Promise((go) => setTimeout(go, 250));
  if (turn !== changes) return;
  const held = () => String(new URLSearchParams(new FormData(form)));
  let query = "";
  let made;
  do {
    // What is entered meanwhile is asked about too.
    query = held();
    made = await svcPart(`${form.getAttribute("action")}?${query}`, form.dataset.partial);
    if (!made.ok) return form.removeAttribute("aria-busy");
  } while (held() !== query);
  const { activeElement: at } = document;
  const next = at?.form === form ? at.name : event.target.name;
  form.replaceWith(made.content);
  document.getElementById(form.id)?.elements[next]?.focus();
});

// A long list of choices shows those whose name has what is typed.
addEventListener("input", ({ target }) => {
  const list = document.getElementById(target.dataset?.finds);
  const wanted = target.value?.toLowerCase();
  for (const one of list?.children ?? []) {
    one.hidden = !one.querySelector("bdi").textContent.toLowerCase().includes(wanted);
  }
});
