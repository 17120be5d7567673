// Suggestions for what a field refers to. Choosing has a page of its own.

// Only the newest question counts.
let latest = 0;

for (const button of document.querySelectorAll("button[data-suggest]")) {
  const input = button.closest(".field")?.querySelector("input:not([type])");
  if (!input) continue;
  let list;
  let timer = 0;
  const close = () => {
    list = list?.remove();
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
  };
  const options = () => [...(list?.querySelectorAll("[role=option]") ?? [])];
  const choose = (option) => {
    const values = JSON.parse(option.dataset.values);
    // Of several fields the form on the server knows which is which.
    if (values.length === 1) {
      input.value = values[0];
      input.dispatchEvent(new Event("input", { bubbles: true }));
      close();
      clearTimeout(timer);
    } else {
      button.click();
    }
  };
  input.role = "combobox";
  input.ariaAutoComplete = "list";
  input.setAttribute("aria-controls", "suggestions");
  close();
  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (!event.isTrusted) return;
    timer = setTimeout(async () => {
      const number = (latest += 1);
      const made = await svcPart(`${button.dataset.suggest}&q=${encodeURIComponent(input.value)}`, "suggest");
      if (!made.ok || number !== latest || document.activeElement !== input) return;
      close();
      button.before(made.content);
      list = button.previousElementSibling;
      input.ariaExpanded = "true";
      list.addEventListener("mousedown", (press) => {
        const option = press.target.closest("[role=option]");
        if (option) { press.preventDefault(); choose(option); }
      });
    }, 120);
  });
  input.addEventListener("keydown", (event) => {
    const all = options();
    if (!all.length || event.isComposing) return;
    const at = all.findIndex((option) => option.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && at >= 0) choose(all[at]);
    else if (step) {
      const next = (at + step + all.length) % all.length;
      all.forEach((option, other) => { option.ariaSelected = String(other === next); });
      all[next].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", all[next].id);
    } else return;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
}
