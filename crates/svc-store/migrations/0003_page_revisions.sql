-- The draft layer of pages, and what they were before.

-- As before a page has one row in each layer it exists in. `content` is the JSON object of everything that is not the
-- service's own, as it goes over the wire: what is read is copied and never parsed. It is the last column, so that
-- whoever does not ask for it does not read it. `revision` is the number of the row in `page_revisions`.
CREATE TABLE layered_pages (
    uid TEXT NOT NULL,
    layer TEXT NOT NULL CHECK (layer IN ('published', 'draft')),
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    unique_name TEXT NOT NULL,
    deleted BOOLEAN NOT NULL DEFAULT FALSE,
    revision BIGINT NOT NULL,
    date_add TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (uid, layer)
);

-- `json_quote` is SQLite's. A store on another engine has no page of before, and defines it as what makes a text JSON.
INSERT INTO layered_pages (uid, layer, environment_uid, unique_name, deleted, revision, date_add, content)
    SELECT uid, layer, environment_uid, unique_name, deleted, revision, date_add,
        '{"view":' || json_quote(view) || ',"unique_name":' || json_quote(unique_name) || ',"name":' || json_quote(name)
        || ',"resource":' || json_quote(resource) || ',"model":' || json_quote(model) || ',"params":' || json_quote(params)
        || CASE WHEN properties = '{}' THEN '}' ELSE ',' || substr(properties, 2) END
    FROM pages;

-- One row for each change of a layer, with the content that it left behind; that of a deletion is what was deleted.
-- Numbers go up by one for each change of the page, in whichever layer. `author` is an e-mail address, NULL where
-- nobody asked by an API key.
CREATE TABLE page_revisions (
    page_uid TEXT NOT NULL,
    number BIGINT NOT NULL,
    environment_uid TEXT NOT NULL REFERENCES environments (uid) ON DELETE CASCADE,
    layer TEXT NOT NULL CHECK (layer IN ('published', 'draft')),
    deleted BOOLEAN NOT NULL,
    author TEXT,
    date_add TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (page_uid, number)
);

CREATE INDEX page_revisions_environment ON page_revisions (environment_uid);

INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content)
    SELECT l.uid, l.revision, l.environment_uid, l.layer, l.deleted, NULL, p.date_update, l.content
    FROM layered_pages l JOIN pages p ON p.uid = l.uid AND p.layer = l.layer;

DROP TABLE pages;
ALTER TABLE layered_pages RENAME TO pages;

-- A page that is deleted in the draft layer keeps its row there, and leaves its name to others.
CREATE UNIQUE INDEX pages_unique_name ON pages (environment_uid, unique_name, layer) WHERE NOT deleted;
CREATE INDEX pages_list ON pages (environment_uid, date_add, uid);
