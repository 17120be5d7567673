//! What is left of what was acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Cluster, Report};
use crate::Call;

/// What was acknowledged and is not as it should be. Nothing should be.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Records that are not there, as `resource/key`.
    pub records: Vec<String>,
    /// Pages that are not there, by uid.
    pub pages: Vec<String>,
    /// Records and pages without a line of the audit trail.
    pub without_line: Vec<String>,
    /// Records and pages with several, whether they were acknowledged or not.
    pub with_several_lines: Vec<String>,
}

impl Cluster {
    /// Compares what a load was acknowledged with what is there, by the load balancer and by the command line.
    ///
    /// # Panics
    /// When the service does not answer.
    pub fn lost(&self, report: &Report) -> Lost {
        let mut lost = Lost::default();
        let mut acknowledged = BTreeSet::new();
        for (resource, keys) in &report.records {
            let there = self.keys(resource);
            for key in keys {
                let name = format!("{resource}/{key}");
                if !there.contains(key) {
                    lost.records.push(name.clone());
                }
                acknowledged.insert(name);
            }
        }
        let pages = Call::new("GET", &format!("{}/api{}", self.url(), super::load::PAGES));
        let pages = pages.authorization(&self.bearer()).ok();
        let pages: BTreeSet<&str> = texts(&pages, "uid").collect();
        for uid in &report.pages {
            if !pages.contains(&**uid) {
                lost.pages.push(uid.clone());
            }
            acknowledged.insert(uid.clone());
        }
        let lines = self.lines();
        lost.without_line = acknowledged
            .into_iter()
            .filter(|name| !lines.contains_key(name))
            .collect();
        let several = lines.into_iter().filter(|(_, count)| *count > 1);
        lost.with_several_lines = several.map(|(name, _)| name).collect();
        lost
    }

    /// The keys of all records of a resource.
    fn keys(&self, resource: &str) -> BTreeSet<i64> {
        let path = "models/notes?_fields=id&_no_pagination=1";
        let url = format!("{}/projects/main/prod/{resource}/{path}", self.url());
        let found = Call::new("GET", &url)
            .authorization(self.token(resource))
            .ok();
        let records = found.as_array().expect("a list of records").iter();
        records.filter_map(|record| record["id"].as_i64()).collect()
    }

    /// How many lines of the audit trail records and pages have that were created.
    fn lines(&self) -> BTreeMap<String, u32> {
        let mut counted = BTreeMap::new();
        let lines = self.run("audit list --all --project main --action=records.create");
        for line in lines.as_array().expect("lines") {
            let (resource, key) = (line["resource"].as_str(), line["record"].as_str());
            let name = format!("{}/{}", resource.unwrap_or("?"), key.unwrap_or("?"));
            *counted.entry(name).or_default() += 1;
        }
        let lines = self.run("audit list --all --project main --action=pages.create");
        for uid in texts(&lines, "record") {
            *counted.entry(uid.to_owned()).or_default() += 1;
        }
        counted
    }
}

fn texts<'v>(list: &'v Value, member: &'v str) -> impl Iterator<Item = &'v str> {
    let entries = list.as_array().into_iter().flatten();
    entries.filter_map(move |entry| entry[member].as_str())
}
