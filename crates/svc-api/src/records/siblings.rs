//! What can be set on calls for the siblings of a record.

use svc_model::{OrderBy, records::GetSiblings};

use crate::{Call, selection::selections};

selections!([] GetSiblings);

impl Call<GetSiblings> {
    /// Orders by this too, after what was asked before; `-` in front means descending.
    pub fn order_by(self, order: impl Into<OrderBy>) -> Self {
        self.select(|query| query.order_by(order))
    }
}
