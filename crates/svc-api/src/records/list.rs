//! What can be set on a list of records, and the ways to walk it.

use serde::de::DeserializeOwned;
use svc_model::records::List;

use crate::{
    Call,
    selection::{lists, selections},
};

selections!([T: DeserializeOwned] List<T>);
lists!([T: DeserializeOwned] [T: DeserializeOwned + Send + 'static] List<T>, T);

impl<T: DeserializeOwned> Call<List<T>> {
    /// Gives these columns only, and the primary key.
    pub fn fields<N: Into<String>>(self, fields: impl IntoIterator<Item = N>) -> Self {
        self.select(|query| query.fields(fields))
    }
}
