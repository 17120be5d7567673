//! How far an import is, and what became of the rows.

use http::{HeaderValue, StatusCode, header::ACCEPT};
use maud::{Markup, html};
use svc_api::RequestOptions;
use svc_model::imports::{Import, ImportState, RefusedRow};

use crate::{
    answer::Answer,
    places::{Scope, model::Model},
    problem::{Problem, Result},
    ui::{form::account_field, notice, table},
    visit::Visit,
};

/// How many refused rows are shown.
const SHOWN: u32 = 20;
/// After how many seconds a page about an import that runs is asked for again.
const AGAIN: u32 = 2;

/// The places about an import.
pub(crate) async fn route(
    visit: &Visit,
    scope: &Scope,
    of: (&str, &str),
    rest: &[&str],
) -> Result<Answer> {
    let model = Box::pin(Model::open(visit, scope, of)).await?;
    match *rest {
        [uid] => one(visit, &model, uid).await,
        [uid, "refused"] => refused(&model, uid).await,
        _ => Err(Problem::NotFound),
    }
}

async fn one(visit: &Visit, model: &Model<'_>, uid: &str) -> Result<Answer> {
    let texts = visit.texts;
    let imports = model.records().imports();
    let place = model.list().below(["imports", uid]);
    let mut message = None;
    if visit.is_post() {
        let done = match visit.form().text("action") {
            "resume" => imports.resume(uid).send().await,
            _ => imports.cancel(uid).send().await,
        };
        match done {
            Ok(_) => return Ok(Answer::go(&place)),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let import = match imports.get(uid).send().await {
        Ok(import) => import,
        Err(error) if error.is_not_found() => return Err(Problem::NotFound),
        Err(error) => return Err(error.into()),
    };
    let refused = match import.refused {
        0 => Vec::new(),
        _ => imports.list_refused(uid).limit(SHOWN).send().await?,
    };
    let is_running = import.state == ImportState::Running;
    let may_go_on = matches!(import.state, ImportState::Failed | ImportState::Cancelled);
    let main = html! {
        @if let Some(message) = message { (message) }
        (state(model, &import))
        @if is_running {
            p { progress max=(import.bytes.max(1)) value=(import.bytes_read) aria-label=(texts.get("import-progress")) {} }
        }
        (rows(model, &import, &refused))
        div.actions {
            a.button.primary[!is_running] href=(model.list()) { (texts.get("back-to-list")) }
            @if !is_running { a.button href=(model.list().below(["import"])) { (texts.get("import-another")) } }
            @if is_running || may_go_on {
                form method="post" action=(place) {
                    (account_field(model.context.visit))
                    @if is_running {
                        button name="action" value="cancel" { (texts.get("import-cancel")) }
                    } @else {
                        button name="action" value="resume" { (texts.get("import-resume")) }
                    }
                }
            }
        }
    };
    let above = vec![(model.name.to_string(), model.list())];
    let page = Answer::page(model.frame(texts.get("import"), above).page(&main));
    Ok(match is_running {
        true => page.again_after(AGAIN),
        false => page,
    })
}

/// The refused rows as a file.
async fn refused(model: &Model<'_>, uid: &str) -> Result<Answer> {
    let imports = model.records().imports();
    let call = imports
        .list_refused(uid)
        .options(RequestOptions::new().no_deadline())
        .header(ACCEPT, HeaderValue::from_static("text/csv"));
    let answer = match call.send_streaming().await {
        Ok(answer) => answer,
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => {
            return Err(Problem::NotFound);
        }
        Err(error) => return Err(error.into()),
    };
    let name = format!("{}-refused.csv", model.name);
    let body = answer.into_body();
    Ok(Answer::download(&name, "text/csv; charset=utf-8", body))
}

/// What became of a file that was tried.
pub(super) fn tried(model: &Model<'_>, import: &Import, refused: &[RefusedRow]) -> Markup {
    html! {
        (state(model, import))
        (rows(model, import, refused))
    }
}

fn state(model: &Model<'_>, import: &Import) -> Markup {
    let texts = model.texts();
    let values = [
        ("read", import.read.into()),
        ("made", import.made.into()),
        ("updated", import.updated.into()),
        ("refused", import.refused.into()),
    ];
    let numbers = match import.dry_run {
        true => texts.with("import-would", values),
        false => texts.with("import-did", values),
    };
    let word = match import.state {
        ImportState::Running => texts.get("import-running"),
        ImportState::Done if import.dry_run => texts.get("import-tried"),
        ImportState::Done => texts.get("import-done"),
        ImportState::Cancelled => texts.get("import-cancelled"),
        _ => texts.get("import-failed"),
    };
    let is_wrong = matches!(import.state, ImportState::Failed) || import.refused > 0;
    html! {
        div.notice.error[is_wrong].done[!is_wrong] role="status" {
            p { strong { (word) } " " (numbers) }
            @if let Some(message) = &import.message { p { (message) } }
        }
    }
}

/// The refused rows, with why they are.
fn rows(model: &Model<'_>, import: &Import, refused: &[RefusedRow]) -> Markup {
    let texts = model.texts();
    if refused.is_empty() {
        return html! {};
    }
    let file = model.list().below(["imports", &import.uid, "refused"]);
    let head = html! {
        tr {
            th.number scope="col" { (texts.get("import-row")) }
            th scope="col" { (texts.get("reason")) }
            th scope="col" { (texts.get("import-content")) }
        }
    };
    let body = html! {
        @for row in refused {
            tr {
                td.number { (row.number) }
                td.reason { bdi { (reasons(&row.errors)) } }
                td { code { bdi { (row.row) } } }
            }
        }
    };
    html! {
        section {
            h2 { (texts.get("import-refused")) }
            (table::table(&texts.get("import-refused"), &head, &body))
            p { a href=(file) download { (texts.get("import-refused-file")) } }
        }
    }
}

/// Messages by field as one text.
fn reasons(errors: &serde_json::Value) -> String {
    let Some(fields) = errors.as_object() else {
        return errors.to_string();
    };
    // Beside the messages are words for programs.
    let fields = fields.iter().filter(|(field, _)| *field != "error_codes");
    let messages = fields.map(|(field, messages)| {
        let messages = messages.as_array().map_or(&[][..], Vec::as_slice);
        let messages: Vec<&str> = messages.iter().filter_map(|it| it.as_str()).collect();
        match field.as_str() {
            "non_field_errors" => messages.join("; "),
            field => format!("{field}: {}", messages.join("; ")),
        }
    });
    messages.collect::<Vec<_>>().join(" · ")
}
