//! Records of connected databases (specification, section 4, "Records list").

mod aggregate;

use std::{fmt, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use svc_model::{
    Expand, FieldName, JsonObject, ListQuery, ModelName, RecordId, ResourceName,
    records::{self, ByteRange, ChangeAllQuery, Collection, Record},
    wire::RequestError,
};

#[cfg(feature = "imports")]
use crate::Imports;
use crate::{Call, Client};

/// The records of a model, from [`Client::records`].
///
/// Records are read as [`Record`]s, JSON objects with any columns, unless [`typed`](Self::typed) sets
/// another type.
///
/// ```
/// # use svc_api::{Client, Error, Lookup};
/// # async fn example(client: Client) -> Result<(), Error> {
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Order {
///     id: i64,
///     status: String,
///     total: Option<String>,
/// }
///
/// let orders = client.records("shop", "orders").typed::<Order>();
/// let mut paid = orders
///     .list()
///     .filter("status", Lookup::Exact, "paid")
///     .order_by("-created_at")
///     .by_item();
/// while let Some(order) = paid.try_next().await? {
///     println!("{} {:?}", order.id, order.total);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Records<T = Record> {
    client: Client,
    collection: Collection,
    record: PhantomData<fn() -> T>,
}

impl Client {
    /// The records of a model (a table or view; `schema.table` outside the default schema) of a
    /// connected resource, in the client's project and environment.
    pub fn records(
        &self,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
    ) -> Records {
        Records {
            collection: Collection::new(self.scope(), resource, model),
            client: self.clone(),
            record: PhantomData,
        }
    }
}

impl<T> Records<T> {
    /// The same records, read as values of type `U`.
    pub fn typed<U: DeserializeOwned>(self) -> Records<U> {
        Records {
            client: self.client,
            collection: self.collection,
            record: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> Records<T> {
    /// Lists records, a page at a time or all of them.
    pub fn list(&self) -> Call<records::List<T>> {
        Call::new(
            &self.client,
            records::List::new(self.collection.clone(), ListQuery::new()),
        )
    }

    /// Gets the record with this primary key.
    pub fn get(&self, id: impl Into<RecordId>) -> Call<records::Get<T>, T> {
        Call::untagged(
            &self.client,
            Ok(records::Get::new(self.collection.clone(), id)),
        )
    }

    /// Creates a record and returns it with all fields. The database fills the fields that are left out.
    ///
    /// With [`on_conflict`](Call::on_conflict), the record that has the same values in unique fields is changed instead:
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// #[derive(serde::Serialize)]
    /// struct Customer { email: &'static str, city: &'static str }
    ///
    /// let ada = Customer { email: "ada@example.com", city: "London" };
    /// client.records("shop", "customers").create(&ada).on_conflict(["email"]).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create<B: Serialize + ?Sized>(&self, record: &B) -> Call<records::Create<T>, T> {
        let operation =
            object(record).map(|record| records::Create::new(self.collection.clone(), record));
        Call::untagged(&self.client, operation)
    }

    /// Creates many records at once and returns the result for each, in their order. A refused record does
    /// not affect the others, unless [`atomic`](Call::atomic) is set.
    ///
    /// ```
    /// # use svc_api::{Client, Error, model::records::BulkResult};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// #[derive(serde::Serialize)]
    /// struct Country { code: &'static str }
    ///
    /// let new = [Country { code: "DE" }, Country { code: "FR" }];
    /// for (country, result) in new.iter().zip(client.records("shop", "countries").bulk_create(&new).await?) {
    ///     if let BulkResult::Refused(why) = result {
    ///         eprintln!("{}: {why}", country.code);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn bulk_create<B: Serialize>(
        &self,
        records: impl IntoIterator<Item = B>,
    ) -> Call<records::BulkCreate<T>> {
        let records: Result<Vec<_>, _> =
            records.into_iter().map(|record| object(&record)).collect();
        let operation =
            records.map(|records| records::BulkCreate::new(self.collection.clone(), records));
        Call::try_new(&self.client, operation)
    }

    /// Gets the primary keys of the records before and after one, in the order and among the records that are
    /// set on the call.
    pub fn get_siblings(&self, id: impl Into<RecordId>) -> Call<records::GetSiblings> {
        Call::new(
            &self.client,
            records::GetSiblings::new(self.collection.clone(), id, ListQuery::new()),
        )
    }

    /// Changes a record and returns it with all fields. Fields that are left out keep their values.
    pub fn update<B: Serialize + ?Sized>(
        &self,
        id: impl Into<RecordId>,
        record: &B,
    ) -> Call<records::Update<T>, T> {
        let operation =
            object(record).map(|record| records::Update::new(self.collection.clone(), id, record));
        Call::untagged(&self.client, operation)
    }

    /// Replaces a record and returns it with all fields. Required fields must be present.
    pub fn replace<B: Serialize + ?Sized>(
        &self,
        id: impl Into<RecordId>,
        record: &B,
    ) -> Call<records::Replace<T>, T> {
        let operation =
            object(record).map(|record| records::Replace::new(self.collection.clone(), id, record));
        Call::untagged(&self.client, operation)
    }

    /// Deletes a record.
    pub fn delete(&self, id: impl Into<RecordId>) -> Call<records::Delete> {
        Call::new(
            &self.client,
            records::Delete::new(self.collection.clone(), id),
        )
    }
}

impl<T> Records<T> {
    /// Gets how many records refer to one, by each relation, and what becomes of them when it is deleted.
    pub fn references(&self, id: impl Into<RecordId>) -> Call<records::GetReferences> {
        let operation = records::GetReferences::new(self.collection.clone(), id);
        Call::new(&self.client, operation)
    }

    /// Gets who changed a record, when, and what its fields had before and after, the newest first. It stays when the record is
    /// deleted.
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let mut history = client.records("shop", "orders").history(42).by_item();
    /// while let Some(entry) = history.try_next().await? {
    ///     let status = entry.change("status").map(|change| (change.old, change.new));
    ///     println!("{} {:?} {status:?}", entry.time, entry.actor.label);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn history(&self, id: impl Into<RecordId>) -> Call<records::GetHistory> {
        let operation = records::GetHistory::new(self.collection.clone(), id);
        Call::new(&self.client, operation)
    }

    /// The imports of files into these records.
    #[cfg(feature = "imports")]
    pub fn imports(&self) -> Imports {
        Imports::new(&self.client, &self.collection)
    }

    /// Gets a value of a record as it is, such as a picture: `None` for NULL. No other field is read.
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let files = client.records("shop", "files");
    /// if let Some(head) = files.value(7, "content").range(0..=99).await? {
    ///     println!("{:?} of {:?}", head.bytes, head.part);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn value(
        &self,
        id: impl Into<RecordId>,
        field: impl Into<FieldName>,
    ) -> Call<records::GetValue> {
        let operation = records::GetValue::new(self.collection.clone(), id, field);
        Call::new(&self.client, operation)
    }

    /// Changes all records that a query selects, in one transaction. The query needs a filter, or says
    /// [`all`](ChangeAllQuery::all).
    ///
    /// ```
    /// # use svc_api::{Client, Error, Lookup};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// use svc_api::model::{ListQuery, records::ChangeAllQuery};
    ///
    /// let orders = client.records("shop", "orders");
    /// let pending = ListQuery::new().filter("status", Lookup::Exact, "pending");
    /// let changes = serde_json::json!({"status": "cancelled"});
    /// let answer = orders.update_all(ChangeAllQuery::from(pending).expect(3), &changes).await?;
    /// assert_eq!(answer.updated, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_all<B: Serialize + ?Sized>(
        &self,
        query: impl Into<ChangeAllQuery>,
        record: &B,
    ) -> Call<records::UpdateAll> {
        let operation = object(record)
            .map(|record| records::UpdateAll::new(self.collection.clone(), query, record));
        Call::try_new(&self.client, operation)
    }

    /// Deletes all records that a query selects, as [`update_all`](Self::update_all) changes them.
    pub fn delete_all(&self, query: impl Into<ChangeAllQuery>) -> Call<records::DeleteAll> {
        let operation = records::DeleteAll::new(self.collection.clone(), query);
        Call::new(&self.client, operation)
    }
}

