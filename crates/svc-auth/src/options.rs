//! The options of a client, their defaults, and their environment variables.

use std::fmt;

use svc_model::{EnvironmentName, ProjectName};

use crate::{ApiToken, BaseUrl, BaseUrlError};

/// The default base URL of the data host: the address on which `svc demo` and `svc serve` listen.
pub const DEFAULT_API_BASE_URL: &str = "http://127.0.0.1:8080";

/// The default path of the application host, relative to the base URL of the data host.
const DEFAULT_APP_PATH: &str = "/api";

/// The environment keys of one option; the first one that has a value counts.
type Keys = [&'static str; 2];

const PROJECT: Keys = ["VITE_SVC_PROJECT", "SVC_PROJECT"];
const ENVIRONMENT: Keys = ["VITE_SVC_ENVIRONMENT", "SVC_ENVIRONMENT"];
const DRAFT: Keys = ["VITE_SVC_DRAFT", "SVC_DRAFT"];
const API_BASE_URL: Keys = ["VITE_SVC_API_BASE_URL", "SVC_API_BASE_URL"];
const APP_BASE_URL: Keys = ["VITE_SVC_APP_BASE_URL", "SVC_APP_BASE_URL"];
const ALL_KEYS: [Keys; 5] = [PROJECT, ENVIRONMENT, DRAFT, API_BASE_URL, APP_BASE_URL];

/// The options of a client (specification, section 5, "Client library").
///
/// | Option | Environment keys | Default |
/// |---|---|---|
/// | `project` | `VITE_SVC_PROJECT`, `SVC_PROJECT` | none; not validated |
/// | `environment` | `VITE_SVC_ENVIRONMENT`, `SVC_ENVIRONMENT` | `prod` |
/// | `api_base_url` | `VITE_SVC_API_BASE_URL`, `SVC_API_BASE_URL` | [`DEFAULT_API_BASE_URL`] |
/// | `app_base_url` | `VITE_SVC_APP_BASE_URL`, `SVC_APP_BASE_URL` | `{api_base_url}/api` |
/// | `draft` | `VITE_SVC_DRAFT`, `SVC_DRAFT` | unset |
/// | `api_token` | none | unset |
///
/// `app_base_url` is an addition to the specification, whose client library has only the data host.
///
/// Options that were set override [`env`](Self::env), and both override the defaults. Of two keys, the
/// one with `VITE_` is preferred. A value that is empty or only white space counts as unset.
///
/// ```
/// use svc_auth::ClientOptions;
///
/// let settings = ClientOptions::new()
///     .project("demo")
///     .env([("SVC_PROJECT", "other"), ("SVC_API_BASE_URL", "https://data.example.com/")])
///     .resolve()?;
/// assert_eq!(settings.project, Some("demo".into()));
/// assert_eq!(settings.api_base_url.as_str(), "https://data.example.com");
/// assert_eq!(settings.app_base_url.as_str(), "https://data.example.com/api");
/// # Ok::<(), svc_auth::OptionsError>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The project. When it is missing, only calls that need it fail.
    pub project: Option<ProjectName>,
    /// The environment.
    pub environment: Option<EnvironmentName>,
    /// The base URL of the data host.
    pub api_base_url: Option<String>,
    /// The base URL of the application host, whose own prefix `/api` is part of it.
    pub app_base_url: Option<String>,
    /// Whether requests are sent with `draft=1`.
    pub draft: Option<bool>,
    /// The token that is sent as `Authorization: Bearer <API_TOKEN>`, given without prefix.
    pub api_token: Option<ApiToken>,
    /// The values of known keys, each key once.
    env: Vec<(&'static str, String)>,
}

impl ClientOptions {
    /// Options that are all unset.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the project.
    #[must_use]
    pub fn project(mut self, project: impl Into<ProjectName>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Sets the environment.
    #[must_use]
    pub fn environment(mut self, environment: impl Into<EnvironmentName>) -> Self {
        self.environment = Some(environment.into());
        self
    }

    /// Sets the base URL of the data host; a slash at its end is removed.
    #[must_use]
    pub fn api_base_url(mut self, url: impl Into<String>) -> Self {
        self.api_base_url = Some(url.into());
        self
    }

    /// Sets the base URL of the application host; a slash at its end is removed.
    #[must_use]
    pub fn app_base_url(mut self, url: impl Into<String>) -> Self {
        self.app_base_url = Some(url.into());
        self
    }

    /// Sets whether requests are sent with `draft=1`.
    #[must_use]
    pub fn draft(mut self, draft: bool) -> Self {
        self.draft = Some(draft);
        self
    }

    /// Sets the token that is sent as `Authorization: Bearer <API_TOKEN>`.
    #[must_use]
    pub fn api_token(mut self, token: impl Into<ApiToken>) -> Self {
        self.api_token = Some(token.into());
        self
    }

    /// Adds environment variables, such as `std::env::vars()`. Without this function none is read.
    ///
    /// Only the keys of the table above are kept.
    #[must_use]
    pub fn env<K, V>(mut self, variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<str>,
        V: Into<String>,
    {
        for (key, value) in variables {
            let known = ALL_KEYS.as_flattened().iter();
            if let Some(known) = known.copied().find(|known| *known == key.as_ref()) {
                self.env.retain(|(key, _)| *key != known);
                self.env.push((known, value.into()));
            }
        }
        self
    }

    /// Combines the options, the environment and the defaults.
    ///
    /// # Errors
    /// [`OptionsError`] when a base URL is not valid (see [`BaseUrl::new`]).
    pub fn resolve(self) -> Result<ClientSettings, OptionsError> {
        self.resolve_as(false)
    }

    /// The same for the session of an account of the service, which opens both hosts: a data host that is not named is the
    /// application host that is, without its `/api`. So the session goes to no other machine.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_for_account(self) -> Result<ClientSettings, OptionsError> {
        self.resolve_as(true)
    }

    fn resolve_as(self, is_account: bool) -> Result<ClientSettings, OptionsError> {
        let api_base_url =
            self.base_url("api_base_url", self.api_base_url.as_deref(), API_BASE_URL)?;
        let app_base_url =
            self.base_url("app_base_url", self.app_base_url.as_deref(), APP_BASE_URL)?;
        let api_base_url = match (api_base_url, &app_base_url) {
            (Some(url), _) => url,
            (None, Some(app_base_url)) if is_account => app_base_url.without(DEFAULT_APP_PATH),
            _ => BaseUrl::new(DEFAULT_API_BASE_URL)
                .map_err(|source| OptionsError::new("api_base_url", None, source))?,
        };
        let app_base_url = app_base_url.unwrap_or_else(|| api_base_url.join(DEFAULT_APP_PATH));
        let project = self.variable(PROJECT).map(|(_, value)| value.into());
        let environment = self.variable(ENVIRONMENT).map(|(_, value)| value.into());
        let draft = self.variable(DRAFT).map(|(_, value)| parse_draft(value));
        Ok(ClientSettings {
            project: self.project.or(project),
            environment: self.environment.or(environment).unwrap_or_default(),
            api_base_url,
            app_base_url,
            draft: self.draft.or(draft),
            api_token: self.api_token,
        })
    }

    fn base_url(
        &self,
        option: &'static str,
        explicit: Option<&str>,
        keys: Keys,
    ) -> Result<Option<BaseUrl>, OptionsError> {
        let (key, text) = match (explicit, self.variable(keys)) {
            (Some(text), _) => (None, text),
            (None, Some((key, text))) => (Some(key), text),
            (None, None) => return Ok(None),
        };
        BaseUrl::new(text)
            .map(Some)
            .map_err(|source| OptionsError::new(option, key, source))
    }

    fn variable(&self, keys: Keys) -> Option<(&'static str, &str)> {
        keys.into_iter().find_map(|key| {
            let (_, value) = self.env.iter().find(|(known, _)| *known == key)?;
            (!value.trim().is_empty()).then_some((key, value.as_str()))
        })
    }
}

/// Every word except those of rule 3 means true.
fn parse_draft(word: &str) -> bool {
    !["false", "0", "no", "off", "null", "undefined"]
        .iter()
        .any(|no| no.eq_ignore_ascii_case(word.trim()))
}

impl fmt::Debug for ClientOptions {
    /// Shows neither the token nor unchecked URLs, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = |url: &Option<String>| url.as_deref().map(BaseUrl::new);
        f.debug_struct("ClientOptions")
            .field("project", &self.project)
            .field("environment", &self.environment)
            .field("api_base_url", &checked(&self.api_base_url))
            .field("app_base_url", &checked(&self.app_base_url))
            .field("draft", &self.draft)
            .field("api_token", &self.api_token)
            .field("env", &Vec::from_iter(self.env.iter().map(|(key, _)| key)))
            .finish()
    }
}

/// The options of a client after the environment and the defaults were applied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientSettings {
    /// The project, if it is known.
    pub project: Option<ProjectName>,
    /// The environment.
    pub environment: EnvironmentName,
    /// The base URL of the data host.
    pub api_base_url: BaseUrl,
    /// The base URL of the application host.
    pub app_base_url: BaseUrl,
    /// Whether requests are sent with `draft=1`, if that was set.
    pub draft: Option<bool>,
    /// The token that is sent as `Authorization: Bearer <API_TOKEN>`.
    pub api_token: Option<ApiToken>,
}

