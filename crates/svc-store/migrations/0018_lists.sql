-- The entity tag that the answer of a call had.
ALTER TABLE answered_calls ADD COLUMN etag TEXT;

-- Mails that wait, sessions and projects, as lists show them. What subjects say is said in `MailKind::subject` too.
CREATE VIEW api_mails AS
    SELECT m.uid, m.recipient, m.kind, p.unique_name AS project, e.unique_name AS environment,
        CASE m.kind
            WHEN 'invitation' THEN 'You are invited to ' || COALESCE(p.name, 'svc')
            WHEN 'reset_password' THEN 'Choose a new password for ' || COALESCE(p.name, 'svc')
            WHEN 'already_registered' THEN 'You have an account at ' || COALESCE(p.name, 'svc') || ' already'
            WHEN 'password_changed' THEN 'Your password for ' || COALESCE(p.name, 'svc') || ' was changed'
            WHEN 'email_changed' THEN 'Your e-mail address for ' || COALESCE(p.name, 'svc') || ' was changed'
            ELSE 'Confirm your e-mail address for ' || COALESCE(p.name, 'svc')
        END AS subject,
        m.date_add, m.expires, m.attempts, m.last_error
    FROM mails m LEFT JOIN environments e ON e.uid = m.environment_uid LEFT JOIN projects p ON p.uid = e.project_uid;

CREATE VIEW api_sessions AS
    SELECT uid, date_add, last_use, expires, user_agent, address, account_uid, user_uid FROM sessions;

CREATE VIEW api_projects AS
    SELECT unique_name, name, color, domain, COALESCE(default_environment, 'prod') AS default_environment, params, date_add
    FROM projects;
