//! The cost of the HTTP proxy: a small request compared with a direct one, and the memory of a large download.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use http::{HeaderValue, Method};
use serde_json::{Value, json};

use crate::Error;
use crate::bare;
use crate::load::{self, Exact, Load};
use crate::report;
use crate::service::Service;
use crate::usage;

/// The response to a small request.
const SMALL: &str = r#"{"id":7,"name":"Ann","email":"ann@example.com"}"#;
/// The size of the download in bytes.
const LARGE: u64 = 1 << 30;
/// The size of one read or write.
const PIECE: usize = 64 << 10;

/// Runs all measurements, and returns a sentence for each.
pub fn measure(folder: &Path, load: &Load) -> Result<Vec<String>, Error> {
    let folder = folder.join("proxy");
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, &[])?;
    service.administer(&["project", "allow-host", "127.0.0.1", "--project", "main"])?;
    let session = service.add_session()?;
    Ok(vec![
        small(&folder, &service, &session, load)?,
        large(&service, &session)?,
    ])
}

fn small(
    folder: &Path,
    service: &Service,
    session: &HeaderValue,
    load: &Load,
) -> Result<String, Error> {
    let upstream = bare::Server::with_body(folder, SMALL.as_bytes())?;
    let direct = Exact::new(Method::GET, "/".to_owned(), &Value::Null);
    let body = json!({ "url": format!("http://{}/", upstream.address()) });
    let proxied = Exact::new(Method::POST, "/api/proxy_request/".to_owned(), &body)
        .authorized(session.clone());
    // The service reads within a second what the program has set.
    thread::sleep(Duration::from_secs(1));
    let runtime = crate::accounts::runtime()?;
    let run = |address: SocketAddr, call: &Exact| -> Result<Measured, Error> {
        let connections = load.connections;
        runtime.block_on(load::repeatedly(address, call, connections, load.warm_up))?;
        let cpu = || -> Result<(Duration, Duration), Error> {
            Ok((service.usage()?.cpu, usage::of(upstream.process())?.cpu))
        };
        let before = cpu()?;
        let mut times =
            runtime.block_on(load::repeatedly(address, call, connections, load.measured))?;
        let after = cpu()?;
        let count = u32::try_from(times.len())?.max(1);
        times.sort_unstable();
        Ok(Measured {
            per_second: f64::from(count) / load.measured.as_secs_f64(),
            p50: times.get(times.len() / 2).copied().unwrap_or_default(),
            service: (after.0 - before.0) / count,
            upstream: (after.1 - before.1) / count,
        })
    };
    let direct = run(upstream.address(), &direct)?;
    let proxied = run(service.address(), &proxied)?;
    let more = (proxied.service + proxied.upstream).saturating_sub(direct.upstream);
    Ok(format!(
        "A small request through the proxy takes {:.1} us of CPU more than a direct one ({:.1} us in the service; of the \
         other service {:.1} us instead of {:.1} us); {:.0} a second, p50 {}, instead of {:.0} and {}.",
        microseconds(more),
        microseconds(proxied.service),
        microseconds(proxied.upstream),
        microseconds(direct.upstream),
        proxied.per_second,
        report::time(proxied.p50),
        direct.per_second,
        report::time(direct.p50),
    ))
}

struct Measured {
    per_second: f64,
    p50: Duration,
    /// CPU time of each request, in the service and in the server behind it.
    service: Duration,
    upstream: Duration,
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// A download that is larger than the memory that it may use.
fn large(service: &Service, session: &HeaderValue) -> Result<String, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let body = json!({ "url": format!("http://{}/", listener.local_addr()?) }).to_string();
    let upstream = thread::spawn(move || give_zeros(&listener));
    let idle = service.usage()?;
    usage::forget_peak(service.process())?;
    let begun = Instant::now();
    let mut caller = TcpStream::connect(service.address())?;
    let head = format!(
        "POST /api/proxy_request/ HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAuthorization: {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        session.to_str()?,
        body.len(),
    );
    caller.write_all(head.as_bytes())?;
    let mut read = 0_u64;
    let mut piece = vec![0; PIECE];
    loop {
        match caller.read(&mut piece)? {
            0 => break,
            some => read += some as u64,
        }
    }
    let took = begun.elapsed();
    upstream
        .join()
        .map_err(|_| "the server of zeros panicked")??;
    if read < LARGE {
        return Err(format!("the download broke off after {read} bytes").into());
    }
    let after = service.usage()?;
    let above = after.peak_resident.saturating_sub(idle.resident);
    Ok(format!(
        "A download of {} through the proxy takes {} above idle ({}), {:.1} s and {:.1} s of CPU.",
        report::mebibytes(LARGE),
        report::mebibytes(above),
        report::mebibytes(idle.resident),
        took.as_secs_f64(),
        (after.cpu - idle.cpu).as_secs_f64(),
    ))
}

/// Answers one request with zeros.
fn give_zeros(listener: &TcpListener) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept()?;
    let mut head = Vec::new();
    let mut byte = [0; 1];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.extend_from_slice(&byte);
    }
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {LARGE}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    let piece = vec![0; PIECE];
    for _ in 0..LARGE / PIECE as u64 {
        stream.write_all(&piece)?;
    }
    Ok(())
}
