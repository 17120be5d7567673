-- Control plane, first version. Portable to SQLite and PostgreSQL: identifiers are UUIDs as text,
-- times are RFC 3339 in UTC with six digits of a second (so that they sort as text), JSON is text.

-- One row. `revision` moves with every change that a cache may depend on, in the same transaction.
-- `seal_check` is a known text sealed with the store's key: it tells a wrong key from a damaged row.
CREATE TABLE store_state (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    revision BIGINT NOT NULL,
    seal_check TEXT
);

INSERT INTO store_state (id, revision, seal_check) VALUES (1, 0, NULL);

-- People of the platform: they own projects and API keys. `email_key` is the address in lower case.
CREATE TABLE accounts (
    uid TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    first_name TEXT,
    last_name TEXT,
    language TEXT,
    timezone TEXT,
    date_add TEXT NOT NULL,
    CONSTRAINT accounts_email_unique UNIQUE (email_key)
);

CREATE TABLE projects (
    uid TEXT NOT NULL PRIMARY KEY,
    unique_name TEXT NOT NULL,
    name TEXT NOT NULL,
    color TEXT,
    domain TEXT,
    owner_uid TEXT REFERENCES accounts (uid) ON DELETE SET NULL,
    sign_up BOOLEAN NOT NULL DEFAULT FALSE,
    params TEXT NOT NULL DEFAULT '{}',
    date_add TEXT NOT NULL,
    CONSTRAINT projects_unique_name_unique UNIQUE (unique_name)
);

CREATE INDEX projects_owner ON projects (owner_uid);

CREATE TABLE environments (
    uid TEXT NOT NULL PRIMARY KEY,
    project_uid TEXT NOT NULL REFERENCES projects (uid) ON DELETE CASCADE,
    unique_name TEXT NOT NULL,
    name TEXT NOT NULL,
    color TEXT,
    params TEXT NOT NULL DEFAULT '{}',
    date_add TEXT NOT NULL,
    CONSTRAINT environments_unique_name_unique UNIQUE (project_uid, unique_name)
);

CREATE TABLE teams (
    uid TEXT NOT NULL PRIMARY KEY,
    project_uid TEXT NOT NULL REFERENCES projects (uid) ON DELETE CASCADE,
    name TEXT NOT NULL,
    permissions_group TEXT NOT NULL,
    super_group BOOLEAN NOT NULL,
    position INTEGER NOT NULL,
    date_add TEXT NOT NULL,
    CONSTRAINT teams_name_unique UNIQUE (project_uid, name)
);

CREATE TABLE members (
    uid TEXT NOT NULL PRIMARY KEY,
    project_uid TEXT NOT NULL REFERENCES projects (uid) ON DELETE CASCADE,
    account_uid TEXT NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    team_uid TEXT NOT NULL REFERENCES teams (uid) ON DELETE CASCADE,
    date_add TEXT NOT NULL,
    CONSTRAINT members_account_unique UNIQUE (project_uid, account_uid)
);

CREATE INDEX members_account ON members (account_uid);
CREATE INDEX members_team ON members (team_uid);

-- `url` is sealed: it may hold a password.
CREATE TABLE resources (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    unique_name TEXT NOT NULL,
    name TEXT NOT NULL,
    engine TEXT NOT NULL,
    url TEXT NOT NULL,
    params TEXT NOT NULL DEFAULT '{}',
    date_add TEXT NOT NULL,
    CONSTRAINT resources_unique_name_unique UNIQUE (environment_uid, unique_name)
);

-- Credentials are kept as the SHA-256 of the whole key, in lower-case hexadecimal digits.
CREATE TABLE api_keys (
    uid TEXT NOT NULL PRIMARY KEY,
    account_uid TEXT NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    prefix TEXT NOT NULL,
    name TEXT,
    date_add TEXT NOT NULL,
    last_use TEXT,
    expires TEXT,
    revoked TEXT,
    CONSTRAINT api_keys_hash_unique UNIQUE (hash)
);

CREATE INDEX api_keys_account ON api_keys (account_uid);

-- `resource_uid` is NULL for a token of the built-in tools resource.
CREATE TABLE static_tokens (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    resource_uid TEXT REFERENCES resources (uid) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    prefix TEXT NOT NULL,
    name TEXT,
    date_add TEXT NOT NULL,
    last_use TEXT,
    expires TEXT,
    revoked TEXT,
    CONSTRAINT static_tokens_hash_unique UNIQUE (hash)
);

CREATE INDEX static_tokens_environment ON static_tokens (environment_uid);
CREATE INDEX static_tokens_resource ON static_tokens (resource_uid);

-- A page has one row in each layer it exists in. A row of the draft layer lies over the published one
-- of the same `uid`; one with `deleted` hides it.
-- `params` is the caller's text, never parsed again; `properties` a JSON object in the caller's order.
CREATE TABLE pages (
    uid TEXT NOT NULL,
    layer TEXT NOT NULL CHECK (layer IN ('published', 'draft')),
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    unique_name TEXT NOT NULL,
    view TEXT NOT NULL,
    name TEXT,
    resource TEXT,
    model TEXT,
    params TEXT,
    properties TEXT NOT NULL DEFAULT '{}',
    deleted BOOLEAN NOT NULL DEFAULT FALSE,
    revision BIGINT NOT NULL,
    date_add TEXT NOT NULL,
    date_update TEXT NOT NULL,
    PRIMARY KEY (uid, layer),
    CONSTRAINT pages_unique_name_unique UNIQUE (environment_uid, layer, unique_name)
);

CREATE INDEX pages_list ON pages (environment_uid, layer, date_add, uid);
