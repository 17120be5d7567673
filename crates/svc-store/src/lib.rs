//! Control plane of the svc service: projects, environments, pages, resources, credentials.
