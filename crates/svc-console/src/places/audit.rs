//! The audit trail: who did what, in a project or in all of them.

mod actions;
mod export;
mod filters;
mod line;
mod names;
mod table;

use maud::{Markup, html};
use svc_api::{Client, Error};
use svc_model::{
    Count, ListQuery, Paginated,
    administration::{account::Account, audit::Line},
};

use self::{filters::Filters, names::Names};
use super::{Context, Scope};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{
        frame::{Area, Frame},
        notice, paging,
    },
    visit::Visit,
};

/// How many lines a page has.
const PER_PAGE: u32 = 50;
/// The properties of a line that the page shows.
const SHOWN: [&str; 11] = [
    "time",
    "project",
    "environment",
    "actor_kind",
    "actor_uid",
    "actor",
    "action",
    "resource",
    "model",
    "record",
    "records",
];

/// The audit trail of a project.
pub(crate) async fn of_project(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let trail = Trail {
        visit,
        client: context.client.clone(),
        account: &context.account,
        at: context.place(["audit"]),
        context: Some(&context),
    };
    trail.answer(rest).await
}

/// The audit trail of all projects, for operators.
pub(crate) async fn of_service(visit: &Visit, rest: &[&str]) -> Result<Answer> {
    let account = visit.account()?;
    let trail = Trail {
        visit,
        client: visit.client()?,
        account,
        at: visit.root.below(["audit"]),
        context: None,
    };
    trail.answer(rest).await
}

/// An audit trail, and who reads it.
pub(super) struct Trail<'v> {
    visit: &'v Visit,
    client: Client,
    account: &'v Account,
    /// Where it is.
    at: Href,
    /// The place in a project; `None` for the trail of all of them.
    context: Option<&'v Context<'v>>,
}

impl Trail<'_> {
    async fn answer(&self, rest: &[&str]) -> Result<Answer> {
        if self.visit.is_post() {
            return Err(Problem::OtherMethod);
        }
        match *rest {
            [] => self.list().await,
            ["export"] => export::answer(self).await,
            [uid] => line::answer(self, uid).await,
            _ => Err(Problem::NotFound),
        }
    }

    async fn list(&self) -> Result<Answer> {
        let filters = Filters::read(&self.visit.query()?);
        // The filters are made while the service looks for the lines.
        let (page, filters_bar) = tokio::join!(self.load(&filters, PER_PAGE), async {
            filters::bar(self, &filters)
        });
        let page = match page {
            Ok(page) => Ok(page),
            // What is wrong with a filter is said beside the filters.
            Err(error) if !error.field_errors().is_empty() => {
                Err(notice::refused(self.visit, error)?)
            }
            Err(error) => return Err(error.into()),
        };
        let lines = page.as_ref().map(|page| page.results.as_slice());
        let names = Names::load(self, lines.unwrap_or_default()).await;
        let title = match self.context {
            Some(_) => self.visit.texts.get("area-audit"),
            None => self.visit.texts.get("audit-of-service"),
        };
        let main = html! {
            (filters_bar)
            @match &page {
                Ok(page) => (self.shown(&filters, page, &names)),
                Err(message) => (message),
            }
        };
        Ok(Answer::page(self.page(title, Vec::new(), &main)))
    }

    fn shown(&self, filters: &Filters, page: &Paginated<Line>, names: &Names) -> Markup {
        let texts = self.visit.texts;
        let place = filters.query();
        let counted = html! {};
        html! {
            @if page.results.is_empty() {
                p.empty-state { (texts.get("audit-empty")) }
            } @else {
                (table::lines(self, &page.results, names))
            }
            (paging::links(texts, page, &place, |query| filters.at(&self.at, query), &counted))
        }
    }

    /// A page of the lines, the newest first.
    async fn load(&self, filters: &Filters, per_page: u32) -> Result<Paginated<Line>, Error> {
        let mut query = filters.query();
        (query.per_page, query.count) = (Some(per_page), Count::None);
        query.fields = Some(SHOWN.map(str::to_owned).into());
        self.load_query(query, filters).await
    }

    async fn load_query(
        &self,
        query: ListQuery,
        filters: &Filters,
    ) -> Result<Paginated<Line>, Error> {
        let (since, until) = (filters.since(self.account), filters.until(self.account));
        let administration = self.client.administration();
        let audit = administration.audit();
        match self.context {
            Some(_) => {
                let mut call = audit.list_of_project().query(query);
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(until) = until {
                    call = call.until(until);
                }
                call.send().await
            }
            None => {
                let mut call = audit.list().query(query);
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(until) = until {
                    call = call.until(until);
                }
                call.send().await
            }
        }
    }

    /// A whole page.
    fn page(&self, title: String, above: Vec<(String, Href)>, main: &Markup) -> Markup {
        match self.context {
            Some(context) => context.page(Area::Audit, title, above, main),
            None => {
                let frame = Frame {
                    visit: self.visit,
                    account: self.account,
                    scope: None,
                    area: None,
                    above,
                    title,
                };
                frame.page(main)
            }
        }
    }
}
