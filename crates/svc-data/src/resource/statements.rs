//! How long statements on a database took, by what they were for.

use crate::{DurationCounts, Durations};

/// What a statement on a connected database is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementKind {
    /// A list of records, or a part of one.
    List,
    /// One record.
    Retrieve,
    /// The value of one field.
    Value,
    /// Records that are aggregated or grouped.
    Aggregate,
    /// New records.
    Create,
    /// Changed records.
    Update,
    /// Deleted records.
    Delete,
    /// A query in SQL.
    Sql,
    /// A function that is called.
    Call,
    /// The structure of the database.
    Structure,
}

impl StatementKind {
    const ALL: [Self; 10] = [
        Self::List,
        Self::Retrieve,
        Self::Value,
        Self::Aggregate,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::Sql,
        Self::Call,
        Self::Structure,
    ];

    /// The word for it, such as `list`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Retrieve => "retrieve",
            Self::Value => "value",
            Self::Aggregate => "aggregate",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Sql => "sql",
            Self::Call => "call",
            Self::Structure => "structure",
        }
    }
}

/// How long statements took, each with the wait for its connection.
#[derive(Debug, Default)]
pub(super) struct Statements([Durations; StatementKind::ALL.len()]);

impl Statements {
    /// Waits for the answer to a statement, and counts how long it took, also when nobody waits for it any more.
    pub(super) async fn timed<T>(&self, kind: StatementKind, answer: impl Future<Output = T>) -> T {
        let _timed = self.0.get(kind as usize).map(Durations::begin);
        answer.await
    }

    /// The kinds that there were, with what was counted of each.
    pub(super) fn counts(&self) -> Vec<(StatementKind, DurationCounts)> {
        let counted = StatementKind::ALL.into_iter().zip(&self.0);
        let counted = counted.map(|(kind, durations)| (kind, durations.counts()));
        counted.filter(|(_, counts)| counts.count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_statement_counts_for_its_kind_alone() {
        let statements = Statements::default();
        for kind in StatementKind::ALL {
            statements.timed(kind, async {}).await;
        }
        statements.timed(StatementKind::Sql, async {}).await;
        let counts = statements.counts();
        assert_eq!(counts.len(), StatementKind::ALL.len());
        for (kind, counts) in counts {
            let expected = if kind == StatementKind::Sql { 2 } else { 1 };
            assert_eq!(counts.count, expected, "{}", kind.as_str());
        }
    }
}
