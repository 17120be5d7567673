//! Whether the cost of a call is proportional to its size: each call is sent with an amount of something and with eight
//! times as much, and the CPU times of the service are compared.

use std::{fmt::Write as _, path::Path, thread, time::Duration};

use http::{HeaderName, HeaderValue, Method, Request, header};
use serde_json::{Value, json};

use crate::{
    Error,
    dataset::{Database, ORDERS},
    load, report,
    service::Service,
};

/// The factor of the second amount.
const MORE: usize = 8;
/// The maximum factor of the CPU time. Proportional is eight times, quadratic would be 64.
const MOST: f64 = 24.0;
/// The minimum CPU time of a measurement, since the kernel counts hundredths of a second.
const MEASURED: Duration = Duration::from_millis(150);
/// A call that costs less is accepted, whatever its factor.
const NOTHING: Duration = Duration::from_millis(20);
/// The maximum number of calls for a measurement.
const CALLS: u32 = 1_000;

/// The kinds of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Nobody,
    /// The static token of the database.
    Resource,
    /// A session of the team Editor.
    Editor,
}

/// A call that can be sent with different amounts.
struct Growing {
    name: &'static str,
    caller: Caller,
    /// The smaller amount.
    amount: usize,
    call: fn(usize) -> Call,
}

/// A call: its path and its content.
struct Call {
    method: Method,
    place: Base,
    query: String,
    header: Option<(HeaderName, String)>,
    body: Value,
}

