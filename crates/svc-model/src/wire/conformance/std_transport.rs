//! A transport of plain threads and sockets, so that the kit can be tested without a runtime.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::{Body as HttpBody, Frame};

use super::{tests::block_on, wait::Signal};
use crate::wire::{
    Body, BoxError, BoxFuture, Deadline, Transport, TransportError, TransportErrorKind,
};

/// One thread and one connection for each call.
#[derive(Debug)]
pub(super) struct StdTransport;

impl Transport for StdTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let line = Arc::new(Line::default());
            let hang_up = HangUp(Arc::clone(&line));
            let answer = Signal::new();
            let given = answer.clone();
            thread::spawn(move || {
                let mut exchange = Exchange {
                    stream: None,
                    unread: Vec::new(),
                    line,
                    end: None,
                };
                match exchange.head(request) {
                    Err(error) => given.set(Err(error)),
                    Ok((mut response, framing)) => {
                        let pieces = Arc::new(Mutex::new(Pieces::default()));
                        *response.body_mut() = Body::stream(PiecesBody(Arc::clone(&pieces)));
                        given.set(Ok(response));
                        let end = exchange.body(framing, |piece| push(&pieces, Ok(piece)));
                        let mut done = pieces.lock().unwrap();
                        done.queue.extend(end.err().map(Err));
                        done.ended = true;
                        if let Some(waker) = done.waker.take() {
                            waker.wake();
                        }
                    }
                }
            });
            let mut response = answer.wait().await?;
            // From here on it is the body that holds the line.
            let body = std::mem::take(response.body_mut());
            *response.body_mut() = Body::stream(Held(body, hang_up));
            Ok(response)
        })
    }
}

#[derive(Default)]
struct Line {
    stream: Mutex<Option<TcpStream>>,
}

/// Ends the connection when it is dropped.
struct HangUp(Arc<Line>);

impl Drop for HangUp {
    fn drop(&mut self) {
        if let Some(stream) = self.0.stream.lock().unwrap().take() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

struct Held(
    Body,
    #[expect(dead_code, reason = "held for its drop")] HangUp,
);

impl HttpBody for Held {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.0).poll_frame(context)
    }
}

#[derive(Default)]
struct Pieces {
    queue: VecDeque<Result<Bytes, TransportError>>,
    ended: bool,
    waker: Option<Waker>,
}

fn push(pieces: &Mutex<Pieces>, piece: Result<Bytes, TransportError>) {
    let mut pieces = pieces.lock().unwrap();
    pieces.queue.push_back(piece);
    if let Some(waker) = pieces.waker.take() {
        waker.wake();
    }
}

struct PiecesBody(Arc<Mutex<Pieces>>);

