//! What reads cost in the whole service, in allocations: these are exact, while times are not.

use std::{
    alloc::System,
    error::Error,
    io::{Read as _, Write as _},
    net::TcpStream,
};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use svc_data::{Database, Migration};
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope};
use svc_server::{Config, Server};
use svc_store::{NewProject, NewResource, NewStaticToken, Store};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How often each request is sent before it is measured, and then while it is.
const TIMES: usize = 200;

const ORDERS: Migration = Migration {
    version: 1,
    name: "orders",
    sql: "CREATE TABLE orders (id INTEGER PRIMARY KEY, status VARCHAR(16) NOT NULL, total DECIMAL(12,2) NOT NULL, \
          created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
          CREATE INDEX by_status ON orders (status, created_at);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
          INSERT INTO orders (id, status, total) SELECT i, 'paid', i / 8.0 FROM n;",
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_keep_to_their_budgets_of_allocations() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("shop.db");
    Database::open_sqlite(&file, &[ORDERS]).await?;
    let store = Store::open(&folder.path().join("store")).await?;
    let scope = Scope::new(ProjectName::from("main"), EnvironmentName::default());
    let shop = ResourceName::from("shop");
    store
        .projects()
        .create(NewProject::new(scope.project.clone()))
        .await?;
    let resource = NewResource::new(shop.clone(), format!("sqlite:{}", file.display()).into());
    store.resources().replace(&scope, resource).await?;
    let token = store
        .tokens()
        .create(NewStaticToken::new(&scope, &shop))
        .await?;

    let mut config = Config::default();
    config.listen = "127.0.0.1:0".parse()?;
    let server = Server::bind(store, config).await?;
    let address = server.base_url().trim_start_matches("http://").to_owned();
    tokio::spawn(server.run(std::future::pending()));
    let mut stream = TcpStream::connect(&address)?;
    for (path, most) in [
        ("orders/500", 66),
        ("orders?status=paid&_order_by=-created_at&_count=none", 165),
    ] {
        let request = format!(
            "GET /projects/main/prod/shop/models/{path} HTTP/1.1\r\nhost: {address}\r\nauthorization: {}\r\n\r\n",
            token.secret.expose()
        );
        for _ in 0..TIMES {
            ask(&mut stream, &request)?;
        }
        let region = Region::new(ALLOCATOR);
        for _ in 0..TIMES {
            ask(&mut stream, &request)?;
        }
        let stats = region.change();
        let each = (stats.allocations + stats.reallocations) / TIMES;
        assert!(
            each <= most,
            "{path}: {each} allocations, {most} are allowed"
        );
    }
    Ok(())
}

/// Sends a request and reads its response, without an allocation.
fn ask(stream: &mut TcpStream, request: &str) -> Result<(), Box<dyn Error>> {
    let mut buffer = [0; 16 << 10];
    stream.write_all(request.as_bytes())?;
    let mut read = 0;
    loop {
        let more = buffer.get_mut(read..).unwrap_or_default();
        match stream.read(more)? {
            0 => return Err("the response is cut off".into()),
            bytes => read += bytes,
        }
        let response = std::str::from_utf8(buffer.get(..read).unwrap_or_default())?;
        let Some((head, body)) = response.split_once("\r\n\r\n") else {
            continue;
        };
        if !head.starts_with("HTTP/1.1 200") {
            return Err(response.to_owned().into());
        }
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.parse() == Ok(body.len())) {
            return Ok(());
        }
    }
}
