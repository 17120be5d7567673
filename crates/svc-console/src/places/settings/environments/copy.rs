//! Copying the pages and settings of an environment to another one.

use maud::html;

use super::{super::super::Context, find};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{filled::Filled, form::account_field, frame::Area},
};

pub(in super::super) async fn answer(context: &Context<'_>, name: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let known = find(context, name)?;
    let place = context.place(["settings", "environments", name, "copy"]);
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        let form = visit.form();
        let has = |name: &str| form.get(name).is_some();
        let environments = context.client.administration().environments();
        let copied = environments.copy(name, form.text("to"));
        let copied = copied.pages(has("pages")).settings(has("settings"));
        match copied.replace(has("replace")).send().await {
            Ok(copied) => {
                let name = copied.environment.name;
                let pages = copied.copied_pages;
                filled.done(&texts.with(
                    "settings-copied",
                    [("name", name.into()), ("count", pages.into())],
                ));
            }
            Err(error) => filled.refuse(error, &["to"])?,
        }
    }
    let others = context.project.environments.iter();
    let others: Vec<(String, String)> = others
        .filter(|other| other.unique_name != known.unique_name)
        .map(|other| (other.unique_name.to_string(), other.name.clone()))
        .collect();
    let list = context.place(["settings", "environments"]);
    let main = html! {
        (filled.told())
        @if others.is_empty() {
            p.empty-state {
                (texts.get("settings-copy-none")) " "
                a href=(list.below(["new"])) { (texts.get("settings-environment-new")) }
            }
        } @else {
            form.stack method="post" action=(place) {
                (account_field(&context.account))
                (filled.choice("to", &texts.get("settings-copy-to"), "", &others))
                (filled.check("pages", &texts.get("settings-copy-pages"), true))
                (filled.check("settings", &texts.get("settings-copy-settings"), true))
                (filled.check("replace", &texts.get("settings-copy-replace"), false))
                p.small.muted { (texts.get("settings-copy-hint")) }
                div.actions {
                    button.primary { (texts.get("settings-copy")) }
                    a.button href=(list) { (texts.get("cancel")) }
                }
            }
        }
    };
    let mut above = super::above(context);
    above.push((known.name.clone(), list.below([name])));
    let title = texts.get("settings-copy");
    Ok(filled.answer(context.page(Area::Settings, title, above, &main)))
}
