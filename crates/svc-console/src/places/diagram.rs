//! The diagram of the relations of a database: boxes for models, lines for references, and the same as a table.
//!
//! A large database is not drawn whole: one chooses a model, and sees it with those around it.

mod graph;
mod layout;
mod lists;
mod picture;

use maud::{Markup, html};

use self::graph::{Drawn, Graph};
use super::{
    Context, Scope,
    model::{described, nothing},
    or_hidden, resources, structure,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::frame::Area,
    visit::Visit,
};

/// How many models are drawn at most.
const MOST: usize = 60;
/// How many fields of a model are listed.
const FIELDS: usize = 500;
/// The longest name of a model that is looked for.
const LONGEST: usize = 500;

/// Where the diagram is, and what it links to.
struct Place<'c> {
    context: &'c Context<'c>,
    resource: &'c str,
    steps: usize,
}

/// The diagram of a database.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, resource: &str) -> Result<Answer> {
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let client = visit.client_in(&scope.project, &scope.environment)?;
    let described = async {
        let described = described(visit, &client, scope, resource).await;
        described.map_err(or_hidden)
    };
    let (context, models) = tokio::try_join!(Context::open(visit, scope), described)?;
    // Like one that is not there.
    if models.is_empty() && !context.is_administrator() {
        return Err(Problem::NotFound);
    }
    let query = visit.query()?;
    let wanted: String = query.text("model").chars().take(LONGEST).collect();
    let place = Place {
        context: &context,
        resource,
        steps: if query.text("steps") == "2" { 2 } else { 1 },
    };
    let graph = Graph::of(&models);
    let main = html! {
        (place.chooser(&wanted, &graph))
        (place.shown(&graph, &wanted))
    };
    let texts = visit.texts;
    let above = vec![(
        resource.to_owned(),
        resources::place(visit, scope, resource),
    )];
    Ok(Answer::page(context.page(
        Area::Data,
        texts.get("diagram"),
        above,
        &main,
    )))
}

impl Place<'_> {
    /// The address of the diagram.
    fn here(&self) -> Href {
        resources::diagram(self.context.visit, &self.context.scope, self.resource)
    }

    /// The address of a model with those around it.
    fn around(&self, model: &str) -> Href {
        let here = self.here().with("model", model);
        here.with("steps", &self.steps.to_string())
    }

    /// The address of the records of a model.
    fn records(&self, model: &str) -> Href {
        self.context.place(["records", self.resource, model])
    }

    /// The address of the structure of a model.
    fn structure(&self, model: &str) -> Href {
        structure::place(self.context, self.resource, model)
    }

    /// The form in which a model is chosen.
    fn chooser(&self, wanted: &str, graph: &Graph<'_>) -> Markup {
        let texts = self.context.texts();
        html! {
            form.filters action=(self.here()) {
                label { (texts.get("diagram-model"))
                    input type="search" name="model" value=(wanted);
                }
                label { (texts.get("diagram-steps"))
                    select name="steps" {
                        option value="1" selected[self.steps == 1] { (texts.get("diagram-step-1")) }
                        option value="2" selected[self.steps == 2] { (texts.get("diagram-step-2")) }
                    }
                }
                button { (texts.get("diagram-show")) }
                @if !wanted.is_empty() && graph.is_small() {
                    a.button href=(self.here()) { (texts.get("diagram-all")) }
                }
            }
        }
    }

    fn shown(&self, graph: &Graph<'_>, wanted: &str) -> Markup {
        let texts = self.context.texts();
        if let Some(model) = graph.find(wanted) {
            let drawn = graph.around(model, self.steps, MOST);
            return html! {
                (self.drawing(graph, &drawn))
                (lists::left_out(self, graph, &drawn))
                @if let Some(model) = graph.model(model) {
                    (structure::fields(texts, model, FIELDS, |name| graph.find(name).map(|_| self.structure(name))))
                    p { a href=(self.structure(&model.model)) { (texts.get("structure")) } }
                }
            };
        }
        html! {
            @if !wanted.is_empty() {
                (lists::found(self, graph, wanted))
            } @else if graph.is_empty() {
                p.empty-state { (nothing(self.context)) }
            } @else {
                @if graph.is_small() {
                    @if graph.is_unrelated() {
                        p.empty-state { (texts.get("diagram-empty")) }
                    } @else {
                        (self.drawing(graph, &graph.all()))
                    }
                } @else {
                    (lists::most_related(self, graph))
                }
                (lists::unrelated(self, graph))
            }
        }
    }

    /// The picture, and the same as a table.
    fn drawing(&self, graph: &Graph<'_>, drawn: &Drawn) -> Markup {
        html! {
            (picture::picture(self, graph, drawn))
            (lists::references(self, graph, drawn))
        }
    }
}
