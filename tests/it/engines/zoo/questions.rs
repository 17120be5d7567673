//! The checks of every type of column.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Species, Zoo, id, text};

/// Runs all checks on a type.
pub fn ask(zoo: &mut Zoo, species: &Species) {
    let name = species.name;
    let table = format!("t_{name}");
    let records = zoo.records(&table, &[("_no_pagination", "1"), ("_order_by", "id")]);
    zoo.check(records.len() == species.values.len() + 2, || {
        format!("{name}: {} records", records.len())
    });
    finds_what_it_shows(zoo, species, &table, &records);
    shows_its_beginning(zoo, species, &table, &records);
    gives_it_raw(zoo, name, &table, &records);
    changes_nothing(zoo, name, &table, &records);
    if species.is_key {
        retrieves_by_key(zoo, species);
    }
    if species.is_writable {
        imports_what_it_exports(zoo, name, &records);
    }
    walks(zoo, name, &format!("w_{name}"), "", false);
    walks(zoo, name, &table, "", true);
    counts_groups(zoo, name, &table, &records);
    if species.is_ordered {
        let order = walks(zoo, name, &table, "v", true);
        let mut back = walks(zoo, name, &table, "-v", true);
        back.reverse();
        zoo.check(order == back, || {
            format!("{name}: ascending {order:?}, descending backwards {back:?}")
        });
        walks(zoo, name, &format!("w_{name}"), "v", false);
        has_siblings(zoo, name, &table, &order);
        ends_with_extremes(zoo, species, &table, &records, &order);
        if species.compares {
            compares_in_order(zoo, name, &table, &records, &order);
        }
    } else {
        for path in ["t", "w"] {
            let call = zoo.call("GET", &format!("{path}_{name}?_order_by=v"));
            let answer = call.send();
            zoo.check(answer.status == 400, || {
                format!("{name}: _order_by is {}", answer.status)
            });
        }
    }
}

/// Filtering by a returned value finds its record.
fn finds_what_it_shows(zoo: &mut Zoo, species: &Species, table: &str, records: &[Value]) {
    let name = species.name;
    let stored = zoo.ids(table, &[("v__isnull", "false")]);
    for record in records.iter().filter(|record| !record["v"].is_null()) {
        let value = species.text(&record["v"]);
        let found = zoo.ids(table, &[("v", &value)]);
        zoo.check(found.contains(&id(record)), || {
            format!("{name}: v={value} finds {found:?} and not {}", id(record))
        });
        let listed = json!({"field": "v", "lookup": "in", "value": [value]}).to_string();
        let listed = zoo.ids(table, &[("_filter", &listed)]);
        zoo.check(
            BTreeSet::from_iter(&listed) == BTreeSet::from_iter(&found),
            || format!("{name}: in [{value}] finds {listed:?}, equality {found:?}"),
        );
        let others = zoo.ids(table, &[("v__ne", &value)]);
        let rest = stored.iter().copied().filter(|id| !found.contains(id));
        let rest: BTreeSet<i64> = rest.collect();
        zoo.check(rest == others.iter().copied().collect(), || {
            format!("{name}: v__ne={value} finds {others:?}, not {rest:?}")
        });
    }
}

/// An excerpt is the beginning of the value, in lists and on retrieve alike, and what is not cut is whole.
fn shows_its_beginning(zoo: &mut Zoo, species: &Species, table: &str, records: &[Value]) {
    let name = species.name;
    let is_json = matches!(species.declared, "json" | "jsonb" | "JSON");
    for most in ["1", "3", "1000000"] {
        let query = [
            ("_no_pagination", "1"),
            ("_order_by", "id"),
            ("_excerpt", most),
        ];
        let cut = zoo.records(table, &query);
        zoo.check(cut.len() == records.len(), || {
            format!("{name}: {} excerpts", cut.len())
        });
        zoo.records(&format!("w_{name}"), &[("_excerpt", most)]);
        for (whole, cut) in records.iter().zip(&cut) {
            let path = format!("{table}/{}?_excerpt={most}", id(whole));
            let one = zoo.call("GET", &path).send();
            zoo.check(one.status == 200 && one.json() == *cut, || {
                format!("{name}: {} in a list is {cut}, alone {}", most, one.body)
            });
            let holds = match cut["_cut"]["v"].as_u64() {
                None => cut == whole,
                Some(length) => {
                    let (whole, begin) = (bare(&whole["v"]), bare(&cut["v"]));
                    let digits = whole.chars().count() as u64;
                    // JSON is written with its keys in any order, and its numbers in any form.
                    let is_free = is_json || whole.starts_with('[');
                    let is_length = [1, 2].iter().any(|unit| length * unit == digits);
                    let is_begin = begin.len() < whole.len() && whole.starts_with(&begin);
                    let characters = begin.chars().count().to_string();
                    (is_begin && is_length) || (is_free && characters == most)
                }
            };
            zoo.check(holds, || format!("{name}: {most} of {whole} is {cut}"));
        }
    }
}

