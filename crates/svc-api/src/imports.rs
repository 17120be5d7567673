//! Imports: files whose rows become records, in the background.

use svc_model::{
    imports::{Begin, Cancel, EmptyCells, Get, ListRefused, Mapping, Resume},
    records::Collection,
    wire::Upload,
};

use crate::{Call, Client};

/// The imports into the records of a model, from [`Records::imports`](crate::Records::imports). The caller that
/// began an import and administrators see it, for a week after its end.
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client, file: bytes::Bytes) -> Result<(), Error> {
/// use svc_api::{model::imports::ImportState, wire::Upload};
///
/// let imports = client.records("shop", "customers").imports();
/// let file = Upload::bytes("text/csv", file);
/// let mut import = imports.begin(file).on_conflict(["email"]).await?;
/// while import.state == ImportState::Running {
///     println!("{} of {} bytes", import.bytes_read, import.bytes);
///     # let pause = async {};
///     pause.await; // a second, by the runtime's clock
///     import = imports.get(import.uid).await?;
/// }
/// println!("{} made, {} updated", import.made, import.updated);
/// for row in imports.list_refused(import.uid).await? {
///     println!("row {}: {}", row.number, row.errors);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Imports {
    client: Client,
    collection: Collection,
}

impl Imports {
    pub(crate) fn new(client: &Client, collection: &Collection) -> Self {
        Self {
            client: client.clone(),
            collection: collection.clone(),
        }
    }

    /// Begins an import of a file: CSV with a header (`text/csv`), or NDJSON (`application/x-ndjson`). The service reads
    /// it after the answer. A long file needs a [deadline](Call::deadline) that is long enough for sending it.
    pub fn begin(&self, file: Upload) -> Call<Begin> {
        Call::new(&self.client, Begin::new(self.collection.clone(), file))
    }

    /// Gets how far an import is.
    pub fn get(&self, import: impl Into<String>) -> Call<Get> {
        Call::new(&self.client, Get::new(self.collection.clone(), import))
    }

    /// Lists the rows that were refused, in the order of the file.
    pub fn list_refused(&self, import: impl Into<String>) -> Call<ListRefused> {
        let operation = ListRefused::new(self.collection.clone(), import);
        Call::new(&self.client, operation)
    }

    /// Ends an import. What was imported stays, and [`resume`](Self::resume) goes on behind it.
    pub fn cancel(&self, import: impl Into<String>) -> Call<Cancel> {
        Call::new(&self.client, Cancel::new(self.collection.clone(), import))
    }

    /// Lets an import go on that was cancelled or has failed.
    pub fn resume(&self, import: impl Into<String>) -> Call<Resume> {
        Call::new(&self.client, Resume::new(self.collection.clone(), import))
    }
}

impl Call<Begin> {
    /// Sets the fields that columns of the file become. Other columns become the field of their name.
    pub fn mapping(self, mapping: impl Into<Mapping>) -> Self {
        self.with(|operation| operation.mapping = mapping.into())
    }

    /// Sets what the empty cells of columns of CSV become: NULL, the empty text, or what the database fills in. In other columns
    /// they are NULL where the field allows it, else the empty text, and else they are left out.
    pub fn empty_cells(self, empty: impl Into<EmptyCells>) -> Self {
        self.with(|operation| operation.empty_cells = empty.into())
    }

    /// Tries every row and keeps nothing. Rows of different batches are not compared with each other.
    pub fn dry_run(self) -> Self {
        self.with(|operation| operation.dry_run = true)
    }

    /// Sets what separates the columns of CSV, instead of a comma.
    pub fn delimiter(self, delimiter: char) -> Self {
        self.with(|operation| operation.delimiter = Some(delimiter))
    }

    /// Changes the records that have the same values in these unique fields, where there are some, instead of creating others.
    pub fn on_conflict(self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let fields = fields.into_iter().map(Into::into).collect();
        self.with(|operation| operation.on_conflict = fields)
    }

    /// Sets how many rows are written in one transaction, at most.
    pub fn batch(self, rows: u32) -> Self {
        self.with(|operation| operation.batch = Some(rows))
    }

    /// Leaves out so many rows at the beginning of the file.
    pub fn skip(self, rows: u64) -> Self {
        self.with(|operation| operation.skip = Some(rows))
    }

    /// Sets the key of the import: the same file with the same key is imported once, however often it is sent.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.with(|operation| operation.idempotency_key = Some(key.into()))
    }
}

impl Call<ListRefused> {
    /// Lists rows behind this number alone.
    pub fn after(self, number: u64) -> Self {
        self.with(|operation| operation.after = Some(number))
    }

    /// Lists so many rows at most.
    pub fn limit(self, rows: u32) -> Self {
        self.with(|operation| operation.per_page = Some(rows))
    }
}
