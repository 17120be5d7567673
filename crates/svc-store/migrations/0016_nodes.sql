-- The processes that serve a store on a server. A node counts its beats, so that others see that it lives without
-- comparing clocks.
CREATE TABLE nodes (
    uid TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    address TEXT NOT NULL,
    since TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    beat INTEGER NOT NULL
);
