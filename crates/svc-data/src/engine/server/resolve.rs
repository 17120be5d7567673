//! The addresses of a server: looked up for each connection, held to what is allowed, and connected to as they are, so that
//! a name which means another address in the next moment leads nowhere else.

use std::net::{IpAddr, SocketAddr};

use crate::{Outage, engine::ServerRule};

/// The addresses of a host that may be connected to.
pub(crate) async fn resolve(
    host: &str,
    port: u16,
    rule: Option<&ServerRule>,
) -> Result<Vec<IpAddr>, Outage> {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    let found: Vec<SocketAddr> = match bare.parse::<IpAddr>() {
        Ok(address) => vec![(address, port).into()],
        Err(_) => tokio::net::lookup_host((bare, port))
            .await
            .map_err(|_| Outage::UnknownHost)?
            .collect(),
    };
    if found.is_empty() {
        return Err(Outage::UnknownHost);
    }
    let is_allowed = |address: &SocketAddr| rule.is_none_or(|rule| rule.allows(bare, *address));
    let allowed: Vec<_> = found
        .into_iter()
        .filter(is_allowed)
        .map(|address| address.ip())
        .collect();
    match allowed.is_empty() {
        true => Err(Outage::NotAllowed),
        false => Ok(allowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_the_rule_does_not_allow_is_left_out() {
        let rule = ServerRule::new(|host, address| {
            host == "db.internal" || address.ip().is_loopback() && address.port() == 5432
        });
        let loopback = resolve("127.0.0.1", 5432, Some(&rule)).await;
        assert_eq!(loopback, Ok(vec![[127, 0, 0, 1].into()]));
        assert!(resolve("[::1]", 5432, Some(&rule)).await.is_ok());
        assert!(resolve("localhost", 5432, Some(&rule)).await.is_ok());
        for (host, port) in [("127.0.0.1", 5433), ("10.0.0.1", 5432)] {
            let refused = resolve(host, port, Some(&rule)).await;
            assert_eq!(refused, Err(Outage::NotAllowed), "{host}");
        }
        assert!(resolve("10.0.0.1", 1, None).await.is_ok());
    }

    #[tokio::test]
    async fn a_name_without_an_address_is_unknown() {
        let unknown = resolve("no-such-host.invalid", 1, None).await;
        assert_eq!(unknown, Err(Outage::UnknownHost));
    }
}
