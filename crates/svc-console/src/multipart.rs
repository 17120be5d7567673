//! Forms with a file (RFC 7578), read part by part as they arrive, so that no file is in memory.

use std::{future::poll_fn, pin::Pin};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::stream::try_unfold;
use http_body::{Body as _, Frame};
use http_body_util::StreamBody;
use memchr::memmem;
use svc_model::wire::{Body, BoxError};

use crate::problem::{Problem, Result};

/// The longest head of a part, in bytes.
const LONGEST_HEAD: usize = 16 << 10;
/// How long the values of the fields that are no files are in all, in bytes.
const MOST_BYTES: usize = 16 << 20;
/// How many fields a form has at most.
const MOST_FIELDS: usize = 10_000;

/// A form with a file.
pub(crate) struct Multipart {
    body: Body,
    held: BytesMut,
    /// A line break with the line that is between parts.
    boundary: Vec<u8>,
    has_ended: bool,
}

impl std::fmt::Debug for Multipart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Multipart").finish_non_exhaustive()
    }
}

/// What the head of a part says.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    name: String,
    is_file: bool,
}

impl Multipart {
    /// The line between the parts, which the media type of a form names.
    pub(crate) fn boundary_of(media_type: &str) -> Option<String> {
        let (kind, parameters) = media_type.split_once(';')?;
        if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
            return None;
        }
        let mut parameters = parameters.split(';').map(str::trim);
        let boundary = parameters.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.eq_ignore_ascii_case("boundary")
                .then(|| value.trim_matches('"').to_owned())
        })?;
        (1..=70).contains(&boundary.len()).then_some(boundary)
    }

    pub(crate) fn new(body: Body, boundary: &str) -> Self {
        Self {
            body,
            // So that the first one is found like the others.
            held: BytesMut::from("\r\n"),
            boundary: format!("\r\n--{boundary}").into_bytes(),
            has_ended: false,
        }
    }

    /// The fields before the first file, which is what is left to read.
    pub(crate) async fn fields(&mut self) -> Result<Vec<(String, String)>> {
        let mut fields = Vec::new();
        let mut bytes = 0;
        // What is before the first part says nothing.
        while self.data().await?.is_some() {}
        while let Some(head) = self.head().await? {
            if head.is_file {
                return Ok(fields);
            }
            let mut value = BytesMut::new();
            while let Some(data) = self.data().await? {
                bytes += data.len();
                value.extend_from_slice(&data);
                if bytes > MOST_BYTES {
                    return Err(Problem::TooLarge);
                }
            }
            let value = String::from_utf8(value.to_vec()).map_err(|_| Problem::NotUtf8)?;
            fields.push((head.name, value));
            if fields.len() > MOST_FIELDS {
                return Err(Problem::TooLarge);
            }
        }
        Ok(fields)
    }

    /// The beginning of the file, at least so many bytes of it if it has them; it stays to be read.
    pub(crate) async fn peek(&mut self, bytes: usize) -> Result<Bytes> {
        let mut searched = 0;
        loop {
            // What was searched before is not searched again, but for the beginning of a boundary at its end.
            let rest = self.held.get(searched..).unwrap_or(&[]);
            if let Some(at) = memmem::find(rest, &self.boundary) {
                let part = self.held.get(..searched + at).unwrap_or(&[]);
                return Ok(Bytes::copy_from_slice(part));
            }
            searched = self.held.len().saturating_sub(self.boundary.len());
            let safe = self.held.len().saturating_sub(self.boundary.len());
            if safe >= bytes || self.has_ended {
                return Ok(Bytes::copy_from_slice(self.held.get(..safe).unwrap_or(&[])));
            }
            if !self.fill().await? {
                return Err(Problem::NotAForm);
            }
        }
    }

    /// The rest of the file as a body. A form that breaks off in it is an error of the body.
    pub(crate) fn into_body(self) -> Body {
        let chunks = try_unfold(self, |mut file: Self| async move {
            match file.data().await {
                Ok(Some(data)) => Ok(Some((Frame::data(data), file))),
                Ok(None) => Ok(None),
                Err(problem) => Err(BoxError::from(format!("the form broke off: {problem:?}"))),
            }
        });
        Body::stream(StreamBody::new(Box::pin(chunks)))
    }

    /// The next bytes of the part; `None` at its end.
    async fn data(&mut self) -> Result<Option<Bytes>> {
        loop {
            if self.has_ended {
                return Ok(None);
            }
            if let Some(at) = memmem::find(&self.held, &self.boundary) {
                if at > 0 {
                    return Ok(Some(self.held.split_to(at).freeze()));
                }
                // Behind it are two hyphens or a line break.
                let length = self.boundary.len();
                if self.held.len() < length + 2 {
                    self.must_fill().await?;
                    continue;
                }
                self.held.advance(length);
                if self.held.starts_with(b"--") {
                    self.has_ended = true;
                }
                return Ok(None);
            }
            // The beginning of a boundary may be at the end of what there is.
            let safe = self.held.len().saturating_sub(self.boundary.len());
            if safe > 0 {
                return Ok(Some(self.held.split_to(safe).freeze()));
            }
            self.must_fill().await?;
        }
    }

    /// The head of the next part; `None` behind the last.
    async fn head(&mut self) -> Result<Option<Head>> {
        loop {
            if self.has_ended {
                return Ok(None);
            }
            if let Some(end) = memmem::find(&self.held, b"\r\n\r\n") {
                let head = self.held.split_to(end);
                self.held.advance(4);
                return read_head(&head).map(Some);
            }
            if self.held.len() > LONGEST_HEAD {
                return Err(Problem::NotAForm);
            }
            self.must_fill().await?;
        }
    }

    async fn must_fill(&mut self) -> Result<()> {
        match self.fill().await? {
            true => Ok(()),
            false => Err(Problem::NotAForm),
        }
    }

    /// Waits for more of the form; false when there is none.
    async fn fill(&mut self) -> Result<bool> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await;
            match frame {
                None => return Ok(false),
                Some(Err(_)) => return Err(Problem::NotAForm),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data()
                        && !data.is_empty()
                    {
                        self.held.extend_from_slice(&data);
                        return Ok(true);
                    }
                }
            }
        }
    }
}

