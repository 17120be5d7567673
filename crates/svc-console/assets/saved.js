// What is said of a table: its order, that a cell was saved, how to take that back, and that its database is away.

const live = document.querySelector("#live");
let note;

// What is there from the beginning is not announced.
setTimeout(() => { live.textContent ||= document.querySelector("[data-sorted]")?.dataset.sorted ?? ""; }, 300);

// The rows stay. It is asked for an hour, while somebody looks; said once.
setTimeout(clearInterval, 36e5, setInterval(async () => {
  if (document.hidden) return;
  const { content } = await svcPart(location.href, "away").catch(() => ({}));
  const said = document.querySelector("#away");
  if (!content) said.hidden = false;
  else if (content.querySelector("#away")?.isEqualNode(said) === false) said.replaceWith(content);
}, 5000));

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
