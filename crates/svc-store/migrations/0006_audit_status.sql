-- Requests that the HTTP proxy sent have lines too: what was answered.
ALTER TABLE audit ADD COLUMN status INTEGER;
