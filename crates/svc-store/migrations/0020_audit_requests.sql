-- What a request did to several records is found by its ID.
CREATE INDEX audit_request ON audit (resource, model, request_id, uid) WHERE keys IS NOT NULL;
