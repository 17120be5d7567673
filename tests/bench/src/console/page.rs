//! What a page says of itself: how long it took, and what a browser loads for it.

use bytes::Bytes;
use http::{HeaderMap, Response};

use crate::report;

/// What the header `Server-Timing` says, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// All of the page.
    pub total: f64,
    /// While at least one call was not answered.
    pub api: f64,
    /// The longest of the calls.
    pub longest: f64,
    /// How many calls there were.
    pub calls: f64,
}

impl Timing {
    /// What the headers of an answer say; `None` if they do not say it.
    pub fn read(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get("server-timing")?.to_str().ok()?;
        let mut timing = Self {
            total: f64::NAN,
            api: f64::NAN,
            longest: 0.0,
            calls: f64::NAN,
        };
        for part in text.split(", ") {
            let (name, rest) = part.split_once(";dur=")?;
            let (duration, text) = rest.split_once(";desc=").unwrap_or((rest, ""));
            let duration = duration.parse().ok()?;
            match name {
                "total" => timing.total = duration,
                "api" => {
                    timing.api = duration;
                    let number = text.trim_matches('"').split(' ').next()?;
                    timing.calls = number.parse().ok()?;
                }
                _ => timing.longest = timing.longest.max(duration),
            }
        }
        Some(timing)
    }

    /// The median of each figure.
    pub fn median(all: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| report::median(all.iter().map(figure));
        Self {
            total: of(|timing| timing.total),
            api: of(|timing| timing.api),
            longest: of(|timing| timing.longest),
            calls: of(|timing| timing.calls),
        }
    }
}

/// How many bytes an answer has over the wire: headers and body.
pub fn size(answer: &Response<Bytes>) -> usize {
    let headers = answer.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + 4);
    headers.sum::<usize>() + answer.body().len()
}

/// The styles and modules that a page loads, each once.
pub fn assets(page: &str) -> Vec<String> {
    let mut assets: Vec<String> = ["href=\"", "src=\""]
        .into_iter()
        .flat_map(|before| page.split(before).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .filter(|address| address.starts_with("/console/assets/"))
        .map(str::to_owned)
        .collect();
    assets.sort();
    assets.dedup();
    assets
}

/// The address of the next page of a list.
pub fn next(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("rel=\"next\" href=\"")?;
    let (address, _) = rest.split_once('"')?;
    Some(address.replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_read() {
        let header = "total;dur=3.50, api;dur=2.00;desc=\"2 calls\", call-1;dur=0.50;desc=\"GET /a\", \
                      call-2;dur=1.50;desc=\"GET /b\"";
        let mut headers = HeaderMap::new();
        assert_eq!(Timing::read(&headers), None);
        headers.insert("server-timing", header.parse().unwrap());
        let read = Timing {
            total: 3.5,
            api: 2.0,
            longest: 1.5,
            calls: 2.0,
        };
        assert_eq!(Timing::read(&headers), Some(read));
        let slower = Timing { total: 9.0, ..read };
        assert_eq!(Timing::median(&[read, slower, slower]), slower);
    }

    #[test]
    fn a_page_names_what_it_loads_and_where_it_goes_on() {
        let page = r#"<link href="/console/assets/a.css"><script src="/console/assets/b.js"></script>
                      <a rel="next" href="/console/?a=1&amp;_after=x"><link href="/console/assets/a.css">"#;
        assert_eq!(
            assets(page),
            ["/console/assets/a.css", "/console/assets/b.js"]
        );
        assert_eq!(next(page).as_deref(), Some("/console/?a=1&_after=x"));
        assert_eq!(next("<a rel=\"prev\">"), None);
    }
}
