//! Users and their own accounts: every flow, and what must not work in it.

mod registering;

use svc_model::{Scope, administration::sign_in::SignInPatch};
use svc_store::{
    ErrorKind, MailKind, NewUser, ProjectPatch, Registered, Registration, Secret, SessionTokens,
    SignIn, User, UserPatch,
};

use crate::{Fixture, fields, main_project, prod};

const BASE: &str = "https://data.example.com";

fn secret(text: &str) -> Secret {
    Secret::new(text)
}

impl Fixture {
    fn account(&self) -> svc_store::UserAccount<'_> {
        self.store.account(prod(), BASE)
    }

    async fn user(&self, email: &str, team: &str) -> User {
        let mut new = NewUser::new(email, team);
        new.password = Some(secret("first password"));
        let users = self.store.users(&prod());
        users.create(new, BASE).await.unwrap()
    }

    async fn sign_in(&self, email: &str, password: &str) -> Option<SessionTokens> {
        match self
            .account()
            .sign_in(email, secret(password))
            .await
            .unwrap()
        {
            SignIn::Done(tokens, _) => Some(tokens),
            _ => None,
        }
    }

    async fn is_live(&self, tokens: &SessionTokens) -> bool {
        let keys = self.store.signing_keys().keyring().await.unwrap();
        match keys.verify(tokens.access_token.expose(), self.now()) {
            Some(claims) => self.store.sessions().find(&claims).await.unwrap().is_some(),
            None => false,
        }
    }

    async fn refresh(&self, tokens: &SessionTokens) -> Option<SessionTokens> {
        let token = tokens.refresh_token.expose();
        let sessions = self.store.sessions();
        sessions.refresh(&prod().into(), token).await.unwrap()
    }

    /// The newest code that was mailed.
    async fn code(&self, kind: MailKind) -> String {
        let mails = self.store.mails().list().await.unwrap();
        let mail = mails.iter().rev().find(|mail| mail.kind == kind).unwrap();
        mail.code.as_ref().unwrap().expose().to_owned()
    }

    async fn allow_sign_up(&self, change: impl FnOnce(&mut SignInPatch)) {
        let projects = self.store.projects();
        let mut patch = ProjectPatch::default();
        patch.sign_in.sign_up = Some(true);
        change(&mut patch.sign_in);
        projects.update(&main_project(), patch).await.unwrap();
    }
}

#[tokio::test]
async fn a_user_signs_in_with_the_right_password_only() {
    let it = Fixture::new().await;
    it.user("Ann@Example.com", "Editor").await;
    assert!(
        it.sign_in("ann@example.COM", "first password")
            .await
            .is_some()
    );
    assert!(
        it.sign_in("ann@example.com", "first passwore")
            .await
            .is_none()
    );
    assert!(
        it.sign_in("bob@example.com", "first password")
            .await
            .is_none()
    );
    let elsewhere = it.store.account(Scope::new("other", "prod"), BASE);
    let refused = elsewhere
        .sign_in("ann@example.com", secret("first password"))
        .await
        .unwrap();
    assert!(matches!(refused, SignIn::Refused));
}

#[tokio::test]
async fn an_invited_user_cannot_sign_in_before_choosing_a_password() {
    let it = Fixture::new().await;
    let users = it.store.users(&prod());
    let user = users
        .create(NewUser::new("ann@example.com", "Editor"), BASE)
        .await
        .unwrap();
    assert!(!user.has_password);
    assert!(it.sign_in("ann@example.com", "").await.is_none());
    let mails = it.store.mails().list().await.unwrap();
    assert_eq!(mails[0].subject(), "You are invited to main");
    let code = it.code(MailKind::Invitation).await;
    let link = mails[0].link.as_ref().unwrap().expose();
    assert_eq!(
        link,
        format!("{BASE}/projects/main/prod/auth/accept_invitation#{code}")
    );
    let weak = it
        .account()
        .accept_invitation(&code, secret("short"), None, None)
        .await;
    assert_eq!(fields(&weak.unwrap_err()), ["password"]);
    let name = Some("Ann".to_owned());
    let tokens = it
        .account()
        .accept_invitation(&code, secret("my own password"), name, None)
        .await;
    assert!(it.is_live(&tokens.unwrap()).await);
    assert!(
        it.sign_in("ann@example.com", "my own password")
            .await
            .is_some()
    );
    assert_eq!(
        users.get(user.uid).await.unwrap().first_name.as_deref(),
        Some("Ann")
    );
    let again = it
        .account()
        .accept_invitation(&code, secret("another password"), None, None)
        .await;
    assert_eq!(fields(&again.unwrap_err()), ["code"]);
}

