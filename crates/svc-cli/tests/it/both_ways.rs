//! Every command of the administration prints the same on a store and against a running service.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Sandbox, Service, accounts::piped, text};

const OPERATOR: &str = "operator@example.com";
const PASSWORD: &str = "correct horse battery";

/// A folder with a store, the service that runs on it, and the key of an operator.
struct Place {
    sandbox: Sandbox,
    service: Service,
    key: String,
    /// Whether commands go to the service, or else to the store.
    over_http: bool,
}

/// What a command printed, without what differs from one time to another.
#[derive(Debug, PartialEq, Eq)]
struct Printed {
    status: Option<i32>,
    out: String,
    error: String,
}

impl Place {
    fn new(over_http: bool) -> Self {
        let sandbox = Sandbox::new();
        sandbox.database("shop.db");
        let service =
            sandbox.start(&mut sandbox.command(&["serve", "--listen=127.0.0.1:0", "--json"]));
        let add = ["account", "add", OPERATOR, "--operator", "--password-stdin"];
        let added = piped(&sandbox, &add, &format!("{PASSWORD}\n"));
        assert!(added.status.success(), "{}", text(&added.stderr));
        let key = sandbox.json(&["key", "add", "--project=main", "--email", OPERATOR]);
        Self {
            key: key["api_key"].as_str().unwrap().to_owned(),
            sandbox,
            service,
            over_http,
        }
    }

    fn url(&self, name: &str) -> &str {
        self.service.ready[name].as_str().unwrap()
    }

    /// Runs a command, with `{here}` for the folder.
    fn run(&self, arguments: &[&str]) -> Printed {
        let here = self.sandbox.path().to_str().unwrap();
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| argument.replace("{here}", here))
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = self.sandbox.command(&arguments);
        if self.over_http {
            command
                .env("SVC_APP_BASE_URL", self.url("app_base_url"))
                .env("SVC_API_KEY", &self.key)
                // The store is not there for this command.
                .current_dir(std::env::temp_dir());
        }
        let output = command.output().unwrap();
        Printed {
            status: output.status.code(),
            out: self.masked(&text(&output.stdout)),
            error: self.masked(&text(&output.stderr)),
        }
    }

    /// A text without identifiers, times and secrets, which differ.
    fn masked(&self, printed: &str) -> String {
        let here = self.sandbox.path().to_str().unwrap();
        let printed = printed
            .replace(self.url("app_base_url"), "{app}")
            .replace(self.url("base_url"), "{data}")
            .replace(here, "{here}");
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_:.+".contains(c);
        let mut masked = String::new();
        let mut rest = printed.as_str();
        while !rest.is_empty() {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            masked += mask(word);
            let separators = behind.find(is_part).unwrap_or(behind.len());
            masked += &behind[..separators];
            rest = &behind[separators..];
        }
        masked
    }
}

/// A word, or what it is one of.
fn mask(word: &str) -> &str {
    let ends_with_colon = word.strip_suffix(':').unwrap_or(word);
    if uuid::Uuid::parse_str(ends_with_colon).is_ok() {
        return "{uid}";
    }
    let is_secret = ["svct_", "svck_", "svcs_", "svcc_"]
        .iter()
        .any(|prefix| word.starts_with(prefix));
    match word {
        _ if is_secret => "{secret}",
        _ if word.parse::<jiff::Timestamp>().is_ok() => "{time}",
        _ => word,
    }
}

