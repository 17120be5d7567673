-- Static tokens that may do less than everything. Portable like the first step. Both are NULL where a token opens its whole
-- resource. `rights` are `read`, `write` and `delete` with commas between; `models` is a JSON array of names, and NULL where
-- the rights are for all models.
ALTER TABLE static_tokens ADD COLUMN rights TEXT;
ALTER TABLE static_tokens ADD COLUMN models TEXT;
