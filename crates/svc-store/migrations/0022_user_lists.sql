-- The users of an environment, the newest first and by their addresses as they are shown.
CREATE INDEX users_newest ON users (environment_uid, date_add, uid);
CREATE INDEX users_email ON users (environment_uid, email);