#[derive(Clone, Copy)]
enum Base {
    /// Below the environment.
    Environment(&'static str),
    /// Below the table of orders.
    Orders(&'static str),
    /// Below the database.
    Database(&'static str),
    /// Below nothing.
    Root(&'static str),
}

fn get(place: Base, query: String) -> Call {
    Call {
        method: Method::GET,
        place,
        query,
        header: None,
        body: Value::Null,
    }
}

fn post(place: Base, body: Value) -> Call {
    Call {
        method: Method::POST,
        place,
        query: String::new(),
        header: None,
        body,
    }
}

fn with_header(name: HeaderName, value: String) -> Call {
    Call {
        header: Some((name, value)),
        ..get(Base::Orders(""), "_per_page=1".to_owned())
    }
}

/// The results of `write` for each number below `amount`, joined with `between`.
fn each(amount: usize, between: &str, write: impl Fn(usize) -> String) -> String {
    let all: Vec<_> = (0..amount).map(write).collect();
    all.join(between)
}

/// An object with this number of properties.
fn object(amount: usize, value: impl Fn(usize) -> Value) -> Value {
    let properties = (0..amount).map(|n| (format!("f{n}"), value(n)));
    Value::Object(properties.collect())
}

fn array(amount: usize, value: impl Fn(usize) -> Value) -> Value {
    (0..amount).map(value).collect()
}

fn sql(query: String) -> Call {
    post(Base::Database("/sql_get_query"), json!({ "query": query }))
}

fn sql_with(option: &str, value: Value) -> Call {
    let body = json!({ "query": "select 1 as a", option: value });
    post(Base::Database("/sql_get_query"), body)
}

fn proxied(field: &str, value: Value) -> Call {
    // The host is not allowed, so no request is sent.
    let body = json!({ "url": "http://bench.invalid/", field: value });
    post(Base::Root("/api/proxy_request/"), body)
}

const CALLS_THAT_GROW: &[Growing] = &[
    Growing {
        name: "anonymous body: unknown keys",
        caller: Caller::Nobody,
        amount: 1_000,
        call: |n| post(Base::Environment("/auth/refresh"), object(n, |_| json!(1))),
    },
    Growing {
        name: "list: unknown filters",
        caller: Caller::Resource,
        amount: 500,
        call: |n| get(Base::Orders(""), each(n, "&", |n| format!("f{n}__gt=1"))),
    },
    Growing {
        name: "list: the same filter",
        caller: Caller::Resource,
        amount: 500,
        call: |n| get(Base::Orders(""), each(n, "&", |n| format!("id__in={n}"))),
    },
    Growing {
        name: "list: values of in",
        caller: Caller::Resource,
        amount: 500,
        call: |n| {
            let values = each(n, ",", |n| n.to_string());
            get(Base::Orders(""), format!("id__in={values}"))
        },
    },
    Growing {
        name: "list: _fields",
        caller: Caller::Resource,
        amount: 500,
        call: |n| {
            get(
                Base::Orders(""),
                format!("_fields={}", each(n, ",", |_| "id".to_owned())),
            )
        },
    },
    Growing {
        name: "list: _order_by",
        caller: Caller::Resource,
        amount: 500,
        call: |n| {
            get(
                Base::Orders(""),
                format!("_order_by={}", each(n, ",", |_| "-id".to_owned())),
            )
        },
    },
    Growing {
        name: "list: conditions of _filter",
        caller: Caller::Resource,
        amount: 100,
        call: |n| {
            let conditions = each(n, ",", |n| format!("{{\"field\":\"id\",\"value\":{n}}}"));
            get(
                Base::Orders(""),
                format!("_filter={}", escaped(&format!("{{\"or\":[{conditions}]}}"))),
            )
        },
    },
    Growing {
        name: "list: values of _relation",
        caller: Caller::Resource,
        amount: 500,
        call: |n| {
            let values = each(n, ",", |n| n.to_string());
            get(
                Base::Orders(""),
                format!(
                    "_relation={}",
                    escaped(&format!("id.orders.id|id.{values}"))
                ),
            )
        },
    },
    Growing {
        name: "header Accept",
        caller: Caller::Resource,
        amount: 300,
        call: |n| with_header(header::ACCEPT, each(n, ",", |n| format!("a/b{n};q=0.1"))),
    },
    Growing {
        name: "header If-None-Match",
        caller: Caller::Resource,
        amount: 300,
        call: |n| with_header(header::IF_NONE_MATCH, each(n, ",", |n| format!("\"{n}\""))),
    },
    Growing {
        name: "create: unknown fields",
        caller: Caller::Resource,
        amount: 1_000,
        call: |n| post(Base::Orders(""), object(n, |_| json!(1))),
    },
    Growing {
        name: "create: a large value",
        caller: Caller::Resource,
        amount: 100_000,
        call: |n| post(Base::Orders(""), json!({ "id": "x".repeat(n) })),
    },
    Growing {
        name: "bulk create: records that are wrong",
        caller: Caller::Resource,
        amount: 1_000,
        call: |n| {
            post(
                Base::Orders("/bulk_create"),
                array(n, |_| json!({ "id": "x" })),
            )
        },
    },
    Growing {
        name: "group: columns",
        caller: Caller::Resource,
        amount: 1_000,
        call: |n| {
            let columns = array(n, |_| json!({ "x_column": "id" }));
            let body = json!({ "x_columns": columns, "y_func": "count" });
            post(Base::Orders("/group"), body)
        },
    },
    Growing {
        name: "SQL: filters",
        caller: Caller::Resource,
        amount: 1_000,
        call: |n| sql_with("filters", array(n, |_| json!({ "name": "a", "value": 1 }))),
    },
    Growing {
        name: "SQL: values of a filter",
        caller: Caller::Resource,
        amount: 1_200,
        call: |n| {
            let values = array(n, |n| json!(n));
            sql_with("filters", json!([{ "name": "a__in", "value": values }]))
        },
    },
    Growing {
        name: "SQL: columns",
        caller: Caller::Resource,
        amount: 1_200,
        call: |n| {
            let known = |n| json!({ "name": format!("c{n}"), "data_type": "IntegerField" });
            sql_with("columns", array(n, known))
        },
    },
    Growing {
        name: "SQL: binds",
        caller: Caller::Resource,
        amount: 1_200,
        call: |n| {
            let query = format!("select 1 in ({})", each(n, ",", |n| format!(":f{n}")));
            let body = json!({ "query": query, "params_obj": object(n, |n| json!(n)) });
            post(Base::Database("/sql_get_query"), body)
        },
    },
    Growing {
        name: "SQL: a long list",
        caller: Caller::Resource,
        amount: 10_000,
        call: |n| sql(format!("select 1 in ({})", each(n, ",", |n| n.to_string()))),
    },
    Growing {
        name: "SQL: names behind a dot, and columns of a subquery",
        caller: Caller::Resource,
        amount: 5_000,
        call: |n| {
            let names = each(n, ",", |n| format!("x.f{n}"));
            let columns = each(n, ",", |n| format!("1 f{n}"));
            sql(format!(
                "select 1 where 1 in (select 1 from (select {columns}) x where 1 in ({names}))"
            ))
        },
    },
    Growing {
        name: "SQL: names behind a dot, and tables of one name",
        caller: Caller::Resource,
        amount: 2_000,
        call: |n| {
            let names = each(n, ",", |n| format!("x.f{n}"));
            let tables = each(n, ",", |n| format!("t{n} x"));
            sql(format!("select {names} from {tables}"))
        },
    },
    Growing {
        name: "SQL: tables and WITH",
        caller: Caller::Resource,
        amount: 1_000,
        call: |n| {
            let with = each(n, ",", |n| format!("c{n} as (select 1 a)"));
            let names = each(n, ",", |n| format!("x{n}.a"));
            let tables = each(n, ",", |n| format!("c{n} x{n}"));
            sql(format!(
                "with {with} select 1 where 1 in (select {names} from {tables})"
            ))
        },
    },
    Growing {
        name: "SQL: strings with quotes",
        caller: Caller::Resource,
        amount: 50_000,
        call: |n| sql(format!("select '{}'", "''".repeat(n))),
    },
    Growing {
        name: "SQL: comments",
        caller: Caller::Resource,
        amount: 20_000,
        call: |n| sql(format!("select {} 1", "/*a*/ ".repeat(n))),
    },
    Growing {
        name: "SQL: a long expression",
        caller: Caller::Resource,
        amount: 120,
        call: |n| sql(format!("select {}", each(n, "+", |_| "1".to_owned()))),
    },
    Growing {
        name: "SQL: parentheses",
        caller: Caller::Resource,
        amount: 6,
        call: |n| {
            sql(format!(
                "select * from {}select 1{}",
                "(".repeat(n),
                ") a".repeat(n)
            ))
        },
    },
    Growing {
        name: "SQL: a batch",
        caller: Caller::Resource,
        amount: 12,
        call: |n| {
            let queries = array(n, |_| json!({ "query": "select 1" }));
            post(
                Base::Database("/sql_get_query"),
                json!({ "queries": queries }),
            )
        },
    },
    Growing {
        name: "proxy: values of one parameter",
        caller: Caller::Editor,
        amount: 20_000,
        call: |n| {
            let values = json!({ "n".repeat(n / 10): array(n, |_| json!(1)) });
            proxied("query_params", values)
        },
    },
    Growing {
        name: "proxy: headers",
        caller: Caller::Editor,
        amount: 5_000,
        call: |n| proxied("headers", object(n, |_| json!("1"))),
    },
    Growing {
        name: "proxy: names in the URL",
        caller: Caller::Editor,
        amount: 300,
        call: |n| {
            let context = json!({ "a": "x".repeat(20) });
            let url = format!("http://bench.invalid{}", "{{a}}".repeat(n));
            let body = json!({ "url": url, "context": context });
            post(Base::Root("/api/proxy_request/"), body)
        },
    },
    Growing {
        name: "proxy: names in the body",
        caller: Caller::Editor,
        amount: 20_000,
        call: |n| {
            let body = json!({
                "url": "http://bench.invalid/",
                "method": "POST",
                "body": "{{a}}{".repeat(n),
                "context": { "a": "x" },
            });
            post(Base::Root("/api/proxy_request/"), body)
        },
    },
    Growing {
        name: "proxy: secret tokens",
        caller: Caller::Editor,
        amount: 10_000,
        call: |n| proxied("secret_tokens", array(n, |n| json!(format!("s{n}")))),
    },
    Growing {
        name: "pages: UIDs to publish",
        caller: Caller::Editor,
        amount: 1_000,
        call: |n| {
            let uids = array(n, |n| json!(format!("u{n}")));
            post(
                Base::Environment("/view_settings/publish/"),
                json!({ "uids": uids }),
            )
        },
    },
    Growing {
        name: "pages: properties that are wrong",
        caller: Caller::Editor,
        amount: 1_000,
        call: |n| {
            let mut page = object(n, |_| json!(1));
            page["view"] = json!(7);
            post(Base::Environment("/view_settings/"), page)
        },
    },
];

/// A text as the value of a parameter.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b',' => {
                escaped.push(char::from(byte));
            }
            // Writing to a text cannot fail.
            byte => {
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

/// Measures every call on a database, and returns a table.
///
/// # Errors
/// Also when the cost of a call grows far more than proportionally.
pub fn measure(folder: &Path, database: &Database) -> Result<String, Error> {
    let folder = folder.join(format!("linear-{}", database.name));
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    let editor = service.add_session()?;
    // The service reads within a second what the program has set.
    thread::sleep(Duration::from_secs(1));
    let mut table = String::from(
        "| Call | Amount | CPU | CPU for eight times as much | Times |\n|---|--:|--:|--:|--:|\n",
    );
    let mut wrong = Vec::new();
    for growing in CALLS_THAT_GROW {
        eprintln!("{}: {}", database.name, growing.name);
        let cost = |amount| cost(&service, database, &editor, growing, amount);
        let (once, more) = (cost(growing.amount)?, cost(growing.amount * MORE)?);
        let times = more.as_secs_f64() / once.as_secs_f64().max(1e-6);
        writeln!(
            table,
            "| {} | {} | {} | {} | {times:.1} |",
            growing.name,
            growing.amount,
            report::time(once),
            report::time(more)
        )?;
        if times > MOST && more > NOTHING {
            wrong.push(format!("{}: {times:.1} times", growing.name));
        }
    }
    match wrong.is_empty() {
        true => Ok(table),
        false => Err(format!(
            "{table}\nnot in proportion to what is sent, on {}: {}",
            database.name,
            wrong.join(", ")
        )
        .into()),
    }
}

/// The cost of a call with this amount: the CPU time of the service.
fn cost(
    service: &Service,
    database: &Database,
    editor: &HeaderValue,
    growing: &Growing,
    amount: usize,
) -> Result<Duration, Error> {
    let call = (growing.call)(amount);
    let path = match call.place {
        Base::Environment(below) => service.path(below),
        Base::Orders(below) => service.path(&format!("/{}/models/{ORDERS}{below}", database.name)),
        Base::Database(below) => service.path(&format!("/{}{below}", database.name)),
        Base::Root(path) => path.to_owned(),
    };
    let uri = match call.query.is_empty() {
        true => path,
        false => format!("{path}?{}", call.query),
    };
    let body = match call.body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let mut request = Request::builder()
        .method(call.method)
        .uri(uri)
        .header(header::HOST, "bench")
        .header(header::CONTENT_TYPE, "application/json");
    if let Some((name, value)) = call.header {
        request = request.header(name, value);
    }
    let authorization = match growing.caller {
        Caller::Nobody => None,
        Caller::Resource => service.token(database),
        Caller::Editor => Some(editor.clone()),
    };
    if let Some(authorization) = authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    let request = request.body(body)?;
    let runtime = crate::accounts::runtime()?;
    // The first call fills caches.
    runtime.block_on(load::answered(service.address(), &request))?;
    let before = service.usage()?.cpu;
    for calls in 1.. {
        runtime.block_on(load::answered(service.address(), &request))?;
        let cpu = service.usage()?.cpu - before;
        if cpu >= MEASURED || calls == CALLS {
            return Ok(cpu / calls);
        }
    }
    Err("nothing was measured".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_sends_more_with_a_larger_amount() {
        for growing in CALLS_THAT_GROW {
            let sent = |amount| {
                let call = (growing.call)(amount);
                let header = call.header.map_or(0, |(_, value)| value.len());
                call.query.len() + header + call.body.to_string().len()
            };
            let (once, more) = (sent(growing.amount), sent(growing.amount * MORE));
            assert!(once < more && more < 16 << 20, "{}", growing.name);
        }
    }
}
