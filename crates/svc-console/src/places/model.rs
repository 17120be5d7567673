//! A model, as the places about its records know it.

use std::{borrow::Cow, ops::Deref, sync::Arc, time::Duration};

use svc_api::{Call, Client, HasTimeZone, Records};
use svc_model::{
    Count, JsonObject, ListQuery, Lookup, ModelName, QueryString, RecordId, ResourceName,
    records::Collection,
    resources::{Can, Direction, FieldDescription, FieldType, ModelDescription, ModelRelation},
};

use super::{Context, Scope, controls};
use crate::{
    descriptions::Models,
    href::{Anchor, Href},
    json::{self, Object},
    problem::{Problem, Result, is_passing},
    texts::Texts,
    ui::frame::{Area, Frame},
    visit::Visit,
};

/// The parameter of a record's address that has the query string of the list that somebody has come from.
pub(crate) const LIST: &str = "_list";

/// A model with the models that it refers to, and the account that is signed in.
#[derive(Debug)]
pub(crate) struct Model<'v> {
    pub(crate) context: Context<'v>,
    pub(crate) resource: ResourceName,
    pub(crate) name: ModelName,
    pub(crate) description: Described,
    all: Models,
    /// The query string of the list that somebody has come from, as the address says it.
    came_from: QueryString,
}

/// The description of a model: one of those that all visits share, unless less is permitted.
#[derive(Debug)]
pub(crate) struct Described {
    all: Models,
    at: usize,
    narrowed: Option<Box<ModelDescription>>,
}

impl Described {
    fn find(all: &Models, name: &str) -> Option<Self> {
        let at = all.iter().position(|known| known.model == name)?;
        Some(Self {
            all: Arc::clone(all),
            at,
            narrowed: None,
        })
    }

    /// What may be done with the records from now on.
    fn permit(&mut self, can: Can) {
        let mut narrowed = Box::new((**self).clone());
        narrowed.permit(can);
        self.narrowed = Some(narrowed);
    }
}

impl Deref for Described {
    type Target = ModelDescription;

    fn deref(&self) -> &ModelDescription {
        self.narrowed.as_deref().unwrap_or(&self.all[self.at])
    }
}

/// Fields that refer to a record of another model, or of this one.
#[derive(Debug)]
pub(crate) struct Reference<'m> {
    pub(crate) model: &'m ModelDescription,
    /// The fields here.
    pub(crate) local: Vec<&'m str>,
    /// The fields there, in the same order.
    pub(crate) related: Vec<&'m str>,
}

impl<'m> Reference<'m> {
    /// The fields here whose values are the key of the record there, in the order of that key; `None` where they refer to other
    /// fields of it.
    pub(crate) fn key(&self) -> Option<Vec<&'m str>> {
        let here = |field| {
            let at = self.related.iter().position(|related| *related == field)?;
            self.local.get(at).copied()
        };
        let key = key_fields(self.model);
        let is_all = key.len() == self.related.len() && !key.is_empty();
        key.into_iter()
            .map(here)
            .collect::<Option<_>>()
            .filter(|_| is_all)
    }
}

impl<'v> Model<'v> {
    pub(crate) async fn open(
        visit: &'v Visit,
        scope: &Scope,
        (resource, model): (&str, &str),
    ) -> Result<Self> {
        let client = visit.client_in(&scope.project, &scope.environment)?;
        let described = async {
            let described = described(visit, &client, scope, resource);
            described.await.map_err(Problem::from)
        };
        let (context, all) = tokio::try_join!(Context::open(visit, scope), described)?;
        let mut description = Described::find(&all, model).ok_or(Problem::NotFound)?;
        if visit.acting_as().is_some() {
            // What the user may write is not for who only sees it.
            description.permit(Can::new(false, false, false));
        }
        Ok(Self {
            context,
            resource: resource.into(),
            name: model.into(),
            description,
            all,
            came_from: controls::as_list(visit.query()?.text(LIST)),
        })
    }