/// The commands, one after the other.
const SCRIPT: &[&str] = &[
    "project add crm --title Sales --owner owner@example.com",
    "project add crm",
    "project add Crm!",
    "project list --json",
    "project list",
    "project set crm --sign-up on --sign-up-team editor --title CRM",
    "project set crm --password-min-length 12 --params {\"a\":1} --json",
    "project set crm --password-min-length 3",
    "project set nope --title x",
    "project allow-host intranet.example:8443 --project crm",
    "project allow-host --project crm --json",
    "project allow-host --project crm",
    "project allow-host 10.0.0.7 --project crm --json",
    "project allow-host 10.0.0.7 --project crm --remove",
    "project allow-host 10.0.0.8 --project crm --remove",
    "env add staging --project crm --json",
    "env add staging --project crm",
    "env add members --project crm",
    "env list --project crm --json",
    "env list --project nope",
    "env set staging --project crm --color orange --title Stage",
    "env copy prod staging --project crm --replace --json",
    "env copy prod nope --project crm",
    "env remove prod --project crm",
    "team add Support --project crm --json",
    "team add Support --project crm",
    "team add Helpers --like editor --project crm",
    "team list --project crm --json",
    "team list --project crm",
    "team rename Support Helpdesk --project crm",
    "team rename Nobody Helpdesk --project crm",
    "team remove helpdesk --project crm --json",
    "team remove Administrator --project crm",
    "account add ann@example.com --first-name Ann --json",
    "account add ann@example",
    "account add bob@example.com",
    "account list --json",
    "account set Ann@example.com --suspended on --json",
    "account set nobody@example.com --operator on",
    "account remove bob@example.com",
    "account remove bob@example.com",
    "member set ann@example.com --team Editor --project crm --json",
    "member set ANN@example.com --team Helpers --project crm",
    "member set eve@example.com --team Owners --project crm",
    "member list --project crm --json",
    "member list --project nope",
    "member remove ann@example.com --project crm",
    "member remove ann@example.com --project crm",
    "resource test sqlite:{here}/shop.db",
    "resource test sqlite:{here}/none.db",
    "resource test https://api.example",
    "resource test oracle://app:hunter2@db/x",
    "resource add shop sqlite:{here}/shop.db --project crm --json",
    "resource add shop sqlite:{here}/shop.db --project crm",
    "resource add other sqlite:{here}/none.db --project crm",
    "resource add later postgres://app:hunter2@127.0.0.1:1/x --project crm --unchecked",
    "resource add mail https://api.mail.example --project crm",
    "resource list --project crm --json",
    "resource list --project crm",
    "resource set shop --title Shop --project crm --json",
    "resource set shop --params {\"labels\":{\"orders\":[\"status\"]}} --project crm",
    "resource set shop --params {\"labels\":{\"orders\":[\"stats\"]}} --project crm",
    "resource set shop --params {\"labels\":1} --project crm",
    "resource set nope --title x --project crm",
    "resource remove later --project crm --json",
    "resource remove later --project crm",
    "token add shop --project crm --json",
    "token add shop --project crm --rights read --models orders --expires 90d",
    "token add shop --project crm --models ordrs",
    "token add mail --project crm --models orders",
    "token add __svc_app__ --project crm --name tools",
    "token add nope --project crm",
    "token list --project crm --json",
    "token list --project crm",
    "token revoke svct_nope",
    "service-token add --team Editor --project crm --json",
    "service-token add --team Nobody --project crm",
    "service-token list --project crm --json",
    "service-token list --project crm",
    "service-token revoke svcs_nope",
    "key add --project crm --email kim@example.com --json",
    "key add --project crm --email kim@example.com --name laptop --expires 1y",
    "key add --project nope --email kim@example.com",
    "key list --project crm --json",
    "key list --project crm",
    "key revoke svck_nope",
    "key revoke svck_nope --project crm",
    "user add uma@example.com --team editor --project crm --password correct-horse-battery --json",
    "user add uma@example.com --team Editor --project crm",
    "user add una@example.com --admin --project crm",
    "user add ulf@example.com --team Owners --project crm",
    "user add ulf@example.com --team Editor --project crm --password short",
    "user add ulf@example.com --team Editor --project crm --env nope",
    "user sessions uma@example.com --project crm",
    "user sessions nobody@example.com --project crm",
    "user suspend uma@example.com --project crm --json",
    "user resume uma@example.com --project crm",
    "rights set Editor --rights read --project crm --json",
    "rights set Editor --rights none --project crm --resource shop --model orders",
    "rights set Editor --rights none --project crm --resource shop --model ordrs",
    "rights set Editor --rights none --project crm --resource shp",
    "rights set Editor --rights read,write --project crm --resource shp --later --json",
    "rights set Administrator --rights read --project crm",
    "rights set Nobody --rights read --project crm",
    "rights set Editor --rights delete --project crm --env staging --json",
    "rights set Editor --rights none --project crm --env prd",
    "rights set Editor --rights none --project crm --env staging --resource shop",
    "rights list --project crm --json",
    "rights list --project crm",
    "rights list editor --project crm --json",
    "rights list Nobody --project crm",
    "rights remove Editor --project crm --resource shp --json",
    "rights remove Editor --project crm --resource shp",
    "secret set key --resource mail --host api.mail.example --project crm --value hunter2 --json",
    "secret set key --resource crm --host API.crm.example --project crm --value hunter2",
    "secret set key --resource mail --host bad/host --project crm --value hunter2",
    "secret list --project crm --json",
    "secret list --project crm",
    "secret remove key --resource mail --project crm",
    "secret remove key --resource mail --project crm",
    "mail list --json",
    "mail list",
    "signing-keys rotate --json",
    "signing-keys rotate --now",
    "audit list --project crm --action secrets --actor nobody",
    "audit list --project nope --json",
    "env remove staging --project crm --json",
    "project remove crm",
    "project remove crm",
];

#[test]
fn every_command_prints_the_same_on_a_store_and_against_a_service() {
    let [store, service] = [false, true].map(Place::new);
    for line in SCRIPT {
        let arguments: Vec<&str> = line.split(' ').collect();
        let [mut here, mut there] = [&store, &service].map(|place| place.run(&arguments));
        for printed in [&mut here, &mut there] {
            printed.out = without_milliseconds(&printed.out);
        }
        assert_eq!(here, there, "{line}");
        assert!(
            !here.error.contains("hunter2") && !here.out.contains("hunter2"),
            "{line}"
        );
        assert!(here.error.lines().count() <= 2, "{line}: {}", here.error);
    }
    // What was done has the same lines.
    let actions = |place: &Place| -> Vec<Value> {
        let printed = place.run(&["audit", "list", "--project", "crm", "--json", "--all"]);
        let lines: Vec<Value> = serde_json::from_str(&printed.out).unwrap();
        lines.iter().map(|line| line["action"].clone()).collect()
    };
    let [here, there] = [&store, &service].map(actions);
    assert_eq!(here, there);
    assert!(here.len() > 40, "{here:?}");
}

