//! What the columns of a file become.

use maud::{Markup, html};
use svc_model::{
    imports::{EmptyCell, EmptyCells, Mapping},
    resources::{FieldDescription, FieldType},
};

use super::{
    File, Step,
    head::{Head, MOST_COLUMNS},
};
use crate::{
    places::model::Model,
    ui::{
        form::{account_field, default_submit},
        table,
    },
    visit::Form,
};

/// How much of a value is shown.
const SHOWN: usize = 60;
/// How long the names and values of all columns may be together, in bytes.
const LONGEST: usize = 2 << 20;

/// A column of a file.
#[derive(Debug)]
struct Column {
    name: String,
    /// The field that it becomes; empty: none.
    field: String,
    /// What its empty cells become, where that is chosen.
    empty: Option<EmptyCell>,
    /// Its first values.
    sample: String,
}

/// What the columns of a file become.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) delimiter: char,
    columns: Vec<Column>,
    /// Unique fields by which records are found that are changed instead.
    pub(super) on_conflict: Vec<String>,
    /// The key of the form.
    pub(super) key: String,
}

impl Mapped {
    /// Each column becomes the field of its name, if there is one.
    pub(super) fn guess(model: &Model<'_>, head: &Head, key: &str) -> Self {
        let mut taken: Vec<&str> = Vec::new();
        let mut columns = Vec::new();
        for (at, column) in head.columns.iter().enumerate() {
            let fields = fields(model).filter(|field| !taken.contains(&field.name.as_str()));
            let found = best(fields, column);
            taken.extend(found);
            columns.push(Column {
                name: column.clone(),
                field: found.unwrap_or_default().to_owned(),
                empty: None,
                sample: head.values(at).map(short).collect::<Vec<_>>().join(" · "),
            });
        }
        Self {
            delimiter: head.delimiter,
            columns,
            on_conflict: Vec::new(),
            key: key.to_owned(),
        }
    }

    /// Whether a form has more columns than a file may have, or ones that are too long.
    pub(super) fn is_too_large(form: &Form) -> bool {
        let parts = form.iter();
        let parts =
            parts.filter(|(name, _)| matches!(*name, "column" | "field" | "empty" | "sample"));
        let long: usize = parts.map(|(_, text)| text.len()).sum();
        long > LONGEST || form.all("column").nth(MOST_COLUMNS).is_some()
    }

    /// Reads the form; `None` where it has no columns.
    pub(super) fn read(form: &Form) -> Option<Self> {
        let (mut empty, mut samples) = (form.all("empty"), form.all("sample"));
        let columns = form.all("column").zip(form.all("field"));
        let columns: Vec<Column> = columns
            .map(|(column, field)| Column {
                name: column.to_owned(),
                field: field.to_owned(),
                empty: empty.next().and_then(|word| word.parse().ok()),
                sample: samples.next().unwrap_or_default().to_owned(),
            })
            .collect();
        let fields = form.text("on_conflict").split(',').map(str::trim);
        let fields = fields.filter(|field| !field.is_empty());
        (!columns.is_empty()).then(|| Self {
            delimiter: form.text("delimiter").chars().next().unwrap_or(','),
            columns,
            on_conflict: fields.map(str::to_owned).collect(),
            key: form.text("key").to_owned(),
        })
    }

    /// The mapping as the service reads it.
    pub(super) fn mapping(&self) -> Mapping {
        let (kept, left_out): (Vec<_>, Vec<_>) = self
            .columns
            .iter()
            .partition(|column| !column.field.is_empty());
        let kept = kept.into_iter().map(|column| (&column.name, &column.field));
        let mapping: Mapping = kept.collect();
        left_out
            .into_iter()
            .fold(mapping, |mapping, column| mapping.without(&column.name))
    }

    /// What empty cells become, where that is chosen. A column that is left out has no choice.
    pub(super) fn empty_cells(&self) -> EmptyCells {
        let columns = self.columns.iter();
        let columns = columns.filter(|column| !column.field.is_empty());
        columns
            .filter_map(|column| Some((&column.name, column.empty?)))
            .collect()
    }

    /// Everything that makes one import another, as text.
    pub(super) fn text(&self, is_dry: bool) -> String {
        format!(
            "{} {is_dry} {} {:?} {:?}",
            self.key, self.delimiter, self.columns, self.on_conflict
        )
    }

