//! Mail: sends what waits in the outbox of the store through a mail server (SMTP).
//!
//! A mail is taken, sent, and only then deleted, so that none is lost when the process ends. One that was being
//! sent when the process was killed is sent again after two minutes, under the same `Message-ID`.

mod config;
mod message;
mod smtp;

use std::time::Duration;

use jiff::Timestamp;
use svc_store::{Mail, Store};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, sleep_until, timeout},
};

pub use self::config::MailConfig;
pub(crate) use self::smtp::Smtp;
use self::smtp::{Connection, Unsent};

/// How often the outbox is looked at without a wake-up: for mails that are due again.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How often it is tried to write down what became of a mail.
const SETTLE_TRIES: u32 = 10;
/// Without a mail server the outbox is looked at this often at most, however often mails are put there.
const TELL_EVERY: Duration = Duration::from_millis(500);
/// How often mails that have expired are deleted then, at most.
const PURGE_EVERY: Duration = Duration::from_secs(3_600);

/// Tells the worker that there may be mail.
#[derive(Debug, Default)]
pub(crate) struct MailHandle(Notify);

impl MailHandle {
    /// To be called after a mail was put into the outbox. Neither waits nor fails.
    pub(crate) fn wake(&self) {
        self.0.notify_one();
    }
}

/// Delivers mails until `stop` turns true; one that is being sent then has `grace` to arrive.
pub(crate) async fn run(
    store: &Store,
    smtp: Option<Smtp>,
    wake: &MailHandle,
    stop: watch::Receiver<bool>,
    grace: Duration,
) {
    let mut stopped = stop.clone();
    let work = async {
        match smtp {
            Some(smtp) => deliver(store, &smtp, wake, stop).await,
            None => tell(store, wake, stop).await,
        }
    };
    let too_late = async {
        let _ = stopped.wait_for(|&stop| stop).await;
        sleep(grace).await;
    };
    tokio::select! {
        () = work => {}
        () = too_late => tracing::warn!(
            "a mail was still being sent when the shutdown's time was over; the next start sends it again"
        ),
    }
}

/// Sends what is due, and waits for more.
async fn deliver(store: &Store, smtp: &Smtp, wake: &MailHandle, mut stop: watch::Receiver<bool>) {
    let mut failing = false;
    loop {
        match send_due(store, smtp, &stop).await {
            Ok(()) => failing = false,
            Err(error) if !failing => {
                tracing::error!(%error, "the outbox cannot be used; no mail is sent");
                failing = true;
            }
            Err(_) => {}
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = wake.0.notified() => {}
            () = sleep(LOOK_EVERY) => {}
        }
    }
}

/// Sends what is due, over one connection. Ends early when the mail server is away, since the next mail would fare
/// no better.
async fn send_due(
    store: &Store,
    smtp: &Smtp,
    stop: &watch::Receiver<bool>,
) -> Result<(), svc_store::Error> {
    let mut connection = None;
    while !*stop.borrow() {
        let Some(mail) = store.mails().take().await? else {
            break;
        };
        let sent = send(smtp, &mut connection, &mail).await;
        let (kind, uid) = (mail.kind.as_str(), mail.uid);
        match sent {
            Ok(()) => {
                settle(store, &mail, Fate::Gone).await?;
                tracing::info!(mail = %uid, kind, "mail sent");
            }
            Err(Unsent::Refused(reason)) => {
                settle(store, &mail, Fate::Gone).await?;
                tracing::error!(mail = %uid, kind, reason, "mail refused for good; it is dropped");
            }
            Err(Unsent::Later(reason)) => {
                settle(store, &mail, Fate::Kept(reason.clone())).await?;
                tracing::warn!(mail = %uid, kind, reason, "mail not taken yet; it is tried again");
            }
            Err(Unsent::Unavailable(reason)) => {
                settle(store, &mail, Fate::Kept(reason.clone())).await?;
                tracing::error!(mail = %uid, kind, reason, "mail cannot be sent; it is tried again");
                break;
            }
        }
    }
    if let Some(connection) = connection {
        smtp.leave(connection).await;
    }
    Ok(())
}

/// What becomes of a mail.
enum Fate {
    /// It leaves the outbox.
    Gone,
    /// It is put back, for this reason.
    Kept(String),
}

/// Writes down what becomes of a mail. Tried again for a while where the store fails: a mail that went out would go
/// out again.
async fn settle(store: &Store, mail: &Mail, fate: Fate) -> Result<(), svc_store::Error> {
    let mut tries = 1;
    loop {
        let written = match &fate {
            Fate::Gone => store.mails().sent(mail.uid).await,
            Fate::Kept(why) => store.mails().failed(mail, why).await,
        };
        match written {
            Err(error) if tries < SETTLE_TRIES => {
                tracing::warn!(%error, "the outbox cannot be written; it is tried again");
            }
            written => return written,
        }
        tries += 1;
        sleep(LOOK_EVERY).await;
    }
}

/// Sends one mail, over the connection that is open, if one is. After a failure there is none.
async fn send(smtp: &Smtp, connection: &mut Option<Connection>, mail: &Mail) -> Result<(), Unsent> {
    let message = message::build(mail, smtp.from())?;
    let work = async {
        let mut open = match connection.take() {
            Some(open) => open,
            None => smtp.connect().await?,
        };
        let sent = smtp.send(&mut open, &message).await;
        match sent {
            Ok(()) => *connection = Some(open),
            Err(_) => smtp.leave(open).await,
        }
        sent
    };
    timeout(smtp.timeout(), work).await.unwrap_or_else(|_| {
        let seconds = smtp.timeout().as_secs();
        Err(Unsent::Unavailable(format!(
            "the mail server took more than {seconds} s"
        )))
    })
}

/// Without a mail server, says that there is mail.
async fn tell(store: &Store, wake: &MailHandle, mut stop: watch::Receiver<bool>) {
    let mut reported: Option<Timestamp> = None;
    let mut next_purge = Instant::now();
    loop {
        // Where mail is sent, taking the next one does that.
        if Instant::now() >= next_purge {
            next_purge = Instant::now() + PURGE_EVERY;
            if let Err(error) = store.mails().purge().await {
                tracing::warn!(%error, "mail that has expired could not be deleted");
            }
        }
        match store.mails().newest().await {
            Ok(newest) if newest > reported => {
                reported = newest;
                let mails = store.mails().count().await.unwrap_or_default();
                tracing::warn!(
                    mails,
                    "mail is waiting in the outbox: svc mail list shows it (with the same --dir or --store); configure --smtp-url to send it"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "the outbox cannot be read"),
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = async { sleep(TELL_EVERY).await; wake.0.notified().await } => {}
            () = sleep_until(next_purge) => {}
        }
    }
}

#[cfg(test)]
mod tests;
