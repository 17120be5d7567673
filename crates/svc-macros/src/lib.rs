//! The derive macro of `svc_model::wire::Operation`: an operation is declared once, as a struct.
//!
//! ```text
//! /// Publish drafts, in one transaction: `POST .../view_settings/publish/`, 200 with [`Published`].
//! #[derive(Clone, Debug, Operation)]
//! #[operation(POST Application "/projects/{project}/{environment}/view_settings/publish/")]
//! #[operation(name = "pages.publish", credential = ApiKey, answer = Published)]
//! #[operation(new = "Publishes all drafts of an environment.")]
//! #[non_exhaustive]
//! pub struct Publish {
//!     /// Whose pages.
//!     #[wire(path)]
//!     pub scope: Scope,
//!     /// The pages; `None` for all pages of the environment.
//!     #[wire(body)]
//!     pub uids: Option<Vec<PageUid>>,
//! }
//! ```
//!
//! `#[operation(...)]` takes, in one attribute or several:
//!
//! | | |
//! | --- | --- |
//! | `METHOD Host "path"` | the method, the `Host`, and the path template |
//! | `name = "group.verb"` | the name of the operation |
//! | `credential = ...` | a variant of `Credential` |
//! | `level = ...` | a variant of `Level`: what the account of the caller must be |
//! | `service = "path"` | the path of the same operation on the accounts of the service, which the field `realm` chooses |
//! | `answer = T` | the type of a success's JSON body; without it, there is no body |
//! | `tagged = T` | the same with its entity tag, as `Tagged<T>` |
//! | `parse = function` | reads a success with this function; `answer` names the type |
//! | `status = NAME` | the status of a success, as a constant of `StatusCode`; `OK`, or `NO_CONTENT` without an answer |
//! | `read` | a service reads it with `ReadOperation::from_request`, which reports every field that is wrong |
//! | `idempotent = bool` | overrides the default of the method: `true` for GET, PUT and DELETE |
//! | `body = function` | makes the body of the whole operation, instead of `#[wire(body)]` |
//! | `query = function` | makes the query string of the whole operation |
//! | `new = "..."` | a constructor, with this documentation |
//!
//! `#[wire(...)]` sets the position of each field on the wire:
//!
//! | | |
//! | --- | --- |
//! | `path` | the next names of the path, as `PathPart` writes them |
//! | `query` | one or more parameters, as `QueryPart` writes them |
//! | `query = "name"` | one parameter, as `QueryValue` writes it |
//! | `header = "name"` | a header, if the field is `Some` |
//! | `body` | a property of the JSON body with the name of the field; left out when it is `None` |
//! | `whole_body` | the JSON body |
//! | `upload` | the body, a file of any media type: an `Upload` |
//! | `elsewhere` | a position that a function of the operation chooses |
//!
//! In addition, `default` leaves a field out of the constructor; `present` reads a property so that only an absent
//! one is `None`: the inner type decides what null means.
//!
//! `#[derive(ReadBody)]` reads a struct that is a `whole_body`.
//!
//! The parameters of the constructor are the fields in their order, except for those of type `Option`, `bool` or
//! `PhantomData` and those with `default`. Each of those, but for `PhantomData`, has a setter of its name.

mod declaration;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Declares an operation. The documentation of the crate describes the attributes.
#[proc_macro_derive(Operation, attributes(operation, wire))]
pub fn operation(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    declaration::Declaration::read(&input)
        .map(|declaration| expand::expand(&input, &declaration))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Reads a JSON body into the fields of a struct. The documentation of the crate describes the attributes.
#[proc_macro_derive(ReadBody, attributes(wire))]
pub fn read_body(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    declaration::properties(&input)
        .map(|properties| expand::read_body(&input, &properties))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