/// The time that a database took.
fn without_milliseconds(out: &str) -> String {
    match out
        .split_once("read in ")
        .or_else(|| out.split_once("\"milliseconds\":"))
    {
        Some((before, _)) => before.to_owned(),
        None => out.to_owned(),
    }
}

#[test]
fn no_command_of_the_administration_is_left_out() {
    let help = |arguments: &[&str]| {
        text(
            &Sandbox::new()
                .run(&[arguments, &["--help"]].concat())
                .stdout,
        )
    };
    let commands = |help: &str| -> Vec<String> {
        let listed = help.split("Commands:").nth(1).unwrap_or_default();
        let lines = listed.lines().skip(1).take_while(|line| !line.is_empty());
        let lines = lines.filter_map(|line| line.strip_prefix("  "));
        let lines = lines.filter(|line| !line.starts_with(' '));
        let names = lines.filter_map(|line| line.split_whitespace().next());
        names
            .map(str::to_owned)
            .filter(|name| name != "help")
            .collect()
    };
    let mut missing = BTreeSet::new();
    for group in commands(&help(&[])) {
        let of_group = help(&[&group]);
        // These have the key of a running service, and a store.
        let words: Vec<&str> = of_group.split_whitespace().collect();
        if !words
            .join(" ")
            .contains("without it the command works on the store")
        {
            continue;
        }
        for command in commands(&of_group) {
            let name = format!("{group} {command}");
            if !SCRIPT.iter().any(|line| line.starts_with(&name)) {
                missing.insert(name);
            }
        }
    }
    // It reads notes beside the store, and says so elsewhere.
    assert_eq!(missing, BTreeSet::from(["audit check".to_owned()]));
}

#[test]
fn a_store_that_is_named_wins_over_the_variable_and_two_flags_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    let nowhere = "http://127.0.0.1:1/api";
    let listed = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = sandbox.command(&[&["project", "list"], arguments].concat());
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let variable = ("SVC_APP_BASE_URL", nowhere);
    assert_eq!(listed(&["--dir=svc-data"], &[variable]).0, Some(0));
    assert_eq!(listed(&[], &[variable, ("SVC_DIR", "svc-data")]).0, Some(0));
    let (status, message) = listed(&[], &[variable]);
    assert!(
        status == Some(2) && message.contains("SVC_API_KEY"),
        "{message}"
    );
    let (status, message) = listed(&["--app-base-url", nowhere, "--dir=svc-data"], &[]);
    assert!(
        status == Some(2) && message.contains("leave one out"),
        "{message}"
    );
    // Also where it names what the variable does.
    let both = ["--app-base-url", nowhere, "--dir=svc-data"];
    let (status, message) = listed(&both, &[variable, ("SVC_DIR", "svc-data")]);
    assert!(
        status == Some(2) && message.contains("leave one out"),
        "{message}"
    );
    let key = ("SVC_API_KEY", "svck_x");
    let (status, message) = listed(
        &["--app-base-url", nowhere],
        &[key, ("SVC_DIR", "svc-data")],
    );
    assert!(
        status == Some(1) && message.contains("is it running"),
        "{message}"
    );
    let message = sandbox.failure(2, &["audit", "check", "--app-base-url", nowhere]);
    assert!(message.contains("run it where the store is"), "{message}");
}

#[test]
fn an_administrator_of_one_project_revokes_a_token_of_it_and_is_refused_nothing_of_others() {
    let mut place = Place::new(true);
    place.run(&["project", "add", "crm"]);
    let (ada, password) = ("ada@example.com", format!("{PASSWORD}\n"));
    let add = ["account", "add", ada, "--password-stdin"];
    assert!(piped(&place.sandbox, &add, &password).status.success());
    for (project, team) in [("crm", "Administrator"), ("main", "Editor")] {
        let set = ["member", "set", ada, "--team", team, "--project", project];
        assert_eq!(place.run(&set).status, Some(0));
    }
    let key = place
        .sandbox
        .json(&["key", "add", "--project=crm", "--email", ada]);
    place.key = key["api_key"].as_str().unwrap().to_owned();
    let add = ["service-token", "add", "--team=Editor", "--project=crm"];
    let token = place.sandbox.json(&add);
    let prefix = &token["token"].as_str().unwrap()[..11];
    let revoked = place.run(&["service-token", "revoke", prefix]);
    assert_eq!(revoked.status, Some(0), "{revoked:?}");
    let revoked = place.run(&["token", "revoke", "svct_nope"]);
    assert!(
        revoked.error.contains("there is no such token"),
        "{revoked:?}"
    );
}
