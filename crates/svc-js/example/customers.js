// The list: search, order, pages.

const PER_PAGE = 20;
/** The pause in typing after which the search starts, in milliseconds. */
const PAUSE = 250;

const $ = (id) => document.getElementById(id);
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const number = new Intl.NumberFormat();

/** The table of customers. */
export class CustomerList {
  #customers;
  #onError;
  #page = 1;
  #orderBy = "-created_at";
  #search = "";
  #loading = new AbortController();

  /** Takes the functions that open a customer's editor and that handle a failed call. */
  constructor({ onEdit, onError }) {
    this.#onError = onError;

    let pause;
    $("search").addEventListener("input", () => {
      clearTimeout(pause);
      pause = setTimeout(() => this.#find(), PAUSE);
    });
    $("find").addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(pause);
      this.#find();
    });
    $("previous").addEventListener("click", () => this.#turn(-1));
    $("next").addEventListener("click", () => this.#turn(+1));
    $("customers").tHead.addEventListener("click", ({ target }) => {
      if (target instanceof HTMLButtonElement) this.#sort(target.value);
    });
    $("customers").tBodies[0].addEventListener("click", ({ target }) => {
      if (target instanceof HTMLButtonElement) onEdit(target.value);
    });
  }

  /** Shows the first page of a collection. */
  async open(customers) {
    this.#customers = customers;
    this.#page = 1;
    $("search").value = this.#search = "";
    await this.load();
  }

  /** Clears the table. */
  close() {
    this.#loading.abort();
    $("customers").tBodies[0].replaceChildren();
    $("range").textContent = "";
  }

  /** Requests the page, and cancels a request that was not answered yet. */
  async load() {
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    const table = $("customers");
    table.setAttribute("aria-busy", "true");
    try {
      const page = await this.#customers.list({
        search: this.#search || undefined,
        orderBy: this.#orderBy,
        pagination: { page: this.#page, perPage: PER_PAGE },
        signal,
      });
      // The last customer of the last page may have been deleted.
      if (page.results.length === 0 && this.#page > 1) {
        this.#page = Math.max(1, Math.ceil(page.count / PER_PAGE));
        return await this.load();
      }
      this.#show(page);
    } catch (error) {
      if (signal.aborted) return;
      this.#onError(error);
    }
    if (!signal.aborted) table.removeAttribute("aria-busy");
  }

  /** Moves the keyboard focus back to a customer whose row was made again. */
  focus(id) {
    const edit = [...$("customers").tBodies[0].querySelectorAll("button")].find(({ value }) => value === id);
    (edit ?? $("heading")).focus();
  }

  #find() {
    const search = $("search").value.trim();
    if (search === this.#search) return;
    this.#search = search;
    this.#page = 1;
    this.load();
  }

  #turn(by) {
    this.#page += by;
    this.load();
  }

  #sort(column) {
    this.#orderBy = this.#orderBy === column ? `-${column}` : column;
    this.#page = 1;
    this.load();
  }

  #show({ count, next, previous, results }) {
    // Text from records is inserted as text: it never becomes markup.
    $("customers").tBodies[0].replaceChildren(...results.map((customer) => this.#row(customer)));
    for (const button of $("customers").tHead.querySelectorAll("button")) {
      const sorted = { [button.value]: "ascending", [`-${button.value}`]: "descending" }[this.#orderBy];
      button.closest("th").setAttribute("aria-sort", sorted ?? "none");
    }
    const first = (this.#page - 1) * PER_PAGE;
    $("range").textContent =
      count === 0
        ? "No customers found"
        : `${number.format(first + 1)}–${number.format(first + results.length)} of ${number.format(count)}`;
    enable($("previous"), previous !== null, $("next"));
    enable($("next"), next !== null, $("previous"));
  }

  #row(customer) {
    const { id, name, email, country, created_at: since } = customer;
    const row = document.createElement("tr");
    row.setAttribute("role", "row");
    const edit = document.createElement("button");
    edit.type = "button";
    edit.textContent = "Edit";
    edit.setAttribute("aria-label", `Edit ${name}`);
    edit.value = id;
    const cells = [
      [name, "name"],
      [email, "email"],
      [country, "narrow extra"],
      [day.format(new Date(since)), "extra"],
      [edit, "narrow"],
    ];
    for (const [content, kind] of cells) {
      const cell = row.insertCell();
      cell.className = kind;
      cell.setAttribute("role", "cell");
      cell.append(content);
    }
    return row;
  }
}

/** Enables or disables a button. If a disabled button has the keyboard focus, the other one gets it. */
function enable(button, on, other) {
  const stoodOn = document.activeElement === button;
  button.disabled = !on;
  if (stoodOn && !on) other.focus();
}
