//! The form that adds a filter or changes one. Its inputs are those that fit the field and the comparison.

use maud::{Markup, html};
use svc_model::{
    FieldFilter, ListQuery, Lookup, Operand,
    resources::{FieldDescription, FieldType},
};

use super::{At, Conditions, lookups};
use crate::{
    href::Href,
    places::{
        model::Model,
        records::{layout::Layout, view::at_start},
    },
    texts::Texts,
    ui::form::hidden,
    visit::Form,
};

/// What the form holds.
struct Draft {
    field: String,
    /// `None` until a comparison is chosen that fits the field.
    lookup: Option<lookups::Offered>,
    values: Vec<String>,
    /// The filter that it changes.
    edit: Option<At>,
    /// The group that it is added to.
    group: Option<usize>,
    /// Whether it was sent to be applied.
    is_sent: bool,
}

impl Draft {
    fn read(query: &ListQuery, form: &Form) -> Self {
        let edit = At::read(form.text("_edit"));
        let is_sent = form.get("_add_value").is_some() || form.get("_add_alone").is_some();
        let edited = edit.and_then(|at| Conditions::of(query).get(at).cloned());
        if let (Some(filter), None) = (&edited, form.get("_add_field")) {
            let values = match &filter.condition.value {
                Operand::One(text) => vec![text.clone()],
                Operand::Many(values) => values.clone(),
                _ => Vec::new(),
            };
            return Self {
                field: filter.condition.field.clone(),
                lookup: Some(lookups::of_filter(filter)),
                values,
                edit,
                group: edit.and_then(|at| at.group),
                is_sent: false,
            };
        }
        Self {
            field: form.text("_add_field").to_owned(),
            lookup: lookups::of_name(form.text("_add_lookup")),
            values: form.all("_add_value").map(str::to_owned).collect(),
            edit: edit.filter(|_| edited.is_some()),
            group: form.text("_group").parse().ok(),
            is_sent,
        }
    }

    /// The filter, or what is wrong with it; `None` while there is nothing to read.
    fn filter(&self, model: &Model<'_>) -> Option<Result<FieldFilter, String>> {
        let (lookup, is_contrary) = self.lookup.filter(|_| self.is_sent)?;
        if self.values.is_empty() && !lookups::is_alone(lookup) {
            return None;
        }
        let field = model.field(&self.field)?;
        // Of several inputs a browser without scripts may have sent the first one alone.
        let value = match lookup {
            _ if lookups::is_alone(lookup) => Operand::from(!is_contrary),
            Lookup::Range if self.values.len() == 2 => Operand::Many(self.values.clone()),
            Lookup::In => match self.lines()[..] {
                [ref only] => Operand::One(only.clone()),
                ref lines => Operand::Many(lines.to_vec()),
            },
            _ => Operand::One(self.values.first().cloned().unwrap_or_default()),
        };
        let exclude = is_contrary && !lookups::is_alone(lookup);
        let sign = if exclude { "exclude__" } else { "" };
        let key = format!("{sign}{}__{lookup}", field.name);
        let is_field = |name: &str| model.field(name).is_some();
        let mut query = ListQuery::new();
        let read = query.filter_by_key(&key, value, &is_field);
        Some(match (read, query.filters.pop()) {
            (Ok(()), Some(filter)) => Ok(filter),
            (Err(invalid), _) => {
                let mut messages = invalid.field_errors().iter();
                Err(messages
                    .next()
                    .map_or_else(String::new, |(_, all)| all.join("; ")))
            }
            (Ok(()), None) => Err(String::new()),
        })
    }

    fn lines(&self) -> Vec<String> {
        let lines = self.values.iter().flat_map(|value| value.lines());
        let lines = lines.map(str::to_owned).filter(|line| !line.is_empty());
        lines.collect()
    }
}

/// Where the form leads, when it was sent with a filter that can be read.
pub(in crate::places::records) fn led_to(
    model: &Model<'_>,
    form: &Form,
    wanted: &ListQuery,
    layout: Option<&Layout>,
) -> Option<Href> {
    let mut query = at_start(wanted);
    let draft = Draft::read(wanted, form);
    let filter = draft.filter(model)?.ok()?;
    let mut conditions = Conditions::of(wanted);
    match draft.edit {
        // In its place, unless it goes to another group.
        Some(at) if at.group == draft.group => {
            let list = match at.group {
                None => Some(&mut conditions.all),
                Some(group) => conditions.groups.get_mut(group),
            };
            if let Some(place) = list.and_then(|list| list.get_mut(at.index)) {
                *place = filter;
            }
        }
        Some(at) => {
            // A group stays where it is until the filter is added, even where that was the last one of it.
            conditions.remove(at);
            conditions.add(filter, draft.group);
        }
        None => conditions.add(filter, draft.group),
    }
    conditions.put_into(&mut query);
    let mut query = query.to_query_string();
    if let Some(layout) = layout {
        layout.add_to(&mut query);
    }
    Some(model.list().query(query))
}

/// The form.
pub(in crate::places::records) fn form(
    model: &Model<'_>,
    wanted: &ListQuery,
    layout: Option<&Layout>,
    form: &Form,
) -> Markup {
    let texts = model.texts();
    let draft = Draft::read(wanted, form);
    let field = model.field(&draft.field).filter(|field| field.filterable);
    let wrong = match draft.filter(model) {
        // While it is still being filled in, nothing is wrong with it.
        Some(Err(message)) if model.context.visit.fragment().is_none() => Some(message),
        _ => None,
    };
    let all = model.description.fields.iter();
    html! {
        form #filter.stack method="get" action=(model.list()) data-partial="filter" {
            (hidden(&at_start(wanted), |_| {}))
            @if let Some(layout) = layout { (layout.hidden()) }
            @if let Some(at) = draft.edit { input type="hidden" name="_edit" value=(at.text()); }
            label { (texts.get("field"))
                select name="_add_field" required data-next {
                    @if field.is_none() { option value="" selected {} }
                    @for known in all.filter(|field| field.filterable) {
                        option value=(known.name) selected[draft.field == known.name] { (known.name) }
                    }
                }
            }
            @if let Some(field) = field {
                (comparison(model, wanted, &draft, field, wrong.as_deref()))
            } @else {
                button.primary { (texts.get("go-on")) }
            }
        }
    }
}

