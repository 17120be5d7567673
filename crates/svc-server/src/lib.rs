//! The svc REST service: both hosts, routes, authentication, operations.
