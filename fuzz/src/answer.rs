//! An answer of the service, read from the bytes of a connection.

/// An answer that the service gave.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The names and values of the header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came, chunks and all.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads an HTTP/1.1 answer. `None` when the bytes do not begin with one.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.strip_prefix("HTTP/1.")?.get(2..5)?;
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
        Some(Self {
            status: status.parse().ok()?,
            headers: headers.collect(),
            body: bytes.get(end + 4..)?.to_vec(),
        })
    }

    /// The first value of a header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON, when it came in one piece.
    #[must_use]
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }
}
