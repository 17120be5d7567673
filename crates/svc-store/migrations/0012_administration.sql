-- What the administration lists, and what it keeps beside. Portable like the first step, but for the functions that make
-- JSON (`json_object`, `json_group_array`): a store on another engine defines these views with those of its own.

-- The address of a resource without passwords; NULL until it is known.
ALTER TABLE resources ADD COLUMN url_hint TEXT;

-- The environment of requests that name none; `prod` where it is NULL.
ALTER TABLE projects ADD COLUMN default_environment TEXT;

-- Views, queries, charts, dashboards and preferences. `value` is JSON, never parsed.
CREATE TABLE items (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    account_uid TEXT NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    model TEXT,
    value TEXT NOT NULL,
    shared BOOLEAN NOT NULL DEFAULT FALSE,
    date_add TEXT NOT NULL,
    date_update TEXT NOT NULL
);

CREATE INDEX items_environment ON items (environment_uid, date_add, uid);
CREATE INDEX items_account ON items (account_uid);

-- Calls that carried a key, so that one that is sent again gets the first answer. `answer` has null where a secret was.
CREATE TABLE answered_calls (
    account_uid TEXT NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    operation TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    answer TEXT,
    date_add TEXT NOT NULL,
    PRIMARY KEY (account_uid, operation, idempotency_key)
);

CREATE INDEX answered_calls_date ON answered_calls (date_add);

CREATE VIEW api_accounts AS
    SELECT uid, email, first_name, last_name, is_operator, suspended IS NOT NULL AS suspended,
        password IS NOT NULL AS has_password, date_add
    FROM accounts;

CREATE VIEW api_account_keys AS
    SELECT c.uid, c.name, c.prefix,
        CASE WHEN c.is_limited THEN (
            SELECT json_group_array(p.unique_name) FROM api_key_projects k JOIN projects p ON p.uid = k.project_uid
            WHERE k.key_uid = c.uid AND k.is_allowed
        ) END AS projects,
        c.date_add, c.last_use, c.expires, c.revoked, c.account_uid
    FROM api_keys c;

CREATE VIEW api_project_keys AS
    SELECT c.uid, a.email, c.name, c.prefix, c.date_add, c.last_use, c.expires, m.project_uid
    FROM members m JOIN api_keys c ON c.account_uid = m.account_uid JOIN accounts a ON a.uid = c.account_uid
        LEFT JOIN api_key_projects k ON k.key_uid = c.uid AND k.project_uid = m.project_uid
    WHERE c.revoked IS NULL AND COALESCE(k.is_allowed, NOT c.is_limited);

CREATE VIEW api_environments AS
    SELECT unique_name, name, color, params, date_add, project_uid FROM environments;

CREATE VIEW api_members AS
    SELECT a.uid, a.email, a.first_name, a.last_name, json_object('uid', t.uid, 'name', t.name) AS team,
        a.password IS NOT NULL AS has_password, m.date_add, m.project_uid
    FROM members m JOIN accounts a ON a.uid = m.account_uid JOIN teams t ON t.uid = m.team_uid;

CREATE VIEW api_teams AS
    SELECT uid, name, permissions_group, super_group, date_add, project_uid FROM teams;

CREATE VIEW api_rights AS
    SELECT r.uid, json_object('uid', t.uid, 'name', t.name) AS team, NULLIF(r.environment, '') AS environment,
        NULLIF(r.resource, '') AS resource, NULLIF(r.model, '') AS model,
        '[' || substr(CASE WHEN r.can_read THEN ',"read"' ELSE '' END || CASE WHEN r.can_write THEN ',"write"' ELSE '' END
            || CASE WHEN r.can_delete THEN ',"delete"' ELSE '' END, 2) || ']' AS rights,
        t.project_uid
    FROM team_rights r JOIN teams t ON t.uid = r.team_uid;

CREATE VIEW api_resources AS
    SELECT unique_name, name, CASE WHEN engine = 'http' THEN 'api' ELSE 'database' END AS type, engine AS type_item,
        params, url_hint, date_add, environment_uid
    FROM resources;

CREATE VIEW api_service_tokens AS
    SELECT c.uid, json_object('uid', t.uid, 'name', t.name) AS team, c.name, c.prefix, c.date_add, c.last_use,
        c.expires, c.revoked, c.environment_uid
    FROM service_tokens c JOIN teams t ON t.uid = c.team_uid;

-- The hosts of a secret are apart by blanks; no host has a quotation mark in it.
CREATE VIEW api_secrets AS
    SELECT s.uid, r.unique_name AS resource, s.name, '["' || replace(s.hosts, ' ', '","') || '"]' AS hosts, s.date_add,
        s.date_update, r.environment_uid
    FROM secrets s JOIN resources r ON r.uid = s.resource_uid;

CREATE VIEW api_allowed_hosts AS
    SELECT host, date_add, project_uid FROM allow_hosts;

CREATE VIEW api_items AS
    SELECT uid, kind, name, model, value, shared, account_uid AS owner, date_add, date_update, environment_uid
    FROM items;

CREATE VIEW api_audit AS
    SELECT uid, date_add AS time, project, environment, actor_kind, actor_uid, actor_label AS actor, action, resource,
        model, record, records, keys, request_id, before_tag AS before, after_tag AS after, status, outcome
    FROM audit;
