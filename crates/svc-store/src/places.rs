//! An environment together with what its project says of the users in it.

use jiff::{SignedDuration, Timestamp};
use svc_data::Connection;
use svc_model::{EnvironmentName, ProjectName};

use crate::authentication::Authentication;
use crate::codes::Purpose;
use crate::error::Error;
use crate::projects;

/// An environment, and how users sign in there.
pub(crate) struct Place {
    pub(crate) project_uid: String,
    pub(crate) environment_uid: String,
    pub(crate) project: ProjectName,
    pub(crate) environment: EnvironmentName,
    pub(crate) sign_up: bool,
    pub(crate) authentication: Authentication,
}

impl Place {
    /// Where the link in a mail leads. The code stands behind `#`, which browsers keep to themselves.
    pub(crate) fn link(&self, base_url: &str, purpose: Purpose, code: &str) -> String {
        let call = purpose.call();
        match &self.authentication.link {
            Some(link) => link.replace("{call}", call).replace("{code}", code),
            None => format!(
                "{base_url}/projects/{}/{}/auth/{call}#{code}",
                self.project, self.environment
            ),
        }
    }

    pub(crate) fn access_expiry(&self, now: Timestamp) -> Timestamp {
        later(
            now,
            SignedDuration::from_secs(self.authentication.access_token_seconds.into()),
        )
    }

    pub(crate) fn refresh_expiry(&self, now: Timestamp) -> Timestamp {
        let days = i64::from(self.authentication.refresh_token_days);
        later(now, SignedDuration::from_hours(days * 24))
    }
}

/// Whole seconds, so that a token says no more than its expiry.
fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    let then = now.saturating_add(by).unwrap_or(now);
    Timestamp::from_second(then.as_second()).unwrap_or(then)
}

/// The environment of these names.
pub(crate) fn find(
    conn: &mut dyn Connection,
    project: &ProjectName,
    environment: &EnvironmentName,
) -> Result<Option<Place>, Error> {
    let found = conn.query_one(
        "SELECT p.uid AS project_uid, e.uid AS environment_uid, p.sign_up, p.authentication FROM environments e \
         JOIN projects p ON p.uid = e.project_uid WHERE p.unique_name = ?1 AND e.unique_name = ?2",
        &[project.as_str().into(), environment.as_str().into()],
    )?;
    let Some(row) = found else {
        return Ok(None);
    };
    Ok(Some(Place {
        project_uid: row.get("project_uid")?,
        environment_uid: row.get("environment_uid")?,
        project: project.clone(),
        environment: environment.clone(),
        sign_up: row.get("sign_up")?,
        authentication: projects::authentication(&row)?,
    }))
}

/// The environment of these names, or an error that says that there is none.
pub(crate) fn get(
    conn: &mut dyn Connection,
    project: &ProjectName,
    environment: &EnvironmentName,
) -> Result<Place, Error> {
    find(conn, project, environment)?.ok_or_else(|| {
        Error::not_found(format!(
            "there is no environment {environment} in project {project}"
        ))
    })
}