    /// The form.
    pub(super) fn page(&self, model: &Model<'_>, file: &File, message: Option<Markup>) -> Markup {
        let texts = model.texts();
        let head = html! {
            tr {
                th scope="col" { (texts.get("import-column")) }
                th scope="col" { (texts.get("import-values")) }
                th scope="col" { (texts.get("import-becomes")) }
                th scope="col" { (texts.get("import-empty-cells")) }
            }
        };
        let rows = html! {
            @for column in &self.columns { (row(model, column)) }
        };
        let main = html! {
            @if let Some(message) = message { (message) }
            form.import method="post" action=(Step::Try.place(model)) enctype="multipart/form-data" data-guard {
                (account_field(model.context.visit))
                (default_submit())
                input type="hidden" name="key" value=(self.key);
                input type="hidden" name="delimiter" value=(self.delimiter);
                (table::table(&texts.get("import-mapping"), &head, &rows))
                p.small.muted { (texts.get("import-empty")) }
                div.stack {
                    label { (texts.get("import-on-conflict"))
                        input name="on_conflict" value=(self.on_conflict.join(",")) autocomplete="off" autocapitalize="none" spellcheck="false";
                    }
                    p.small.muted { (texts.get("import-on-conflict-hint")) }
                    @if let File::Text(text) = file {
                        input type="hidden" name="carried" value=(serde_json::Value::from(text.as_str()));
                    } @else {
                        label { (texts.get("import-file-again"))
                            input type="file" name="file" accept=".csv,.tsv,.txt,text/csv" required;
                        }
                    }
                }
                div.actions {
                    button.primary formaction=(Step::Run.place(model)) { (texts.get("import-run")) }
                    button { (texts.get("import-try")) }
                    a.button href=(model.list()) { (texts.get("cancel")) }
                }
            }
        };
        let above = vec![(model.name.to_string(), model.list())];
        model.frame(texts.get("import"), above).page(&main)
    }
}

fn row(model: &Model<'_>, column: &Column) -> Markup {
    let texts = model.texts();
    let name = &column.name;
    html! {
        tr {
            td {
                bdi { strong { (name) } }
                input type="hidden" name="column" value=(name);
                input type="hidden" name="sample" value=(column.sample);
            }
            td { bdi { (column.sample) } }
            td {
                select name="field" aria-label=(texts.with("import-becomes-of", [("column", name.into())])) {
                    option value="" { (texts.get("import-leave-out")) }
                    @for known in fields(model) {
                        option value=(known.name) selected[known.name == column.field] { (known.name) " (" (known.db_field) ")" }
                    }
                }
            }
            td { (empty(model, column)) }
        }
    }
}

/// The choice of what the empty cells of a column become.
fn empty(model: &Model<'_>, column: &Column) -> Markup {
    let texts = model.texts();
    let label = texts.with("import-empty-of", [("column", column.name.as_str().into())]);
    // Which field it becomes may be chosen after this.
    let may_be_text = column.empty == Some(EmptyCell::Text)
        || model
            .field(&column.field)
            .is_none_or(|field| is_text(field.field));
    let option = |becomes: EmptyCell, text: String| {
        html! {
            option value=(becomes.as_str()) selected[column.empty == Some(becomes)] { (text) }
        }
    };
    html! {
        select name="empty" aria-label=(label) {
            option value="" { (texts.get("import-empty-usual")) }
            (option(EmptyCell::Null, texts.get("import-empty-null")))
            @if may_be_text { (option(EmptyCell::Text, texts.get("import-empty-text"))) }
            (option(EmptyCell::Default, texts.get("import-empty-default")))
        }
    }
}

/// Whether the empty text may be a value: also one of an enumeration, a set or binary.
fn is_text(field: FieldType) -> bool {
    matches!(
        field,
        FieldType::CharField
            | FieldType::FixedCharField
            | FieldType::TextField
            | FieldType::SelectField
            | FieldType::BinaryField
    )
}

/// The fields that a file may fill.
fn fields<'m>(model: &'m Model<'_>) -> impl Iterator<Item = &'m FieldDescription> {
    let fields = model.description.fields.iter();
    fields.filter(|field| field.editable && !field.read_only)
}

/// The field that a column is most likely about: the one of its name, else one that differs in case and signs alone.
fn best<'m>(fields: impl Iterator<Item = &'m FieldDescription>, column: &str) -> Option<&'m str> {
    let bare = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let wanted = bare(column);
    let mut alike = None;
    for field in fields {
        if field.name == column {
            return Some(&field.name);
        }
        if alike.is_none() && !wanted.is_empty() && bare(&field.name) == wanted {
            alike = Some(field.name.as_str());
        }
    }
    alike
}

fn short(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use svc_model::resources::FieldType;

    use super::*;

    #[test]
    fn a_form_with_more_columns_than_a_file_may_have_is_too_large() {
        let form = |pairs: usize| Form::parse(&"column=a&field=b&".repeat(pairs)).unwrap();
        assert!(!Mapped::is_too_large(&form(MOST_COLUMNS)));
        assert!(Mapped::is_too_large(&form(MOST_COLUMNS + 1)));
        let long = format!("column={}&field=", "a".repeat(LONGEST + 1));
        assert!(Mapped::is_too_large(&Form::parse(&long).unwrap()));
    }

    #[test]
    fn a_column_becomes_the_field_of_its_name_or_of_one_that_is_alike() {
        let fields: Vec<FieldDescription> = ["first_name", "FirstName", "email"]
            .into_iter()
            .map(|name| FieldDescription::new(name, FieldType::TextField, "text"))
            .collect();
        let of = |column: &str| best(fields.iter(), column);
        assert_eq!(of("FirstName"), Some("FirstName"));
        assert_eq!(of("First name"), Some("first_name"));
        assert_eq!(of("E-Mail"), Some("email"));
        assert_eq!(of("phone"), None);
        assert_eq!(of(""), None);
    }
}
