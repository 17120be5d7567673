-- Bulk creates that carry a key, so that one that is sent again is done once. Portable like the first step.
-- `evidence` says how the database can be asked whether it has committed the records; it is NULL once that is known.
-- `outcome` says what became of each record.
CREATE TABLE write_marks (
    project TEXT NOT NULL,
    environment TEXT NOT NULL,
    resource TEXT NOT NULL,
    model TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    request_hash TEXT NOT NULL,
    evidence TEXT,
    outcome TEXT NOT NULL,
    date_add TEXT NOT NULL,
    PRIMARY KEY (project, environment, resource, model, idempotency_key)
);

-- The oldest are removed.
CREATE INDEX write_marks_date ON write_marks (date_add);
