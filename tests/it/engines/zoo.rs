//! Every column type of an engine with difficult values, and the checks that each type must pass (wire contract,
//! section 11, laws 1 and 2): filtering by a returned value finds its record, and a column has one order.

mod mariadb;
mod postgres;
mod questions;
mod sqlite;

use serde_json::Value;
use svc_tests::{Call, Service};

/// A type of column, with sample values.
pub struct Species {
    /// The name in the names of the tables.
    pub name: &'static str,
    /// The type in the declaration of a column.
    pub declared: &'static str,
    /// Values as SQL; NULL and a second copy of the first value are added.
    pub values: &'static [&'static str],
    /// Whether `_order_by` accepts the column.
    pub is_ordered: bool,
    /// Whether `gt` and similar lookups accept the column.
    pub compares: bool,
    /// Whether the column can be a primary key.
    pub is_key: bool,
    /// Whether a record with such a value can be created, and not only changed.
    pub is_writable: bool,
}

impl Species {
    /// A type that the engine can order, compare, and use as a key.
    pub const fn new(
        name: &'static str,
        declared: &'static str,
        values: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            declared,
            values,
            is_ordered: true,
            compares: true,
            is_key: true,
            is_writable: true,
        }
    }

    /// The same, for a type that cannot be a primary key.
    pub const fn no_key(mut self) -> Self {
        self.is_key = false;
        self
    }

    /// The same for a type whose values cannot be compared with `gt` and similar lookups.
    pub const fn no_comparison(mut self) -> Self {
        self.compares = false;
        self
    }

    /// The same for a type that the engine cannot order.
    pub const fn no_order(mut self) -> Self {
        self.is_ordered = false;
        self.compares = false;
        self
    }

    /// The same for values with which a record cannot be created.
    pub const fn kept_only(mut self) -> Self {
        self.is_writable = false;
        self
    }

    /// A value of a response as the text of a filter: JSON stays JSON.
    pub fn text(&self, value: &Value) -> String {
        match self.declared {
            "json" | "jsonb" | "JSON" => value.to_string(),
            _ => text(value),
        }
    }

    /// The tables of the type: with its values (`t_`), empty (`c_`), with the values as keys (`k_`), and a view of
    /// the first that has no key (`w_`).
    pub fn script(&self, suffix: &str) -> String {
        let Self { name, declared, .. } = self;
        let mut sql = format!(
            "CREATE TABLE t_{name} (id INTEGER PRIMARY KEY, v {declared}){suffix};
             CREATE TABLE c_{name} (id INTEGER PRIMARY KEY, v {declared}){suffix};
             CREATE VIEW w_{name} AS SELECT v FROM t_{name};"
        );
        let first = self.values.first().copied().unwrap_or("NULL");
        let null = ["NULL"];
        let values = self.values.iter().chain(&null).copied().chain([first]);
        // The order of the keys is independent of the order of the values.
        for (place, value) in values.enumerate() {
            let id = (place * 7 + 3) % 101;
            sql.push_str(&format!("INSERT INTO t_{name} VALUES ({id}, {value});"));
        }
        if self.is_key {
            sql.push_str(&format!(
                "CREATE TABLE k_{name} (v {declared} PRIMARY KEY NOT NULL, id INTEGER){suffix};"
            ));
            for (id, value) in self.values.iter().enumerate() {
                sql.push_str(&format!("INSERT INTO k_{name} VALUES ({value}, {id});"));
            }
        }
        sql
    }
}

/// A service with the tables of all column types of an engine.
pub struct Zoo {
    pub service: Service,
    pub wrong: Vec<String>,
}

impl Zoo {
    pub fn new(service: Service) -> Self {
        Self {
            service,
            wrong: Vec::new(),
        }
    }

    pub fn call(&self, method: &str, path: &str) -> Call {
        self.service.data(method, "z", &format!("/models/{path}"))
    }

    /// The records of a list.
    pub fn records(&mut self, path: &str, query: &[(&str, &str)]) -> Vec<Value> {
        let answer = self.call("GET", path).query(query).send();
        if answer.status != 200 {
            self.wrong.push(format!(
                "{path} {query:?}: {} {}",
                answer.status, answer.body
            ));
            return Vec::new();
        }
        let json = answer.json();
        let records = json.as_array().or_else(|| json["results"].as_array());
        records.cloned().unwrap_or_default()
    }

    /// The IDs of a list, in its order.
    pub fn ids(&mut self, path: &str, query: &[(&str, &str)]) -> Vec<i64> {
        let mut query = query.to_vec();
        query.push(("_no_pagination", "1"));
        self.records(path, &query).iter().map(id).collect()
    }

    /// Records a failed check.
    pub fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(what());
        }
    }

    /// Runs every check on each type, and fails with all errors.
    #[track_caller]
    pub fn visit(mut self, species: &[Species]) {
        for one in species {
            questions::ask(&mut self, one);
        }
        let count = self.wrong.len();
        assert!(count == 0, "{count} wrong:\n{}", self.wrong.join("\n"));
    }
}

/// The id of a record.
pub fn id(record: &Value) -> i64 {
    record["id"].as_i64().unwrap_or(-1)
}

/// A value of a response as the text of a filter or a key.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
