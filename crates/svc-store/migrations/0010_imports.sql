-- Imports: files whose rows become records of a connected database, in the background. Portable like the first step.
-- The file itself lies in the folder of the store. `actor_*` is who began it. `settings` is a JSON object: how the file is
-- read. `runner` is the process that is at work on it, until `runner_until`.
CREATE TABLE imports (
    uid TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    environment TEXT NOT NULL,
    resource TEXT NOT NULL,
    model TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_uid TEXT NOT NULL,
    actor_label TEXT NOT NULL,
    idempotency_key TEXT,
    request_hash TEXT NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    dry_run BOOLEAN NOT NULL,
    bytes BIGINT NOT NULL,
    bytes_read BIGINT NOT NULL DEFAULT 0,
    rows_read BIGINT NOT NULL DEFAULT 0,
    made BIGINT NOT NULL DEFAULT 0,
    updated BIGINT NOT NULL DEFAULT 0,
    refused BIGINT NOT NULL DEFAULT 0,
    message TEXT,
    runner TEXT,
    runner_until TEXT,
    date_add TEXT NOT NULL,
    date_end TEXT,
    CONSTRAINT imports_key UNIQUE (project, environment, resource, model, actor_uid, idempotency_key)
);

-- Those that nobody works on are found again, and old ones are removed.
CREATE INDEX imports_state ON imports (state, runner_until);
CREATE INDEX imports_date ON imports (date_add);

-- Rows that were refused: their number in the file, the row as JSON, and why, as JSON.
CREATE TABLE import_refusals (
    import_uid TEXT NOT NULL REFERENCES imports (uid) ON DELETE CASCADE,
    row_number BIGINT NOT NULL,
    row_text TEXT NOT NULL,
    errors TEXT NOT NULL,
    PRIMARY KEY (import_uid, row_number)
);
