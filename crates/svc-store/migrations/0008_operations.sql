-- How a write ended: NULL when it was done, `unknown` when the service ended before it knew.
ALTER TABLE audit ADD COLUMN outcome TEXT;

-- A row is written here and removed again, to see whether the store can be written.
CREATE TABLE store_probe (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    filler TEXT NOT NULL
);

-- Where the service that started last can be reached.
CREATE TABLE service_address (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    base_url TEXT NOT NULL,
    app_base_url TEXT NOT NULL,
    date_add TEXT NOT NULL
);
