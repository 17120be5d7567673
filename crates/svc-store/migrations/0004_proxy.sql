-- What the HTTP proxy uses: secret tokens, and hosts that it may reach although they are not public. Portable like
-- the first step.

-- Secret tokens of a resource. `value` is sealed, and bound to its row, resource, name and hosts; `hosts` are names and
-- addresses in lower case, apart by blanks.
CREATE TABLE secrets (
    uid TEXT NOT NULL PRIMARY KEY,
    resource_uid TEXT NOT NULL REFERENCES resources (uid) ON DELETE CASCADE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    hosts TEXT NOT NULL,
    value TEXT NOT NULL,
    date_add TEXT NOT NULL,
    date_update TEXT NOT NULL,
    CONSTRAINT secrets_name_unique UNIQUE (resource_uid, name)
);

CREATE TABLE allow_hosts (
    project_uid TEXT NOT NULL REFERENCES projects (uid) ON DELETE CASCADE,
    host TEXT NOT NULL,
    date_add TEXT NOT NULL,
    PRIMARY KEY (project_uid, host)
);
