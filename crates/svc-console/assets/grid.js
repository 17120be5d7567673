// Moves in a table of records with the keys.

/** What a cell is in a spreadsheet. */
function copied(cell) {
  if (cell.querySelector(".null, .empty")) return "";
  const text = cell.textContent;
  return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function takeOver(table) {
  // Where the keys are, and where a range has begun, as row and column.
  let at = [Math.min(1, table.rows.length - 1), 0];
  let from = at;
  const cell = ([row, column]) => table.rows[row]?.cells[column];

  /** The cells of the range, by row. */
  function range() {
    const [rows, columns] = [0, 1].map((axis) => [at[axis], from[axis]].toSorted((a, b) => a - b));
    const within = [...table.rows].slice(rows[0], rows[1] + 1);
    return within.map((row) => [...row.cells].slice(columns[0], columns[1] + 1));
  }

  function mark(ariaSelected) {
    if (at.join() === from.join()) return;
    for (const one of range().flat()) one.ariaSelected = ariaSelected;
  }

  /** One cell can be reached with Tab: the one where the keys are. */
  function go(to, extends_ = false) {
    if (!cell(to)) return;
    mark(null);
    const before = cell(at);
    at = to;
    if (!extends_) from = to;
    mark("true");
    if (before !== cell(at)) before?.removeAttribute("tabindex");
    cell(at).tabIndex = 0;
  }

  function target({ key, ctrlKey }) {
    const [row, column] = at;
    const last = table.rows[row].cells.length - 1;
    return {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: ctrlKey ? [1, 0] : [row, 0],
      End: [ctrlKey ? table.rows.length - 1 : row, last],
    }[key];
  }

  /** What a key writes into a cell; nothing where it leads elsewhere. */
  const typed = (key) => (/^[^ ?/]$/u.test(key) ? key : "");

  table.addEventListener("keydown", (event) => {
    // What is in a cell has its own keys.
    if (event.target !== cell(at) || event.isComposing || event.keyCode === 229 || event.altKey || event.metaKey) return;
    if (event.ctrlKey && !/^(Home|End)$/.test(event.key)) return;
    const to = target(event);
    if (to) {
      event.preventDefault();
      go(to, event.shiftKey);
      cell(at).focus();
    } else if (event.key === "Enter" && cell(at).querySelector("a")) {
      cell(at).querySelector("a").click();
    } else if ((typed(event.key) || /^(Enter|F2)$/.test(event.key)) && cell(at).dataset.field) {
      event.preventDefault();
      open(cell(at), typed(event.key));
    } else if (event.key === " ") {
      event.preventDefault();
      table.rows[at[0]].querySelector('input[type="checkbox"]')?.click();
    } else if (event.key === "Escape") {
      go(at);
    }
  });

  table.addEventListener("mousedown", (event) => {
    const one = event.target.closest("td, th");
    if (one) go([one.parentElement.rowIndex, one.cellIndex], event.shiftKey);
  });

  table.addEventListener("dblclick", ({ target }) => {
    const one = target.closest("td[data-field]");
    if (one && !target.closest("a, input")) open(one);
  });

  // The keys come back from the form of a cell.
  table.addEventListener("svc-go", ({ target }) => {
    go([target.parentElement.rowIndex, target.cellIndex]);
    target.focus();
  });

  document.addEventListener("copy", (event) => {
    if (document.activeElement !== cell(at) || !getSelection().isCollapsed) return;
    event.preventDefault();
    const lines = range().map((row) => row.map(copied).join("\t"));
    event.clipboardData.setData("text/plain", lines.join("\n"));
  });

  const open = (one, detail = "") => one.dispatchEvent(new CustomEvent("svc-open", { bubbles: true, detail }));
  table.role = "grid";
  table.ariaMultiSelectable = "true";
  for (const link of table.querySelectorAll("a, button, input")) link.tabIndex = -1;
  table.parentElement.removeAttribute("tabindex");
  cell(at).tabIndex = 0;
}

document.querySelectorAll("table[data-grid]").forEach(takeOver);
