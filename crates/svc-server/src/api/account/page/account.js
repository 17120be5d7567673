// Moves the code of the link into the form. It follows `#` in the address, so that it is in no log and no Referer.

const field = document.getElementById("code");

function moveCode() {
  const code = location.hash.slice(1);
  if (code) {
    field.value = code;
    field.removeAttribute("aria-invalid");
    history.replaceState(null, "", location.pathname + location.search);
  }
  const isWrong = field.getAttribute("aria-invalid") === "true";
  document.getElementById("code-part").hidden = field.value !== "" && !isWrong;
  document.getElementById("incomplete").hidden = field.value !== "";
}

if (field) {
  moveCode();
  addEventListener("hashchange", moveCode);
}