/// A value as a text that begins as its excerpt does.
fn bare(value: &Value) -> String {
    text(value.get("$hex").unwrap_or(value))
}

/// A value by itself is what the record shows, and NULL is none.
fn gives_it_raw(zoo: &mut Zoo, name: &str, table: &str, records: &[Value]) {
    for record in records {
        let path = format!("{table}/{}/v", id(record));
        let raw = zoo.call("GET", &path).send();
        let shown = &record["v"];
        let media_type = raw.header("content-type");
        let holds = match raw.status.as_u16() {
            204 => shown.is_null(),
            200 if media_type == "application/octet-stream" => {
                let digits: String = raw.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                digits == bare(shown)
            }
            200 if media_type == "application/json" => raw.json() == *shown,
            200 if shown.is_number() => raw.json() == *shown,
            200 => raw.body == text(shown),
            _ => false,
        };
        zoo.check(holds, || {
            format!("{name}: {shown} by itself is {} {:?}", raw.status, raw.body)
        });
    }
}

/// A returned value, sent in a PATCH, leaves the record unchanged.
fn changes_nothing(zoo: &mut Zoo, name: &str, table: &str, records: &[Value]) {
    // Floating point NaN is returned as null, and null stores NULL.
    for record in records.iter().filter(|record| !record["v"].is_null()) {
        let path = format!("{table}/{}", id(record));
        let before = zoo.call("GET", &path).expect(200);
        let answer = zoo.call("PATCH", &path).json(record).send();
        zoo.check(answer.status == 200, || {
            format!("{name}: PATCH {record}: {} {}", answer.status, answer.body)
        });
        let after = zoo.call("GET", &path).expect(200);
        zoo.check(before.json() == after.json(), || {
            format!("{name}: PATCH {record} changed it to {}", after.body)
        });
    }
}

/// A returned value, used as a key, retrieves its record.
fn retrieves_by_key(zoo: &mut Zoo, species: &Species) {
    let name = species.name;
    let table = format!("k_{name}");
    let records = zoo.records(&table, &[("_no_pagination", "1")]);
    zoo.check(!records.is_empty(), || format!("{name}: no keys"));
    for record in &records {
        let key = species.text(&record["v"]);
        // Clients refuse these keys, which are impossible in a URL.
        if ["", ".", ".."].contains(&key.as_str()) {
            continue;
        }
        let path = format!("{table}/{}", escaped(&key));
        let answer = zoo.call("GET", &path).send();
        let is_it = answer.status == 200 && answer.json() == *record;
        zoo.check(is_it, || {
            format!("{name}: the key {key}: {} {}", answer.status, answer.body)
        });
        let answer = zoo
            .call("PATCH", &path)
            .json(&json!({"id": id(record)}))
            .send();
        zoo.check(answer.status == 200, || {
            format!(
                "{name}: PATCH of the key {key}: {} {}",
                answer.status, answer.body
            )
        });
    }
    walks(zoo, name, &table, "", true);
}

