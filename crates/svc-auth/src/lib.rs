//! Token schemes, client options and token providers for the svc REST service.
