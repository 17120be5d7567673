//! Wire types, operations as values and the transport contract of the svc REST service.