/// The error for an invalid option. It names the option and its source, and says what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option}{} {source}", self.key.map(|key| format!(" (from {key})")).unwrap_or_default())]
pub struct OptionsError {
    option: &'static str,
    key: Option<&'static str>,
    source: BaseUrlError,
}

impl OptionsError {
    fn new(option: &'static str, key: Option<&'static str>, source: BaseUrlError) -> Self {
        Self {
            option,
            key,
            source,
        }
    }

    /// The name of the option.
    pub fn option(&self) -> &'static str {
        self.option
    }

    /// The environment key that the value came from, if it was not set as an option.
    pub fn env_key(&self) -> Option<&'static str> {
        self.key
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings(options: ClientOptions) -> ClientSettings {
        options.resolve().unwrap()
    }

    fn from_env<const N: usize>(env: [(&str, &str); N]) -> ClientSettings {
        settings(ClientOptions::new().env(env))
    }

    #[test]
    fn without_options_the_defaults_apply() {
        let settings = settings(ClientOptions::new());
        assert_eq!(settings.project, None);
        assert_eq!(settings.environment.as_str(), "prod");
        assert_eq!(settings.api_base_url.as_str(), "http://127.0.0.1:8080");
        assert_eq!(settings.app_base_url.as_str(), "http://127.0.0.1:8080/api");
        assert_eq!(settings.draft, None);
        assert_eq!(settings.api_token, None);
    }

    #[test]
    fn the_session_of_an_account_goes_to_no_data_host_that_was_not_named() {
        let hosts = |options: ClientOptions| {
            let settings = options.resolve_for_account().unwrap();
            [settings.api_base_url, settings.app_base_url].map(BaseUrl::into_string)
        };
        let app = || ClientOptions::new().app_base_url("https://app.example.com/api/");
        assert_eq!(
            hosts(app()),
            ["https://app.example.com", "https://app.example.com/api"]
        );
        assert_eq!(
            hosts(app().api_base_url("https://data.example.com")),
            ["https://data.example.com", "https://app.example.com/api"]
        );
        assert_eq!(
            hosts(app().env([("SVC_API_BASE_URL", "https://data.example.com")]))[0],
            "https://data.example.com"
        );
        assert_eq!(hosts(ClientOptions::new())[0], "http://127.0.0.1:8080");
    }

    #[test]
    fn every_key_is_read_and_the_one_with_vite_is_preferred() {
        let plain = [
            ("SVC_PROJECT", "p"),
            ("SVC_ENVIRONMENT", "e"),
            ("SVC_DRAFT", "1"),
            ("SVC_API_BASE_URL", "http://a.example"),
            ("SVC_APP_BASE_URL", "http://b.example/api"),
        ];
        let vite = [
            ("VITE_SVC_PROJECT", "vp"),
            ("VITE_SVC_ENVIRONMENT", "ve"),
            ("VITE_SVC_DRAFT", "0"),
            ("VITE_SVC_API_BASE_URL", "http://va.example"),
            ("VITE_SVC_APP_BASE_URL", "http://vb.example/api"),
        ];
        let show = |settings: ClientSettings| {
            format!(
                "{} {} {:?} {} {}",
                settings.project.unwrap(),
                settings.environment,
                settings.draft,
                settings.api_base_url,
                settings.app_base_url
            )
        };
        assert_eq!(
            show(from_env(plain)),
            "p e Some(true) http://a.example http://b.example/api"
        );
        let expected = "vp ve Some(false) http://va.example http://vb.example/api";
        assert_eq!(show(from_env(vite)), expected);
        let both = ClientOptions::new().env(vite).env(plain);
        assert_eq!(show(settings(both)), expected);
    }

    #[test]
    fn rule_1_explicit_options_override_env() {
        let settings = settings(
            ClientOptions::new()
                .project("p")
                .environment("e")
                .api_base_url("http://a.example")
                .app_base_url("http://b.example")
                .draft(false)
                .env([
                    ("VITE_SVC_PROJECT", "x"),
                    ("SVC_ENVIRONMENT", "x"),
                    ("SVC_API_BASE_URL", "not even a URL"),
                    ("SVC_APP_BASE_URL", "http://x.example"),
                    ("SVC_DRAFT", "true"),
                ]),
        );
        assert_eq!(settings.project, Some("p".into()));
        assert_eq!(settings.environment, "e".into());
        assert_eq!(settings.api_base_url.as_str(), "http://a.example");
        assert_eq!(settings.app_base_url.as_str(), "http://b.example");
        assert_eq!(settings.draft, Some(false));
    }

    #[test]
    fn rule_2_defined_values_override_defaults() {
        let from_env = from_env([
            ("SVC_ENVIRONMENT", "staging"),
            ("SVC_API_BASE_URL", "https://data.example.com/"),
        ]);
        assert_eq!(from_env.environment, "staging".into());
        assert_eq!(from_env.api_base_url.as_str(), "https://data.example.com");
        assert_eq!(
            from_env.app_base_url.as_str(),
            "https://data.example.com/api"
        );
        let explicit = settings(ClientOptions::new().environment("staging"));
        assert_eq!(explicit.environment, "staging".into());
    }

    #[test]
    fn rule_3_draft_words_mean_false_ignoring_case_and_space() {
        for word in [
            "false",
            "0",
            "no",
            "off",
            "null",
            "undefined",
            " FALSE\t",
            "Off",
            "\nNULL ",
        ] {
            assert_eq!(
                from_env([("SVC_DRAFT", word)]).draft,
                Some(false),
                "{word:?}"
            );
        }
        for word in ["true", "1", "yes", "on", "nope", "00"] {
            assert_eq!(
                from_env([("SVC_DRAFT", word)]).draft,
                Some(true),
                "{word:?}"
            );
        }
    }

    #[test]
    fn rule_4_an_empty_draft_is_unset() {
        for word in ["", "  ", "\t\n"] {
            assert_eq!(from_env([("SVC_DRAFT", word)]).draft, None, "{word:?}");
        }
        let next_key = from_env([("VITE_SVC_DRAFT", ""), ("SVC_DRAFT", "1")]);
        assert_eq!(next_key.draft, Some(true));
    }

    #[test]
    fn other_empty_values_are_unset_too() {
        let settings = from_env([
            ("VITE_SVC_PROJECT", ""),
            ("SVC_PROJECT", "demo"),
            ("SVC_ENVIRONMENT", " "),
            ("SVC_API_BASE_URL", ""),
            ("SVC_APP_BASE_URL", ""),
        ]);
        assert_eq!(settings.project, Some("demo".into()));
        assert_eq!(settings.environment.as_str(), "prod");
        assert_eq!(settings.api_base_url.as_str(), DEFAULT_API_BASE_URL);
        assert_eq!(settings.app_base_url.as_str(), "http://127.0.0.1:8080/api");
    }

    #[test]
    fn the_token_has_no_environment_key() {
        let settings = from_env([
            ("SVC_API_TOKEN", "hidden"),
            ("VITE_SVC_API_TOKEN", "hidden"),
        ]);
        assert_eq!(settings.api_token, None);
    }

    #[test]
    fn the_process_environment_is_not_read_automatically() {
        // Runs the test of the defaults in a process whose environment has every key.
        let keys = ALL_KEYS.as_flattened().iter();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "options::tests::without_options_the_defaults_apply",
            ])
            .envs(keys.map(|key| (key, "http://from-the-process.example")))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}"
        );
    }

    #[test]
    fn variables_that_are_not_options_are_not_kept() {
        let options = ClientOptions::new().env([("PATH", "/hidden"), ("DATABASE_URL", "hidden")]);
        assert!(options.env.is_empty());
    }

    #[test]
    fn an_error_names_the_option_and_its_key_without_quoting_a_password() {
        let explicit = ClientOptions::new().api_base_url("https://u:hidden@a.example");
        assert!(!format!("{explicit:?}").contains("hidden"));
        assert_eq!(
            explicit.resolve().unwrap_err().to_string(),
            "api_base_url must not hold a user name or password; \
             credentials have options of their own"
        );
        let error = ClientOptions::new()
            .env([("SVC_APP_BASE_URL", "app.example.com")])
            .resolve()
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "app_base_url (from SVC_APP_BASE_URL) must be an absolute URL such as \
             https://data.example.com"
        );
    }

    proptest! {
        #[test]
        fn a_draft_word_is_read_the_same_in_any_case_and_space(
            word in prop::sample::select(vec!["false", "0", "no", "off", "null", "undefined"]),
            upper in any::<u16>(),
            before in "[ \t\r\n]{0,3}",
            after in "[ \t\r\n]{0,3}",
        ) {
            let mixed: String = word
                .chars()
                .enumerate()
                .map(|(index, letter)| if upper >> index & 1 == 1 { letter.to_ascii_uppercase() } else { letter })
                .collect();
            let word = format!("{before}{mixed}{after}");
            prop_assert_eq!(from_env([("SVC_DRAFT", word.as_str())]).draft, Some(false));
        }

        #[test]
        fn any_other_word_means_true(word in "[a-zA-Z0-9 ]{0,12}") {
            let plain = word.trim().to_lowercase();
            let expected = match plain.as_str() {
                "" => None,
                "false" | "0" | "no" | "off" | "null" | "undefined" => Some(false),
                _ => Some(true),
            };
            prop_assert_eq!(from_env([("SVC_DRAFT", word.as_str())]).draft, expected);
        }
    }
}
