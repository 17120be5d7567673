//! The first place of an environment: its dashboard, its databases, and their models.

use maud::{Markup, html};
use svc_model::{ResourceName, resources::ModelDescription};

use super::{
    Context, Scope,
    dashboard::Dashboard,
    model::{described, nothing},
    readable::Readable,
    resources, structure,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::Result,
    ui::{
        frame::{Area, Frame},
        notice,
    },
    visit::Visit,
};

/// The databases of the environment, each with its models.
pub(crate) async fn answer(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    if let Some(part) = visit.fragment() {
        let dashboard = Dashboard::load(&context).await?;
        return Ok(Answer::page(dashboard.tile(&context, part).await?));
    }
    let project = &context.project;
    let (readable, dashboard) = tokio::join!(Readable::load(&context), Dashboard::load(&context));
    let texts = visit.texts;
    let home = scope.home(visit);
    let has_none = context.databases().is_empty();
    // A database of which somebody may read nothing has nothing for them.
    let listed: Vec<_> = readable.databases().collect();
    let frame = Frame {
        visit,
        account: &context.account,
        scope: Some((project, &scope.environment)),
        area: Some(Area::Data),
        above: vec![(texts.get("projects"), visit.root.below(["projects"]))],
        title: project.name.clone(),
    };
    Ok(Answer::page(frame.page(&html! {
        @if context.is_administrator() {
            div.toolbar {
                div.grow {}
                a.button.primary[has_none] href=(home.below(["connect"])) { (texts.get("connect")) }
            }
        }
        @match &dashboard {
            Ok(dashboard) if !listed.is_empty() && visit.is_own_view() => (dashboard.section(&context, &readable)),
            Ok(_) => {},
            Err(error) => (notice::of_error(visit, error)),
        }
        @if has_none {
            p.empty-state { (texts.get("resources-empty")) }
        }
        @if !has_none && listed.is_empty() {
            p.empty-state { (texts.get("models-none")) }
        }
        @for (name, described) in listed {
            section {
                h2 {
                    a href=(home.below(["records", name.as_str()])) { bdi { (name) } }
                    @if visit.is_own_view() {
                        " "
                        a.small.muted href=(resources::place(visit, scope, name.as_str())) { (texts.get("state")) }
                    }
                }
                @match described {
                    Ok(models) => (model_list(&context, &home, name, models)),
                    Err(error) => (notice::of_error(visit, error)),
                }
            }
        }
    })))
}

/// The models of a database.
pub(crate) async fn models(visit: &Visit, scope: &Scope, resource: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    let models = described(visit, &context.client, scope, resource).await?;
    let (home, texts) = (scope.home(visit), visit.texts);
    let name = ResourceName::from(resource);
    let main = html! {
        @if !models.is_empty() && visit.is_own_view() {
            div.toolbar {
                div.grow {}
                a.button href=(resources::diagram(visit, scope, resource)) { (texts.get("diagram")) }
            }
        }
        (model_list(&context, &home, &name, &models))
    };
    let page = context.page(Area::Data, resource.to_owned(), Vec::new(), &main);
    Ok(Answer::page(page))
}

fn model_list(
    context: &Context<'_>,
    home: &Href,
    resource: &ResourceName,
    models: &[ModelDescription],
) -> Markup {
    let texts = context.texts();
    let shown = models.iter().filter(|model| !model.hidden);
    html! {
        @if models.is_empty() {
            p.empty-state { (nothing(context)) }
        } @else {
            ul.models {
                @for model in shown {
                    li {
                        a href=(home.below(["records", resource.as_str(), &model.model])) { bdi { (model.model) } }
                        span.muted {
                            @if model.is_view { (texts.get("view")) " · " }
                            a href=(structure::place(context, resource.as_str(), &model.model)) {
                                (texts.with("fields-count", [("count", model.fields.len().into())]))
                                span.visually-hidden { ": " bdi { (model.model) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
