//! SQL: a text with its parameters, the structure beside it, and what came of it. The address is the state of it, so that
//! it can be kept and sent; a text that is too long for that is kept as a draft of the one who wrote it.

mod binds;
pub(crate) mod draft;
mod editor;
mod mark;
mod part;
mod result;
pub(crate) mod state;
mod structure;

use http::{HeaderValue, StatusCode, header};
use maud::{Markup, html};
use svc_model::{Paginated, administration::items::Item, resources::ModelDescription};

use self::{result::ResultPart, state::State};
use super::{
    Context, Scope,
    saved::{self, Kind},
};
use crate::{
    answer::Answer,
    href::{Href, own_path},
    problem::{Problem, Result},
    ui::{
        frame::Area,
        notice,
        waiting::{self, Running},
    },
    visit::Visit,
};

/// The places about SQL.
pub(crate) async fn route(visit: &Visit, scope: &Scope, place: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    if !context.is_administrator() {
        let message = notice::error(visit, &visit.texts.get("sql-forbidden"));
        let page = context.page(Area::Sql, visit.texts.get("area-sql"), Vec::new(), &message);
        return Ok(Answer::page(page).status(StatusCode::FORBIDDEN));
    }
    match *place {
        [] => overview(&context).await,
        [resource] if visit.is_post() => sent(&context, resource).await,
        [resource] => opened(&context, resource).await,
        [resource, "csv"] => csv(&context, resource).await,
        [resource, "saved", uid, "delete"] => delete(&context, resource, uid).await,
        _ => Err(Problem::NotFound),
    }
}

/// Ends a statement, and goes back to where it was begun.
pub(crate) async fn cancel(visit: &Visit, scope: &Scope, resource: &str) -> Result<Answer> {
    if !visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let context = Context::open(visit, scope).await?;
    let form = visit.form();
    let statements = context.client.statements(resource);
    match statements.cancel(form.text("statement")).send().await {
        Ok(()) => {}
        // It has ended by itself, or because the browser has left the page.
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error.into()),
    }
    let query = visit.query()?;
    let home = scope.home(visit);
    let back = own_path(&visit.root, query.text("back")).map(str::to_owned);
    Ok(Answer::see_other(&back.unwrap_or_else(|| home.to_string())))
}