    /// The texts in the language of the signed-in account.
    pub(crate) fn texts(&self) -> &'static Texts {
        self.context.texts()
    }

    /// The path of the records.
    pub(crate) fn collection(&self) -> Collection {
        let scope = &self.context.scope;
        let scope = (scope.project.clone(), scope.environment.clone());
        Collection::new(scope, self.resource.clone(), self.name.clone())
    }

    /// The records.
    pub(crate) fn records(&self) -> Records {
        self.context.client.records(&self.resource, &self.name)
    }

    /// What is around a page about the model or one of its records.
    pub(crate) fn frame(&self, title: String, above: Vec<(String, Href)>) -> Frame<'_> {
        let resource = self.context.place(["records", self.resource.as_str()]);
        let resource = (self.resource.to_string(), resource);
        let above = [resource].into_iter().chain(above).collect();
        self.context.frame(Area::Data, title, above)
    }

    /// The address of the list of records.
    pub(crate) fn list(&self) -> Href {
        self.list_of(self.name.as_str())
    }

    fn list_of(&self, model: &str) -> Href {
        self.context
            .place(["records", self.resource.as_str(), model])
    }

    /// The address of a record of this model, from where one comes back to the list as it was.
    pub(crate) fn record(&self, id: &RecordId) -> Href {
        self.below::<&str>(id, [])
    }

    /// The same of a place below the record.
    pub(crate) fn below<P: AsRef<str>>(
        &self,
        id: &RecordId,
        parts: impl IntoIterator<Item = P>,
    ) -> Href {
        let place = self.record_of(self.name.as_str(), id).below(parts);
        match self.came_from.is_empty() {
            true => place,
            false => place.with(LIST, self.came_from.as_str()),
        }
    }

    /// The list that somebody has come from.
    pub(crate) fn came_from(&self) -> Href {
        self.list().query(self.came_from.clone())
    }

    /// The same, at the row of a record.
    pub(crate) fn back_to(&self, id: &RecordId) -> Href {
        self.came_from().at(row_anchor(id))
    }

    /// The address of a record of a model.
    pub(crate) fn record_of(&self, model: &str, id: &RecordId) -> Href {
        self.records_of(model).below([id.as_str()])
    }

    /// What the addresses of a model's records begin with.
    pub(crate) fn records_of(&self, model: &str) -> Href {
        self.list_of(model).below(["record"])
    }

    /// The fields of the primary key.
    pub(crate) fn key_fields(&self) -> Vec<&str> {
        key_fields(&self.description)
    }

    /// The key of a record; `None` when the model has none or the record does not have all of it.
    pub(crate) fn id_of(&self, record: &impl Object) -> Option<RecordId> {
        id_by(&self.key_fields(), record)
    }

    /// The field by which records are found since there is no key, which may not tell them apart.
    pub(crate) fn key_in_place(&self) -> Option<&str> {
        let description = &self.description;
        let is_in_place = description.primary_key_auto && !description.is_view;
        is_in_place.then_some(description.primary_key_field.as_str())
    }

    /// The same model, of which nothing can be done with a record that cannot be told from others.
    pub(crate) async fn for_record(mut self, id: &RecordId) -> Result<Self> {
        let Some(field) = self.key_in_place() else {
            return Ok(self);
        };
        let mut query = ListQuery::new().filter(field, Lookup::Exact, id.as_str());
        query.per_page = Some(2);
        query.count = Count::None;
        query.fields = Some(vec![field.to_owned()]);
        let records = self.records();
        let found = records.typed::<JsonObject>().list().query(query);
        if found.send().await?.results.len() > 1 {
            let create = self.description.can.create;
            self.description.permit(Can::new(create, false, false));
        }
        Ok(self)
    }

    /// A call whose times are in the zone of who is signed in, both those that are sent and those that come back.
    pub(crate) fn in_zone<O: HasTimeZone, V>(&self, call: Call<O, V>) -> Call<O, V> {
        match &self.context.account.timezone {
            Some(zone) => call.time_zone(zone),
            None => call,
        }
    }

    /// Another model of the resource, or this one.
    pub(crate) fn described(&self, name: &str) -> Option<&ModelDescription> {
        self.all.iter().find(|known| known.model == name)
    }

    pub(crate) fn field(&self, name: &str) -> Option<&FieldDescription> {
        let mut fields = self.description.fields.iter();
        fields.find(|field| field.name == name)
    }

    /// The relation in which a field of this model leads to one record of another.
    pub(crate) fn leads_to(&self, field: &str) -> Option<(&ModelRelation, &ModelDescription)> {
        let mut relations = self.description.relations.iter();
        let relation = relations.find(|relation| {
            relation.direction == Direction::ManyToOne && relation.local_field == field
        })?;
        let mut all = self.all.iter();
        let model = all.find(|known| known.model == relation.related_model)?;
        Some((relation, model))
    }

    /// What a field of this model refers to, alone or with other fields.
    pub(crate) fn reference_of(&self, field: &str) -> Option<Reference<'_>> {
        let mut relations = self.description.relations.iter();
        let relation = relations.find(|relation| {
            relation.direction == Direction::ManyToOne
                && relation.local_field.split(',').any(|part| part == field)
        })?;
        let mut all = self.all.iter();
        let local: Vec<&str> = relation.local_field.split(',').collect();
        let related: Vec<&str> = relation.related_field.split(',').collect();
        (local.len() == related.len()).then_some(Reference {
            model: all.find(|known| known.model == relation.related_model)?,
            local,
            related,
        })
    }

    /// The models whose records refer to a record, with the field that does, and the list of those that do.
    pub(crate) fn referring(
        &self,
        record: &JsonObject,
    ) -> impl Iterator<Item = (&str, &str, Href)> {
        let relations = self.description.relations.iter();
        relations.filter_map(|relation| {
            let mut all = self.all.iter();
            if relation.direction != Direction::OneToMany
                || !all.any(|known| known.model == relation.related_model)
            {
                return None;
            }
            let pairs = relation.local_field.split(',');
            let mut pairs = pairs.zip(relation.related_field.split(','));
            let query = pairs.try_fold(ListQuery::new(), |query, (here, there)| {
                Some(query.filter(there, Lookup::Exact, &*plain_text(record, here)?))
            })?;
            let list = self
                .list_of(&relation.related_model)
                .query(query.to_query_string());
            Some((
                relation.related_model.as_str(),
                relation.related_field.as_str(),
                list,
            ))
        })
    }

    /// What a record is called: its label fields, else its key.
    pub(crate) fn label_of(&self, record: &impl Object) -> String {
        label(&self.description, record)
    }
}

