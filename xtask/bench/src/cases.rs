//! The requests that are measured.

/// One kind of request, on the model `orders`.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A list with this query string.
    List(&'static str),
    /// One record by a random key.
    Retrieve,
}

pub const CASES: &[Case] = &[
    Case {
        name: "list-counted",
        what: What::List("status=paid&_order_by=-created_at"),
    },
    Case {
        name: "list-uncounted",
        what: What::List("status=paid&_order_by=-created_at&_count=none"),
    },
    Case {
        name: "retrieve",
        what: What::Retrieve,
    },
];

impl Case {
    /// What follows the path of the model: the query, or a key of `orders`.
    pub fn suffix(&self, random: &mut fastrand::Rng, orders: u32) -> String {
        match self.what {
            What::List(query) => format!("?{query}"),
            What::Retrieve => format!("/{}", random.u32(1..=orders)),
        }
    }
}
