//! How wide columns are, and which of them stay visible when the table is scrolled sideways.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::{Value, json};
use svc_model::{
    QueryString,
    resources::{FieldDescription, FieldType},
};

use crate::{places::model::Model, texts::Texts, visit::Form};

/// How many columns are pinned at most.
pub(super) const MOST_PINNED: usize = 3;
/// How many columns have a width of their own at most: the link in the head of each column has them all.
const MOST_WIDTHS: usize = 100;
/// The parameters of an address. No field is called like them in an address.
pub(super) const PARAMETERS: [&str; 2] = [PIN, WIDTH];
/// A pinned column; empty where none is.
pub(super) const PIN: &str = "_pin";
/// A width and the column that has it, with a point between them.
pub(super) const WIDTH: &str = "_width";

/// A width that a column can have. Styles have a class for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Narrow,
    Medium,
    Wide,
    Widest,
}

impl Width {
    pub(super) const ALL: [Self; 4] = [Self::Narrow, Self::Medium, Self::Wide, Self::Widest];

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.word() == word)
    }

    /// The word in addresses, in what is kept, and in the class.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Narrow => "narrow",
            Self::Medium => "medium",
            Self::Wide => "wide",
            Self::Widest => "widest",
        }
    }

    fn pixels(self) -> u16 {
        match self {
            Self::Narrow => 96,
            Self::Medium => 180,
            Self::Wide => 320,
            Self::Widest => 560,
        }
    }

    pub(super) fn text(self, texts: &Texts) -> String {
        match self {
            Self::Narrow => texts.get("width-narrow"),
            Self::Medium => texts.get("width-medium"),
            Self::Wide => texts.get("width-wide"),
            Self::Widest => texts.get("width-widest"),
        }
    }
}

/// Widths and pinned columns, of those that have one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// In their order.
    pinned: Vec<String>,
    widths: BTreeMap<String, Width>,
}

impl Layout {
    /// What an address or a form says; `None` where it says nothing.
    pub(super) fn of_form(form: &Form, model: &Model<'_>) -> Option<Self> {
        let is_field = |name: &str| model.field(name).is_some();
        if PARAMETERS.iter().all(|name| form.get(name).is_none()) {
            return None;
        }
        let widths = form.all(WIDTH).filter_map(|text| text.split_once('.'));
        Some(Self::of(form.all(PIN), widths, is_field))
    }

    /// What was kept.
    pub(super) fn of_kept(kept: &Value, model: &Model<'_>) -> Self {
        let is_field = |name: &str| model.field(name).is_some();
        let pinned = kept.get("pinned").and_then(Value::as_array);
        let pinned = pinned.into_iter().flatten().filter_map(Value::as_str);
        let widths = kept.get("widths").and_then(Value::as_object);
        let widths = widths.into_iter().flatten();
        let widths = widths.filter_map(|(name, word)| Some((word.as_str()?, name.as_str())));
        Self::of(pinned, widths, is_field)
    }

