//! Cursors of lists: a changed one is refused or leads to a page, and is never a fault.
#![no_main]

use std::sync::{Arc, OnceLock};

use arbitrary::Arbitrary;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use libfuzzer_sys::fuzz_target;
use svc_data::{ErrorKind, Model, Resource, ResourceOptions, ResourceUrl};
use svc_fuzz::shop;
use svc_model::ListQuery;

/// Orders that differ in the types of their columns.
const ORDERS: [&str; 7] = [
    "id",
    "status",
    "-total",
    "created_at",
    "photo,-weight",
    "doc",
    "paid,note",
];

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    order: u8,
    /// Where the real cursor is cut off.
    kept: u8,
    tail: &'a [u8],
}

struct Database {
    runtime: tokio::runtime::Runtime,
    resource: Resource,
    orders: Arc<Model>,
    _folder: tempfile::TempDir,
}

fn database() -> &'static Database {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    DATABASE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("shop.db");
        shop(&path);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("the runtime starts");
        let (resource, orders) = runtime.block_on(async {
            let url: ResourceUrl = format!("sqlite:{}", path.display())
                .parse()
                .expect("it is a URL");
            let resource = Resource::connect("shop", &url, ResourceOptions::default()).await;
            let resource = resource.expect("the database can be connected");
            let orders = resource
                .find_model("orders")
                .await
                .expect("the table is there");
            (resource, orders)
        });
        Database {
            runtime,
            resource,
            orders,
            _folder: folder,
        }
    })
}

fuzz_target!(|case: Case<'_>| {
    let database = database();
    let order = ORDERS[usize::from(case.order) % ORDERS.len()];
    let list = |query: &ListQuery| {
        database
            .runtime
            .block_on(database.resource.list(&database.orders, &query))
    };
    let parse = |query: String| ListQuery::parse(&query, &|_| false);
    let first = parse(format!("_order_by={order}&_per_page=1")).expect("the query is one");
    let first = list(&first).expect("the first page is answered");
    let real = first.after.expect("a second page follows");
    let mut bytes = URL_SAFE_NO_PAD.decode(&real).expect("a cursor is Base64");
    bytes.truncate(usize::from(case.kept));
    bytes.extend_from_slice(case.tail);
    let cursor = URL_SAFE_NO_PAD.encode(bytes);
    let Ok(query) = parse(format!("_order_by={order}&_per_page=2&_after={cursor}")) else {
        return;
    };
    if let Err(error) = list(&query) {
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error:?}");
    }
});
