//! Places of the console: how long the service takes for a page, beside the calls to the API that the page is made of, and
//! what goes over the wire. A small table and a large one, one after the other.

mod page;
mod places;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use http::{HeaderValue, Method, header};
use serde_json::Value;
use svc_tests::browser::Browser;

use self::page::Timing;
use self::places::Place;
use crate::databases::Databases;
use crate::load::{self, Exact, Load};
use crate::service::Service;
use crate::{Error, accounts, report};

/// The time of a page, as a multiple of that of its calls.
const RATIO: f64 = 1.5;
/// The time of the first view of a model, in milliseconds.
const FIRST_VIEW: f64 = 50.0;
/// Bytes of a page with its styles and modules.
const BYTES: usize = 120 << 10;

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "a password for the bench";

/// Runs the measurements, and returns their table.
pub fn measure(folder: &Path, databases: &mut Databases, load: &Load) -> Result<String, Error> {
    let folder = folder.join("console");
    let small = databases.fresh("console")?;
    let large = databases.large()?;
    let (orders, rows) = (load.orders, databases.rows());
    let mut lines = String::new();
    for (small, large) in small.iter().zip(&large) {
        let folder = folder.join(small.name);
        std::fs::create_dir_all(&folder)?;
        let both = [small.clone(), large.clone()];
        for database in &both {
            places::add_table(database)?;
        }
        let service = Service::start(&folder, &both)?;
        let visitor = Visitor::arrive(&service, load)?;
        places::fill(&service, &both)?;
        for place in places::OF_ENVIRONMENT {
            lines += &visitor.look(place, small.name, "", orders)?;
        }
        for place in places::OF_TABLE {
            lines += &visitor.look(place, small.name, &number(orders), orders)?;
            lines += &visitor.look(place, large.name, &number(rows), rows)?;
        }
    }
    Ok(table(&lines))
}

fn table(lines: &str) -> String {
    format!(
        "| database | place | orders | on the server | its calls | times (goal {RATIO}) | longest of its calls | CPU | page | with \
         styles and modules (goal {} KiB) |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n{lines}\nOne request after the other, \
         as a browser sends them, medians. What misses its goal is in bold; that of the first view is {FIRST_VIEW} ms on the \
         server.\n",
        BYTES >> 10,
    )
}

/// A number of thousands, as people write it.
fn number(orders: u32) -> String {
    match orders {
        few if few < 1_000 => few.to_string(),
        many if many % 1_000_000 == 0 => format!("{} 000 000", many / 1_000_000),
        many => format!("{} {:03}", many / 1_000, many % 1_000),
    }
}

/// Somebody who is signed in and looks at places.
struct Visitor<'s> {
    service: &'s Service,
    cookie: HeaderValue,
    time: Duration,
}

impl<'s> Visitor<'s> {
    fn arrive(service: &'s Service, load: &Load) -> Result<Self, Error> {
        let add = ["account", "add", EMAIL, "--operator", "--password-stdin"];
        service.administer_with(&add, &format!("{PASSWORD}\n"))?;
        let mut browser = Browser::at(&format!("http://{}", service.address()));
        let typed = [("email", EMAIL), ("password", PASSWORD), ("next", "")];
        let answer = browser.post("/console/sign-in/", &typed);
        if answer.status.as_u16() != 303 {
            return Err(format!("signing in answered {}: {}", answer.status, answer.body).into());
        }
        browser.keep(&answer);
        let mut cookie = HeaderValue::try_from(&browser.cookie)?;
        cookie.set_sensitive(true);
        Ok(Self {
            service,
            cookie,
            // There are many places.
            time: load.measured / 4,
        })
    }

    /// A request as a browser sends it.
    fn request(&self, path: &str) -> Exact {
        let same = HeaderValue::from_static("same-origin");
        Exact::new(Method::GET, path.to_owned(), &Value::Null)
            .with_header(header::COOKIE, self.cookie.clone())
            .with_header(header::HeaderName::from_static("sec-fetch-site"), same)
    }

