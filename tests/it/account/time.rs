//! An unknown account takes the time of a known one.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::people::home;

/// How long a call takes about a known and an unknown address: medians of calls that alternate.
fn medians(call: impl Fn(&str)) -> [Duration; 2] {
    let mut taken = [Vec::new(), Vec::new()];
    for number in 0..9 {
        let addresses = [
            "time@example.com".to_owned(),
            format!("unknown{number}@example.com"),
        ];
        for (address, taken) in addresses.iter().zip(&mut taken) {
            let begun = Instant::now();
            call(address);
            taken.push(begun.elapsed());
        }
    }
    taken.map(|mut taken| {
        taken.sort_unstable();
        taken[taken.len() / 2]
    })
}

#[test]
fn an_unknown_address_takes_the_time_of_a_known_one() {
    home().add("time@example.com", "Editor");
    let alike = |name: &str, status: u16, body: fn(&str) -> Value| {
        let medians = medians(|address| drop(home().auth(name, &body(address)).expect(status)));
        let [known, unknown] = medians;
        // A hash that is left out makes it twenty times less.
        assert!(
            known < unknown * 3 && unknown < known * 3,
            "{name}: {known:?} {unknown:?}"
        );
    };
    alike(
        "login",
        401,
        |email| json!({"email": email, "password": "wrong horse"}),
    );
    alike(
        "register",
        201,
        |email| json!({"email": email, "password": "battery staple"}),
    );
}
