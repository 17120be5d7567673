// Suggestions. Choosing has a page of its own that works without this.

// Of several answers only that to the newest question counts.
let latest = 0;

// Suggestions for what a field refers to.
for (const button of document.querySelectorAll("button[data-suggest]")) {
  const input = button.closest(".field")?.querySelector("input:not([type])");
  if (!input) continue;
  let list = null;
  let timer = 0;
  const close = () => { list?.remove(); list = null; input.setAttribute("aria-expanded", "false"); };
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
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
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
      list.id = `${input.id}-list`;
      options().forEach((option, at) => { option.id = `${list.id}-${at}`; });
      input.setAttribute("aria-controls", list.id);
      input.setAttribute("aria-expanded", "true");
      list.addEventListener("mousedown", (press) => {
        const option = press.target.closest("[role=option]");
        if (option) { press.preventDefault(); choose(option); }
      });
    }, 120);
  });
  input.addEventListener("keydown", (event) => {
    const all = options();
    if (!all.length || event.isComposing) return;
    const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") { event.preventDefault(); close(); }
    else if (event.key === "Enter" && at >= 0) { event.preventDefault(); choose(all[at]); }
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = (at + (event.key === "ArrowDown" ? 1 : -1) + all.length) % all.length;
      all.forEach((option, other) => option.setAttribute("aria-selected", String(other === next)));
      all[next].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", all[next].id);
    }
  });
  input.addEventListener("blur", close);
}
