//! Imports of CSV: choosing the file, saying what its columns become, trying it, and making records of it.
//!
//! A browser sends a file once for each form. A small one is carried from form to form as text; a large one is chosen again, and
//! passes through to the service as it arrives. What follows the file in a form, as its buttons do, arrives too late to decide what
//! is done with it: that is in the address that the form is sent to.

mod begin;
mod head;
mod mapping;
mod progress;

use http::StatusCode;
use maud::{Markup, html};
use sha2::{Digest as _, Sha256};

pub(crate) use self::progress::route as progress;
use self::{
    begin::{Begun, begin},
    head::Head,
    mapping::Mapped,
};
use super::{Scope, context::check_account, model::Model};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{form::account_field, notice},
    visit::{Form, Visit},
};

/// The largest file that is carried from form to form, in bytes.
const CARRIED: usize = 2 << 20;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Its columns are read.
    Read,
    /// It is tried; nothing is saved.
    Try,
    /// It is imported.
    Run,
}

impl Step {
    /// The step that an address names.
    fn of(visit: &Visit) -> Result<Option<Self>> {
        let query = visit.query()?;
        let all = [Self::Read, Self::Try, Self::Run];
        Ok(all
            .into_iter()
            .find(|step| step.word() == query.text("step")))
    }

    fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Try => "dry",
            Self::Run => "run",
        }
    }

    /// Where a form for it is sent to.
    fn place(self, model: &Model<'_>) -> Href {
        model.list().below(["import"]).with("step", self.word())
    }
}

/// The file of a form.
pub(super) enum File {
    /// None was chosen.
    None,
    /// The whole of a small one.
    Text(String),
    /// One that arrives, with its beginning.
    Arriving(Box<crate::multipart::Multipart>, String),
}

/// The forms of an import.
pub(crate) async fn answer(visit: &mut Visit, scope: &Scope, of: (&str, &str)) -> Result<Answer> {
    let file = match visit.is_post() {
        true => read(visit).await?,
        false => File::None,
    };
    let visit = &*visit;
    let model = Box::pin(Model::open(visit, scope, of)).await?;
    if !model.description.can.create {
        return Err(Problem::Forbidden);
    }
    check_account(visit, &model.context.account)?;
    if !visit.is_post() {
        return Ok(Answer::page(start(&model, None)));
    }
    let form = visit.form();
    if Mapped::is_too_large(form) {
        let message = notice::error(visit, &visit.texts.get("import-too-many-columns"));
        let page = start(&model, Some(message));
        return Ok(Answer::page(page).status(StatusCode::BAD_REQUEST));
    }
    let mapped = Mapped::read(form);
    let Some(step) = Step::of(visit)? else {
        let message = notice::error(visit, &visit.texts.get("import-no-step"));
        let page = match mapped {
            Some(mapped) => mapped.page(&model, &carried(form)?, Some(message)),
            None => start(&model, Some(message)),
        };
        return Ok(Answer::page(page).status(StatusCode::BAD_REQUEST));
    };
    let beginning = match &file {
        File::None => {
            let message = notice::error(visit, &visit.texts.get("import-no-file"));
            let page = match mapped {
                Some(mapped) => mapped.page(&model, &file, Some(message)),
                None => start(&model, Some(message)),
            };
            return Ok(Answer::page(page).status(StatusCode::BAD_REQUEST));
        }
        File::Text(text) | File::Arriving(_, text) => text,
    };
    let is_whole = matches!(file, File::Text(_));
    let mapped = match mapped {
        Some(mapped) if step != Step::Read => mapped,
        _ => {
            let Some(head) = Head::read(beginning, form.text("delimiter"), is_whole) else {
                let message = notice::error(visit, &visit.texts.get("import-no-head"));
                let page = start(&model, Some(message));
                return Ok(Answer::page(page).status(StatusCode::BAD_REQUEST));
            };
            let mapped = Mapped::guess(&model, &head, &key_of(visit));
            return Ok(Answer::page(mapped.page(&model, &file, None)));
        }
    };
    let is_dry = step != Step::Run;
    let carried = match &file {
        File::Text(text) => File::Text(text.clone()),
        _ => File::None,
    };
    match begin(&model, &mapped, file, is_dry).await {
        Ok(Begun::Tried(import, refused)) => {
            let message = progress::tried(&model, &import, &refused);
            Ok(Answer::page(mapped.page(&model, &carried, Some(message))))
        }
        Ok(Begun::Running(import)) => {
            let place = model.list().below(["imports", &import.uid]);
            Ok(Answer::go(&place))
        }
        Err(error) => {
            let message = notice::refused(visit, error)?;
            let page = mapped.page(&model, &carried, Some(message));
            Ok(Answer::page(page).status(StatusCode::BAD_REQUEST))
        }
    }
}

