// The page of the API definitions. The credential is in a variable of this script and nowhere else.
"use strict";

const element = (id) => document.getElementById(id);
const form = element("choice");
// The page is at {application host}/docs, and the data host is where the application host is, without /api, unless it has
// an address of its own.
const applicationHost = location.origin + location.pathname.replace(/\/docs\/*$/, "");
const dataHost = form.dataset.host || applicationHost.replace(/\/api$/, "");

let credential = "";

/** The value of the Authorization header: keys and tokens are told apart by how they begin. */
function authorization(text) {
  const given = text.trim();
  if (given.includes(" ")) return given;
  if (given.startsWith("svck_")) return `Bearer ${given}`;
  return given.split(".").length === 3 ? `JWT ${given}` : given;
}

/** Where the chosen API is. */
function chosen() {
  if (element("api").value === "application") return applicationHost;
  const names = ["project", "environment", "resource"].map((id) => encodeURIComponent(element(id).value.trim()));
  return `${dataHost}/projects/${names.join("/")}`;
}

function isOwn(url) {
  const { origin } = new URL(url, location.href);
  return [applicationHost, dataHost].some((host) => new URL(host).origin === origin);
}

async function read(server) {
  const headers = credential ? { Authorization: credential } : {};
  const response = await fetch(`${server}/openapi.json`, { headers });
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const messages = Object.values(body).flat().filter((value) => typeof value === "string");
  throw new Error(body.detail ?? (messages.join(" ") || `the service answered ${response.status}`));
}

function show(definition, server) {
  const place = document.createElement("div");
  element("definition").replaceChildren(place);
  SwaggerUIBundle({
    spec: { ...definition, servers: [{ url: server }] },
    domNode: place,
    validatorUrl: null,
    queryConfigEnabled: false,
    persistAuthorization: false,
    tryItOutEnabled: true,
    // The command line that is shown is that before the credential is added.
    showMutatedRequest: false,
    defaultModelsExpandDepth: 0,
    docExpansion: "list",
    // The credential is that of the page.
    plugins: [{ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } }],
    requestInterceptor(request) {
      if (credential && isOwn(request.url)) request.headers.Authorization = credential;
      return request;
    },
  });
}

element("api").addEventListener("change", () => {
  element("place").hidden = element("api").value === "application";
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  element("error").textContent = "";
  element("show").disabled = true;
  try {
    credential = authorization(element("credential").value);
    const server = chosen();
    show(await read(server), server);
  } catch (error) {
    element("definition").replaceChildren();
    element("error").textContent = `The definition cannot be shown: ${error.message}`;
  } finally {
    element("show").disabled = false;
  }
});
