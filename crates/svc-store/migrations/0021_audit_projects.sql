-- The trail of one project, the newest lines first, whatever the other projects write.
CREATE INDEX audit_project ON audit (project, uid);