/// Reads the form, with its file.
async fn read(visit: &mut Visit) -> Result<File> {
    let Some(mut upload) = visit.take_upload() else {
        return carried(visit.form());
    };
    let fields = upload.fields().await?;
    visit.set_form(Form::of(fields))?;
    if let File::Text(text) = carried(visit.form())? {
        return Ok(File::Text(text));
    }
    if !upload.has_file() {
        return Ok(File::None);
    }
    let beginning = upload.peek(CARRIED).await?;
    if beginning.is_empty() {
        return Ok(File::None);
    }
    if beginning.len() < CARRIED {
        // Nothing that is not text becomes a record.
        let text = String::from_utf8(beginning.to_vec()).map_err(|_| Problem::NotUtf8)?;
        return Ok(File::Text(text));
    }
    let text = String::from_utf8_lossy(&beginning).into_owned();
    Ok(File::Arriving(Box::new(upload), text))
}

/// The file that a form has with it: as JSON, since forms change the ends of lines.
fn carried(form: &Form) -> Result<File> {
    match form.get("carried").map(serde_json::from_str::<String>) {
        Some(Ok(text)) if text.len() > CARRIED => Err(Problem::TooLarge),
        Some(Ok(text)) if !text.is_empty() => Ok(File::Text(text)),
        _ => Ok(File::None),
    }
}

/// A key for what is begun with a form, however often it is sent.
fn key_of(visit: &Visit) -> String {
    let mut digest = Sha256::new();
    digest.update(visit.request_id().unwrap_or_default());
    digest.update(visit.here());
    let time = std::time::SystemTime::now();
    let time = time.duration_since(std::time::UNIX_EPOCH);
    digest.update(time.unwrap_or_default().as_nanos().to_le_bytes());
    let digest = digest.finalize();
    let bytes = digest.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// The form that asks for the file.
fn start(model: &Model<'_>, message: Option<Markup>) -> Markup {
    let texts = model.texts();
    let main = html! {
        @if let Some(message) = message { (message) }
        p { (texts.get("import-what")) }
        form.stack method="post" action=(Step::Read.place(model)) enctype="multipart/form-data" data-guard {
            (account_field(model.context.visit))
            label { (texts.get("import-delimiter"))
                select name="delimiter" {
                    option value="" { (texts.get("import-delimiter-guess")) }
                    option value="," { (texts.get("import-delimiter-comma")) }
                    option value=";" { (texts.get("import-delimiter-semicolon")) }
                    option value="\t" { (texts.get("import-delimiter-tab")) }
                }
            }
            label { (texts.get("import-file"))
                input type="file" name="file" accept=".csv,.tsv,.txt,text/csv" required;
            }
            div.actions {
                button.primary { (texts.get("import-read")) }
                a.button href=(model.list()) { (texts.get("cancel")) }
            }
        }
    };
    let above = vec![(model.name.to_string(), model.list())];
    model.frame(texts.get("import"), above).page(&main)
}
