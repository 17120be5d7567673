//! Forms with a file (RFC 7578), read part by part as they arrive, so that no file is in memory.

use bytes::{Bytes, BytesMut};
use futures_util::{TryStreamExt as _, stream::try_unfold};
use http_body::Frame;
use http_body_util::{BodyDataStream, StreamBody};
use multer::Field;
use svc_model::wire::{Body, BoxError};

use crate::problem::{Problem, Result};

/// How long the values of the fields that are no files are in all, in bytes.
const MOST_BYTES: usize = 16 << 20;
/// How many fields a form has at most.
const MOST_FIELDS: usize = 10_000;

/// A form with a file.
pub(crate) struct Multipart {
    form: multer::Multipart<'static>,
    file: Option<Field<'static>>,
    /// The beginning of the file, as far as it was looked at.
    start: BytesMut,
}

impl std::fmt::Debug for Multipart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Multipart").finish_non_exhaustive()
    }
}

impl Multipart {
    /// The line between the parts, which the media type of a form names.
    pub(crate) fn boundary_of(media_type: &str) -> Option<String> {
        multer::parse_boundary(media_type).ok()
    }

    pub(crate) fn new(body: Body, boundary: &str) -> Self {
        let data = BodyDataStream::new(body).map_err(BoxError::from);
        Self {
            form: multer::Multipart::new(data, boundary),
            file: None,
            start: BytesMut::new(),
        }
    }

    /// The fields before the first file, which is what is left to read. What follows it is never read.
    pub(crate) async fn fields(&mut self) -> Result<Vec<(String, String)>> {
        let mut fields = Vec::new();
        let mut bytes = 0;
        while let Some(mut field) = self.form.next_field().await? {
            match field.file_name() {
                // So a browser sends an input for which no file was chosen.
                Some("") => continue,
                Some(_) => {
                    self.file = Some(field);
                    break;
                }
                None => {}
            }
            let name = field.name().map(unescaped).ok_or(Problem::NotAForm)?;
            let mut value = Vec::new();
            while let Some(chunk) = field.chunk().await? {
                bytes += chunk.len();
                value.extend_from_slice(&chunk);
                if bytes > MOST_BYTES {
                    return Err(Problem::TooLarge);
                }
            }
            fields.push((
                name,
                String::from_utf8(value).map_err(|_| Problem::NotUtf8)?,
            ));
            if fields.len() > MOST_FIELDS {
                return Err(Problem::TooLarge);
            }
        }
        Ok(fields)
    }

    /// Whether a file was chosen.
    pub(crate) fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// The beginning of the file, at least so many bytes of it if it has them; it stays to be read.
    pub(crate) async fn peek(&mut self, bytes: usize) -> Result<Bytes> {
        let file = self.file.as_mut().ok_or(Problem::NotAForm)?;
        while self.start.len() < bytes
            && let Some(chunk) = file.chunk().await?
        {
            self.start.extend_from_slice(&chunk);
        }
        Ok(Bytes::copy_from_slice(&self.start))
    }

    /// The file as a body. A form that breaks off in it is an error of the body.
    pub(crate) fn into_body(self) -> Body {
        let chunks = try_unfold(self, |mut form: Self| async move {
            if !form.start.is_empty() {
                let start = form.start.split().freeze();
                return Ok(Some((Frame::data(start), form)));
            }
            let Some(file) = &mut form.file else {
                return Ok(None);
            };
            let chunk = file.chunk().await.map_err(BoxError::from)?;
            Ok::<_, BoxError>(chunk.map(|chunk| (Frame::data(chunk), form)))
        });
        Body::stream(StreamBody::new(Box::pin(chunks)))
    }
}

impl From<multer::Error> for Problem {
    fn from(_: multer::Error) -> Self {
        Self::NotAForm
    }
}

/// A name as it was before a browser wrote it into a head.
fn unescaped(name: &str) -> String {
    let name = name.replace("%22", "\"");
    name.replace("%0D", "\r").replace("%0A", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\n1\r\n2\r\n\
        --x\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n\
        --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n\
        id,name\r\n1,a\r\n-- xy\r\n\r\n--x--\r\n";

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
            let mut form = in_pieces(FORM, size);
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
    async fn an_input_without_a_file_is_no_file() {
        let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\
            Content-Type: application/octet-stream\r\n\r\n\r\n\
            --x\r\nContent-Disposition: form-data; name=\"action\"\r\n\r\nnull\r\n--x--\r\n";
        let mut form = in_pieces(form, 7);
        let fields = form.fields().await.unwrap();
        assert_eq!(fields, [("action".to_owned(), "null".to_owned())]);
        assert!(!form.has_file());
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