/// The databases, and the queries that were saved.
async fn overview(context: &Context<'_>) -> Result<Answer> {
    let texts = context.texts();
    let resources = context.databases();
    let saved = saved::list(context, Kind::Query, None).await?;
    if let ([only], true) = (&resources[..], saved.results.is_empty()) {
        return Ok(Answer::go(&editor_of(context, only.as_str())));
    }
    let main = html! {
        section {
            h2 { (texts.get("sql-databases")) }
            @if resources.is_empty() {
                p.empty-state { (texts.get("resources-empty")) }
            }
            ul.models {
                @for name in &resources {
                    li { a href=(editor_of(context, name.as_str())) { bdi { (name) } } }
                }
            }
        }
        section {
            h2 { (texts.get("sql-saved")) }
            @if saved.results.is_empty() {
                p.empty-state { (texts.get("sql-saved-empty")) }
            } @else { (links(context, &saved)) }
        }
    };
    let page = context.page(Area::Sql, texts.get("area-sql"), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// The editor of a database.
pub(crate) fn editor_of(context: &Context<'_>, resource: &str) -> Href {
    context.place(["sql", resource])
}

fn links(context: &Context<'_>, saved: &Paginated<Item>) -> Markup {
    saved::links(context, saved, |item| {
        let resource = item.model.as_deref().unwrap_or_default();
        editor_of(context, resource).with("saved", &item.uid)
    })
}

/// The editor as its address says, with the result where it asks for one.
async fn opened(context: &Context<'_>, resource: &str) -> Result<Answer> {
    let visit = context.visit;
    let query = visit.query()?;
    let state = State::read(context, resource, &query).await?;
    let page = Page::load(context, &state).await?;
    let said = [
        ("saved-now", visit.texts.get("saved")),
        ("cancelled", visit.texts.get("sql-cancelled")),
        ("ask", visit.texts.get("sql-ask")),
        ("lost", visit.texts.get("sql-part-lost")),
    ];
    let said = said.into_iter().find(|(name, _)| query.get(name).is_some());
    let message = said.map(|(_, text)| notice::done(&text));
    if query.get("run").is_none() || state.text.trim().is_empty() {
        return Ok(Answer::page(page.show(message, &html! {})));
    }
    // Not the whole text in its place.
    if state.has_lost_part {
        let message = notice::done(&visit.texts.get("sql-part-lost"));
        return Ok(Answer::page(page.show(Some(message), &html! {})));
    }
    // A link of another site shows what it would run, and no more.
    if visit.is_from_elsewhere() {
        let message = notice::done(&visit.texts.get("sql-from-elsewhere"));
        return Ok(Answer::page(page.show(Some(message), &html! {})));
    }
    // What another account has saved runs only when a form says so, which has the text itself.
    if state.is_of_another {
        let message = notice::done(&visit.texts.get("sql-of-another"));
        return Ok(Answer::page(page.show(Some(message), &html! {})));
    }
    let statement = waiting::statement_id(visit);
    let here = editor_of(context, resource);
    let running = Running {
        visit,
        cancel: context.place(["cancel", resource]).with(
            "back",
            &state.at(here.clone()).with("cancelled", "1").to_string(),
        ),
        statement: &statement,
    };
    let shown = ResultPart {
        texts: visit.texts,
        request: visit.request_id().map(str::to_owned),
        title: state.title(),
        text: state.text.clone(),
        part: state.part.clone(),
        csv: state.at(here.below(["csv"])),
        chart: state.at(context.place(["charts", "sql", resource])),
        again: state.at(here).with("run", "1"),
    };
    let call = state.call(context).statement_id(&statement);
    let part = Box::pin(result::result(call, shown));
    Ok(waiting::page(&running, part, |part| page.show(message, &part)).await)
}

/// What a form of the editor asks for.
async fn sent(context: &Context<'_>, resource: &str) -> Result<Answer> {
    let visit = context.visit;
    let form = visit.form();
    let mut state = State::read(context, resource, form).await?;
    let here = editor_of(context, resource);
    // The button names the part that was selected: it has to run with the text that it was selected in.
    let (action, places) = match form.text("action").split_once(':') {
        Some((action, places)) => (action, Some(places)),
        None => (form.text("action"), None),
    };
    if let Some(places) = places {
        state.select(places);
    }
    if action != "save" && action != "save-new" {
        draft::keep(context, &mut state).await?;
        let mut to = state.at(here);
        // A value that had no field yet is asked for first.
        let fields = form.by_name();
        let has_field = |name: &str| fields.contains_key(&*format!("p.{name}"));
        to = match action {
            "structure" => return Ok(Answer::go(&to)),
            _ if state.has_lost_part => to.with("lost", "1"),
            _ if state.bound().iter().all(|it| has_field(&it.name)) => to.with("run", "1"),
            _ => to.with("ask", "1"),
        };
        return Ok(Answer::go(&to));
    }
    let opened = state.saved.as_ref().filter(|_| action == "save");
    match saved::save(context, Kind::Query, opened, resource, state.to_value()).await {
        Ok(item) => {
            let to = here.with("saved", &item.uid).with("saved-now", "1");
            Ok(Answer::go(&to))
        }
        Err(error) => {
            let message = notice::refused(visit, error)?;
            let page = Page::load(context, &state).await?;
            let page = page.show_again(message);
            Ok(Answer::page(page).status(StatusCode::BAD_REQUEST))
        }
    }
}

/// All rows of a query, as the service writes them.
async fn csv(context: &Context<'_>, resource: &str) -> Result<Answer> {
    let visit = context.visit;
    let state = State::read(context, resource, &visit.query()?).await?;
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    if visit.is_from_elsewhere() || state.is_of_another || state.has_lost_part {
        return Ok(Answer::go(&state.at(editor_of(context, resource))));
    }
    let csv = HeaderValue::from_static("text/csv; escape-formulas=1");
    let call = state.call(context).header(header::ACCEPT, csv);
    match call.send_streaming().await {
        Ok(answer) => {
            let body = answer.into_body();
            let saved = state.saved.as_ref();
            let name = saved.map_or(resource, |item| item.name.as_str());
            Ok(Answer::download(
                &format!("{name}.csv"),
                "text/csv; charset=utf-8",
                body,
            ))
        }
        // The page of the query says what is wrong, and where.
        Err(error) if error.status() == Some(StatusCode::BAD_REQUEST) => {
            let to = state.at(editor_of(context, resource)).with("run", "1");
            Ok(Answer::go(&to))
        }
        Err(error) => Err(error.into()),
    }
}

async fn delete(context: &Context<'_>, resource: &str, uid: &str) -> Result<Answer> {
    let item = saved::find(context, Kind::Query, uid).await?;
    let editor = editor_of(context, resource);
    let here = editor.below(["saved", uid, "delete"]);
    let place = editor.with("saved", uid);
    let after = context.place(["sql"]);
    saved::delete(context, (Area::Sql, &item), (here, place, after)).await
}

/// The page of the editor.
struct Page<'c> {
    context: &'c Context<'c>,
    state: &'c State,
    models: Vec<ModelDescription>,
    saved: Paginated<Item>,
}

impl<'c> Page<'c> {
    async fn load(context: &'c Context<'c>, state: &'c State) -> Result<Self> {
        let resource = context.client.resource(state.resource.as_str());
        let (models, saved) = tokio::try_join!(
            async { Ok::<_, Problem>(resource.model_descriptions().send().await?) },
            async {
                Ok::<_, Problem>(saved::list(context, Kind::Query, Some(&state.resource)).await?)
            },
        )?;
        Ok(Self {
            context,
            state,
            models,
            saved,
        })
    }

    fn show(&self, message: Option<Markup>, result: &Markup) -> Markup {
        self.page(message, result, false)
    }

    /// The form that was refused.
    fn show_again(&self, message: Markup) -> Markup {
        self.page(Some(message), &html! {}, true)
    }

    fn page(&self, message: Option<Markup>, result: &Markup, is_sent: bool) -> Markup {
        let Self { context, state, .. } = self;
        let texts = context.texts();
        let here = editor_of(context, &state.resource);
        let title = state.saved.as_ref().map(|item| item.name.clone());
        let mut above = vec![(texts.get("area-sql"), context.place(["sql"]))];
        if title.is_some() {
            above.push((state.resource.clone(), here.clone()));
        }
        let main = html! {
            @if let Some(message) = message { (message) }
            div.sql-place {
                div {
                    (editor::editor(context, state, &here, is_sent))
                    (result)
                }
                div {
                    (structure::structure(texts, state, &self.models, |state| state.at(here.clone())))
                    section {
                        h2 { (texts.get("sql-saved")) }
                        @if self.saved.results.is_empty() {
                            p.muted { (texts.get("sql-saved-empty")) }
                        } @else { (links(context, &self.saved)) }
                    }
                }
            }
        };
        let title = title.unwrap_or_else(|| state.resource.clone());
        context.page(Area::Sql, title, above, &main)
    }
}
