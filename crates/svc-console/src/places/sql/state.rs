//! What the address of the editor says, or its form: the text, its parameters, and what was opened.

use std::ops::Range;

use serde_json::{Map, Number, Value, json};
use svc_api::Call;
use svc_model::{
    administration::items::Item,
    sql::{Params, Query, SqlQuery},
};

use super::{binds::Binds, part};
use crate::{
    href::Href,
    places::{
        Context,
        saved::{self, Kind},
    },
    problem::{Problem, Result},
    visit::Form,
};

/// The longest text that stands in an address, in bytes. A longer one is kept as a draft.
const LONGEST: usize = 3_000;

/// The text of a query with what belongs to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) resource: String,
    /// Whether the database is a MySQL or MariaDB.
    pub(crate) is_mysql: bool,
    pub(crate) text: String,
    /// The part of the text that was selected to be run.
    pub(crate) part: Option<Range<usize>>,
    /// Whether the text has no longer the part that was asked for.
    pub(crate) has_lost_part: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// What the names of models and fields must contain that are shown beside the text.
    pub(crate) structure: String,
    /// The saved query that was opened.
    pub(crate) saved: Option<Item>,
    /// Whether the text was asked for as what another account has saved, which may change it at any time.
    pub(crate) is_of_another: bool,
    /// Whether the saved query is that of another account.
    has_other_owner: bool,
    /// Whether the parameters have positions, and no names.
    is_positional: bool,
    /// Where the text is kept when it is too long for an address.
    pub(super) draft: Option<Item>,
}

/// A value of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) kind: ParameterKind,
}

/// What a value is sent as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    #[default]
    Text,
    Number,
    Boolean,
    Null,
}

impl ParameterKind {
    pub(crate) const ALL: [Self; 4] = [Self::Text, Self::Number, Self::Boolean, Self::Null];

    /// The word in addresses.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl Parameter {
    /// The value as it is sent. What is no number after all is for the database to judge.
    fn to_json(&self) -> Value {
        let text = || Value::String(self.value.clone());
        match self.kind {
            ParameterKind::Null => Value::Null,
            ParameterKind::Text => text(),
            ParameterKind::Number => {
                let number: Option<Number> = serde_json::from_str(self.value.trim()).ok();
                // Digits that a floating point number has not stay a text.
                let number = number.filter(|number| number.to_string() == self.value.trim());
                number.map_or_else(text, Value::Number)
            }
            ParameterKind::Boolean => {
                let word = self.value.trim().to_ascii_lowercase();
                match word.as_str() {
                    "true" | "t" | "yes" | "on" | "1" => true.into(),
                    "false" | "f" | "no" | "off" | "0" => false.into(),
                    _ => text(),
                }
            }
        }
    }
}

impl State {
    /// Reads an address or a form. What it leaves out is taken from the query that was saved.
    pub(crate) async fn read(context: &Context<'_>, resource: &str, form: &Form) -> Result<Self> {
        let saved = match form.text("saved") {
            "" => None,
            uid => Some(saved::find(context, Kind::Query, uid).await?),
        };
        let resources = context.project.resources.iter();
        let mut here = resources.filter(|known| known.environment == context.scope.environment);
        let engine = here.find(|known| known.unique_name.as_str() == resource);
        let engine = engine.map(|known| known.type_item.to_ascii_lowercase());
        let mut state = Self {
            resource: resource.to_owned(),
            is_mysql: engine.is_some_and(|it| it.contains("mysql") || it.contains("maria")),
            structure: form.text("structure").trim().to_owned(),
            has_other_owner: saved
                .as_ref()
                .is_some_and(|item| item.owner != context.account.uid),
            saved,
            ..Self::default()
        };
        if let Some(text) = form.get("query") {
            // As forms send it, lines end with CRLF.
            state.text = text.replace("\r\n", "\n");
        } else if let Some(uid) = form.get("draft") {
            // Another text may be kept there by now.
            let draft = saved::find_any(context, Kind::Draft, uid).await?;
            if let Some(draft) = draft.filter(|draft| draft.owner == context.account.uid) {
                text_of(&draft.value).clone_into(&mut state.text);
                state.draft = Some(draft);
            }
        } else if let Some(item) = &state.saved {
            text_of(&item.value).clone_into(&mut state.text);
            state.is_of_another = state.has_other_owner;
        }
        if let Some(places) = form.get("part") {
            state.select(places);
        }
        let binds = Binds::of(&state.text, state.is_mysql).ok_or(Problem::TooManyParameters)?;
        state.is_positional = matches!(binds, Binds::Positional(_));
        state.parameters = state.read_parameters(binds, form);
        Ok(state)
    }

