//! HAProxy with the configuration of the book.

use std::{fs, path::Path, process::Child};

use tempfile::TempDir;

use crate::{
    Call, book,
    servers::{find, free_port, give_away, stop, supervised, unprivileged},
    wait_until,
};

/// The package with the program.
const HAPROXY: &[&str] = &["haproxy"];

/// HAProxy before some nodes.
#[derive(Debug)]
pub(super) struct Balancer {
    process: Option<Child>,
    port: u16,
    /// Where it tells what it knows of the nodes.
    statistics: u16,
    _folder: TempDir,
}

impl Balancer {
    /// Starts it before nodes on these ports, three at most.
    pub(super) fn start(nodes: &[u16]) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("svc-haproxy-")
            .tempdir()
            .expect("a temporary folder");
        give_away(folder.path());
        let (port, statistics) = (free_port(), free_port());
        let file = folder.path().join("haproxy.cfg");
        fs::write(&file, configuration(port, statistics, nodes)).expect("a file in the folder");
        give_away(&file);
        let mut command = unprivileged(&find("haproxy", HAPROXY));
        command.arg("-db").arg("-f").arg(&file);
        let balancer = Self {
            process: Some(supervised(&command, "TERM", folder.path())),
            port,
            statistics,
            _folder: folder,
        };
        let log = balancer._folder.path().join("log");
        wait_until("HAProxy answers", || {
            let answer = balancer.try_statistics();
            assert!(
                answer.is_some() || !fails(&log),
                "HAProxy does not start: {}",
                fs::read_to_string(&log).unwrap_or_default()
            );
            answer.is_some()
        });
        balancer
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many nodes get requests.
    pub(super) fn ready_nodes(&self) -> usize {
        let lines = self.try_statistics().unwrap_or_default();
        let lines = lines
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>());
        // The backend, the server, and in the 18th column its state.
        lines
            .filter(|line| {
                line.first() == Some(&"ready_nodes")
                    && line.get(1).is_some_and(|server| server.starts_with("node"))
                    && line.get(17) == Some(&"UP")
            })
            .count()
    }

    fn try_statistics(&self) -> Option<String> {
        let url = format!("http://127.0.0.1:{}/;csv", self.statistics);
        Call::new("GET", &url)
            .try_send()
            .ok()
            .map(|answer| answer.body)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        stop(&mut self.process);
    }
}

fn fails(log: &Path) -> bool {
    fs::read_to_string(log).is_ok_and(|text| text.contains("[ALERT]"))
}

/// What the chapter about several machines shows, with these ports, and with a page of statistics.
fn configuration(port: u16, statistics: u16, nodes: &[u16]) -> String {
    let blocks = book::blocks("several-machines.md");
    let mut found = blocks
        .into_iter()
        .filter(|(language, _)| language == "haproxy");
    let (_, text) = found.next().expect("the chapter has a configuration");
    let mut text = replaced(&text, "bind *:80", &format!("bind 127.0.0.1:{port}"));
    // So many need more file descriptors than every machine of a test gives.
    text = replaced(&text, "maxconn 10000", "maxconn 1000");
    for number in 1..=3 {
        let shown = format!("10.0.0.1{number}:8080");
        text = match nodes.get(number - 1) {
            Some(node) => replaced(&text, &shown, &format!("127.0.0.1:{node}")),
            None => {
                let lines = text.lines().filter(|line| !line.contains(&shown));
                lines.collect::<Vec<_>>().join("\n") + "\n"
            }
        };
    }
    format!(
        "{text}\nfrontend statistics\n    bind 127.0.0.1:{statistics}\n    stats enable\n    stats uri /\n"
    )
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(
        text.contains(from),
        "the configuration of the book has no {from}"
    );
    text.replace(from, to)
}
