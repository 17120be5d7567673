//! The code itself. Its names are those of the guides to the clients.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use svc_model::{
    ListQuery, Lookup, Operand, RecordId,
    records::{Collection, Get, List},
    wire::Operation as _,
};

use crate::places::Scope;

/// What is read.
pub(super) enum Wanted {
    List(Box<ListQuery>),
    Record(RecordId),
}

/// What code is about.
pub(super) struct Code<'a> {
    /// Where programs reach the data host.
    pub(super) base_url: String,
    pub(super) scope: &'a Scope,
    pub(super) resource: &'a str,
    pub(super) model: &'a str,
    pub(super) wanted: Wanted,
}

impl Code<'_> {
    /// The address of the request; `None` when there can be no such request.
    fn url(&self) -> Option<String> {
        let Scope {
            project,
            environment,
        } = self.scope;
        let scope = (project.clone(), environment.clone());
        let collection = Collection::new(scope, self.resource, self.model);
        let request = match &self.wanted {
            Wanted::List(query) => {
                let list: List = List::new(collection, (**query).clone());
                list.to_request(&self.base_url)
            }
            Wanted::Record(id) => {
                let get: Get = Get::new(collection, id.clone());
                get.to_request(&self.base_url)
            }
        };
        // Nothing ends the quotes in which a shell has it.
        Some(request.ok()?.uri().to_string().replace('\'', "%27"))
    }

    /// A line for a shell.
    pub(super) fn curl(&self) -> Option<String> {
        let url = self.url()?;
        Some(format!("curl -H \"Authorization: $SVC_API_TOKEN\" '{url}'"))
    }

    /// A program in Rust.
    pub(super) fn rust(&self) -> Option<String> {
        let (call, imports) = match &self.wanted {
            Wanted::List(query) => {
                let (call, mut imports) = rust_list(query);
                imports.extend(["ApiToken", "Client"]);
                imports.sort_unstable();
                (call, imports)
            }
            Wanted::Record(id) => {
                let get = format!("        .get({:?})\n", id.as_str());
                (get, vec!["ApiToken", "Client"])
            }
        };
        let (name, result) = match self.wanted {
            Wanted::List(_) => (
                "page",
                "    println!(\"{} of {:?}\", page.results.len(), page.count);\n",
            ),
            Wanted::Record(_) => ("record", "    println!(\"{record:?}\");\n"),
        };
        let Scope {
            project,
            environment,
        } = self.scope;
        Some(format!(
            "use svc_api::{{{}}};\n\n\
             #[tokio::main]\n\
             async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
                 let client = Client::builder()\n        \
                     .api_base_url({:?})\n        \
                     .project({:?})\n        \
                     .environment({:?})\n        \
                     .token_for({:?}, &ApiToken::new(std::env::var(\"SVC_API_TOKEN\")?)?)\n        \
                     .build()?;\n    \
                 let {name} = client\n        \
                     .records({:?}, {:?})\n\
             {call}        .send()\n        .await?;\n\
             {result}    Ok(())\n}}",
            imports.join(", "),
            self.base_url,
            project.as_str(),
            environment.as_str(),
            self.resource,
            self.resource,
            self.model,
        ))
    }

    /// A module in JavaScript.
    pub(super) fn javascript(&self) -> Option<String> {
        let Scope {
            project,
            environment,
        } = self.scope;
        let call = match &self.wanted {
            Wanted::List(query) => match list_options(query) {
                Some(options) if options.is_empty() => ".list()".to_owned(),
                Some(options) => format!(".list({})", pretty(&options.into())),
                None => return self.fetch(),
            },
            Wanted::Record(id) => match &id.parts()[..] {
                [only] => format!(".get({})", json!(only)),
                several => format!(".get({})", json!(several)),
            },
        };
        let (name, shown) = match self.wanted {
            Wanted::List(_) => ("page", "`${page.results.length} of ${page.count}`"),
            Wanted::Record(_) => ("record", "record"),
        };
        Some(format!(
            "import {{ Svc }} from \"svc-js\";\n\n\
             const svc = new Svc({{\n  \
               apiBaseUrl: {},\n  \
               project: {},\n  \
               environment: {},\n  \
               apiToken: process.env.SVC_API_TOKEN,\n}});\n\
             const {name} = await svc.collection({}, {}){call};\n\
             console.log({shown});",
            json!(self.base_url),
            json!(project.as_str()),
            json!(environment.as_str()),
            json!(self.resource),
            json!(self.model),
        ))
    }

    /// The same without the client, for a query that its options cannot say.
    fn fetch(&self) -> Option<String> {
        Some(format!(
            "const response = await fetch({}, {{\n  headers: {{ Authorization: process.env.SVC_API_TOKEN }},\n}});\n\
             const page = await response.json();\n\
             console.log(`${{page.results.length}} of ${{page.count}}`);",
            json!(self.url()?)
        ))
    }
}

/// The part of a query that reads well in code; `None` where there is more to it.
fn plain(query: &ListQuery) -> Option<ListQuery> {
    let mut plain = ListQuery::new();
    plain.filters.clone_from(&query.filters);
    plain.order_by.clone_from(&query.order_by);
    plain.search.clone_from(&query.search);
    plain.fields.clone_from(&query.fields);
    plain.per_page = query.per_page;
    let is_whole = plain.to_query_string().as_str() == query.to_query_string().as_str();
    is_whole.then_some(plain)
}

/// The lines of a list, and what they import.
fn rust_list(query: &ListQuery) -> (String, Vec<&'static str>) {
    let mut lines = "        .list()\n".to_owned();
    let mut imports = Vec::new();
    let mut line = |text: String| {
        // Writing into a text cannot fail.
        let _ = writeln!(lines, "        {text}");
    };
    let Some(query) = plain(query) else {
        let text = query.to_query_string();
        line(format!(
            ".query(ListQuery::parse({:?}, &|name| !name.contains(\"__\"))?)",
            text.as_str()
        ));
        return (lines, vec!["ListQuery"]);
    };
    for filter in &query.filters {
        let method = if filter.exclude { "exclude" } else { "filter" };
        let value = match &filter.condition.value {
            Operand::Many(values) => format!("{values:?}"),
            Operand::One(value) => format!("{value:?}"),
            _ => continue,
        };
        let (field, lookup) = (&filter.condition.field, filter.condition.lookup);
        line(format!(".{method}({field:?}, Lookup::{lookup:?}, {value})"));
        imports = vec!["Lookup"];
    }
    if let Some(search) = &query.search {
        line(format!(".search({search:?})"));
    }
    for order in &query.order_by {
        line(format!(".order_by({:?})", order.to_string()));
    }
    if let Some(fields) = &query.fields {
        line(format!(".fields({fields:?})"));
    }
    if let Some(per_page) = query.per_page {
        line(format!(".per_page({per_page})"));
    }
    (lines, imports)
}

/// The options of a list in JavaScript; `None` for a query that they cannot say.
fn list_options(query: &ListQuery) -> Option<Map<String, Value>> {
    let query = plain(query)?;
    let mut options = Map::new();
    let mut filters = Map::new();
    let mut exclude = Map::new();
    for filter in &query.filters {
        let into = match filter.exclude {
            true => &mut exclude,
            false => &mut filters,
        };
        let condition = &filter.condition;
        let lookups = into
            .entry(condition.field.clone())
            .or_insert_with(|| json!({}));
        let value = match &condition.value {
            Operand::One(text) => truth(condition.lookup, text),
            Operand::Many(texts) => json!(texts),
            _ => return None,
        };
        let before = lookups
            .as_object_mut()?
            .insert(condition.lookup.as_str().to_owned(), value);
        if before.is_some() {
            return None;
        }
    }
    for (name, map) in [("filters", filters), ("exclude", exclude)] {
        if !map.is_empty() {
            let map = map.into_iter().map(|(field, it)| (field, short(it)));
            options.insert(name.to_owned(), map.collect::<Map<_, _>>().into());
        }
    }
    if let Some(search) = &query.search {
        options.insert("search".to_owned(), json!(search));
    }
    if !query.order_by.is_empty() {
        let order: Vec<String> = query.order_by.iter().map(ToString::to_string).collect();
        options.insert("orderBy".to_owned(), json!(order));
    }
    if let Some(fields) = &query.fields {
        options.insert("fields".to_owned(), json!(fields));
    }
    if let Some(per_page) = query.per_page {
        options.insert("pagination".to_owned(), json!({ "perPage": per_page }));
    }
    Some(options)
}

/// Lookups whose value is true or false have it as such.
fn truth(lookup: Lookup, text: &str) -> Value {
    match (lookup, text) {
        (Lookup::Isnull | Lookup::Isempty, "true") => json!(true),
        (Lookup::Isnull | Lookup::Isempty, "false") => json!(false),
        _ => json!(text),
    }
}

/// A comparison for equality alone is the value itself.
fn short(lookups: Value) -> Value {
    match lookups.as_object() {
        Some(map) if map.len() == 1 => map.get("exact").cloned().unwrap_or(lookups),
        _ => lookups,
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

#[cfg(test)]
mod tests {
    use svc_model::Filter;

    use super::*;

    fn scope() -> Scope {
        Scope {
            project: "main".into(),
            environment: "prod".into(),
        }
    }

    fn code<'a>(scope: &'a Scope, query: &str) -> Code<'a> {
        let query = ListQuery::parse(query, &|name| !name.contains("__")).unwrap();
        Code {
            base_url: "http://127.0.0.1:8080".to_owned(),
            scope,
            resource: "shop",
            model: "orders",
            wanted: Wanted::List(Box::new(query)),
        }
    }

    #[test]
    fn a_line_for_a_shell_holds_nothing_that_a_shell_would_read() {
        let scope = scope();
        let code = code(
            &scope,
            "note__icontains=%27%3B%20rm%20%24(x)%60%22&status=paid",
        );
        let curl = code.curl().unwrap();
        let (_, url) = curl.split_once(" '").unwrap();
        let url = url.strip_suffix('\'').unwrap();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":/.?&=_%-~,".contains(&byte);
        assert!(url.bytes().all(is_plain), "{url}");
        assert!(
            url.starts_with("http://127.0.0.1:8080/projects/main/prod/shop/models/orders?"),
            "{url}"
        );
    }

    #[test]
    fn programs_have_the_calls_of_the_clients() {
        let scope = scope();
        let list = "status=paid&total__gte=100&exclude__note__isnull=true&_search=gift&_order_by=-total&_fields=id,total&_per_page=50";
        let code = code(&scope, list);
        let rust = code.rust().unwrap();
        for line in [
            "use svc_api::{ApiToken, Client, Lookup};",
            ".filter(\"status\", Lookup::Exact, \"paid\")",
            ".filter(\"total\", Lookup::Gte, \"100\")",
            ".exclude(\"note\", Lookup::Isnull, \"true\")",
            ".search(\"gift\")",
            ".order_by(\"-total\")",
            ".fields([\"id\", \"total\"])",
            ".per_page(50)",
        ] {
            assert!(rust.contains(line), "{line}: {rust}");
        }
        let javascript = code.javascript().unwrap();
        let one_line: String = javascript.split_whitespace().collect();
        assert!(
            one_line.contains("\"filters\":{\"status\":\"paid\",\"total\":{\"gte\":\"100\"}}")
                && one_line.contains("\"exclude\":{\"note\":{\"isnull\":true}}"),
            "{javascript}"
        );
    }

    #[test]
    fn what_no_option_can_say_is_said_by_the_query() {
        let scope = scope();
        let tree = Filter::or([
            Filter::field("status", Lookup::Exact, "paid"),
            Filter::field("note", Lookup::Isnull, "true"),
        ]);
        let tree = ListQuery::new().filter_tree(tree).to_query_string();
        let code = code(&scope, tree.as_str());
        assert!(code.rust().unwrap().contains("ListQuery::parse("));
        assert!(
            code.javascript()
                .unwrap()
                .starts_with("const response = await fetch(")
        );
    }

    #[test]
    fn a_record_of_several_keys_is_an_array_in_javascript() {
        let scope = scope();
        let mut code = code(&scope, "");
        code.wanted = Wanted::Record(RecordId::composite(["1", "a,b"]));
        assert!(code.javascript().unwrap().contains(".get([\"1\",\"a,b\"])"));
        assert!(code.curl().unwrap().contains("/models/orders/"));
        assert!(code.rust().unwrap().contains("println!(\"{record:?}\")"));
    }
}