impl HttpBody for PiecesBody {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let mut pieces = self.0.lock().unwrap();
        match pieces.queue.pop_front() {
            Some(piece) => Poll::Ready(Some(piece.map(Frame::data))),
            None if pieces.ended => Poll::Ready(None),
            None => {
                pieces.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Framing {
    Empty,
    Length(usize),
    Chunked,
    UntilTheEnd,
}

struct Exchange {
    stream: Option<TcpStream>,
    unread: Vec<u8>,
    line: Arc<Line>,
    end: Option<Instant>,
}

impl Exchange {
    fn head(
        &mut self,
        request: Request<Body>,
    ) -> Result<(Response<Body>, Framing), TransportError> {
        let (parts, mut body) = request.into_parts();
        let (Some("http"), Some(authority)) = (parts.uri.scheme_str(), parts.uri.authority())
        else {
            return Err(TransportErrorKind::Invalid.into());
        };
        let after = parts
            .extensions
            .get::<Deadline>()
            .map_or(Duration::from_secs(30), |it| it.0);
        self.end = Some(Instant::now() + after);
        let stream = TcpStream::connect(authority.as_str())
            .map_err(|error| TransportError::new(TransportErrorKind::Connect, error))?;
        *self.line.stream.lock().unwrap() = Some(stream.try_clone().unwrap());
        self.stream = Some(stream);

        let target = parts.uri.path_and_query().unwrap();
        let method = &parts.method;
        let head = format!("{method} {target} HTTP/1.1\r\nhost: {authority}\r\n");
        let mut bytes = head.into_bytes();
        for (name, value) in &parts.headers {
            bytes.extend_from_slice(name.as_str().as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        let length = body.size_hint().exact();
        match length {
            Some(0) => (),
            Some(length) => bytes.extend(format!("content-length: {length}\r\n").into_bytes()),
            None => bytes.extend_from_slice(b"transfer-encoding: chunked\r\n"),
        }
        bytes.extend_from_slice(b"\r\n");
        self.write(&bytes)?;
        while let Some(frame) = block_on(std::future::poll_fn(|context| {
            Pin::new(&mut body).poll_frame(context)
        })) {
            let frame =
                frame.map_err(|error| TransportError::new(TransportErrorKind::Body, error))?;
            let data = frame.into_data().unwrap_or_default();
            if length.is_none() {
                self.write(format!("{:x}\r\n", data.len()).as_bytes())?;
            }
            self.write(&data)?;
            if length.is_none() {
                self.write(b"\r\n")?;
            }
        }
        if length.is_none() {
            self.write(b"0\r\n\r\n")?;
        }
        self.response(&parts.method)
    }

    fn response(&mut self, method: &Method) -> Result<(Response<Body>, Framing), TransportError> {
        let status = self.read_line()?;
        let status = std::str::from_utf8(&status[9..12]).unwrap();
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::from_bytes(status.as_bytes()).unwrap();
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                break;
            }
            let colon = line.iter().position(|byte| *byte == b':').unwrap();
            response.headers_mut().append(
                HeaderName::from_bytes(&line[..colon]).unwrap(),
                HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).unwrap(),
            );
        }
        let length = response.headers().get(header::CONTENT_LENGTH);
        let framing = if method == Method::HEAD
            || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&response.status())
        {
            Framing::Empty
        } else if response.headers().contains_key(header::TRANSFER_ENCODING) {
            Framing::Chunked
        } else if let Some(length) = length {
            Framing::Length(length.to_str().unwrap().parse().unwrap())
        } else {
            Framing::UntilTheEnd
        };
        Ok((response, framing))
    }

    fn body(
        &mut self,
        framing: Framing,
        mut give: impl FnMut(Bytes),
    ) -> Result<(), TransportError> {
        let broken = |error: TransportError| match error.kind() {
            TransportErrorKind::Interrupted => TransportErrorKind::Body.into(),
            _ => error,
        };
        match framing {
            Framing::Empty => Ok(()),
            Framing::Length(length) => self.give(length, &mut give).map_err(broken),
            Framing::Chunked => loop {
                let size = self.read_line().map_err(broken)?;
                let size = std::str::from_utf8(&size).unwrap();
                let size = usize::from_str_radix(size, 16).unwrap();
                self.give(size, &mut give).map_err(broken)?;
                self.read_line().map_err(broken)?;
                if size == 0 {
                    return Ok(());
                }
            },
            Framing::UntilTheEnd => {
                while self.fill().is_ok() {
                    give(std::mem::take(&mut self.unread).into());
                }
                Ok(())
            }
        }
    }

    fn give(
        &mut self,
        mut size: usize,
        give: &mut impl FnMut(Bytes),
    ) -> Result<(), TransportError> {
        while size > 0 {
            if self.unread.is_empty() {
                self.fill()?;
            }
            let rest = self.unread.split_off(size.min(self.unread.len()));
            let piece = std::mem::replace(&mut self.unread, rest);
            size -= piece.len();
            give(piece.into());
        }
        Ok(())
    }

    fn read_line(&mut self) -> Result<Vec<u8>, TransportError> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\r\n") {
                let rest = self.unread.split_off(end + 2);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.truncate(end);
                return Ok(line);
            }
            self.fill()?;
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TransportError> {
        let mut stream = self.stream.as_ref().unwrap();
        stream.write_all(bytes).map_err(interrupted)
    }

    fn fill(&mut self) -> Result<(), TransportError> {
        let left = self.end.unwrap().saturating_duration_since(Instant::now());
        let late = || TransportError::from(TransportErrorKind::Timeout);
        let mut stream = self.stream.as_ref().unwrap();
        stream.set_read_timeout(Some(left)).map_err(|_| late())?;
        let mut buffer = [0; 16 * 1024];
        match stream.read(&mut buffer) {
            Ok(0) => Err(TransportErrorKind::Interrupted.into()),
            Ok(size) => {
                self.unread.extend_from_slice(&buffer[..size]);
                Ok(())
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                Err(late())
            }
            Err(error) => Err(interrupted(error)),
        }
    }
}

fn interrupted(error: io::Error) -> TransportError {
    TransportError::new(TransportErrorKind::Interrupted, error)
}