    fn of<'a>(
        pinned: impl Iterator<Item = &'a str>,
        widths: impl Iterator<Item = (&'a str, &'a str)>,
        is_field: impl Fn(&str) -> bool,
    ) -> Self {
        let mut layout = Self::default();
        // The empty text says that none is pinned.
        for name in pinned.filter(|name| !name.is_empty() && is_field(name)) {
            if layout.pinned.len() < MOST_PINNED && !layout.pinned.iter().any(|it| it == name) {
                layout.pinned.push(name.to_owned());
            }
        }
        for (word, name) in widths.filter(|(_, name)| is_field(name)) {
            let has_place = layout.widths.len() < MOST_WIDTHS || layout.widths.contains_key(name);
            if let Some(width) = Width::of(word).filter(|_| has_place) {
                layout.widths.insert(name.to_owned(), width);
            }
        }
        layout
    }

    /// The same for these columns alone.
    pub(super) fn of_columns(mut self, columns: &[&str]) -> Self {
        self.pinned.retain(|name| columns.contains(&name.as_str()));
        self.widths
            .retain(|name, _| columns.contains(&name.as_str()));
        self
    }

    /// The same with the pinned columns in the order of these.
    pub(super) fn in_order_of(mut self, columns: &[&str]) -> Self {
        let place = |name: &String| columns.iter().position(|column| column == name);
        self.pinned.sort_by_key(place);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn width(&self, column: &str) -> Option<Width> {
        self.widths.get(column).copied()
    }

    pub(super) fn is_pinned(&self, column: &str) -> bool {
        self.pinned.iter().any(|name| name == column)
    }

    /// What is kept of it, beside the names of the columns.
    pub(super) fn to_kept(&self, columns: &[&str]) -> Value {
        let widths = self.widths.iter();
        let widths = widths.map(|(name, width)| (name.clone(), width.word().into()));
        let widths: serde_json::Map<String, Value> = widths.collect();
        json!({ "columns": columns, "pinned": self.pinned, "widths": widths })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        // An address without any would mean what was kept.
        let none = self.is_empty().then(|| (PIN, String::new()));
        let pinned = self.pinned.iter().map(|name| (PIN, name.clone()));
        let widths = self.widths.iter();
        let widths = widths.map(|(name, width)| (WIDTH, format!("{}.{name}", width.word())));
        none.into_iter().chain(pinned).chain(widths).collect()
    }

    /// Writes it into an address.
    pub(super) fn add_to(&self, query: &mut QueryString) {
        for (name, value) in self.parameters() {
            query.push(name, &value);
        }
    }

    /// It as hidden fields of a form.
    pub(super) fn hidden(&self) -> Markup {
        html! {
            @for (name, value) in self.parameters() {
                input type="hidden" name=(name) value=(value);
            }
        }
    }

    /// These columns as the table has them: pinned ones come first.
    pub(super) fn arrange<'m>(&self, columns: &[&'m FieldDescription]) -> Vec<TableColumn<'m>> {
        let by_name = |name: &String| columns.iter().find(|column| column.name == *name);
        let pinned: Vec<_> = self.pinned.iter().filter_map(by_name).collect();
        let others = columns
            .iter()
            .filter(|column| !self.is_pinned(&column.name));
        let first = pinned.iter().enumerate().map(|(at, column)| {
            let is_last = at + 1 == pinned.len();
            let width = match self.width(&column.name) {
                None if is_last => None,
                // Where the next one stays is known only of a column with a width.
                None => Some(of_pinned(column.field)),
                Some(Width::Widest) => Some(Width::Wide),
                width => width,
            };
            TableColumn::new(column, width, Some((at, is_last)))
        });
        let others = others.map(|column| TableColumn::new(column, self.width(&column.name), None));
        first.chain(others).collect()
    }
}

/// A column as the table has it.
#[derive(Debug)]
pub(crate) struct TableColumn<'m> {
    pub(super) field: &'m FieldDescription,
    width: Option<Width>,
    pub(super) is_pinned: bool,
    /// The classes of its cells.
    pub(super) class: Option<String>,
}

impl<'m> TableColumn<'m> {
    /// A column without a width of its own.
    pub(crate) fn plain(field: &'m FieldDescription) -> Self {
        Self::new(field, None, None)
    }

    /// A column; `pin` is its place among the pinned ones, and whether it is the last of them.
    fn new(field: &'m FieldDescription, width: Option<Width>, pin: Option<(usize, bool)>) -> Self {
        let mut classes = Vec::new();
        if is_number(field) {
            classes.push("number".to_owned());
        }
        classes.extend(width.map(|width| format!("col-{}", width.word())));
        if let Some((at, is_last)) = pin {
            classes.push(format!("pinned pin-{}", at + 1));
            classes.extend(is_last.then(|| "last-pin".to_owned()));
        }
        Self {
            field,
            width,
            is_pinned: pin.is_some(),
            class: (!classes.is_empty()).then(|| classes.join(" ")),
        }
    }
}

/// The width of a pinned column that has none of its own, and others behind it.
fn of_pinned(kind: FieldType) -> Width {
    match kind {
        FieldType::IntegerField | FieldType::BooleanField => Width::Narrow,
        _ => Width::Medium,
    }
}

fn is_number(column: &FieldDescription) -> bool {
    matches!(
        column.field,
        FieldType::IntegerField | FieldType::FloatField | FieldType::DecimalField
    )
}

