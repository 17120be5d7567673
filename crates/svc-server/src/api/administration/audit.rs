//! The audit trail: who changed what, and when.

use jiff::{SignedDuration, Timestamp};
use svc_model::{
    Invalid, Lookup,
    administration::audit::{List, ListOfProject},
};
use svc_store::{Administered, AuditFilter, ListedOf};

use super::entries::{EntriesCall, ListCall};
use crate::{api::routes::Routes, http::ApiResult};

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<ListOfProject, _>(list_of_project)
}

async fn list(call: ListCall<List>) -> ApiResult {
    lines(&call, ListedOf::Service).await
}

async fn list_of_project(call: ListCall<ListOfProject>) -> ApiResult {
    lines(&call, call.of_project()).await
}

async fn lines(call: &EntriesCall, of: ListedOf) -> ApiResult {
    // A line is seen when its write is acknowledged, also while it is in a journal alone.
    call.state().store.audit().collect().await;
    let now = Timestamp::now();
    let bounds = [("since", Lookup::Gte), ("until", Lookup::Lt)];
    let names = bounds.map(|(name, _)| name);
    call.list_with(Administered::Audit, of, &names, |mut query, values| {
        let mut times = [None; 2];
        for (((name, lookup), value), time) in bounds.iter().zip(values).zip(&mut times) {
            if let Some(value) = value {
                let moment = moment(name, value, now)?;
                query = query.filter("time", *lookup, moment.to_string());
                *time = Some(moment);
            }
        }
        let [since, until] = times;
        let (since, until) = AuditFilter::uid_bounds(since, until);
        for ((_, lookup), uid) in bounds.iter().zip([since, until]) {
            if let Some(uid) = uid {
                query = query.filter("uid", *lookup, uid);
            }
        }
        Ok(query)
    })
    .await
}

/// A time, or one that was a span ago, such as `7d`.
fn moment(field: &str, text: &str, now: Timestamp) -> Result<Timestamp, Invalid> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let wrong = || {
        Invalid::field(
            field,
            "must be a time (RFC 3339), or a span that ends now, such as 7d, 12h or 30m",
        )
    };
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let span = number.checked_mul(seconds).filter(|span| *span >= 0);
    let span = SignedDuration::from_secs(span.ok_or_else(wrong)?);
    now.checked_sub(span).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_time_or_a_span_that_ends_now() {
        let now: Timestamp = "2027-01-31T12:00:00Z".parse().unwrap();
        for (text, time) in [
            ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("7d", "2027-01-24T12:00:00Z"),
            ("90m", "2027-01-31T10:30:00Z"),
        ] {
            let read = moment("since", text, now);
            assert_eq!(read.map(|time| time.to_string()), Ok(time.to_owned()));
        }
        for text in ["", "d", "7", "-7d", "7y", "99999999999999999d", "soon"] {
            assert!(moment("since", text, now).is_err(), "{text}");
        }
    }
}
