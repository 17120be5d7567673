//! The cost of a list of many long pages: throughput compared with a bare server of the same bytes, and memory.

use std::fs;
use std::path::Path;

use http::{HeaderValue, Method};
use serde_json::json;
use svc_tests::Call;

use crate::Error;
use crate::bare;
use crate::cases::{Case, What};
use crate::dataset::Database;
use crate::load::{self, Load, Target};
use crate::report;
use crate::service::Service;
use crate::usage;

/// The number of pages, and the minimum length of their structures.
const PAGES: u32 = 1_000;
const LENGTH: usize = 100 << 10;

const LIST: Case = Case {
    name: "pages",
    what: What::List("draft=0"),
};

/// Runs the measurements, and returns a sentence for each.
pub fn measure(folder: &Path, database: &Database, load: &Load) -> Result<Vec<String>, Error> {
    let folder = folder.join("pages");
    fs::create_dir(&folder)?;
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    let authorization = HeaderValue::try_from(format!("Bearer {}", service.add_key()?))?;
    let path = format!("/api{}", service.path("/view_settings/"));
    fill(&service, &path, &authorization)?;
    drop(service);

    // Restarted, so that the memory of the writes does not count.
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    let target = Target {
        address: service.address(),
        path: path.clone(),
        authorization: Some(authorization.clone()),
        case: &LIST,
        status: None,
    };
    let idle = service.usage()?.resident;
    usage::forget_peak(service.process())?;
    let body = load::once(&target)?;
    let one = service.usage()?.peak_resident.saturating_sub(idle);
    let bare = bare::Server::with_body(&folder, &body)?;
    let (mut ours, mut theirs) = (0.0, 0.0);
    // Measured alternately, since the speed of a shared machine changes.
    for _ in 0..2 {
        let (authorization, time) = (Some(&authorization), load.measured);
        let connections = load.connections;
        ours += load::stream(service.address(), &path, authorization, connections, time)?;
        theirs += load::stream(bare.address(), "/", None, connections, time)?;
    }
    let many = service.usage()?.peak_resident.saturating_sub(idle);
    let per_second = |bytes: f64| bytes / 2.0 / body.len() as f64;
    Ok(vec![
        format!(
            "A list of {PAGES} pages, {}, is answered {:.1} times a second, {:.2} of the {:.1} of a bare hyper server \
             with the same bytes.",
            report::mebibytes(body.len() as u64),
            per_second(ours),
            ours / theirs,
            per_second(theirs),
        ),
        format!(
            "It takes {} above the {} of an idle service, and {} with {} such requests at once.",
            report::mebibytes(one),
            report::mebibytes(idle),
            report::mebibytes(many),
            load.connections,
        ),
    ])
}

/// Creates the pages like those of an application: a structure of many small parts.
fn fill(service: &Service, path: &str, authorization: &HeaderValue) -> Result<(), Error> {
    let mut random = fastrand::Rng::with_seed(1);
    for number in 0..PAGES {
        let mut parts = Vec::new();
        let mut length = 0;
        while length < LENGTH {
            let kind = ["table", "form", "chart", "text"][random.usize(..4)];
            let part = json!({
                "id": random.u32(..),
                "type": kind,
                "title": format!("Part {}", random.u32(..1_000)),
                "columns": ["id", "status", "total"],
                "visible": random.bool(),
                "width": random.f64(),
            });
            length += part.to_string().len() + 1;
            parts.push(part);
        }
        let params = json!({ "parts": parts }).to_string();
        let page = json!({ "name": format!("Page {number}"), "params": params });
        let url = format!("http://{}{path}", service.address());
        let answer = Call::new(Method::POST.as_str(), &url)
            .authorization(authorization.to_str()?)
            .json(&page)
            .try_send()?;
        if answer.status.as_u16() != 201 {
            return Err(format!("{url} answered {}: {}", answer.status, answer.body).into());
        }
    }
    Ok(())
}
