//! What nodes ask each other over the store that they share: which statements run, to end one, and to read a structure again.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope, statements::Statement};
use svc_store::NodeQuestion;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::{
    http::{ApiError, ApiResult, resource_path::ResourcePath},
    state::{State, statements::Seen},
};

/// How long the others have to answer. They hear of a question at once, and where they do not, within a second.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait until it is looked again whether there are answers.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How often they are looked for where this process does not hear of them.
const DEAF_LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long a node reads a structure until it answers that it goes on doing so.
const READING: Duration = Duration::from_millis(1_500);
/// How long a question waits for the one before.
const TURN: Duration = Duration::from_secs(3);
/// About how many bytes a node tells of its statements.
const MAX_TOLD: usize = 1 << 20;

/// A question to all other nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Question {
    /// Which statements run: a list of [`Statement`].
    Statements { on: On, seen: Seen },
    /// End this statement: whether there was one.
    Cancel { on: On, seen: Seen, id: String },
    /// Read the structure of its database again: whether that is done.
    Reload { on: On },
}

/// A resource.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct On {
    project: ProjectName,
    environment: EnvironmentName,
    resource: ResourceName,
}

impl From<&ResourcePath> for On {
    fn from(path: &ResourcePath) -> Self {
        Self {
            project: path.scope.project.clone(),
            environment: path.scope.environment.clone(),
            resource: path.resource.clone(),
        }
    }
}

impl From<On> for ResourcePath {
    fn from(on: On) -> Self {
        Self {
            scope: Scope::new(on.project, on.environment),
            resource: on.resource,
        }
    }
}

impl State {
    /// Asks all other nodes that live, and gives their answers. A node that does not answer in time is left out: it was stopped,
    /// or is just ending.
    pub(crate) async fn ask_others<A: DeserializeOwned>(
        &self,
        question: Question,
    ) -> ApiResult<Vec<A>> {
        if self.nodes.others().is_empty() {
            return Ok(Vec::new());
        }
        let Ok(_turn) = timeout(TURN, self.nodes.asks.lock()).await else {
            return Err(ApiError::Overloaded(
                "the other nodes of the service are asked too much at the moment; try again",
            ));
        };
        let text = serde_json::to_string(&question)
            .map_err(|error| ApiError::Internal(error.to_string()))?;
        let asked = self.store.nodes().ask(self.nodes.uid(), text).await?;
        let answers = self.answers(asked).await;
        // It would be removed later, too.
        if let Err(error) = self.store.nodes().withdraw(asked).await {
            tracing::debug!(%error, "a question to the other nodes is left in the store");
        }
        let answers = answers?.into_iter();
        Ok(answers
            .filter_map(|text| serde_json::from_str(&text).ok())
            .collect())
    }

    /// Waits until every node that lives has answered, but not for ever.
    async fn answers(&self, question: Uuid) -> ApiResult<Vec<String>> {
        let begun = Instant::now();
        loop {
            let counter = self.store.change_counter().await?;
            let answers = self.store.nodes().answers(question).await?;
            let has_answered = |node: &Uuid| answers.iter().any(|answer| answer.node == *node);
            if self.nodes.others().iter().all(has_answered) || begun.elapsed() > PATIENCE {
                return Ok(answers.into_iter().map(|answer| answer.text).collect());
            }
            if counter.is_none() {
                sleep(DEAF_LOOK_EVERY).await;
            }
            while counter.is_some()
                && self.store.change_counter().await? == counter
                && begun.elapsed() <= PATIENCE
            {
                sleep(LOOK_EVERY).await;
            }
        }
    }

    async fn answer_to(&self, question: Question) -> Option<String> {
        match question {
            Question::Statements { on, seen } => {
                let mut left = MAX_TOLD;
                let mut told: Vec<Statement> = self.statements.list(&on.into(), &seen);
                let fits = told.iter().take_while(|statement| {
                    let fits = statement.query.len() <= left;
                    left = left.saturating_sub(statement.query.len());
                    fits
                });
                told.truncate(fits.count());
                serde_json::to_string(&told).ok()
            }
            Question::Cancel { on, seen, id } => {
                let found = self.statements.cancel(&on.into(), &seen, &id);
                serde_json::to_string(&found).ok()
            }
            Question::Reload { on } => {
                let is_done = self.reload_here(&on.into()).await;
                serde_json::to_string(&is_done).ok()
            }
        }
    }
}

impl State {
    /// Reads the structure of a resource again, and goes on with it when that takes long. Says whether it is done.
    async fn reload_here(&self, path: &ResourcePath) -> bool {
        // A node that has no connection yet reads it with the first one.
        let Ok((resource, _)) = self.connections.get(path).await else {
            return false;
        };
        let reading = tokio::spawn(async move { resource.reload().await });
        matches!(timeout(READING, reading).await, Ok(Ok(Ok(_))))
    }
}

/// Answers what other nodes ask.
pub(super) async fn answer(state: &State) {
    let node = state.nodes.uid();
    let answered = async {
        let questions = state.store.nodes().questions(node).await?;
        let mut answers: Vec<(Uuid, String)> = Vec::new();
        for NodeQuestion { uid, text, .. } in questions {
            // What only a node of another version understands has no answer.
            let Ok(asked) = serde_json::from_str(&text) else {
                continue;
            };
            answers.extend(state.answer_to(asked).await.map(|answer| (uid, answer)));
        }
        match answers.is_empty() {
            true => Ok(()),
            false => state.store.nodes().answer(node, answers).await,
        }
    };
    let answered: Result<(), svc_store::Error> = answered.await;
    if let Err(error) = answered {
        tracing::debug!(%error, "another node has no answer");
    }
}