    fn compressed(&self, path: &str) -> Exact {
        let brotli = HeaderValue::from_static("br");
        self.request(path)
            .with_header(header::ACCEPT_ENCODING, brotli)
    }

    /// Looks at a place for a time, and returns its line.
    fn look(
        &self,
        place: &Place,
        database: &str,
        orders: &str,
        keys: u32,
    ) -> Result<String, Error> {
        eprintln!("{database}: {} {orders}", place.name);
        let runtime = accounts::runtime()?;
        let address = self.service.address();
        let mut path = place.path(database);
        let whole = |path: &str, is_compressed: bool| {
            let call = match is_compressed {
                true => self.compressed(path),
                false => self.request(path),
            };
            runtime.block_on(load::whole(address, &call.with_keys(keys)))
        };
        if place.is_next {
            let first = whole(&path, false)?;
            path = page::next(&String::from_utf8_lossy(first.body()))
                .ok_or_else(|| format!("{path} leads to no next page"))?;
        }
        // What is measured later finds everything as a second visitor does.
        let plain = whole(&path, false)?;
        let page = page::size(&whole(&path, true)?);
        let mut bytes = page;
        for asset in page::assets(&String::from_utf8_lossy(plain.body())) {
            bytes += page::size(&whole(&asset, true)?);
        }
        let call = self.compressed(&path).with_keys(keys);
        let before = self.service.usage()?.cpu;
        let headers = runtime.block_on(load::headers(address, &call, self.time))?;
        let cpu = self.service.usage()?.cpu - before;
        let timings: Vec<Timing> = headers.iter().filter_map(Timing::read).collect();
        if timings.is_empty() {
            return Err(format!("{path} does not say how long it took").into());
        }
        let seen = Seen {
            timing: Timing::median(&timings),
            cpu: cpu / u32::try_from(headers.len())?,
            page,
            bytes,
        };
        Ok(seen.line(place, database, orders))
    }
}

/// What was seen of a place.
struct Seen {
    timing: Timing,
    cpu: Duration,
    page: usize,
    /// The page with all that a browser loads for it.
    bytes: usize,
}

impl Seen {
    fn line(&self, place: &Place, database: &str, orders: &str) -> String {
        let Timing {
            total,
            api,
            longest,
            calls,
        } = self.timing;
        let ratio = total / api;
        let kibibytes = |bytes: usize| format!("{:.1} KiB", bytes as f64 / 1024.0);
        let mut line = format!("| {database} | {} | {orders} | ", place.name);
        let _ = write!(
            line,
            "{} | {api:.2} ms ({calls:.0}) | {} | {longest:.2} ms | {} | {} | {} |",
            marked(
                &format!("{total:.2} ms"),
                place.is_first_view && total > FIRST_VIEW
            ),
            marked(&format!("{ratio:.2}"), ratio > RATIO),
            report::time(self.cpu),
            kibibytes(self.page),
            marked(&kibibytes(self.bytes), self.bytes > BYTES),
        );
        line + "\n"
    }
}

/// A figure, in bold when it misses its goal.
fn marked(figure: &str, misses: bool) -> String {
    match misses {
        true => format!("**{figure}**"),
        false => figure.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_misses_its_goal_is_in_bold() {
        let seen = Seen {
            timing: Timing {
                total: 60.0,
                api: 30.0,
                longest: 20.0,
                calls: 4.0,
            },
            cpu: Duration::from_millis(10),
            page: 8 << 10,
            bytes: 50 << 10,
        };
        let place = Place::first_view();
        assert_eq!(
            seen.line(&place, "sqlite", "100 000"),
            "| sqlite | records, first view | 100 000 | **60.00 ms** | 30.00 ms (4) | **2.00** | 20.00 ms | 10.0 ms | 8.0 KiB | \
             50.0 KiB |\n"
        );
    }

    #[test]
    fn numbers_of_orders_have_their_thousands_apart() {
        assert_eq!(number(5_000_000), "5 000 000");
        assert_eq!(number(100_000), "100 000");
        assert_eq!(number(999), "999");
    }
}
