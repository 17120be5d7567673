//! The client's sessions against the running service: renewal before expiry, many callers, many processes, the
//! program's own session.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;
use svc_api::{
    Client,
    auth::{FileStore, MemoryStore, ServiceRequest},
};
use svc_tests::{Program, Service, program};
use tempfile::TempDir;

const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "correct horse battery";

/// A separate demo with a user.
struct Setup {
    folder: TempDir,
    service: Service,
}

impl Setup {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = Service::start(folder.path(), &["demo", "--dir", "store"]);
        let setup = Self { folder, service };
        setup.admin(&[
            "user",
            "add",
            EMAIL,
            "--team",
            "Editor",
            "--password",
            PASSWORD,
        ]);
        setup
    }

    /// Runs an administration command on the project.
    fn admin(&self, arguments: &[&str]) -> String {
        let mut all = arguments.to_vec();
        all.extend(["--project", "demo", "--dir", "store"]);
        Program::new(self.folder.path(), &all).run_ok()
    }

    fn client(&self) -> svc_api::ClientBuilder<svc_api::NoTransport> {
        Client::builder()
            .project("demo")
            .api_base_url(self.service.text("/base_url"))
    }

    /// Runs a command that calls the service as the signed-in user.
    fn call(&self, arguments: &[&str]) -> Program {
        Program::new(self.folder.path(), arguments)
            .env("SVC_PROJECT", "demo")
            .env("SVC_API_BASE_URL", self.service.text("/base_url"))
            .env("SVC_SESSION_DIR", "sessions")
    }

    /// The file of the program's session.
    fn session_file(&self) -> PathBuf {
        let folder =
            fs::read_dir(self.folder.path().join("sessions")).expect("the folder of sessions");
        let mut files = folder.map(|file| file.expect("a file").path());
        files
            .find(|file| {
                file.extension()
                    .is_some_and(|extension| extension == "json")
            })
            .expect("the file of the session")
    }

    fn log_in(&self) {
        let password = self.folder.path().join("password.txt");
        fs::write(&password, PASSWORD).expect("written");
        let status = std::process::Command::new(program())
            .args([
                "login",
                EMAIL,
                "--project",
                "demo",
                "--api-base-url",
                self.service.text("/base_url"),
            ])
            .current_dir(self.folder.path())
            .env("SVC_SESSION_DIR", "sessions")
            .stdin(Stdio::from(fs::File::open(password).expect("opened")))
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("the program starts").success());
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Makes the tokens in the file of a session look as if they had expired.
fn expire(file: &Path) {
    let text = fs::read_to_string(file).expect("the file of the session");
    let mut entries: Value = serde_json::from_str(&text).expect("JSON");
    entries["svc_auth"]["access_token_expires"] = "2026-01-01T00:00:00Z".into();
    fs::write(file, entries.to_string()).expect("written");
}

#[test]
fn two_thousand_calls_on_an_expired_token_renew_it_once_and_all_succeed() {
    let setup = Setup::new();
    let runtime = runtime();
    runtime.block_on(async {
        let login = setup.client().build().expect("a client");
        let login = login.account().login_via_email_password(EMAIL, PASSWORD);
        let mut expired = login.await.expect("signed in").token;
        expired.access_token_expires = Some("2026-01-01T00:00:00Z".to_owned());
        let store = MemoryStore::holding(expired.clone());
        let client = setup.client().session_store(store.clone());
        let client = client.build().expect("a client");
        let calls: Vec<_> = (0..2_000)
            .map(|_| {
                let account = client.account();
                tokio::spawn(async move { account.headers().await })
            })
            .collect();
        let mut headers = Vec::new();
        for call in calls {
            let found = call.await.expect("no panic").expect("headers");
            headers.push(found.expect("signed in"));
        }
        headers.dedup();
        assert_eq!(headers.len(), 1);
        let renewed = store.tokens().expect("tokens");
        assert_ne!(expired.refresh_token, renewed.refresh_token);
        // The token that all callers got is valid.
        let records = client.records("shop", "customers").list().per_page(1);
        assert_eq!(records.await.expect("a page").results.len(), 1);
        assert_eq!(store.tokens().expect("tokens"), renewed);
    });
}

#[test]
fn a_refused_token_is_renewed_and_the_call_sent_again() {
    let setup = Setup::new();
    let client = setup.client().build().expect("a client");
    let runtime = runtime();
    runtime.block_on(async {
        let login = client.account().login_via_email_password(EMAIL, PASSWORD);
        login.await.expect("signed in");
    });
    let before = client.account().session().tokens();
    let rotate = ["signing-keys", "rotate", "--now", "--dir", "store"];
    Program::new(setup.folder.path(), &rotate).run_ok();
    svc_tests::wait_until("the old token is refused and renewed", || {
        runtime.block_on(async {
            let list = client.records("shop", "customers").list().per_page(1).await;
            list.expect("a call is not refused twice");
        });
        client.account().session().tokens() != before
    });
}

