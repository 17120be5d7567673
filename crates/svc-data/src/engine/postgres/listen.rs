//! Notifications of the server, on a connection of their own.

use std::{future::poll_fn, pin::pin, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{interval, timeout},
};
use tokio_postgres::{AsyncMessage, Client, Connection};

/// How often the server is asked whether it is still there, and how long it has to answer.
const ASK_EVERY: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(2);

/// Listens on channels for as long as the connection lasts. `heard` gets the channel and the text of each notification.
pub(super) async fn follow<S, T>(
    client: &Client,
    mut connection: Connection<S, T>,
    channels: &[&str],
    hears: impl FnOnce(),
    heard: impl Fn(&str, &str),
) -> Result<(), tokio_postgres::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    let asking = async {
        let listen = format!("LISTEN {}", channels.join("; LISTEN "));
        let listening = timeout(PATIENCE, client.batch_execute(&listen)).await;
        if !matches!(listening, Ok(Ok(()))) {
            return;
        }
        hears();
        let mut ticks = interval(ASK_EVERY);
        loop {
            ticks.tick().await;
            // A server that was cut off says nothing, not even that it ended.
            let answer = timeout(PATIENCE, client.simple_query("")).await;
            if !matches!(answer, Ok(Ok(_))) {
                return;
            }
        }
    };
    let hearing = async {
        loop {
            match poll_fn(|context| connection.poll_message(context)).await {
                Some(Ok(AsyncMessage::Notification(told))) => {
                    heard(told.channel(), told.payload());
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            }
        }
    };
    let (mut asking, mut hearing) = (pin!(asking), pin!(hearing));
    tokio::select! {
        () = &mut asking => Ok(()),
        ended = &mut hearing => ended,
    }
}
