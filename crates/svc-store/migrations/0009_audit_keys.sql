-- A bulk create leaves one line: how many records it made, and their keys, as a JSON array of texts.
ALTER TABLE audit ADD COLUMN records INTEGER;
ALTER TABLE audit ADD COLUMN keys TEXT;

-- Lines about several records, to find that of one of them.
CREATE INDEX audit_keys ON audit (resource, model, uid) WHERE keys IS NOT NULL;