impl<T> Clone for Records<T> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            collection: self.collection.clone(),
            record: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("collection", &self.collection)
            .field("client", &self.client)
            .finish()
    }
}

fn object<B: Serialize + ?Sized>(record: &B) -> Result<JsonObject, RequestError> {
    JsonObject::from_serialize(record).map_err(|error| {
        RequestError::new("a record must be a JSON object of its fields").with_source(error)
    })
}

impl<T: DeserializeOwned, V> Call<records::List<T>, V> {
    /// Requests related records with each record, in its property `_expand`.
    ///
    /// ```
    /// # use svc_api::{Client, Error, model::Expanded};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let customer = Expanded::new("customer_id").fields(["name", "city"]);
    /// let page = client.records("shop", "orders").list().expand(customer).await?;
    /// for order in page.results {
    ///     println!("{} of {}", order["id"], order["_expand"]["customer_id"]["name"]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn expand(self, expand: impl Into<Expand>) -> Self {
        self.with(|operation| {
            let query = std::mem::take(&mut operation.query);
            operation.query = query.expand(expand);
        })
    }

    /// Requests excerpts: texts have at most so many characters, binary data so many bytes, and JSON so many characters of
    /// its compact text. The property `_cut` of a record has the whole lengths of what was cut.
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let page = client.records("shop", "articles").list().excerpt(200).await?;
    /// for article in page.results {
    ///     let more = if article.contains_key("_cut") { " ..." } else { "" };
    ///     println!("{}{more}", article["body"]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn excerpt(self, most: u32) -> Self {
        self.with(|operation| operation.query.excerpt = Some(most))
    }
}

