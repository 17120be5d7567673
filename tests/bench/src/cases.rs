//! The requests that are measured.

use http::Method;

/// One kind of request, on the model `orders`.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: &'static str,
    pub what: What,
}

impl Case {
    /// The most CPU time that is meant to be used, as a multiple of both references together.
    pub fn goal(&self) -> Option<f64> {
        match self.what {
            What::Walk | What::Retrieve => Some(2.0),
            What::List(query) if query.contains("_count=none") => Some(2.0),
            What::Aggregate(_) | What::Group(_) => Some(1.1),
            What::List(_) | What::Create | What::CreatePerson | What::UpsertPerson => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A list with this query string.
    List(&'static str),
    /// One page after the other, each by the `next` link of the previous one.
    Walk,
    /// One record by a random key.
    Retrieve,
    /// One value over the records that a query string selects.
    Aggregate(&'static str),
    /// One value for each group of records.
    Group(&'static str),
    /// A new record, which is durable when it is acknowledged.
    Create,
    /// A new person.
    CreatePerson,
    /// A person who is there, or a new one, by turns.
    UpsertPerson,
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
        name: "list-whole",
        what: What::List("_no_pagination=1"),
    },
    Case {
        name: "walk",
        what: What::Walk,
    },
    Case {
        name: "retrieve",
        what: What::Retrieve,
    },
    Case {
        name: "aggregate",
        what: What::Aggregate("_y_func=sum&_y_column=amount&status=paid"),
    },
    Case {
        name: "group",
        what: What::Group("_x_column=status&_y_func=count"),
    },
    // The last case, since it changes the data that the others read.
    Case {
        name: "create",
        what: What::Create,
    },
];

/// The case with this name.
pub fn named(name: &str) -> Result<&'static Case, String> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| {
        let names: Vec<_> = CASES.iter().map(|case| case.name).collect();
        format!("there are {}", names.join(", "))
    })
}

/// A request to send.
#[derive(Debug)]
pub struct Ask {
    pub method: Method,
    /// The rest of the path after the model.
    pub suffix: String,
    pub body: String,
}

/// One caller's requests, one after the other.
#[derive(Debug)]
pub struct Caller {
    what: What,
    random: fastrand::Rng,
    orders: u32,
    /// The query string of the next page of a walk.
    next: Option<String>,
}

impl Caller {
    pub fn new(case: &Case, number: u64, orders: u32) -> Self {
        Self {
            what: case.what,
            random: fastrand::Rng::with_seed(number),
            orders,
            next: None,
        }
    }

    /// The next request.
    pub fn ask(&mut self) -> Ask {
        let (mut method, mut body) = (Method::GET, String::new());
        let suffix = match self.what {
            What::List(query) => format!("?{query}"),
            What::Walk => format!("?{}", self.next.as_deref().unwrap_or("_order_by=id")),
            What::Retrieve => format!("/{}", self.key()),
            What::Aggregate(query) => format!("/aggregate?{query}"),
            What::Group(query) => format!("/group?{query}"),
            What::Create => {
                method = Method::POST;
                body = self.record();
                String::new()
            }
            What::CreatePerson => {
                method = Method::POST;
                body = self.person(false);
                String::new()
            }
            What::UpsertPerson => {
                method = Method::POST;
                let is_known = self.random.bool();
                body = self.person(is_known);
                "?_on_conflict=email".to_owned()
            }
        };
        Ask {
            method,
            suffix,
            body,
        }
    }

    /// A random key of the orders.
    pub fn key(&mut self) -> u32 {
        self.random.u32(1..=self.orders)
    }

    /// A new order.
    pub fn record(&mut self) -> String {
        let customer = self.random.u32(1..=(self.orders / 10).max(1));
        let cents = self.random.u32(100..500_000);
        format!(
            r#"{{"customer_id":{customer},"status":"pending","amount":"{}.{:02}","created_at":"2026-01-31T12:00:00Z","note":"leave it at the door"}}"#,
            cents / 100,
            cents % 100,
        )
    }

    /// A person with the address of one who is there, or with a new one.
    fn person(&mut self, is_known: bool) -> String {
        let name = match is_known {
            true => self.key().to_string(),
            false => format!("new{:x}", fastrand::u128(..)),
        };
        let visits = self.random.u32(..1_000);
        format!(r#"{{"email":"{name}@example.test","name":"Person","visits":{visits}}}"#)
    }

    /// Reads a response, whose `next` link is the next request of a walk.
    pub fn answered(&mut self, body: &[u8]) {
        if self.what == What::Walk {
            self.next = link_query(body, "next");
        }
    }
}

/// The query string of a link of the envelope, `next` or `previous`.
pub fn link_query(body: &[u8], link: &str) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once(&format!("\"{link}\":\""))?;
    let (link, _) = rest.split_once('"')?;
    link.split_once('?').map(|(_, query)| query.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_follows_the_next_link_and_starts_again_at_the_end() {
        let walk = CASES.iter().find(|case| case.what == What::Walk).unwrap();
        let mut caller = Caller::new(walk, 0, 10);
        assert_eq!(caller.ask().suffix, "?_order_by=id");
        caller.answered(br#"{"next":"http://a/b?_after=x","results":[]}"#);
        assert_eq!(caller.ask().suffix, "?_after=x");
        caller.answered(br#"{"next":null,"results":[]}"#);
        assert_eq!(caller.ask().suffix, "?_order_by=id");
    }

    #[test]
    fn a_new_record_is_json() {
        let mut caller = Caller::new(&CASES[0], 0, 10);
        for _ in 0..100 {
            serde_json::from_str::<serde_json::Value>(&caller.record()).unwrap();
        }
    }
}