    fn read_parameters(&self, binds: Binds, form: &Form) -> Vec<Parameter> {
        let kept = self.draft.as_ref().or(self.saved.as_ref());
        let kept = kept.map(|item| &item.value["parameters"]);
        let names = binds.into_names().into_iter();
        let form = form.by_name();
        let parameter = |name: String| {
            let kept = kept.map(|kept| &kept[&name]);
            let of_kept = |key: &str| kept.and_then(|kept| kept[key].as_str()).unwrap_or_default();
            let value = form.get(&*format!("p.{name}")).copied();
            let kind = form.get(&*format!("t.{name}")).copied();
            Parameter {
                value: value.unwrap_or_else(|| of_kept("value")).to_owned(),
                kind: ParameterKind::of(kind.unwrap_or_else(|| of_kept("kind")))
                    .unwrap_or_default(),
                name,
            }
        };
        names.map(parameter).collect()
    }

    /// What is saved of it.
    pub(crate) fn to_value(&self) -> Value {
        let parameters = self.parameters.iter().map(|parameter| {
            let value = json!({"value": parameter.value, "kind": parameter.kind.word()});
            (parameter.name.clone(), value)
        });
        let parameters: Map<String, Value> = parameters.collect();
        json!({"query": self.text, "parameters": parameters})
    }

    /// Whether the text is too long for an address, and kept nowhere else.
    pub(super) fn needs_draft(&self) -> bool {
        self.is_long() && !self.is_in_saved()
    }

    /// What is run: the part that was selected, else the whole text.
    pub(crate) fn runs(&self) -> &str {
        let part = self.part.clone();
        part.and_then(|part| self.text.get(part))
            .unwrap_or(&self.text)
    }

