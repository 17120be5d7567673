//! The accounts of the service, for its operators.

mod create;
mod one;

use maud::{Markup, html};
use svc_api::Client;
use svc_model::{Count, ListQuery, administration::account::Account};

use super::check_account;
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{frame::Frame, paging, table::table},
    visit::Visit,
};

/// How many accounts a page has.
const PER_PAGE: u32 = 50;

/// The operator who is signed in.
struct Operator<'v> {
    visit: &'v Visit,
    client: Client,
    account: Account,
}

pub(super) async fn route(visit: &Visit, rest: &[&str]) -> Result<Answer> {
    let client = visit.client()?;
    let account = client.administration().account().get().send().await?;
    check_account(visit, &account)?;
    if !account.is_operator {
        return Err(Problem::NotOperator);
    }
    let operator = Operator {
        visit,
        client,
        account,
    };
    match *rest {
        [] => list(&operator).await,
        ["new"] => create::answer(&operator).await,
        [uid] => one::answer(&operator, uid).await,
        [uid, "suspend"] => one::suspend(&operator, uid).await,
        [uid, "delete"] => one::delete(&operator, uid).await,
        _ => Err(Problem::NotFound),
    }
}

impl Operator<'_> {
    fn place(&self) -> Href {
        self.visit.root.below(["accounts"])
    }

    fn page(&self, title: String, above: Vec<(String, Href)>, main: &Markup) -> Markup {
        let frame = Frame {
            visit: self.visit,
            account: &self.account,
            scope: None,
            area: None,
            above,
            title,
        };
        frame.page(main)
    }

    /// What stands above a page about one of them.
    fn above(&self) -> Vec<(String, Href)> {
        vec![(self.visit.texts.get("accounts"), self.place())]
    }
}

async fn list(operator: &Operator<'_>) -> Result<Answer> {
    let (visit, texts) = (operator.visit, operator.visit.texts);
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let form = visit.query()?;
    let search = form.text("_search");
    let mut query = ListQuery::new().order_by("email").per_page(PER_PAGE);
    query.count = Count::Auto;
    query.search = (!search.is_empty()).then(|| search.to_owned());
    let query = paging::read(query, &form);
    let accounts = operator.client.administration().accounts();
    let page = accounts.list().query(query.clone()).send().await?;
    let place = operator.place();
    let at = |query: &ListQuery| {
        let href = match search {
            "" => place.clone(),
            search => place.clone().with("_search", search),
        };
        paging::at(href, query)
    };
    let counted = html! {
        @if let Some(count) = page.count { span.muted { (texts.with("accounts-count", [("count", count.into())])) } }
    };
    let head = html! {
        tr {
            th scope="col" { (texts.get("email")) }
            th scope="col" { (texts.get("accounts-operator")) }
            th scope="col" { (texts.get("state")) }
            th scope="col" { (texts.get("people-since")) }
        }
    };
    let body = html! {
        @for account in &page.results {
            tr {
                td.key { a href=(place.below([&account.uid])) { bdi { (account.email) } } }
                td { @if account.is_operator { (texts.get("yes")) } @else { span.muted { (texts.get("no")) } } }
                td { (one::standing(account).shown(texts)) }
                td { (super::users::day(&account.date_add)) }
            }
        }
    };
    let main = html! {
        form.toolbar method="get" action=(place) {
            input type="search" name="_search" value=(search) aria-label=(texts.get("search"))
                placeholder=(texts.get("search")) data-key="/";
            button { (texts.get("search")) }
            div.grow {}
            a.button.primary href=(place.below(["new"])) { (texts.get("accounts-invite")) }
        }
        (table(&texts.get("accounts"), &head, &body))
        (paging::links(texts, &page, &query, at, &counted))
    };
    let title = texts.get("accounts");
    Ok(Answer::page(operator.page(title, Vec::new(), &main)))
}
