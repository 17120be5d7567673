-- Static tokens that may do less than everything. Portable like the first step. Both are NULL where a token opens its whole
-- resource. `rights` are `read`, `write` and `delete` with commas between; `models` is a JSON array of names, and NULL where
-- the rights are for all models.
ALTER TABLE static_tokens ADD COLUMN rights TEXT;
ALTER TABLE static_tokens ADD COLUMN models TEXT;

CREATE VIEW api_tokens AS
    SELECT c.uid, COALESCE(r.unique_name, '__svc_app__') AS resource, c.name, c.prefix,
        '["' || replace(c.rights, ',', '","') || '"]' AS rights, c.models, c.date_add, c.last_use, c.expires, c.revoked,
        c.environment_uid
    FROM static_tokens c LEFT JOIN resources r ON r.uid = c.resource_uid;
