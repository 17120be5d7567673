-- The trail: who changed what, and when. Portable like the first step. Names are copied and no other table is referred
-- to, so that the lines about what is gone stay readable.
-- `uid` is a UUID of version 7 made from `date_add`, so that lines sort by it and the oldest are found by it.
-- `before_tag` and `after_tag` are entity tags or hashes, without quotes; never what was written.
CREATE TABLE audit (
    uid TEXT NOT NULL PRIMARY KEY,
    date_add TEXT NOT NULL,
    project TEXT,
    environment TEXT,
    actor_kind TEXT NOT NULL,
    actor_uid TEXT,
    actor_label TEXT,
    action TEXT NOT NULL,
    resource TEXT,
    model TEXT,
    record TEXT,
    request_id TEXT,
    before_tag TEXT,
    after_tag TEXT
);

-- The history of one record.
CREATE INDEX audit_record ON audit (record, uid);
