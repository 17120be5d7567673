-- What a write did to the values of records, as JSON: {"old": {...}, "new": {...}}, or an array of such with one for each of
-- the first keys.
ALTER TABLE audit ADD COLUMN changes TEXT;
