//! What nodes ask each other: a question is a row that all nodes are told of, and an answer is one that the asking node is
//! told of.

use jiff::SignedDuration;
use svc_data::Row;
use uuid::Uuid;

use super::Nodes;
use crate::database::{row, values};
use crate::error::Result;

/// How many questions a node reads at once.
const MOST_QUESTIONS: i64 = 100;
/// How old a question may be, by the clock of the node that reads it, until it is removed: its node has ended.
const OLDEST: SignedDuration = SignedDuration::from_mins(10);

/// What another node asks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeQuestion {
    /// Its identifier.
    pub uid: Uuid,
    /// What is asked: a text that nodes understand.
    pub text: String,
}

/// What another node answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeAnswer {
    /// The node.
    pub node: Uuid,
    /// The answer.
    pub text: String,
}

impl Nodes<'_> {
    /// Whether any node asks something, as far as this process knows: by what was read with the last
    /// [revision](crate::Store::revision).
    pub fn is_asked(&self) -> bool {
        self.store.has_questions()
    }

    /// Asks all other nodes. They hear of it at once. [`Nodes::withdraw`] removes the question again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn ask(&self, node: Uuid, text: String) -> Result<Uuid> {
        let asked = self.store.write(move |tx| {
            let (uid, now) = (Uuid::now_v7(), tx.now());
            tx.housekeeping().execute(
                "INSERT INTO node_questions (uid, node, asked, question) VALUES (?1, ?2, ?3, ?4)",
                &values![uid, node, now, text],
            )?;
            tx.announce();
            Ok(uid)
        });
        asked.await
    }

    /// What other nodes ask that this one has not answered, the oldest first. Questions whose node has ended are
    /// removed.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn questions(&self, node: Uuid) -> Result<Vec<NodeQuestion>> {
        let read = self.store.read(move |reader| {
            let oldest = reader.now() - OLDEST;
            let gone = "SELECT uid FROM node_questions WHERE asked < ?1 LIMIT 1";
            let has_gone = reader.exists(gone, &values![oldest])?;
            let open = "SELECT uid, question FROM node_questions q WHERE node <> ?1 AND NOT EXISTS \
                (SELECT 1 FROM node_answers a WHERE a.question_uid = q.uid AND a.node = ?1) ORDER BY uid LIMIT ?2";
            let open = reader.list(open, &values![node, MOST_QUESTIONS], |row: &Row| {
                Ok(NodeQuestion {
                    uid: row::get(row, "uid")?,
                    text: row.get("question")?,
                })
            })?;
            Ok((open, has_gone.then_some(oldest)))
        });
        let (open, gone) = read.await?;
        if let Some(oldest) = gone {
            let removed = self.store.write(move |tx| {
                let delete = "DELETE FROM node_questions WHERE asked < ?1";
                tx.housekeeping().execute(delete, &values![oldest])
            });
            removed.await?;
        }
        Ok(open)
    }

    /// Answers questions of other nodes, by their identifiers. Those that were withdrawn meanwhile are left out.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn answer(&self, node: Uuid, answers: Vec<(Uuid, String)>) -> Result<()> {
        let written = self.store.write(move |tx| {
            for (question, answer) in answers {
                tx.housekeeping().execute(
                    "INSERT INTO node_answers (question_uid, node, answer) \
                     SELECT uid, ?2, ?3 FROM node_questions WHERE uid = ?1 ON CONFLICT (question_uid, node) DO NOTHING",
                    &values![question, node, answer],
                )?;
            }
            tx.announce();
            Ok(())
        });
        written.await
    }

    /// What was answered so far.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn answers(&self, question: Uuid) -> Result<Vec<NodeAnswer>> {
        let read = self.store.read(move |reader| {
            let all = "SELECT node, answer FROM node_answers WHERE question_uid = ?1 ORDER BY node";
            reader.list(all, &values![question], |row: &Row| {
                Ok(NodeAnswer {
                    node: row::get(row, "node")?,
                    text: row.get("answer")?,
                })
            })
        });
        read.await
    }

    /// Removes a question, with its answers.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn withdraw(&self, question: Uuid) -> Result<()> {
        let written = self.store.write(move |tx| {
            let delete = "DELETE FROM node_questions WHERE uid = ?1";
            tx.housekeeping().execute(delete, &values![question])
        });
        written.await.map(drop)
    }
}
