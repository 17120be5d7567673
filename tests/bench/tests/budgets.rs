//! What may not grow, counted exactly.

use std::process::Command;

#[test]
fn a_call_of_the_client_makes_at_most_26_allocations() {
    let output = Command::new(env!("CARGO_BIN_EXE_svc-bench"))
        .args(["--case", "client", "--seconds", "1"])
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = printed.split_once("svc-api ").unwrap();
    let (allocations, _) = rest.split_once(' ').unwrap();
    assert!(allocations.parse::<f64>().unwrap() <= 26.0, "{printed}");
}
