//! Client for the svc REST service: one feature for each operation group, on any transport.
