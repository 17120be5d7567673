//! What the columns of a file become.

use maud::{Markup, html};
use svc_model::{imports::Mapping, resources::FieldDescription};

use super::{
    File,
    head::{Head, MOST_COLUMNS},
};
use crate::{
    places::model::Model,
    ui::{
        form::{account_field, default_button},
        table,
    },
    visit::Form,
};

/// How much of a value is shown.
const SHOWN: usize = 60;
/// How long the names and values of all columns may be together, in bytes.
const LONGEST: usize = 2 << 20;

/// What the columns of a file become.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) delimiter: char,
    /// The columns of the file, each with the field that it becomes; empty: none.
    columns: Vec<(String, String)>,
    /// The first values of each column.
    samples: Vec<String>,
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
        for column in &head.columns {
            let fields = fields(model).filter(|field| !taken.contains(&field.name.as_str()));
            let found = best(fields, column);
            taken.extend(found);
            columns.push((column.clone(), found.unwrap_or_default().to_owned()));
        }
        let samples = (0..head.columns.len()).map(|column| {
            let values = head.values(column).map(short);
            values.collect::<Vec<_>>().join(" · ")
        });
        Self {
            samples: samples.collect(),
            delimiter: head.delimiter,
            columns,
            on_conflict: Vec::new(),
            key: key.to_owned(),
        }
    }

    /// Whether a form has more columns than a file may have, or ones that are too long.
    pub(super) fn is_too_large(form: &Form) -> bool {
        let parts = form.iter();
        let parts = parts.filter(|(name, _)| matches!(*name, "column" | "field" | "sample"));
        let long: usize = parts.map(|(_, text)| text.len()).sum();
        long > LONGEST || form.all("column").nth(MOST_COLUMNS).is_some()
    }

    /// Reads the form; `None` where it has no columns.
    pub(super) fn read(form: &Form) -> Option<Self> {
        let columns = form.all("column").zip(form.all("field"));
        let columns: Vec<(String, String)> = columns
            .map(|(column, field)| (column.to_owned(), field.to_owned()))
            .collect();
        let fields = form.text("on_conflict").split(',').map(str::trim);
        let fields = fields.filter(|field| !field.is_empty());
        (!columns.is_empty()).then(|| Self {
            delimiter: form.text("delimiter").chars().next().unwrap_or(','),
            columns,
            samples: form.all("sample").map(str::to_owned).collect(),
            on_conflict: fields.map(str::to_owned).collect(),
            key: form.text("key").to_owned(),
        })
    }

    /// The mapping as the service reads it.
    pub(super) fn mapping(&self) -> Mapping {
        let (kept, left_out): (Vec<_>, Vec<_>) = self
            .columns
            .iter()
            .partition(|(_, field)| !field.is_empty());
        let kept = kept.into_iter().map(|(column, field)| (column, field));
        let mapping: Mapping = kept.collect();
        left_out
            .into_iter()
            .fold(mapping, |mapping, (column, _)| mapping.without(column))
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
            }
        };
        let rows = html! {
            @for (at, (column, field)) in self.columns.iter().enumerate() { (self.row(model, at, column, field)) }
        };
        let main = html! {
            @if let Some(message) = message { (message) }
            form.import method="post" action=(model.list().below(["import"])) enctype="multipart/form-data" data-guard {
                (account_field(&model.context.account))
                (default_button("step", "dry"))
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
                            input type="file" name="file" accept=".csv,.tsv,.txt,text/csv";
                        }
                    }
                }
                div.actions {
                    button.primary name="step" value="run" { (texts.get("import-run")) }
                    button name="step" value="dry" { (texts.get("import-try")) }
                    a.button href=(model.list()) { (texts.get("cancel")) }
                }
            }
        };
        let above = vec![(model.name.to_string(), model.list())];
        model.frame(texts.get("import"), above).page(&main)
    }

    fn row(&self, model: &Model<'_>, at: usize, column: &str, field: &str) -> Markup {
        let texts = model.texts();
        let sample = self.samples.get(at).map_or("", String::as_str);
        html! {
            tr {
                td {
                    bdi { strong { (column) } }
                    input type="hidden" name="column" value=(column);
                    input type="hidden" name="sample" value=(sample);
                }
                td { bdi { (sample) } }
                td {
                    select name="field" aria-label=(texts.with("import-becomes-of", [("column", column.into())])) {
                        option value="" { (texts.get("import-leave-out")) }
                        @for known in fields(model) {
                            option value=(known.name) selected[known.name == field] { (known.name) " (" (known.db_field) ")" }
                        }
                    }
                }
            }
        }
    }
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
