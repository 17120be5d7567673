//! Publishing while the process is killed: afterwards everything is published, or nothing.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use svc_tests::{Call, Service};

use crate::shared::{pages_service, serve};

const PAGES: usize = 120;
const ROUNDS: u32 = 8;
const BASE: &str = "/projects/main/prod/view_settings/";

fn call(service: &Service, key: &str, method: &str, below: &str) -> Call {
    let call = service.app_anonymous(method, &format!("{BASE}{below}"));
    call.authorization(&format!("Bearer {key}"))
}

fn values(service: &Service, key: &str, draft: u8) -> Vec<Value> {
    let list = call(service, key, "GET", &format!("?draft={draft}")).ok();
    let list = list.as_array().unwrap().iter();
    list.map(|page| page["v"].clone()).collect()
}

/// Changes the draft of every page.
fn draft_all(service: &Service, key: &str, uids: &[String], v: u32) {
    thread::scope(|scope| {
        for part in uids.chunks(PAGES / 4) {
            scope.spawn(move || {
                for uid in part {
                    call(service, key, "PATCH", &format!("{uid}/?draft=1"))
                        .json(&json!({"v": v}))
                        .expect(200);
                }
            });
        }
    });
}

#[test]
fn publishing_is_atomic_when_the_service_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut service, key) = pages_service(&folder);
    let params = json!(["x".repeat(40_000)]).to_string();
    let uids: Vec<String> = (0..PAGES)
        .map(|_| {
            let settings = json!({"v": 0, "params": params});
            let made = call(&service, &key, "POST", "").json(&settings).expect(201);
            made.json()["uid"].as_str().unwrap().to_owned()
        })
        .collect();
    // The time that undisturbed publishing takes.
    draft_all(&service, &key, &uids, 1);
    let begun = Instant::now();
    call(&service, &key, "POST", "publish/")
        .json(&json!({}))
        .expect(200);
    let takes = begun.elapsed();

    let (mut old, mut new) = (0, 0);
    let mut published = 1;
    for round in 2..2 + ROUNDS {
        draft_all(&service, &key, &uids, round);
        let pid = service.pid().to_string();
        // Kills at times from well before the end to shortly after it.
        let delay = takes.mul_f64(f64::from(round - 1) / f64::from(ROUNDS));
        thread::scope(|scope| {
            let publish = scope.spawn(|| {
                let call = call(&service, &key, "POST", "publish/").json(&json!({}));
                call.timeout(Duration::from_secs(60)).try_send()
            });
            thread::sleep(delay);
            let killed = std::process::Command::new("kill")
                .args(["-s", "KILL", &pid])
                .status();
            assert!(killed.unwrap().success());
            let answer = publish.join().unwrap();
            if answer.is_ok_and(|answer| answer.status == 200) {
                published = round;
            }
        });
        drop(service);
        service = serve(&folder, &[]);
        let now = values(&service, &key, 0);
        assert_eq!(now.len(), PAGES);
        let first = u32::try_from(now[0].as_u64().unwrap()).unwrap();
        assert!(now.iter().all(|v| *v == now[0]), "a mixture: {now:?}");
        assert!(first >= published, "an answered publication is lost");
        match first == round {
            true => new += 1,
            false => old += 1,
        }
        published = first;
        assert!(
            values(&service, &key, 1).iter().all(|v| *v == json!(round)),
            "the drafts are lost"
        );
    }
    assert!(
        old > 0,
        "it was never killed in time: {new} times all was published"
    );
}
