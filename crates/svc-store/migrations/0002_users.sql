-- Users of applications, their sessions, and what is needed to keep both safe. Portable like the first step.

-- How the users of a project sign in, as a JSON object; what it leaves out has its default.
ALTER TABLE projects ADD COLUMN authentication TEXT NOT NULL DEFAULT '{}';

-- Users of an environment. `email_key` is the address in lower case; `password` the PHC string of its Argon2id
-- hash, NULL until the user has chosen one.
CREATE TABLE users (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    team_uid TEXT NOT NULL REFERENCES teams (uid) ON DELETE CASCADE,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    email_confirmed BOOLEAN NOT NULL DEFAULT FALSE,
    password TEXT,
    first_name TEXT,
    last_name TEXT,
    language TEXT,
    timezone TEXT,
    date_add TEXT NOT NULL,
    CONSTRAINT users_email_unique UNIQUE (environment_uid, email_key)
);

CREATE INDEX users_list ON users (environment_uid, uid);
CREATE INDEX users_team ON users (team_uid);

-- What the models `users` and `groups` of the built-in tools show.
CREATE VIEW api_users AS
    SELECT uid, email, team_uid AS "group", date_add, first_name, last_name, environment_uid FROM users;
CREATE VIEW api_groups AS
    SELECT uid, name, project_uid FROM teams;

-- What a team may do beyond or short of its permissions group. An empty resource or model stands for every one;
-- the closest rule decides.
CREATE TABLE team_rights (
    team_uid TEXT NOT NULL REFERENCES teams (uid) ON DELETE CASCADE,
    resource TEXT NOT NULL,
    model TEXT NOT NULL,
    can_read BOOLEAN NOT NULL,
    can_write BOOLEAN NOT NULL,
    can_delete BOOLEAN NOT NULL,
    PRIMARY KEY (team_uid, resource, model)
);

-- A sign-in. `generation` is the one of its refresh token; `rotations` a JSON array of the last ones that were
-- rotated, with the time. Refresh tokens themselves are not stored: they are made from the store's key.
CREATE TABLE sessions (
    uid TEXT NOT NULL PRIMARY KEY,
    user_uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    generation BIGINT NOT NULL,
    rotations TEXT NOT NULL DEFAULT '[]',
    date_add TEXT NOT NULL,
    last_use TEXT NOT NULL,
    expires TEXT NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_uid);
CREATE INDEX sessions_expires ON sessions (expires);

-- Codes that were mailed, as the SHA-256 of the code. `email` is the address that the code speaks of. One without
-- a user was asked for an address that nobody has: it is worth nothing and takes the same time.
CREATE TABLE codes (
    hash TEXT NOT NULL PRIMARY KEY,
    user_uid TEXT REFERENCES users (uid) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    email TEXT NOT NULL,
    date_add TEXT NOT NULL,
    expires TEXT NOT NULL
);

CREATE INDEX codes_user ON codes (user_uid, purpose);
CREATE INDEX codes_expires ON codes (expires);

-- Mails that wait to be sent. `content` is sealed: it holds a code.
CREATE TABLE mails (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    content TEXT NOT NULL,
    date_add TEXT NOT NULL,
    expires TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    next_attempt TEXT NOT NULL
);

CREATE INDEX mails_next ON mails (next_attempt);

-- Keys that sign access tokens, sealed. A retired one is believed until it expires.
CREATE TABLE signing_keys (
    kid TEXT NOT NULL PRIMARY KEY,
    secret TEXT NOT NULL,
    date_add TEXT NOT NULL,
    expires TEXT
);

-- Tokens of services that act in a project with the rights of a team.
CREATE TABLE service_tokens (
    uid TEXT NOT NULL PRIMARY KEY,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    team_uid TEXT NOT NULL REFERENCES teams (uid) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    prefix TEXT NOT NULL,
    name TEXT,
    date_add TEXT NOT NULL,
    last_use TEXT,
    expires TEXT,
    revoked TEXT,
    CONSTRAINT service_tokens_hash_unique UNIQUE (hash)
);

CREATE INDEX service_tokens_environment ON service_tokens (environment_uid);
CREATE INDEX service_tokens_team ON service_tokens (team_uid);
