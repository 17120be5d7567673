-- What administrators see of the users of an environment in a list.
CREATE VIEW api_user_states AS
    SELECT uid, email, team_uid AS "group", first_name, last_name, suspended IS NOT NULL AS suspended,
        password IS NOT NULL AS has_password, email_confirmed, date_add, environment_uid
    FROM users;