#[test]
fn ten_programs_that_share_an_expired_session_never_sign_each_other_out() {
    let setup = Setup::new();
    setup.log_in();
    for _ in 0..3 {
        expire(&setup.session_file());
        let programs: Vec<_> = (0..10)
            .map(|_| {
                let program = setup.call(&["whoami", "--json"]);
                std::thread::spawn(move || program.run_json())
            })
            .collect();
        for program in programs {
            let user = program.join().expect("signed in");
            assert_eq!(user["email"], EMAIL);
        }
    }
}

#[test]
fn the_program_acts_for_its_user_until_it_logs_out_and_a_restart_of_the_service_ends_nothing() {
    let mut setup = Setup::new();
    let nobody = setup.call(&["whoami"]).run_err();
    assert!(nobody.1.contains("svc login"), "{}", nobody.1);
    setup.log_in();
    assert_eq!(setup.call(&["whoami", "--json"]).run_json()["email"], EMAIL);

    // The port stays the same, since the session belongs to the address.
    let address = setup
        .service
        .text("/base_url")
        .trim_start_matches("http://")
        .to_owned();
    let stopped = std::mem::replace(
        &mut setup.service,
        Service::start(setup.folder.path(), &["demo", "--dir", "other"]),
    );
    stopped.kill();
    let arguments = ["demo", "--dir", "store", "--listen", &address];
    setup.service = Service::start(setup.folder.path(), &arguments);
    expire(&setup.session_file());
    let list = [
        "records",
        "list",
        "shop",
        "customers",
        "--per-page",
        "1",
        "--json",
    ];
    assert!(setup.call(&list).run_ok().contains("email"));

    setup.call(&["logout", "--revoke"]).run_ok();
    assert_eq!(
        fs::read_to_string(setup.session_file())
            .expect("the file")
            .trim(),
        "{}"
    );
    setup.call(&["whoami"]).run_err();
}

#[test]
fn only_its_owner_may_read_a_session_file() {
    let setup = Setup::new();
    setup.log_in();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| {
            fs::metadata(path)
                .expect("it is there")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(mode(&setup.session_file()), 0o600);
        assert_eq!(mode(&setup.folder.path().join("sessions")), 0o700);
    }
    let text = fs::read_to_string(setup.session_file()).expect("the file");
    fs::write(setup.session_file(), text.replace('{', "[")).expect("written");
    let (_, error) = setup.call(&["whoami"]).run_err();
    assert!(error.contains(".json"), "{error}");
    assert!(!error.contains("eyJ"), "{error}");
}

#[test]
fn a_program_that_the_service_calls_uses_the_service_token() {
    let setup = Setup::new();
    let made = setup.admin(&["service-token", "add", "--team", "Read Only", "--json"]);
    let made: Value = serde_json::from_str(&made).expect("JSON");
    let mut headers = http::HeaderMap::new();
    for (name, value) in [
        ("x-svc-project", "demo"),
        ("x-svc-environment", "prod"),
        (
            "x-svc-service-token",
            made["token"].as_str().expect("a token"),
        ),
        ("x-svc-api-base-url", setup.service.text("/base_url")),
    ] {
        headers.insert(name, value.parse().expect("a header"));
    }
    let request = ServiceRequest::from_headers(&headers).expect("a service request");
    let client = Client::builder()
        .service_request(&request)
        .build()
        .expect("a client");
    runtime().block_on(async {
        let customers = client.records("shop", "customers");
        assert!(customers.list().per_page(1).await.is_ok());
        let refused = customers
            .delete(1)
            .await
            .expect_err("Read Only does not delete");
        assert!(refused.is_forbidden(), "{refused}");
    });
}

#[test]
fn clients_of_one_file_keep_their_own_user() {
    let setup = Setup::new();
    let file = setup.folder.path().join("tokens.json");
    let client = || {
        let store = FileStore::new(&file);
        setup
            .client()
            .session_store(store)
            .build()
            .expect("a client")
    };
    runtime().block_on(async {
        let first = client();
        first
            .account()
            .login_via_email_password(EMAIL, PASSWORD)
            .await
            .expect("signed in");
        let second = client();
        assert!(
            second
                .account()
                .is_authenticated()
                .await
                .expect("asked")
                .authenticated
        );
        second.account().logout().await.expect("signed out");
        // The first client keeps its tokens in memory; a third client finds nobody signed in.
        assert!(
            first
                .account()
                .is_authenticated()
                .await
                .expect("asked")
                .authenticated
        );
        assert!(
            !client()
                .account()
                .is_authenticated()
                .await
                .expect("asked")
                .authenticated
        );
    });
}
