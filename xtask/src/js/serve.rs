//! `cargo xtask js --serve`: the client's example page and the npm package
//! below it, as a web server with a strict policy would give them out.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};

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

/// How long a browser may take to ask, and to take the answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most bytes of a request that are read.
const REQUEST_LIMIT: u64 = 64 * 1024;

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
#[derive(Debug)]
pub struct Site {
    listener: TcpListener,
    folders: Arc<Folders>,
}

/// Where the files are.
#[derive(Debug)]
struct Folders {
    page: PathBuf,
    package: PathBuf,
}

impl Site {
    pub fn new(repository: &Repository, package: PathBuf, listen: &str) -> Result<Self, Failure> {
        let listener = TcpListener::bind(listen)
            .map_err(|error| Failure::new(format!("{listen} cannot be listened on: {error}")))?;
        let page = repository.root().join(CRATE).join("example");
        Ok(Self {
            listener,
            folders: Arc::new(Folders { page, package }),
        })
    }

    /// The page's web origin.
    pub fn origin(&self) -> Result<String, Failure> {
        Ok(format!("http://{}", self.listener.local_addr()?))
    }

    /// Answers until the process ends. Each connection has a thread and one request: a browser opens some
    /// before it needs them, and those that wait must not keep others from being answered.
    pub fn serve(self) {
        for stream in self.listener.incoming().flatten() {
            let folders = Arc::clone(&self.folders);
            // A browser that has gone away is no reason to stop.
            thread::spawn(move || folders.converse(&stream));
        }
    }
}

impl Folders {
    fn converse(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(stream.take(REQUEST_LIMIT)).lines();
        let Some(request) = lines.next().transpose()? else {
            return Ok(());
        };
        // To the empty line that ends the head. What else it says changes nothing.
        while lines
            .next()
            .transpose()?
            .is_some_and(|line| !line.is_empty())
        {}
        let mut stream = stream;
        stream.write_all(&self.answer(&request))
    }

    /// The answer to a request line.
    fn answer(&self, request: &str) -> Vec<u8> {
        let mut words = request.split(' ');
        let (method, url) = (words.next(), words.next().unwrap_or_default());
        let text = "text/plain; charset=utf-8";
        if !matches!(method, Some("GET" | "HEAD")) {
            let said = b"only GET and HEAD are answered\n";
            return response("405 Method Not Allowed", text, said, true);
        }
        let file = find(&self.page, &self.package, url);
        let file = file.and_then(|(path, kind)| Some((fs::read(path).ok()?, kind)));
        let has_body = method == Some("GET");
        match file {
            Some((content, kind)) => response("200 OK", kind, &content, has_body),
            None => response("404 Not Found", text, b"there is no such file\n", has_body),
        }
    }
}

fn response(status: &str, kind: &str, content: &[u8], has_body: bool) -> Vec<u8> {
    let length = content.len();
    let mut response = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {kind}\r\n\
         Content-Length: {length}\r\n\
         Content-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cache-Control: no-cache\r\n\
         Connection: close\r\n\r\n"
    )
    .into_bytes();
    if has_body {
        response.extend_from_slice(content);
    }
    response
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
    fn an_answer_has_the_policy_and_the_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("app.js"), "1;").unwrap();
        let folders = Folders {
            page: folder.path().to_owned(),
            package: folder.path().to_owned(),
        };
        let answer = |line: &str| String::from_utf8(folders.answer(line)).unwrap();

        let got = answer("GET /app.js HTTP/1.1");
        assert!(got.starts_with("HTTP/1.1 200 OK\r\n"), "{got}");
        assert!(got.contains("\r\nContent-Type: text/javascript"), "{got}");
        assert!(
            got.contains("script-src 'self' 'wasm-unsafe-eval';"),
            "{got}"
        );
        assert!(got.ends_with("\r\n\r\n1;"), "{got}");
        let head = answer("HEAD /app.js HTTP/1.1");
        assert!(head.contains("\r\nContent-Length: 2\r\n") && head.ends_with("\r\n\r\n"));
        assert!(answer("GET /style.css HTTP/1.1").starts_with("HTTP/1.1 404 "));
        assert!(answer("POST /app.js HTTP/1.1").starts_with("HTTP/1.1 405 "));
        assert!(answer("").starts_with("HTTP/1.1 405 "));
    }

    #[test]
    fn files_of_other_types_are_not_given_out() {
        for url in ["/README.md", "/svc-js/package.json", "/svc-js", "/svc-js/"] {
            assert_eq!(found(url), None, "{url}");
        }
    }
}