    /// The parameters of what is run.
    pub(crate) fn bound(&self) -> Vec<&Parameter> {
        let all = self.parameters.iter();
        let Some(part) = &self.part else {
            return all.collect();
        };
        let before = self.text.get(..part.start).unwrap_or_default();
        let before = Binds::of(before, self.is_mysql);
        match (Binds::of(self.runs(), self.is_mysql), before) {
            (Some(Binds::Named(names)), _) => all.filter(|it| names.contains(&it.name)).collect(),
            (Some(Binds::Positional(count)), Some(Binds::Positional(before)))
                if self.is_positional =>
            {
                all.skip(before).take(count).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The part that was selected alone, as a text of its own.
    pub(crate) fn of_part(self) -> Self {
        match &self.part {
            None => self,
            Some(_) => Self {
                parameters: self.bound().into_iter().cloned().collect(),
                text: self.runs().to_owned(),
                part: None,
                saved: None,
                draft: None,
                ..self
            },
        }
    }

    /// Selects a part of the text by its places.
    pub(crate) fn select(&mut self, places: &str) {
        self.part = part::read(&self.text, places);
        self.has_lost_part = self.part.is_none();
    }

    fn is_long(&self) -> bool {
        self.text.len() > LONGEST
    }

    /// Whether the saved query can stand for the text. One of another account cannot: what was read must be what runs.
    fn is_in_saved(&self) -> bool {
        !self.has_other_owner && self.is_as_saved()
    }

    /// A part has places in the text of the page, and not in one that may change.
    fn is_as_saved(&self) -> bool {
        let saved = self.saved.as_ref().filter(|_| self.part.is_none());
        saved.is_some_and(|item| text_of(&item.value) == self.text)
    }

    /// The same state at another place.
    pub(crate) fn at(&self, place: Href) -> Href {
        let mut place = place;
        if let Some(item) = &self.saved {
            place = place.with("saved", &item.uid);
        }
        if !self.is_in_saved() && !self.text.is_empty() {
            place = match (&self.draft, self.is_long()) {
                (Some(draft), true) => place.with("draft", &draft.uid),
                _ => place.with("query", &self.text),
            };
        }
        for parameter in &self.parameters {
            place = place.with(&format!("p.{}", parameter.name), &parameter.value);
            if parameter.kind != ParameterKind::Text {
                place = place.with(&format!("t.{}", parameter.name), parameter.kind.word());
            }
        }
        if let Some(part) = &self.part {
            place = place.with("part", &part::write(&self.text, part));
        }
        match self.structure.is_empty() {
            true => place,
            false => place.with("structure", &self.structure),
        }
    }

    /// All of it, also where an address would have less.
    pub(crate) fn whole(&self) -> svc_model::QueryString {
        let mut query = svc_model::QueryString::new();
        query.push("query", &self.text);
        for parameter in &self.parameters {
            query.push(&format!("p.{}", parameter.name), &parameter.value);
            query.push(&format!("t.{}", parameter.name), parameter.kind.word());
        }
        query
    }

    /// The call that runs the text.
    pub(crate) fn call(&self, context: &Context<'_>) -> Call<Query> {
        let mut query = SqlQuery::new(self.runs());
        let parameters = self.bound();
        if !self.is_positional {
            for parameter in parameters {
                query = query.bind(&parameter.name, parameter.to_json());
            }
        } else if !parameters.is_empty() {
            let values = parameters.into_iter().map(Parameter::to_json);
            query.v = Some(1);
            query.params = Some(Params::Values(values.collect()));
        }
        query.timezone.clone_from(&context.account.timezone);
        let sql = context.client.sql(self.resource.as_str());
        // What is cancelled must not begin again.
        sql.send(query).max_tries(1)
    }

    /// What a result is called: the name of the query, or its beginning.
    pub(crate) fn title(&self) -> String {
        if let Some(item) = self.saved.as_ref().filter(|_| self.is_as_saved()) {
            return item.name.clone();
        }
        title_of(self.runs())
    }
}

/// What a text is called: its beginning.
pub(super) fn title_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(40).collect();
    let text = words.join(" ");
    match text.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// The text of a saved query.
pub(super) fn text_of(value: &Value) -> &str {
    value["query"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved_by(owner: &str) -> Item {
        let item = json!({
            "uid": "i", "kind": "query", "name": "n", "model": "s", "value": {"query": "SELECT 1"}, "shared": true,
            "owner": owner, "date_add": "", "date_update": "",
        });
        serde_json::from_value(item).unwrap()
    }

    #[test]
    fn an_address_has_the_text_itself_where_another_account_could_change_it() {
        let at = |has_other_owner| {
            let state = State {
                text: "SELECT 1".to_owned(),
                saved: Some(saved_by("someone")),
                has_other_owner,
                ..State::default()
            };
            state.at(Href::root("")).to_string()
        };
        assert!(!at(false).contains("query="), "{}", at(false));
        assert!(at(true).contains("query=SELECT"), "{}", at(true));
    }

    #[test]
    fn a_part_of_a_text_runs_with_its_own_parameters_alone() {
        let of = |text: &str, part: &str| {
            let binds = Binds::of(text, false).unwrap();
            let mut state = State {
                text: text.to_owned(),
                is_positional: matches!(binds, Binds::Positional(_)),
                saved: Some(saved_by("me")),
                ..State::default()
            };
            state.parameters = state.read_parameters(binds, &Form::default());
            let from = text.find(part).unwrap();
            state.select(&format!("{from}-{}", from + part.len()));
            let names: Vec<_> = state.bound().iter().map(|it| it.name.clone()).collect();
            (state, names.join(" "))
        };
        let (state, names) = of("SELECT :a;\nSELECT :b, :c", "SELECT :b, :c");
        assert_eq!((state.runs(), &*names), ("SELECT :b, :c", "b c"));
        let at = state.at(Href::root("")).to_string();
        assert!(at.contains("query=") && at.contains("part=11-24"), "{at}");
        let alone = state.of_part();
        assert_eq!((&*alone.text, alone.parameters.len()), ("SELECT :b, :c", 2));
        let (_, names) = of("SELECT %s;\nSELECT %s, %s", "SELECT %s, %s");
        assert_eq!(names, "2 3");
        let mut state = of("SELECT 1", "1").0;
        state.select("7-99");
        assert!(state.has_lost_part && state.runs() == "SELECT 1");
    }

    #[test]
    fn a_text_that_is_the_saved_one_is_not_in_the_address_unless_a_part_of_it_runs() {
        let mut state = State {
            text: "SELECT 1".to_owned(),
            saved: Some(saved_by("me")),
            ..State::default()
        };
        assert!(!state.at(Href::root("")).to_string().contains("query="));
        state.select("7-8");
        assert!(state.at(Href::root("")).to_string().contains("query="));
    }

    #[test]
    fn a_value_is_sent_as_what_it_was_chosen_to_be_and_keeps_its_digits() {
        let sent = |kind, value: &str| {
            let name = "x".to_owned();
            let value = value.to_owned();
            Parameter { name, value, kind }.to_json().to_string()
        };
        assert_eq!(sent(ParameterKind::Text, "0005"), "\"0005\"");
        assert_eq!(sent(ParameterKind::Number, " 7 "), "7");
        assert_eq!(
            sent(ParameterKind::Number, "9007199254740993"),
            "9007199254740993"
        );
        assert_eq!(
            sent(ParameterKind::Number, "1.00000000000000000001"),
            "\"1.00000000000000000001\""
        );
        assert_eq!(sent(ParameterKind::Boolean, "Yes"), "true");
        assert_eq!(sent(ParameterKind::Null, "x"), "null");
    }
}