#[tokio::test]
async fn a_rotated_refresh_token_gives_the_same_for_ten_seconds_and_then_ends_the_session() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    let first = it
        .sign_in("ann@example.com", "first password")
        .await
        .unwrap();
    let second = it.refresh(&first).await.unwrap();
    assert_ne!(first.refresh_token, second.refresh_token);
    it.pass(5);
    let third = it.refresh(&second).await.unwrap();
    it.pass(5);
    // A lost reply, and a tab that was slow: both get what the first call got.
    assert_eq!(
        it.refresh(&first).await.unwrap().refresh_token,
        second.refresh_token
    );
    assert_eq!(
        it.refresh(&second).await.unwrap().refresh_token,
        third.refresh_token
    );
    it.pass(6);
    assert!(it.is_live(&third).await);
    assert!(it.refresh(&first).await.is_none());
    assert!(!it.is_live(&third).await);
    assert!(it.refresh(&third).await.is_none());
}

#[tokio::test]
async fn a_refresh_token_ends_after_its_time_and_belongs_to_its_environment() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    let tokens = it
        .sign_in("ann@example.com", "first password")
        .await
        .unwrap();
    let staging = svc_store::NewEnvironment::new("staging");
    it.store
        .environments()
        .create(&main_project(), staging)
        .await
        .unwrap();
    let token = tokens.refresh_token.expose();
    let foreign = it
        .store
        .sessions()
        .refresh(&("main", "staging").into(), token)
        .await;
    assert!(foreign.unwrap().is_none());
    it.pass(30 * 24 * 3600 - 1);
    let next = it.refresh(&tokens).await.unwrap();
    it.pass(30 * 24 * 3600);
    assert!(it.refresh(&next).await.is_none());
}

#[tokio::test]
async fn every_change_of_an_account_ends_its_sessions_and_codes() {
    let it = Fixture::new().await;
    it.user("admin@example.com", "Administrator").await;
    let ann = it.user("ann@example.com", "Editor").await;
    let users = it.store.users(&prod());

    // A changed password.
    let old = it
        .sign_in("ann@example.com", "first password")
        .await
        .unwrap();
    it.account()
        .reset_password("ann@example.com")
        .await
        .unwrap();
    let code = it.code(MailKind::ResetPassword).await;
    let new = secret("second password");
    let missing = it
        .account()
        .change_password(ann.uid, new.clone(), None)
        .await;
    assert_eq!(fields(&missing.unwrap_err()), ["current_password"]);
    let wrong = it
        .account()
        .change_password(ann.uid, new.clone(), Some(secret("wrong")))
        .await;
    assert_eq!(fields(&wrong.unwrap_err()), ["current_password"]);
    let current = Some(secret("first password"));
    let new = it
        .account()
        .change_password(ann.uid, new, current)
        .await
        .unwrap();
    assert!(!it.is_live(&old).await && it.refresh(&old).await.is_none());
    assert!(it.is_live(&new).await);
    let late = it
        .account()
        .reset_password_complete(&code, secret("third password"))
        .await;
    assert_eq!(fields(&late.unwrap_err()), ["code"]);

    // A forgotten one.
    it.account()
        .reset_password("ANN@example.com")
        .await
        .unwrap();
    let code = it.code(MailKind::ResetPassword).await;
    let reset = it
        .account()
        .reset_password_complete(&code, secret("third password"))
        .await
        .unwrap();
    assert!(!it.is_live(&new).await && it.is_live(&reset).await);
    assert!(
        it.sign_in("ann@example.com", "second password")
            .await
            .is_none()
    );

    // Another address.
    let current = Some(secret("third password"));
    let to = it
        .account()
        .change_email(ann.uid, "ann@new.example.com", current)
        .await
        .unwrap();
    assert_eq!(to, "ann@new.example.com");
    assert!(it.is_live(&reset).await);
    let code = it.code(MailKind::ChangeEmail).await;
    let changed = it.account().change_email_complete(&code).await.unwrap();
    assert_eq!(
        changed,
        (
            "ann@example.com".to_owned(),
            "ann@new.example.com".to_owned()
        )
    );
    assert!(!it.is_live(&reset).await);
    assert!(
        it.sign_in("ann@example.com", "third password")
            .await
            .is_none()
    );

    // Another team.
    let session = it
        .sign_in("ann@new.example.com", "third password")
        .await
        .unwrap();
    let mut patch = UserPatch::default();
    patch.team = Some("Read Only".to_owned());
    users.update(ann.uid, patch).await.unwrap();
    assert!(!it.is_live(&session).await);

    // No account at all.
    let session = it
        .sign_in("ann@new.example.com", "third password")
        .await
        .unwrap();
    users.delete(ann.uid).await.unwrap();
    assert!(!it.is_live(&session).await && it.refresh(&session).await.is_none());
    assert!(
        it.sign_in("ann@new.example.com", "third password")
            .await
            .is_none()
    );
}

