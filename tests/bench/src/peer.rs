//! The same load on another server that serves the same rows, by turns with the service.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use http::{HeaderName, HeaderValue, Uri};
use serde_json::Value;

use crate::cases::{self, Caller, Case, What};
use crate::dataset::Database;
use crate::load::{self, Exact, Load, Measured};
use crate::service::Service;
use crate::{Error, report};

/// How often both servers are measured, by turns.
const ROUNDS: u32 = 3;

/// Another server, with the dataset that `--export-dataset` writes.
#[derive(Args, Clone, Debug)]
pub struct Peer {
    /// Another server to compare with: http://HOST:PORT
    #[arg(long, value_name = "URL", requires = "peer_paths")]
    peer: Option<Uri>,
    /// The path of a case on that server, such as 'retrieve=/api/records/orders/{id}'; {id} stands for a random key
    #[arg(long = "peer-path", value_name = "CASE=PATH")]
    peer_paths: Vec<PeerPath>,
    /// A header for that server, such as 'Authorization: Bearer TOKEN'; can be given several times
    #[arg(long = "peer-header", value_name = "NAME: VALUE")]
    peer_headers: Vec<Header>,
    /// Writes the SQLite database of the benchmark to a file for that server, and ends
    #[arg(long, value_name = "FILE", conflicts_with = "peer")]
    pub export_dataset: Option<std::path::PathBuf>,
}

#[derive(Clone, Debug)]
struct PeerPath(&'static Case, String);

impl FromStr for PeerPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (case, path) = text.split_once('=').ok_or("it must be CASE=PATH")?;
        Ok(Self(cases::named(case)?, path.to_owned()))
    }
}

#[derive(Clone, Debug)]
struct Header(HeaderName, HeaderValue);

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once(':').ok_or("it must be 'NAME: VALUE'")?;
        let name = name.trim().parse().map_err(|_| "the name is not valid")?;
        let value = HeaderValue::from_str(value.trim()).map_err(|_| "the value is not valid")?;
        Ok(Self(name, value))
    }
}

impl Peer {
    pub fn is_given(&self) -> bool {
        self.peer.is_some()
    }

    fn address(&self) -> Result<SocketAddr, Error> {
        let authority = self.peer.as_ref().and_then(Uri::authority);
        let authority = authority.ok_or("--peer must be http://HOST:PORT")?;
        let mut addresses =
            (authority.host(), authority.port_u16().unwrap_or(80)).to_socket_addrs()?;
        addresses
            .next()
            .ok_or_else(|| "the host of --peer has no address".into())
    }

    /// Measures each case that has a path on the peer, and returns a table.
    pub fn measure(
        &self,
        folder: &Path,
        database: &Database,
        load: &Load,
    ) -> Result<String, Error> {
        let service = Service::start(folder, std::slice::from_ref(database))?;
        let peer = self.address()?;
        let mut table = String::from(
            "| case | svc: requests/s, p50, p99 | peer: requests/s, p50, p99 | svc / peer |\n|---|--:|--:|--:|\n",
        );
        for PeerPath(case, path) in &self.peer_paths {
            eprintln!("{}", case.name);
            let target = service.target(database, case);
            let mut ask = Caller::new(case, 0, load.orders).ask();
            if case.what == What::Retrieve {
                ask.suffix = "/{id}".to_owned();
            }
            let body = match ask.body.as_str() {
                "" => Value::Null,
                body => serde_json::from_str(body)?,
            };
            let call =
                |path: String| Exact::new(ask.method.clone(), path, &body).with_keys(load.orders);
            let ours = call(format!("{}{}", target.path, ask.suffix));
            let ours = match &target.authorization {
                Some(authorization) => ours.authorized(authorization.clone()),
                None => ours,
            };
            let mut theirs = call(path.clone());
            for Header(name, value) in &self.peer_headers {
                theirs = theirs.with_header(name.clone(), value.clone());
            }
            let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                of_ours.push(run(target.address, &ours, load)?);
                of_theirs.push(run(peer, &theirs, load)?);
            }
            let (ours, theirs) = (median(of_ours)?, median(of_theirs)?);
            let shown = |measured: &Measured| {
                let Measured {
                    per_second,
                    p50,
                    p99,
                    ..
                } = measured;
                format!(
                    "{per_second:.0}, {}, {}",
                    report::time(*p50),
                    report::time(*p99)
                )
            };
            table.push_str(&format!(
                "| {} | {} | {} | {:.2} |\n",
                case.name,
                shown(&ours),
                shown(&theirs),
                ours.per_second / theirs.per_second
            ));
        }
        Ok(table)
    }
}

fn run(address: SocketAddr, call: &Exact, load: &Load) -> Result<Measured, Error> {
    let runtime = crate::accounts::runtime()?;
    runtime.block_on(load::repeatedly(
        address,
        call,
        load.connections,
        load.warm_up,
    ))?;
    let times = runtime.block_on(load::repeatedly(
        address,
        call,
        load.connections,
        load.measured,
    ))?;
    Measured::new(times, load.measured, Duration::ZERO)
}

/// The measurement with the median of requests per second.
fn median(mut measured: Vec<Measured>) -> Result<Measured, Error> {
    measured.sort_by(|one, other| one.per_second.total_cmp(&other.per_second));
    let median = measured.get(measured.len() / 2).copied();
    median.ok_or_else(|| "nothing was measured".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_case_and_a_header_its_value() {
        let PeerPath(case, path) = "retrieve=/orders?id=eq.{id}".parse().unwrap();
        assert_eq!((case.name, &*path), ("retrieve", "/orders?id=eq.{id}"));
        assert!("retrieve".parse::<PeerPath>().is_err());
        assert!("lst=/orders".parse::<PeerPath>().is_err());
        let Header(name, value) = "Authorization: Bearer a:b".parse().unwrap();
        assert_eq!(
            (name.as_str(), value.to_str().unwrap()),
            ("authorization", "Bearer a:b")
        );
    }
}
