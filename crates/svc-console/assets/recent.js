// Keeps the names of the places that were open last, for as long as somebody is signed in, and shows them first.

const link = document.querySelector("[data-palette]");
const kept = `svc-recent ${location.pathname.split("/console/")[0]}`;
const forget = () => localStorage.removeItem(kept);

/** Pairs of path and name, the last one first. */
function read() {
  try {
    return JSON.parse(localStorage.getItem(kept)) ?? [];
  } catch {
    return [];
  }
}

const name = [...document.querySelectorAll(".crumbs a, .crumbs h1")].map((part) => part.textContent).join(" / ");
if (!link) {
  // Nobody is signed in here.
  forget();
} else if (name && location.pathname !== link.pathname) {
  const others = read().filter(([path]) => path !== location.pathname);
  localStorage.setItem(kept, JSON.stringify([[location.pathname, name], ...others].slice(0, 8)));
}
document.querySelector('form[action$="/sign-out/"]')?.addEventListener("submit", forget);

addEventListener("svc-found", ({ target: dialog, detail: typed }) => {
  const before = read();
  const list = dialog.querySelector("[data-recent]");
  list.hidden = typed !== "" || before.length === 0;
  list.querySelector("ul").replaceChildren(...before.map(([path, text]) => {
    const item = document.createElement("li");
    const to = document.createElement("a");
    [to.href, to.textContent] = [path, text];
    item.append(to);
    return item;
  }));
  for (const [path] of before.toReversed()) {
    for (const found of dialog.querySelectorAll("#found a")) {
      if (found.pathname === path) found.closest("ul").prepend(found.closest("li"));
    }
  }
});