#[tokio::test]
async fn a_code_works_once_for_an_hour_and_for_its_purpose_and_address() {
    let it = Fixture::new().await;
    let ann = it.user("ann@example.com", "Editor").await;
    let reset = async || {
        it.account()
            .reset_password("ann@example.com")
            .await
            .unwrap();
        it.code(MailKind::ResetPassword).await
    };
    let choose = async |code: &str| {
        let chosen = it
            .account()
            .reset_password_complete(code, secret("second password"))
            .await;
        chosen.is_ok()
    };
    let code = reset().await;
    assert!(it.account().change_email_complete(&code).await.is_err());
    assert!(
        it.account()
            .accept_invitation(&code, secret("second password"), None, None)
            .await
            .is_err()
    );
    let last = if code.ends_with('A') { 'Q' } else { 'A' };
    let changed = format!("{}{last}", &code[..code.len() - 1]);
    assert!(!choose(&changed).await && !choose("").await && !choose(&code.to_uppercase()).await);
    it.pass(3600);
    assert!(!choose(&code).await);
    let code = reset().await;
    it.pass(3599);
    assert!(choose(&code).await);
    assert!(!choose(&code).await);

    // A code to an address that the account no longer has.
    let code = reset().await;
    let current = Some(secret("second password"));
    it.account()
        .change_email(ann.uid, "new@example.com", current)
        .await
        .unwrap();
    let change = it.code(MailKind::ChangeEmail).await;
    it.account().change_email_complete(&change).await.unwrap();
    assert!(!choose(&code).await);
}

#[tokio::test]
async fn a_code_is_used_by_one_of_two_who_try_at_once() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    it.account()
        .reset_password("ann@example.com")
        .await
        .unwrap();
    let code = it.code(MailKind::ResetPassword).await;
    let account = it.account();
    let (one, two) = tokio::join!(
        account.reset_password_complete(&code, secret("second password")),
        account.reset_password_complete(&code, secret("third password")),
    );
    assert!(one.is_ok() != two.is_ok());
}

#[tokio::test]
async fn a_reset_leaves_no_trace_that_tells_whether_an_account_exists() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    it.account()
        .reset_password("ann@example.com")
        .await
        .unwrap();
    it.account()
        .reset_password("nobody@example.com")
        .await
        .unwrap();
    it.account().reset_password("not an address").await.unwrap();
    assert_eq!(it.count("codes").await, 3);
    assert_eq!(it.store.mails().list().await.unwrap().len(), 1);
    let before = it.count("codes").await;
    for _ in 0..10 {
        it.account()
            .reset_password("ann@example.com")
            .await
            .unwrap();
    }
    assert_eq!(it.count("codes").await, before + 10);
    assert_eq!(it.store.mails().list().await.unwrap().len(), 5);
}