fn comparison(
    model: &Model<'_>,
    wanted: &ListQuery,
    draft: &Draft,
    field: &FieldDescription,
    wrong: Option<&str>,
) -> Markup {
    let texts = model.texts();
    let offered = lookups::offered(field);
    let known = |lookup: &lookups::Offered| offered.contains(lookup);
    let first = offered.first().copied().unwrap_or((Lookup::Exact, false));
    // One that is not offered is kept where the address has it.
    let chosen = draft.lookup.filter(|it| known(it) || draft.edit.is_some());
    let chosen = chosen.unwrap_or(first);
    let conditions = Conditions::of(wanted);
    let groups = conditions.groups.len();
    html! {
        label { (texts.get("lookup"))
            select name="_add_lookup" data-next {
                @if !known(&chosen) {
                    option value=(lookups::name(chosen)) selected { (lookups::word(texts, chosen)) }
                }
                @for lookup in offered {
                    option value=(lookups::name(*lookup)) selected[*lookup == chosen] { (lookups::word(texts, *lookup)) }
                }
            }
        }
        (values(texts, field, chosen.0, draft, wrong.is_some()))
        @if let Some(message) = wrong { p.field-error #filter-error role="alert" { (message) } }
        // The first one is no alternative to others.
        @if conditions.count() > usize::from(draft.edit.is_some()) {
            label { (texts.get("filter-group"))
                select name="_group" {
                    option value="" selected[draft.group.is_none()] { (texts.get("filter-group-all")) }
                    @for group in 0..groups {
                        option value=(group) selected[draft.group == Some(group)] {
                            (texts.with("filter-group-one", [("number", (group + 1).into())]))
                        }
                    }
                    option value=(groups) selected[draft.group == Some(groups)] {
                        @if groups == 0 { (texts.get("filter-group-first")) } @else { (texts.get("filter-group-new")) }
                    }
                }
            }
        }
        button.primary {
            @if draft.edit.is_some() { (texts.get("filter-change")) } @else { (texts.get("filter-apply")) }
        }
    }
}

/// The inputs of the values.
fn values(
    texts: &Texts,
    field: &FieldDescription,
    lookup: Lookup,
    draft: &Draft,
    is_wrong: bool,
) -> Markup {
    let value = |at: usize| draft.values.get(at).map_or("", String::as_str);
    if lookups::is_alone(lookup) {
        return html! { input type="hidden" name="_add_alone" value="1"; };
    }
    html! {
        @match lookup {
            Lookup::Range => {
                label { (texts.get("filter-from")) (one(texts, field, value(0), is_wrong)) }
                label { (texts.get("filter-to")) (one(texts, field, value(1), is_wrong)) }
            },
            Lookup::In => label { (texts.get("filter-lines"))
                textarea name="_add_value" rows="5" aria-invalid=[is_wrong.then_some("true")] {
                    "\n" (draft.values.join("\n"))
                }
            },
            _ => label { (texts.get("value")) (one(texts, field, value(0), is_wrong)) },
        }
    }
}

/// The input of one value.
fn one(texts: &Texts, field: &FieldDescription, value: &str, is_wrong: bool) -> Markup {
    let invalid = is_wrong.then_some("true");
    let described = is_wrong.then_some("filter-error");
    let options = field.params.get("options").and_then(|it| it.as_array());
    let is_plain = |shape: &str| value.is_empty() || has_shape(value, shape);
    let kind = match field.field {
        FieldType::DateField if is_plain("0000-00-00") => Some("date"),
        FieldType::DateTimeField
            if is_plain("0000-00-00T00:00:00") || is_plain("0000-00-00T00:00") =>
        {
            Some("datetime-local")
        }
        FieldType::TimeField if is_plain("00:00:00") => Some("time"),
        _ => None,
    };
    let keyboard = match field.field {
        FieldType::IntegerField => Some("numeric"),
        FieldType::DecimalField | FieldType::FloatField => Some("decimal"),
        _ => None,
    };
    let step = matches!(kind, Some("datetime-local" | "time")).then_some("1");
    html! {
        @if field.field == FieldType::BooleanField {
            select name="_add_value" {
                option value="true" selected[value != "false"] { (texts.get("yes")) }
                option value="false" selected[value == "false"] { (texts.get("no")) }
            }
        } @else if let Some(options) = options {
            select name="_add_value" {
                @for option in options.iter().filter_map(|option| option.as_str()) {
                    option value=(option) selected[option == value] { (option) }
                }
            }
        } @else {
            input name="_add_value" type=[kind] step=[step] value=(value) inputmode=[keyboard] autocomplete="off"
                aria-invalid=[invalid] aria-describedby=[described];
        }
    }
}

/// Whether a text has digits where the shape has zeros, and the same signs elsewhere.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, sign)| match sign {
                b'0' => byte.is_ascii_digit(),
                sign => byte == sign,
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_input_is_used_only_for_what_it_can_hold() {
        assert!(has_shape("2024-02-29", "0000-00-00"));
        assert!(!has_shape("2024-02-29T10:00", "0000-00-00"));
        assert!(!has_shape("infinity", "0000-00-00"));
    }
}
