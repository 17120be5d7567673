-- Users of an environment by their addresses as they are shown.
CREATE INDEX users_email ON users (environment_uid, email);

-- Mails that have expired, and those of an environment that is deleted.
CREATE INDEX mails_expires ON mails (expires);
CREATE INDEX mails_environment ON mails (environment_uid);

-- Calls that were cut off.
CREATE INDEX answered_calls_open ON answered_calls (date_add) WHERE answer IS NULL;