impl<T: DeserializeOwned, V> Call<records::Get<T>, V> {
    /// Requests related records with the record, in its property `_expand`.
    pub fn expand(self, expand: impl Into<Expand>) -> Self {
        self.with(|operation| {
            let all = operation.view.expand.get_or_insert_default();
            for relation in expand.into().relations {
                all.add(relation);
            }
        })
    }

    /// Requests excerpts, as those of a list. The entity tag stays that of the whole record.
    pub fn excerpt(self, most: u32) -> Self {
        self.with(|operation| operation.view.excerpt = Some(most))
    }
}

impl<T: DeserializeOwned, O> Call<records::Create<T>, O> {
    /// Changes the record that has the same values in these unique fields, if there is one: fields that are left out keep their
    /// values. They are the primary key, or those of a unique index.
    pub fn on_conflict(self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|operation| operation.on_conflict = names(fields))
    }
}

impl<V> Call<records::GetValue, V> {
    /// Requests only this part of the value, by its bytes: `0..=99`, `100..` or [`ByteRange::Last`].
    pub fn range(self, range: impl Into<ByteRange>) -> Self {
        self.with(|operation| operation.range = Some(range.into()))
    }

    /// Requests the part only if the value still has this entity tag, and otherwise the whole value.
    pub fn if_range(self, etag: impl Into<String>) -> Self {
        self.with(|operation| operation.if_range = Some(etag.into()))
    }

    /// Sets the UTC offset or IANA time zone of a time; UTC by default.
    pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
        self.with(|operation| operation.time_zone = Some(time_zone.into()))
    }
}

impl<T: DeserializeOwned> Call<records::BulkCreate<T>> {
    /// Changes the records that have the same values in these unique fields, where there are some, instead of creating others.
    pub fn on_conflict(self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|operation| operation.on_conflict = names(fields))
    }

    /// Creates all of the records or none.
    pub fn atomic(self) -> Self {
        self.with(|operation| operation.atomic = true)
    }

    /// Sets the key of the call: the same records with the same key are created once, however often they are
    /// sent. After a response was lost, send them again with the same key. The response to a repetition has the
    /// result for each record, but with empty records. The service keeps keys for 30 days.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.with(|operation| operation.idempotency_key = Some(key.into()))
    }
}

fn names(fields: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    fields.into_iter().map(Into::into).collect()
}
