//! How long a credential lives on the other nodes after its revocation was answered.

use std::time::{Duration, Instant};

use serde_json::json;
use svc_tests::Call;
use svc_tests::cluster::Cluster;

use super::REVOKED;
use crate::Error;
use crate::report::{self, Goals};

/// How many tokens are revoked.
const TOKENS: usize = 100;
/// After how long it is an error that a token is still valid.
const PATIENCE: Duration = Duration::from_secs(30);

/// Revokes tokens one after the other, each by the load balancer, and asks all nodes until none accepts it.
pub fn measure(cluster: &Cluster, goals: &mut Goals) -> Result<(), Error> {
    let tokens = format!("{}/api/projects/main/prod/tokens/", cluster.url());
    let key = format!("Bearer {}", cluster.api_key());
    let mut times = Vec::new();
    for _ in 0..TOKENS {
        let new = json!({"resource": "shop", "name": "revoked soon"});
        let made = Call::new("POST", &tokens).authorization(&key).json(&new);
        let made = made.expect(201).json();
        let text = |name: &str| made[name].as_str().ok_or("the token is not in the answer");
        let (uid, token) = (text("uid")?, text("token")?);
        let nodes = cluster.node_urls();
        for node in &nodes {
            cluster.read_on(node, "shop", token).expect(200);
        }
        let revoke = Call::new("DELETE", &format!("{tokens}{uid}/"));
        revoke.authorization(&key).expect(204);
        let revoked = Instant::now();
        let lives = |node: &str| -> Result<Duration, Error> {
            while cluster.read_on(node, "shop", token).send().status != 401 {
                if revoked.elapsed() > PATIENCE {
                    return Err(format!("{node} accepts a token that was revoked").into());
                }
            }
            Ok(revoked.elapsed())
        };
        let lived = std::thread::scope(|scope| {
            let asking = nodes.iter().map(|node| scope.spawn(|| lives(node)));
            let asking: Vec<_> = asking.collect();
            let mut longest = Duration::ZERO;
            for lived in asking {
                longest = longest.max(lived.join().map_err(|_| "a caller panicked")??);
            }
            Ok::<_, Error>(longest)
        })?;
        times.push(lived);
    }
    let median = report::median(times.iter().map(Duration::as_secs_f64));
    goals.add(
        "",
        &format!("time until a revocation holds on all nodes, of {TOKENS}: median, worst"),
        &report::time(REVOKED),
        &format!(
            "{}, {}",
            report::time(Duration::from_secs_f64(median)),
            report::time(times.into_iter().max().unwrap_or_default())
        ),
    );
    Ok(())
}
