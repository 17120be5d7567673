//! Signing up, and addresses that are to be confirmed.

use super::*;

#[tokio::test]
async fn registering_is_off_until_the_project_turns_it_on() {
    let it = Fixture::new().await;
    let register = async |email: &str| {
        it.account()
            .register(Registration::new(email, secret("my own password")))
            .await
    };
    assert!(matches!(
        register("ann@example.com").await.unwrap(),
        Registered::SignUpOff
    ));
    it.allow_sign_up(|_| ()).await;
    let Registered::Done(user) = register("ann@example.com").await.unwrap() else {
        panic!("sign-up is on");
    };
    let kept = it.store.users(&prod()).get(user.uid).await.unwrap();
    assert_eq!(kept.team.name, "Read Only");
    assert!(
        it.sign_in("ann@example.com", "my own password")
            .await
            .is_some()
    );
    assert_eq!(fields(&register("nobody").await.unwrap_err()), ["email"]);
}

#[tokio::test]
async fn registering_with_a_known_address_looks_the_same_and_changes_nothing() {
    let it = Fixture::new().await;
    it.allow_sign_up(|_| ()).await;
    let ann = it.user("ann@example.com", "Editor").await;
    let squatter = Registration::new("ann@example.com", secret("squatters password"));
    let Registered::Done(shown) = it.account().register(squatter).await.unwrap() else {
        panic!("sign-up is on");
    };
    assert_ne!(shown.uid, ann.uid);
    assert!(
        it.sign_in("ann@example.com", "squatters password")
            .await
            .is_none()
    );
    assert!(
        it.sign_in("ann@example.com", "first password")
            .await
            .is_some()
    );
    // The owner can get back in with the mail about it.
    let code = it.code(MailKind::AlreadyRegistered).await;
    assert!(
        it.account()
            .reset_password_complete(&code, secret("second password"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn an_address_that_somebody_squatted_is_worth_nothing_when_its_owner_arrives() {
    let it = Fixture::new().await;
    it.allow_sign_up(|_| ()).await;
    let squatter = Registration::new("ann@example.com", secret("squatters password"));
    it.account().register(squatter).await.unwrap();
    let session = it
        .sign_in("ann@example.com", "squatters password")
        .await
        .unwrap();
    let keys = it.store.signing_keys().keyring().await.unwrap();
    let user = keys
        .verify(session.access_token.expose(), it.now())
        .unwrap()
        .sub;
    let current = Some(secret("squatters password"));
    it.account()
        .change_email(user, "squatter@example.org", current)
        .await
        .unwrap();
    let change = it.code(MailKind::ChangeEmail).await;

    it.account()
        .reset_password("ann@example.com")
        .await
        .unwrap();
    let code = it.code(MailKind::ResetPassword).await;
    it.account()
        .reset_password_complete(&code, secret("owners password"))
        .await
        .unwrap();
    assert!(!it.is_live(&session).await && it.refresh(&session).await.is_none());
    assert!(
        it.sign_in("ann@example.com", "squatters password")
            .await
            .is_none()
    );
    assert!(it.account().change_email_complete(&change).await.is_err());
    let users = it.store.users(&prod());
    assert!(users.get(user).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn a_project_that_asks_for_it_lets_in_only_confirmed_addresses_of_its_domains() {
    let it = Fixture::new().await;
    it.allow_sign_up(|settings| settings.email_domains = Some(vec!["example.com".to_owned()]))
        .await;
    let register = async |email: &str| {
        it.account()
            .register(Registration::new(email, secret("my own password")))
            .await
    };
    assert_eq!(
        fields(&register("ann@evil.org").await.unwrap_err()),
        ["email"]
    );
    register("ann@example.com").await.unwrap();
    let sign_in = it
        .account()
        .sign_in("ann@example.com", secret("my own password"))
        .await
        .unwrap();
    assert!(matches!(sign_in, SignIn::Unconfirmed));
    let wrong = it
        .account()
        .sign_in("ann@example.com", secret("another one"))
        .await
        .unwrap();
    assert!(matches!(wrong, SignIn::Refused));
    let code = it.code(MailKind::ConfirmEmail).await;
    let confirmed = it.account().change_email_complete(&code).await.unwrap();
    assert_eq!(confirmed.0, confirmed.1);
    assert!(
        it.sign_in("ann@example.com", "my own password")
            .await
            .is_some()
    );
}
