//! A bare hyper server that answers every request with the same bytes, in a
//! process of its own so that its CPU time can be read.

use std::convert::Infallible;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http::{HeaderValue, Response, header};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::Error;
use crate::cases::Case;
use crate::load::{Load, Measured, Target};

/// The argument that starts this program as the server.
pub const COMMAND: &str = "serve-bytes";

/// Serves the bytes of a file until the process is ended. Prints its address.
pub fn serve(file: &Path) -> Result<(), Error> {
    let body = Bytes::from(fs::read(file)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let body = body.clone();
            tokio::spawn(http1::Builder::new().serve_connection(
                TokioIo::new(stream),
                service_fn(move |_| {
                    let mut response = Response::new(Full::new(body.clone()));
                    response.headers_mut().insert(
                        header::CONTENT_TYPE,
                        HeaderValue::from_static("application/json"),
                    );
                    std::future::ready(Ok::<_, Infallible>(response))
                }),
            ));
        }
    })
}

/// Starts the server with `body`, and measures it.
pub fn measure(
    folder: &Path,
    body: &Bytes,
    case: &'static Case,
    load: &Load,
) -> Result<Measured, Error> {
    let server = Server::with_body(folder, body)?;
    let target = Target {
        address: server.address,
        path: "/".to_owned(),
        authorization: None,
        case,
        status: None,
    };
    load.run(target, server.process.id())
}

/// The server in a separate process, which ends when this value is dropped.
pub struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts the server with this body, which it reads from a file in `folder`.
    pub fn with_body(folder: &Path, body: &[u8]) -> Result<Self, Error> {
        let file = folder.join("body");
        fs::write(&file, body)?;
        Self::start(&file)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn process(&self) -> u32 {
        self.process.id()
    }

    fn start(file: &Path) -> Result<Self, Error> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(COMMAND)
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take();
        let mut server = Self {
            process,
            address: (Ipv4Addr::UNSPECIFIED, 0).into(),
        };
        let mut line = String::new();
        BufReader::new(output.ok_or("the bare server has no output")?).read_line(&mut line)?;
        server.address = line.trim().parse()?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
