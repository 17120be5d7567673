// What is said of a table: its order, and that a cell was saved, with the way to take that back.

const live = document.querySelector("#live");
let note = null;

// What is there from the beginning is not announced.
setTimeout(() => { live.textContent = document.querySelector("[data-sorted]")?.dataset.sorted ?? ""; }, 300);

addEventListener("svc-saved", ({ target: cell, detail: content }) => {
  const saved = content.querySelector("td");
  saved.className = cell.className;
  if (cell.tabIndex === 0) saved.tabIndex = 0;
  cell.replaceWith(saved);
  note?.remove();
  note = content.querySelector(".notice");
  live.textContent = note.querySelector("p").textContent;
  saved.closest(".table-frame").after(note);
});
