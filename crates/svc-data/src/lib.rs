//! Connected databases of the svc service: drivers, structure, records.
