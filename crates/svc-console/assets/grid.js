// A table of records that is moved in by keys: one stop for Tab, arrows within. Enter and F2 open the cell.

const table = document.querySelector("table.records");

if (table?.querySelector("tr[data-record]")) {
  const rows = () => [...table.tBodies[0].rows];
  const cells = (row) => [...(row?.querySelectorAll("td[data-field]") ?? [])];
  const quiet = (cell) => [cell, ...cell.querySelectorAll("a")].forEach((one) => { one.tabIndex = -1; });
  const go = (cell) => {
    if (!cell) return;
    const before = table.querySelector('td[tabindex="0"]');
    if (before) before.tabIndex = -1;
    quiet(cell);
    cell.tabIndex = 0;
    cell.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const open = (cell) => cell.dispatchEvent(new CustomEvent("svc-open", { bubbles: true }));
  table.setAttribute("role", "grid");
  rows().flatMap(cells).forEach(quiet);
  const first = cells(rows()[0])[0];
  if (first) first.tabIndex = 0;

  table.addEventListener("svc-go", (event) => go(event.target));
  table.addEventListener("focusin", ({ target }) => {
    if (target.matches('td[data-field][tabindex="-1"]')) go(target);
  });
  table.addEventListener("dblclick", ({ target }) => {
    const cell = target.closest("td[data-field]");
    if (cell && !target.closest("a, input")) open(cell);
  });
  table.addEventListener("keydown", (event) => {
    const cell = event.target;
    if (!cell.matches("td[data-field]") || event.altKey || event.metaKey || event.isComposing) return;
    const row = cell.parentElement;
    const column = cells(row).indexOf(cell);
    const all = rows();
    const line = all.indexOf(row);
    const to = {
      ArrowRight: () => cells(row)[column + 1],
      ArrowLeft: () => cells(row)[column - 1],
      ArrowDown: () => cells(all[line + 1])[column],
      ArrowUp: () => cells(all[line - 1])[column],
      Home: () => cells(event.ctrlKey ? all[0] : row)[0],
      End: () => cells(event.ctrlKey ? all.at(-1) : row).at(-1),
    }[event.key];
    if (to) {
      event.preventDefault();
      go(to());
    } else if (!event.ctrlKey && (event.key === "F2" || event.key === "Enter")) {
      event.preventDefault();
      open(cell);
    }
  });
}