/// Escapes every byte of a key that has a meaning in a URL.
fn escaped(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    // The names of operations are read as keys if their first character is escaped.
    let is_call = ["aggregate", "group", "bulk_create", "upsert"].contains(&key);
    key.bytes()
        .enumerate()
        .map(|(at, byte)| match plain(byte) && !(is_call && at == 0) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

/// Exported records can be imported, and are the same afterwards.
fn imports_what_it_exports(zoo: &mut Zoo, name: &str, records: &[Value]) {
    let path = format!("c_{name}/bulk_create");
    let answer = zoo.call("POST", &path).json(&json!(records)).send();
    let all = answer.status == 200 && !answer.body.contains("\"success\":false");
    zoo.check(all, || {
        format!("{name}: import: {} {}", answer.status, answer.body)
    });
    let query = [("_no_pagination", "1"), ("_order_by", "id")];
    let copies = zoo.records(&format!("c_{name}"), &query);
    let originals: Vec<&Value> = {
        let mut sorted: Vec<&Value> = records.iter().collect();
        sorted.sort_by_key(|record| id(record));
        sorted
    };
    for (original, copy) in originals.into_iter().zip(&copies) {
        zoo.check(original == copy, || {
            format!("{name}: {original} became {copy}")
        });
    }
}

/// Pages of every size visit each record once, in one order; CSV and NDJSON have the same order.
fn walks(zoo: &mut Zoo, name: &str, table: &str, order: &str, has_ids: bool) -> Vec<i64> {
    let order_by: Vec<(&str, &str)> = match order {
        "" => Vec::new(),
        order => vec![("_order_by", order)],
    };
    let mut query = order_by.clone();
    query.push(("_no_pagination", "1"));
    let whole = zoo.records(table, &query);
    for size in ["1", "2", "7"] {
        let mut seen: Vec<Value> = Vec::new();
        let mut query = order_by.clone();
        query.push(("_per_page", size));
        let mut answer = zoo.call("GET", table).query(&query).send();
        loop {
            if answer.status != 200 {
                zoo.wrong.push(format!(
                    "{name}: {table} by {order:?}: {} {}",
                    answer.status, answer.body
                ));
                break;
            }
            let page = answer.json();
            seen.extend(page["results"].as_array().cloned().unwrap_or_default());
            let Some(next) = page["next"].as_str() else {
                break;
            };
            if seen.len() > whole.len() {
                break;
            }
            let token = zoo.service.text("/resources/z/token").to_owned();
            answer = svc_tests::Call::new("GET", next)
                .authorization(&token)
                .send();
        }
        zoo.check(seen == whole, || {
            let show = |records: &[Value]| -> Vec<String> {
                records.iter().map(|record| text(&record["v"])).collect()
            };
            format!(
                "{name}: {table} by {order:?}, pages of {size}: {:?}, whole {:?}",
                show(&seen),
                show(&whole)
            )
        });
    }
    let lines = zoo.call("GET", table).query(&query);
    let lines = lines.header("accept", "application/x-ndjson").send();
    let lines = lines.body.lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_default())
        .collect();
    zoo.check(lines == whole, || {
        format!("{name}: NDJSON of {table} by {order:?}")
    });
    let csv = zoo.call("GET", table).query(&query);
    let csv = csv.header("accept", "text/csv").send().body;
    let rows = csv::Reader::from_reader(csv.as_bytes())
        .into_records()
        .flatten()
        .count();
    // A row with one empty cell is an empty line, which readers skip.
    zoo.check(rows == whole.len() || !has_ids, || {
        format!("{name}: {rows} rows of CSV of {table} by {order:?}")
    });
    whole.iter().map(id).collect()
}

/// The records before and after each one are its neighbours.
fn has_siblings(zoo: &mut Zoo, name: &str, table: &str, order: &[i64]) {
    for (place, here) in order.iter().enumerate() {
        let path = format!("{table}/{here}/get_siblings?_order_by=v");
        let answer = zoo.call("GET", &path).send();
        let at = |place: Option<usize>| {
            let id = place.and_then(|place| order.get(place));
            id.map(|id| json!({ "id": id }))
        };
        let expected = json!({"prev": at(place.checked_sub(1)), "next": at(Some(place + 1))});
        let is_so = answer.status == 200 && answer.json() == expected;
        zoo.check(is_so, || {
            format!(
                "{name}: siblings of {here}: {}, not {expected}",
                answer.body
            )
        });
    }
}

/// The minimum and the maximum are the first and the last value in the order.
fn ends_with_extremes(
    zoo: &mut Zoo,
    species: &Species,
    table: &str,
    records: &[Value],
    order: &[i64],
) {
    let name = species.name;
    let value = |id_: &i64| {
        records
            .iter()
            .find(|record| id(record) == *id_)
            .map(|record| &record["v"])
    };
    let valued = |id_: &&i64| value(id_).is_some_and(|value| !value.is_null());
    for (function, end) in [
        ("min", order.iter().find(valued)),
        ("max", order.iter().rev().find(valued)),
    ] {
        let path = format!("{table}/aggregate");
        let body = json!({"func": function, "column": "v"});
        let answer = zoo.call("POST", &path).json(&body).send();
        if answer.status != 200 {
            zoo.wrong.push(format!(
                "{name}: {function}: {} {}",
                answer.status, answer.body
            ));
            continue;
        }
        let extreme = answer.json()["y_func"].clone();
        // Of equal values with different spellings, any may be returned.
        let found = match extreme.is_null() {
            true => Vec::new(),
            false => zoo.ids(table, &[("v", &species.text(&extreme))]),
        };
        let is_so = extreme.is_null() || end.is_some_and(|end| found.contains(end));
        zoo.check(is_so, || {
            format!(
                "{name}: {function} is {extreme}, the order says {:?}",
                end.and_then(value)
            )
        });
    }
}

/// Groups contain every record once and are in the order of their values.
fn counts_groups(zoo: &mut Zoo, name: &str, table: &str, records: &[Value]) {
    let body = json!({"x_column": "v", "y_func": "count"});
    let path = format!("{table}/group");
    let answer = zoo.call("POST", &path).json(&body).send();
    if answer.status != 200 {
        zoo.wrong
            .push(format!("{name}: group: {} {}", answer.status, answer.body));
        return;
    }
    let groups = answer.json().as_array().cloned().unwrap_or_default();
    let sum: i64 = groups
        .iter()
        .filter_map(|group| group["y_func"].as_i64())
        .sum();
    zoo.check(sum == records.len() as i64, || {
        format!("{name}: groups of {sum} records")
    });
    let order = zoo
        .call("GET", table)
        .query(&[("_order_by", "v"), ("_no_pagination", "1")])
        .send();
    if order.status != 200 {
        return;
    }
    let order = order.json();
    let places: Vec<usize> = groups
        .iter()
        // NULL and floating point NaN, which is after all numbers, are both returned as null.
        .filter(|group| !group["group"].is_null())
        .filter_map(|group| {
            let mut sorted = order.as_array()?.iter();
            sorted.position(|record| record["v"] == group["group"])
        })
        .collect();
    zoo.check(places.is_sorted(), || {
        format!("{name}: groups {groups:?} at {places:?}")
    });
}

/// Greater values are after a value in the order, and smaller ones before it.
fn compares_in_order(zoo: &mut Zoo, name: &str, table: &str, records: &[Value], order: &[i64]) {
    let is_null = |id_: &i64| {
        let record = records.iter().find(|record| id(record) == *id_);
        record.is_none_or(|record| record["v"].is_null())
    };
    // Floating point NaN is returned as null but is a value.
    let stored = zoo.ids(table, &[("v__isnull", "false")]);
    for record in records.iter().filter(|record| !record["v"].is_null()) {
        let value = text(&record["v"]);
        let equal = zoo.ids(table, &[("v", &value)]);
        let places: Vec<usize> = (0..order.len())
            .filter(|at| equal.contains(&order[*at]))
            .collect();
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            continue;
        };
        let valued = |ids: &[i64]| -> BTreeSet<i64> {
            ids.iter()
                .copied()
                .filter(|id| stored.contains(id) || !is_null(id))
                .collect()
        };
        let pair = json!([value, value]).to_string();
        for (lookup, expected) in [
            ("gt", valued(&order[last + 1..])),
            ("gte", valued(&order[*first..])),
            ("lt", valued(&order[..*first])),
            ("lte", valued(&order[..=*last])),
            ("range", valued(&order[*first..=*last])),
        ] {
            let found = match lookup {
                "range" => {
                    let filter =
                        format!("{{\"field\":\"v\",\"lookup\":\"range\",\"value\":{pair}}}");
                    zoo.ids(table, &[("_filter", &filter)])
                }
                _ => zoo.ids(table, &[(&format!("v__{lookup}"), &value)]),
            };
            let found: BTreeSet<i64> = found.into_iter().collect();
            zoo.check(found == expected, || {
                format!("{name}: {lookup} {value}: {found:?}, the order says {expected:?}")
            });
        }
    }
}
