//! Secrets: how they are kept, and what the HTTP proxy may send of them, and where to.

pub(crate) mod allow_hosts;
pub(crate) mod host_name;
pub(crate) mod host_port;
pub(crate) mod mac;
pub(crate) mod seal;
pub(crate) mod secret;
pub(crate) mod secret_tokens;

pub use self::allow_hosts::{AllowHost, AllowHosts};
pub use self::host_name::HostName;
pub use self::host_port::HostPort;
pub use self::seal::SealKey;
pub(crate) use self::seal::Sealer;
pub use self::secret::Secret;
pub(crate) use self::secret::random_bytes;
pub use self::secret_tokens::{NewSecretToken, OpenSecret, ProxyRules, SecretToken, SecretTokens};
