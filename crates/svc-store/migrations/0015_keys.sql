-- Operators see the keys of all accounts, and administrators those that were revoked.
DROP VIEW api_account_keys;
CREATE VIEW api_account_keys AS
    SELECT c.uid, a.email, c.name, c.prefix,
        CASE WHEN c.is_limited THEN (
            SELECT json_group_array(p.unique_name) FROM api_key_projects k JOIN projects p ON p.uid = k.project_uid
            WHERE k.key_uid = c.uid AND k.is_allowed
        ) END AS projects,
        c.date_add, c.last_use, c.expires, c.revoked, c.account_uid
    FROM api_keys c JOIN accounts a ON a.uid = c.account_uid;

DROP VIEW api_project_keys;
CREATE VIEW api_project_keys AS
    SELECT c.uid, a.email, c.name, c.prefix, c.date_add, c.last_use, c.expires, c.revoked, m.project_uid
    FROM members m JOIN api_keys c ON c.account_uid = m.account_uid JOIN accounts a ON a.uid = c.account_uid
        LEFT JOIN api_key_projects k ON k.key_uid = c.uid AND k.project_uid = m.project_uid
    WHERE COALESCE(k.is_allowed, NOT c.is_limited);
