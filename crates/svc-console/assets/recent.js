// Keeps the places that were open last in this tab, and shows them first.

const link = document.querySelector("[data-palette]");
const kept = `svc-recent ${location.pathname.split("/console/")[0]}`;
const account = document.querySelector('form[action$="/console/sign-out/"]')?.elements.account?.value;

/** Pairs of path and name, the last first, of who is signed in. */
function read() {
  const [whose, places] = JSON.parse(sessionStorage.getItem(kept)) ?? [];
  return whose === account ? places : [];
}

const name = [...document.querySelectorAll(".crumbs a, .crumbs h1")].map((part) => part.textContent).join(" / ");
if (!link) {
  // Nobody is signed in here.
  sessionStorage.removeItem(kept);
} else if (name && location.pathname !== link.pathname) {
  const others = read().filter(([path]) => path !== location.pathname);
  const places = [[location.pathname, name], ...others].slice(0, 8);
  sessionStorage.setItem(kept, JSON.stringify([account, places]));
}
addEventListener("svc-found", ({ target: dialog, detail: typed }) => {
  const before = read();
  const list = dialog.querySelector("[data-recent]");
  list.hidden = typed !== "" || before.length === 0;
  list.querySelector("ul").replaceChildren(...before.map(([path, text]) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("a"), { href: path, textContent: text }));
    return item;
  }));
  for (const [path] of before.toReversed()) {
    for (const found of dialog.querySelectorAll("#found a")) {
      if (found.pathname === path) found.closest("ul").prepend(found.closest("li"));
    }
  }
});