fn read_head(head: &[u8]) -> Result<Head> {
    let head = std::str::from_utf8(head).map_err(|_| Problem::NotUtf8)?;
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let disposition = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-disposition"));
    let (_, disposition) = disposition.ok_or(Problem::NotAForm)?;
    let name = parameter(disposition, "name").ok_or(Problem::NotAForm)?;
    Ok(Head {
        name,
        is_file: parameter(disposition, "filename").is_some(),
    })
}

/// A parameter in quotes; browsers escape a quote in it as `%22`.
fn parameter(header: &str, wanted: &str) -> Option<String> {
    let start = format!("; {wanted}=\"");
    let (_, rest) = header.split_once(&start)?;
    let (value, _) = rest.split_once('"')?;
    Some(
        value
            .replace("%22", "\"")
            .replace("%0D", "\r")
            .replace("%0A", "\n"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\n1\r\n2\r\n\
        --x\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n\
        --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n\
        id,name\r\n1,a\r\n--xy\r\n\r\n--x--\r\n";

    fn in_pieces(form: &str, size: usize) -> Multipart {
        let pieces: Vec<Bytes> = form
            .as_bytes()
            .chunks(size)
            .map(Bytes::copy_from_slice)
            .collect();
        let frames = pieces
            .into_iter()
            .map(|piece| Ok::<_, BoxError>(Frame::data(piece)));
        let body = Body::stream(StreamBody::new(futures_util::stream::iter(frames)));
        Multipart::new(body, "x")
    }

    #[tokio::test]
    async fn fields_and_the_bytes_of_the_file_are_read_however_they_arrive() {
        for size in [1, 2, 3, 7, 50, 10_000] {
            let mut form = in_pieces(&FORM.replace("--xy", "-- xy"), size);
            let fields = form.fields().await.unwrap();
            let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            assert_eq!(
                fields,
                [pair("a\"b", "1\r\n2"), pair("empty", "")],
                "{size}"
            );
            let start = form.peek(5).await.unwrap();
            assert!(start.starts_with(b"id,na"), "{size}: {start:?}");
            let file = form.into_body().collect(1_000).await.unwrap();
            assert_eq!(&file[..], b"id,name\r\n1,a\r\n-- xy\r\n", "{size}");
        }
    }

    #[tokio::test]
    async fn a_form_that_breaks_off_is_no_file() {
        for end in [10, 60, FORM.len() - 20] {
            let mut form = in_pieces(&FORM[..end], 7);
            let is_whole = match form.fields().await {
                Ok(_) => form.into_body().collect(1_000).await.is_ok(),
                Err(_) => false,
            };
            assert!(!is_whole, "{end}");
        }
    }

    #[test]
    fn a_boundary_is_read_from_the_media_type() {
        let of = |text: &str| Multipart::boundary_of(text);
        assert_eq!(
            of("multipart/form-data; boundary=ab").as_deref(),
            Some("ab")
        );
        assert_eq!(
            of("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"").as_deref(),
            Some("a b")
        );
        assert_eq!(of("multipart/form-data"), None);
        assert_eq!(of("application/x-www-form-urlencoded"), None);
    }
}
