//! `cargo xtask js --serve`: the client's example page and the npm package
//! below it, as a web server with a strict policy would give them out.

use std::fs;
use std::path::{Path, PathBuf};

use tiny_http::{Header, Method, Request, Response, Server};

use super::CRATE;
use crate::shell::{Failure, Repository};

/// Where the page is served when nothing else is asked for.
pub const ADDRESS: &str = "127.0.0.1:8081";

/// Under which folder of the page the package is.
const PACKAGE: &str = "svc-js";

/// What the page may do: nothing inline, nothing from elsewhere, and calls to a service on this machine or
/// behind TLS. WebAssembly is compiled, which asks for permission; evaluating text stays forbidden.
const POLICY: &str = "default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; \
    connect-src 'self' http://127.0.0.1:* http://localhost:* https:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files that are given out, by what their names end in.
const TYPES: [(&str, &str); 5] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("wasm", "application/wasm"),
];

/// Serves the page until the process is ended.
pub fn run(repository: &Repository, listen: &str) -> Result<(), Failure> {
    let package = repository.root().join("dist/svc-js");
    if !package.exists() {
        return Err(Failure::new(
            "there is no dist/svc-js yet; run `cargo xtask js` first",
        ));
    }
    let site = Site::new(repository, package, listen)?;
    let origin = site.origin()?;
    println!("the example is at {origin}/ and calls a service that is started with");
    println!("  svc demo --cors-origins {origin}");
    site.serve();
    Ok(())
}

/// The page, at an address that is bound already.
pub struct Site {
    server: Server,
    page: PathBuf,
    package: PathBuf,
}

impl Site {
    pub fn new(repository: &Repository, package: PathBuf, listen: &str) -> Result<Self, Failure> {
        let server = Server::http(listen)
            .map_err(|error| Failure::new(format!("{listen} cannot be listened on: {error}")))?;
        Ok(Self {
            server,
            page: repository.root().join(CRATE).join("example"),
            package,
        })
    }

    /// The page's web origin.
    pub fn origin(&self) -> Result<String, Failure> {
        let address = self.server.server_addr();
        let address = address
            .to_ip()
            .ok_or_else(|| Failure::new("the page has no address of the network"))?;
        Ok(format!("http://{address}"))
    }

    /// Answers one request after the other: files are small, and one person looks at them.
    pub fn serve(self) {
        for request in self.server.incoming_requests() {
            // A browser that has gone away is no reason to stop.
            let _ = self.answer(request);
        }
    }

    fn answer(&self, request: Request) -> Result<(), Failure> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            let allow = header("Allow", "GET, HEAD")?;
            let response = Response::from_string("only GET and HEAD are answered\n");
            return Ok(request.respond(response.with_status_code(405).with_header(allow))?);
        }
        let file = find(&self.page, &self.package, request.url());
        let Some((content, kind)) =
            file.and_then(|(path, kind)| Some((fs::read(path).ok()?, kind)))
        else {
            let response = Response::from_string("there is no such file\n");
            return Ok(request.respond(response.with_status_code(404))?);
        };
        let response = Response::from_data(content)
            .with_header(header("Content-Type", kind)?)
            .with_header(header("Content-Security-Policy", POLICY)?)
            .with_header(header("X-Content-Type-Options", "nosniff")?)
            .with_header(header("Referrer-Policy", "no-referrer")?)
            .with_header(header("Cache-Control", "no-cache")?);
        Ok(request.respond(response)?)
    }
}

fn header(name: &str, value: &str) -> Result<Header, Failure> {
    Header::from_bytes(name, value)
        .map_err(|()| Failure::new(format!("{name} cannot have the value `{value}`")))
}

/// The file of a URL and its type. Names are so plain that none can lead out of the two folders.
fn find(page: &Path, package: &Path, url: &str) -> Option<(PathBuf, &'static str)> {
    let path = url.split(['?', '#']).next()?.strip_prefix('/')?;
    let (folder, name) = match path.split_once('/') {
        None => (page, path),
        Some((PACKAGE, name)) => (package, name),
        Some(_) => return None,
    };
    let name = if path.is_empty() { "index.html" } else { name };
    let (stem, ending) = name.rsplit_once('.')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if stem.is_empty() || !stem.chars().all(is_plain) {
        return None;
    }
    let (_, kind) = TYPES.iter().find(|(known, _)| *known == ending)?;
    Some((folder.join(name), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(url: &str) -> Option<(String, &'static str)> {
        let (path, kind) = find(Path::new("page"), Path::new("package"), url)?;
        Some((path.to_string_lossy().replace('\\', "/"), kind))
    }

    #[test]
    fn the_page_is_at_the_root_and_the_package_below_it() {
        let page = Some(("page/index.html".to_owned(), "text/html; charset=utf-8"));
        assert_eq!(found("/"), page);
        assert_eq!(found("/index.html?x=1"), page);
        let wasm = Some(("package/svc_js_bg.wasm".to_owned(), "application/wasm"));
        assert_eq!(found("/svc-js/svc_js_bg.wasm"), wasm);
    }

    #[test]
    fn no_url_leads_out_of_the_two_folders() {
        for url in [
            "/../Cargo.js",
            "/..%2fCargo.js",
            "/svc-js/../app.js",
            "/svc-js/%2e%2e/app.js",
            "/svc-js//etc/a.js",
            "//etc/a.js",
            "/C:\\a.js",
            "/.js",
            "/.git.js",
            "/example/app.js",
            "app.js",
            "http://other.test/app.js",
        ] {
            assert_eq!(found(url), None, "{url}");
        }
    }

    #[test]
    fn files_of_other_types_are_not_given_out() {
        for url in ["/README.md", "/svc-js/package.json", "/svc-js", "/svc-js/"] {
            assert_eq!(found(url), None, "{url}");
        }
    }
}