/// The classes of a table: styles compute from them where a pinned column stays behind others.
pub(super) fn class(columns: &[TableColumn<'_>]) -> Option<String> {
    let pinned = columns.iter().filter(|column| column.is_pinned);
    let before = ["first", "second"].into_iter().zip(pinned);
    let classes = before.filter_map(|(place, column)| {
        let width = column.width?;
        Some(format!("{place}-{}", width.word()))
    });
    let classes: Vec<String> = classes.collect();
    (!classes.is_empty()).then(|| classes.join(" "))
}

/// The widths of columns, which a browser knows before it has read the rows.
pub(super) fn colgroup(columns: &[TableColumn<'_>], has_boxes: bool) -> Markup {
    html! {
        @if columns.iter().any(|column| column.width.is_some()) {
            colgroup {
                @if has_boxes { col width="36"; }
                @for column in columns { col width=[column.width.map(Width::pixels)]; }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(form: &str) -> Layout {
        let form = Form::parse(form).unwrap();
        let widths = form.all(WIDTH).filter_map(|text| text.split_once('.'));
        Layout::of(form.all(PIN), widths, |name| name != "gone")
    }

    fn written(layout: &Layout) -> String {
        let mut query = QueryString::new();
        layout.add_to(&mut query);
        query.as_str().to_owned()
    }

    #[test]
    fn an_address_has_known_columns_and_widths_and_three_pins_at_most() {
        let read = layout(
            "_pin=b&_pin=gone&_pin=b&_pin=a,1&_pin=c&_pin=d&_width=wide.b&_width=huge.c&_width=&_width=narrow.x.y",
        );
        assert_eq!(
            written(&read),
            "_pin=b&_pin=a,1&_pin=c&_width=wide.b&_width=narrow.x.y"
        );
        assert_eq!(layout(&written(&read)), read);
        let none = layout("_pin=");
        assert!(none.is_empty());
        assert_eq!(written(&none), "_pin=");
        let some = read.of_columns(&["a,1", "x.y"]);
        assert_eq!(written(&some), "_pin=a,1&_width=narrow.x.y");
    }

    #[test]
    fn pinned_columns_come_first_and_have_a_width_where_another_one_stays_behind_them() {
        let mut fields =
            ["a", "b", "c"].map(|name| FieldDescription::new(name, FieldType::TextField, "text"));
        fields[0].field = FieldType::IntegerField;
        let columns: Vec<&FieldDescription> = fields.iter().collect();
        let shown = layout("_pin=c&_pin=b&_width=widest.c").arrange(&columns);
        let classes: Vec<_> = shown.iter().map(|it| it.class.as_deref()).collect();
        assert_eq!(
            classes,
            [
                Some("col-wide pinned pin-1"),
                Some("pinned pin-2 last-pin"),
                Some("number")
            ]
        );
        assert_eq!(class(&shown).as_deref(), Some("first-wide"));
        assert_eq!(
            colgroup(&shown, true).into_string(),
            "<colgroup><col width=\"36\"><col width=\"320\"><col><col></colgroup>"
        );
        let shown = layout("_pin=a&_pin=b&_pin=c").arrange(&columns);
        assert_eq!(class(&shown).as_deref(), Some("first-narrow second-medium"));
        assert_eq!(
            colgroup(&Layout::default().arrange(&columns), true).into_string(),
            ""
        );
    }

    #[test]
    fn styles_have_the_widths() {
        let styles = include_str!("../../../assets/console.css");
        for width in Width::ALL {
            let (word, pixels) = (width.word(), width.pixels());
            let rule =
                format!(".records .col-{word} {{ min-width: {pixels}px; max-width: {pixels}px; }}");
            assert!(styles.contains(&rule), "{rule}");
        }
        for width in [Width::Narrow, Width::Medium, Width::Wide] {
            let (word, pixels) = (width.word(), width.pixels());
            for place in ["first", "second"] {
                let rule = format!(".{place}-{word} {{ --{place}: {pixels}px; }}");
                assert!(styles.contains(&rule), "{rule}");
            }
        }
    }
}