/// The models of a resource, as the signed-in account sees them now.
pub(crate) async fn described(
    visit: &Visit,
    client: &Client,
    scope: &Scope,
    resource: &str,
) -> Result<Models, svc_api::Error> {
    described_within(visit, client, scope, resource, None).await
}

/// The same, if the database has said so within this time.
pub(crate) async fn described_within(
    visit: &Visit,
    client: &Client,
    scope: &Scope,
    resource: &str,
    patience: Option<Duration>,
) -> Result<Models, svc_api::Error> {
    let credential = visit.authorization().map_or(&[][..], |it| it.as_bytes());
    let acting_as = visit.acting_as().map_or("", |user| user.uid());
    let place = [
        credential,
        acting_as.as_bytes(),
        scope.project.as_str().as_bytes(),
        scope.environment.as_str().as_bytes(),
        resource.as_bytes(),
    ];
    let mut call = client.resource(resource).model_descriptions();
    if let Some(patience) = patience {
        call = call.deadline(patience);
    }
    match visit.descriptions().get(call, &place).await {
        // What was typed is shown again in its form.
        Err(error) if visit.is_post() && is_passing(&error) => {
            visit.descriptions().last(&place).ok_or(error)
        }
        described => described,
    }
}

/// The identifier of a record's row in the list.
pub(crate) fn row_anchor(id: &RecordId) -> Anchor<'_> {
    Anchor {
        kind: "row",
        name: id.as_str(),
    }
}

/// The key of a record, from the values of these fields; `None` without fields, or where the record lacks a value.
pub(crate) fn id_by(fields: &[&str], record: &impl Object) -> Option<RecordId> {
    if let [field] = fields {
        let only = plain_text(record, field)?;
        return has_address(&only).then(|| RecordId::from(&*only));
    }
    let parts = fields.iter().map(|field| plain_text(record, field));
    let parts: Vec<Cow<'_, str>> = parts.collect::<Option<_>>()?;
    (!parts.is_empty()).then(|| RecordId::composite(&parts))
}

/// Whether a key of one field can be in an address: browsers leave these out.
pub(crate) fn has_address(key: &str) -> bool {
    !matches!(key, "" | "." | "..")
}

fn key_fields(model: &ModelDescription) -> Vec<&str> {
    let fields = model.primary_key_field.split(',');
    fields.filter(|field| !field.is_empty()).collect()
}

/// What a record of a model is called.
pub(crate) fn label(model: &ModelDescription, record: &impl Object) -> String {
    let joined = |fields: &mut dyn Iterator<Item = &str>, between: &str| {
        let mut label = String::new();
        for text in fields.filter_map(|field| plain_text(record, field)) {
            if !label.is_empty() {
                label.push_str(between);
            }
            label.push_str(&text);
        }
        label
    };
    let label = joined(&mut model.label_fields.iter().map(String::as_str), " ");
    match label.is_empty() {
        true => joined(&mut key_fields(model).into_iter(), ", "),
        false => label,
    }
}

/// Whether a field is a text that can be searched.
pub(crate) fn is_text(model: &ModelDescription, name: &str) -> bool {
    let mut fields = model.fields.iter();
    fields
        .find(|field| field.name == name)
        .is_some_and(|field| {
            field.filterable
                && matches!(
                    field.field,
                    FieldType::CharField | FieldType::FixedCharField | FieldType::TextField
                )
        })
}

/// A value as plain text: a text itself, anything else as JSON; `None` for NULL and for what is not there.
pub(crate) fn plain_text<'r>(record: &'r impl Object, field: &str) -> Option<Cow<'r, str>> {
    let raw = record.raw(field)?;
    if raw == "null" {
        return None;
    }
    Some(json::text(raw).unwrap_or(Cow::Borrowed(raw)))
}

/// How long a value was before it was cut.
pub(crate) fn cut(record: &JsonObject, field: &str) -> Option<u64> {
    let cut: JsonObject = record.get("_cut").ok().flatten()?;
    cut.get(field).ok().flatten()
}

/// What is said of a database whose tables somebody does not see, or that has none.
pub(crate) fn nothing(context: &Context<'_>) -> String {
    let texts = context.texts();
    match context.is_administrator() {
        true => texts.get("models-empty"),
        false => texts.get("models-none"),
    }
}