#[tokio::test]
async fn a_change_to_an_address_that_is_taken_is_told_only_to_who_reads_its_mail() {
    let it = Fixture::new().await;
    let ann = it.user("ann@example.com", "Editor").await;
    it.user("bob@example.com", "Editor").await;
    let current = Some(secret("first password"));
    it.account()
        .change_email(ann.uid, "BOB@example.com", current)
        .await
        .unwrap();
    let code = it.code(MailKind::ChangeEmail).await;
    assert_eq!(
        fields(&it.account().change_email_complete(&code).await.unwrap_err()),
        ["code"]
    );
    assert!(
        it.sign_in("ann@example.com", "first password")
            .await
            .is_some()
    );
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let it = Fixture::new().await;
    let users = it.store.users(&prod());
    let ann = it.user("ann@example.com", "Administrator").await;
    let mut patch = UserPatch::default();
    patch.team = Some("Editor".to_owned());
    for refused in [
        users.update(ann.uid, patch.clone()).await.map(drop),
        users.delete(ann.uid).await,
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
    }
    // Somebody who has not accepted the invitation yet cannot take over.
    let invited = NewUser::new("eve@example.com", "Administrator");
    let invited = users.create(invited, BASE).await.unwrap();
    for refused in [
        users.update(ann.uid, patch.clone()).await.map(drop),
        users.delete(ann.uid).await,
    ] {
        let error = refused.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("last administrator who can sign in")
        );
    }
    users.delete(invited.uid).await.unwrap();
    it.user("bob@example.com", "Administrator").await;
    users.update(ann.uid, patch).await.unwrap();
}

#[tokio::test]
async fn an_administrator_who_has_to_confirm_the_address_is_none_yet() {
    let it = Fixture::new().await;
    let users = it.store.users(&prod());
    let ann = it.user("ann@example.com", "Administrator").await;
    it.allow_sign_up(|_| ()).await;
    let registration = Registration::new("bob@example.com", secret("first password"));
    let Registered::Done(bob) = it.account().register(registration).await.unwrap() else {
        panic!("sign-up is on");
    };
    let mut promote = UserPatch::default();
    promote.team = Some("Administrator".to_owned());
    users.update(bob.uid, promote).await.unwrap();
    it.allow_sign_up(|settings| settings.confirm_email = Some(true))
        .await;
    assert_eq!(
        users.delete(ann.uid).await.unwrap_err().kind(),
        ErrorKind::Invalid
    );
    it.allow_sign_up(|settings| settings.confirm_email = Some(false))
        .await;
    users.delete(ann.uid).await.unwrap();
}

#[tokio::test]
async fn an_address_is_there_once_in_an_environment_whatever_its_case() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    let users = it.store.users(&prod());
    let taken = users
        .create(NewUser::new("ANN@EXAMPLE.COM", "Editor"), BASE)
        .await;
    assert_eq!(fields(&taken.unwrap_err()), ["email"]);
    let nowhere = users
        .create(NewUser::new("bob@example.com", "Nobody"), BASE)
        .await;
    assert_eq!(fields(&nowhere.unwrap_err()), ["group"]);
    let staging = svc_store::NewEnvironment::new("staging");
    it.store
        .environments()
        .create(&main_project(), staging)
        .await
        .unwrap();
    let staging = it.store.users(&Scope::new("main", "staging"));
    assert!(
        staging
            .create(NewUser::new("ann@example.com", "Editor"), BASE)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn no_secret_of_an_account_lies_in_the_database() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    let tokens = it
        .sign_in("ann@example.com", "first password")
        .await
        .unwrap();
    it.account()
        .reset_password("ann@example.com")
        .await
        .unwrap();
    let code = it.code(MailKind::ResetPassword).await;
    let bytes = it.everything().await;
    let secrets = [
        "first password",
        tokens.access_token.expose(),
        tokens.refresh_token.expose(),
        &code,
    ];
    for secret in secrets {
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!found, "{secret}");
    }
}

#[tokio::test]
async fn signing_keys_rotate_without_ending_sessions_unless_asked_to() {
    let it = Fixture::new().await;
    it.user("ann@example.com", "Editor").await;
    let old = it
        .sign_in("ann@example.com", "first password")
        .await
        .unwrap();
    it.store.signing_keys().rotate(false).await.unwrap();
    it.pass(1);
    let new = it
        .sign_in("ann@example.com", "first password")
        .await
        .unwrap();
    assert!(it.is_live(&old).await && it.is_live(&new).await);
    it.store.signing_keys().rotate(true).await.unwrap();
    assert!(!it.is_live(&old).await && !it.is_live(&new).await);
    assert!(it.is_live(&it.refresh(&new).await.unwrap()).await);
}
