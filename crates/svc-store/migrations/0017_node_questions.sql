-- What a node asks the others that serve the same store, and what they answer. Who asked removes both again.
CREATE TABLE node_questions (
    uid TEXT PRIMARY KEY NOT NULL,
    node TEXT NOT NULL,
    asked TEXT NOT NULL,
    question TEXT NOT NULL
);

CREATE TABLE node_answers (
    question_uid TEXT NOT NULL REFERENCES node_questions (uid) ON DELETE CASCADE,
    node TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (question_uid, node)
);
