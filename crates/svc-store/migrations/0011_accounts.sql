-- Accounts sign in as users do: with a password, sessions and codes of their own. Portable like the first step.

-- `password` is the PHC string of an Argon2id hash, NULL until the person has chosen one. `suspended` is the time since
-- when nobody signs in with it.
ALTER TABLE accounts ADD COLUMN password TEXT;
ALTER TABLE accounts ADD COLUMN email_confirmed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE accounts ADD COLUMN is_operator BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE accounts ADD COLUMN suspended TEXT;

-- `properties` is a JSON object that administrators set.
ALTER TABLE users ADD COLUMN suspended TEXT;
ALTER TABLE users ADD COLUMN properties TEXT NOT NULL DEFAULT '{}';

-- A sign-in of a user or of an account. `address` and `user_agent` are those of who signed in.
CREATE TABLE person_sessions (
    uid TEXT NOT NULL PRIMARY KEY,
    user_uid TEXT REFERENCES users (uid) ON DELETE CASCADE,
    account_uid TEXT REFERENCES accounts (uid) ON DELETE CASCADE,
    generation BIGINT NOT NULL,
    rotations TEXT NOT NULL DEFAULT '[]',
    address TEXT,
    user_agent TEXT,
    date_add TEXT NOT NULL,
    last_use TEXT NOT NULL,
    expires TEXT NOT NULL,
    CHECK ((user_uid IS NULL) <> (account_uid IS NULL))
);

INSERT INTO person_sessions (uid, user_uid, generation, rotations, date_add, last_use, expires)
    SELECT uid, user_uid, generation, rotations, date_add, last_use, expires FROM sessions;

DROP TABLE sessions;
ALTER TABLE person_sessions RENAME TO sessions;

CREATE INDEX sessions_user ON sessions (user_uid);
CREATE INDEX sessions_account ON sessions (account_uid);
CREATE INDEX sessions_expires ON sessions (expires);

ALTER TABLE codes ADD COLUMN account_uid TEXT REFERENCES accounts (uid) ON DELETE CASCADE;

CREATE INDEX codes_account ON codes (account_uid, purpose);

-- Mails to accounts belong to no environment.
CREATE TABLE all_mails (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT REFERENCES environments (uid) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    content TEXT NOT NULL,
    date_add TEXT NOT NULL,
    expires TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    next_attempt TEXT NOT NULL,
    last_error TEXT
);

INSERT INTO all_mails (uid, environment_uid, kind, recipient, content, date_add, expires, attempts, next_attempt)
    SELECT uid, environment_uid, kind, recipient, content, date_add, expires, attempts, next_attempt FROM mails;

DROP TABLE mails;
ALTER TABLE all_mails RENAME TO mails;

CREATE INDEX mails_next ON mails (next_attempt);

-- A key with `is_limited` opens the projects that `api_key_projects` allows, another one all projects of its account
-- but those that the table forbids.
ALTER TABLE api_keys ADD COLUMN is_limited BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE api_key_projects (
    key_uid TEXT NOT NULL REFERENCES api_keys (uid) ON DELETE CASCADE,
    project_uid TEXT NOT NULL REFERENCES projects (uid) ON DELETE CASCADE,
    is_allowed BOOLEAN NOT NULL,
    PRIMARY KEY (key_uid, project_uid)
);

CREATE INDEX api_key_projects_project ON api_key_projects (project_uid);

-- A rule has an identifier, and may hold in one environment alone; an empty one stands for every one, as with resource and
-- model. `hex` and `randomblob` are SQLite's: a store on another engine has no rule of before.
CREATE TABLE identified_rights (
    uid TEXT NOT NULL PRIMARY KEY,
    team_uid TEXT NOT NULL REFERENCES teams (uid) ON DELETE CASCADE,
    environment TEXT NOT NULL DEFAULT '',
    resource TEXT NOT NULL,
    model TEXT NOT NULL,
    can_read BOOLEAN NOT NULL,
    can_write BOOLEAN NOT NULL,
    can_delete BOOLEAN NOT NULL,
    CONSTRAINT team_rights_unique UNIQUE (team_uid, environment, resource, model)
);

INSERT INTO identified_rights (uid, team_uid, resource, model, can_read, can_write, can_delete)
    SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2))
        || '-' || hex(randomblob(6))), team_uid, resource, model, can_read, can_write, can_delete FROM team_rights;

DROP TABLE team_rights;
ALTER TABLE identified_rights RENAME TO team_rights;
