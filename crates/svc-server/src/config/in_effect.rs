//! The settings as operators see them: the value of each option, and where it was set.

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};
use svc_model::administration::service::Setting;

use super::{AuditMode, AuditValues, Config};

/// Where an option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingSource {
    /// By a flag.
    Flag,
    /// By a variable of the environment.
    Variable,
    /// In a line of the configuration file, counted from 1 on.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// By a listener that was open already.
    Socket,
}

impl SettingSource {
    /// The word for it in answers.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Variable => "variable",
            Self::File { .. } => "file",
            Self::Socket => "socket",
        }
    }

    /// Names an option with the place where it was set, as every message about it begins: `--listen (svc.toml, line 3)`.
    pub fn named(option: &str, source: Option<&Self>) -> String {
        let place = match source {
            Some(Self::Flag) => " (a flag)".to_owned(),
            Some(Self::Variable) => {
                let variable = option.replace('-', "_").to_uppercase();
                format!(" (the variable SVC_{variable})")
            }
            Some(Self::File { path, line }) => format!(" ({}, line {line})", path.display()),
            Some(Self::Socket) => " (a socket that was passed)".to_owned(),
            None => String::new(),
        };
        format!("--{option}{place}")
    }
}

impl Config {
    /// Every option with its value, and where it was set.
    pub fn in_effect(&self) -> Vec<Setting> {
        let texts = |texts: Vec<String>| json!(texts);
        let mut settings: Vec<Setting> = [
            ("listen", json!(self.listen.to_string())),
            (
                "data-listen",
                json!(self.data_listen.map(|address| address.to_string())),
            ),
            (
                "metrics-listen",
                json!(self.metrics_listen.map(|address| address.to_string())),
            ),
            ("tls-cert", json!(self.tls_cert)),
            ("tls-key", json!(self.tls_key)),
            (
                "http-redirect",
                json!(self.http_redirect.map(|address| address.to_string())),
            ),
            ("public-url", json!(self.public_url)),
            (
                "trusted-proxies",
                texts(
                    self.trusted_proxies
                        .iter()
                        .map(ToString::to_string)
                        .collect(),
                ),
            ),
            (
                "cors-origins",
                texts(self.cors_origins.iter().map(ToString::to_string).collect()),
            ),
            ("body-limit", json!(self.body_limit)),
            ("request-timeout", seconds(self.request_timeout)),
            ("statement-timeout", seconds(self.statement_timeout)),
            ("structure-check", seconds(self.structure_check)),
            ("database-connections", json!(self.database_connections)),
            ("sqlite-readers", json!(self.resource_options().readers)),
            ("sqlite-dir", json!(self.sqlite_dir)),
            (
                "resource-hosts",
                texts(
                    self.resource_hosts
                        .iter()
                        .map(ToString::to_string)
                        .collect(),
                ),
            ),
            ("body-timeout", seconds(self.body_timeout)),
            ("header-timeout", seconds(self.header_timeout)),
            ("write-timeout", seconds(self.write_timeout)),
            ("min-transfer-rate", json!(self.min_transfer_rate)),
            ("max-connections", json!(self.max_connections)),
            (
                "max-connections-per-address",
                json!(self.max_connections_per_address),
            ),
            ("max-requests", json!(self.max_requests)),
            ("max-anonymous-requests", json!(self.max_anonymous_requests)),
            ("answer-memory", json!(self.answer_memory)),
            ("tries-per-account", json!(self.tries_per_account)),
            ("tries-per-address", json!(self.tries_per_address)),
            (
                "rate-limit",
                json!(self.rate_limit.map(|limit| limit.to_string())),
            ),
            (
                "address-rate-limit",
                json!(self.address_rate_limit.map(|limit| limit.to_string())),
            ),
            ("proxy-timeout", seconds(self.proxy_timeout)),
            ("proxy-response-limit", json!(self.proxy_response_limit)),
            ("max-proxy-requests", json!(self.max_proxy_requests)),
            ("shutdown-delay", seconds(self.shutdown_delay)),
            ("shutdown-grace", seconds(self.shutdown_grace)),
            ("store-grace", seconds(self.store_grace)),
            ("import-grace", seconds(self.import_grace)),
            ("audit", json!(self.audit.as_str())),
            ("audit-values", self.audit_values.to_json()),
            ("audit-value-limit", json!(self.audit_value_limit)),
            ("audit-days", json!(self.audit_days)),
            ("backup-dir", json!(self.backups.dir)),
            ("backup-every", seconds(self.backups.every)),
            ("backup-keep", json!(self.backups.keep)),
            ("backup-with-key", json!(self.backups.with_key)),
            ("smtp-url", Value::Null),
            (
                "mail-from",
                json!(self.mail.as_ref().map(|mail| &mail.from)),
            ),
        ]
        .into_iter()
        .map(|(name, value)| self.setting(name, value))
        .collect();
        for setting in &mut settings {
            // It may contain a password.
            setting.hidden = setting.name == "smtp-url" && self.mail.is_some();
        }
        settings.extend(self.program_settings.iter().cloned());
        settings.sort_by(|one, other| one.name.cmp(&other.name));
        settings
    }

    /// A setting with this value, and where it was set.
    pub fn setting(&self, name: &str, value: Value) -> Setting {
        let source = self
            .sources
            .get(name)
            .map_or("default", |source| source.as_str());
        Setting::new(name, value, source)
    }
}

/// A time, in seconds.
fn seconds(time: Duration) -> Value {
    json!(time.as_secs())
}

impl AuditMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::BestEffort => "best-effort",
            Self::Off => "off",
        }
    }
}

impl AuditValues {
    fn to_json(&self) -> Value {
        match self {
            Self::On => json!("on"),
            Self::Off => json!("off"),
            Self::Only(resources) => json!(resources),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MailConfig;

    #[test]
    fn each_setting_tells_its_value_and_where_it_was_set_and_no_secret() {
        let mail = MailConfig::new("smtp://ann:hunter2@mail.example.com", "a@b.example");
        let mut config = Config {
            mail: Some(mail),
            ..Config::default()
        };
        config
            .sources
            .insert("smtp-url".to_owned(), SettingSource::Variable);
        config
            .sources
            .insert("listen".to_owned(), SettingSource::Flag);
        let settings = config.in_effect();
        let find = |name: &str| {
            settings
                .iter()
                .find(|setting| setting.name == name)
                .unwrap()
        };
        assert_eq!(find("listen").source, "flag");
        assert_eq!(find("listen").value, "127.0.0.1:8080");
        assert_eq!(find("body-limit").source, "default");
        assert_eq!(find("request-timeout").value, 60);
        let smtp = find("smtp-url");
        assert!(smtp.hidden && smtp.value.is_null() && smtp.source == "variable");
        let all = serde_json::to_string(&settings).unwrap();
        assert!(!all.contains("hunter2"), "{all}");
    }
}
