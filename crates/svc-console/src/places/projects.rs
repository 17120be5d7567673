//! The projects that somebody can see.

use maud::html;

use crate::{answer::Answer, problem::Result, ui::frame::Frame, visit::Visit};

/// The list of projects; the only one is gone to at once from the console's first place.
pub(crate) async fn answer(visit: &Visit) -> Result<Answer> {
    let account = visit.account()?;
    let projects = visit.client()?.projects().list().send().await?;
    let home = |project: &svc_model::projects::Project| {
        let environment = project.default_environment.as_ref();
        let environment = environment.map_or("prod", |name| name.as_str());
        Frame::environment_href(&visit.root, project.unique_name.as_str(), environment)
    };
    if let ([only], true) = (&projects.results[..], visit.path()?.is_empty()) {
        return Ok(Answer::go(&home(only)));
    }
    let texts = visit.texts;
    let frame = Frame {
        visit,
        account,
        scope: None,
        area: None,
        above: Vec::new(),
        title: texts.get("projects"),
    };
    Ok(Answer::page(frame.page(&html! {
        @if projects.results.is_empty() {
            p.empty-state { (texts.get("projects-empty")) }
        }
        ul.cards {
            @for project in &projects.results {
                li {
                    a.card href=(home(project)) {
                        strong { bdi { (project.name) } }
                        span.muted { bdi { (project.unique_name) } }
                        span.muted {
                            (texts.with("projects-resources", [("count", project.resources.len().into())]))
                        }
                    }
                }
            }
        }
    })))
}
