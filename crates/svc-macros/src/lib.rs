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
//! | `answer = T` | what a success holds as JSON; without it, nothing |
//! | `tagged = T` | the same with its entity tag, as `Tagged<T>` |
//! | `parse = function` | reads a success by a function of its own, where `answer` names the type |
//! | `status = NAME` | the status of a success, as a constant of `StatusCode`; `OK`, or `NO_CONTENT` without an answer |
//! | `read` | a service reads it with `ReadOperation::from_request`, which tells every field that is wrong |
//! | `idempotent = bool` | where the method does not say it: `true` for GET, PUT and DELETE |
//! | `body = function` | makes the body of the whole operation, instead of `#[wire(body)]` |
//! | `query = function` | makes the query string of the whole operation |
//! | `new = "..."` | a constructor, and what it makes |
//!
//! `#[wire(...)]` says of each field what it is on the wire:
//!
//! | | |
//! | --- | --- |
//! | `path` | the next names of the path, as `PathPart` writes them |
//! | `query` | parameters of its own, as `QueryPart` writes them |
//! | `query = "name"` | one parameter, as `QueryValue` writes it |
//! | `header = "name"` | a header, where the field is `Some` |
//! | `body` | a property of the JSON body with the name of the field; left out when it is `None` |
//! | `whole_body` | the JSON body |
//! | `elsewhere` | what a function of the operation puts in its place |
//!
//! Beside these, `default` leaves a field out of the constructor; `present` reads a property so that only an absent
//! one is `None`: a null is for the value inside to judge.
//!
//! `#[derive(ReadBody)]` reads a struct that is a `whole_body`.
//!
//! The constructor takes the fields that are no `Option`, `bool`, `PhantomData` or marked `default`, in their
//! order.

mod declaration;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Declares an operation. The documentation of the crate has the grammar.
#[proc_macro_derive(Operation, attributes(operation, wire))]
pub fn operation(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    declaration::Declaration::read(&input)
        .map(|declaration| expand::expand(&input, &declaration))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Reads a JSON body by the fields of a struct. The documentation of the crate has the marks that fields take.
#[proc_macro_derive(ReadBody, attributes(wire))]
pub fn read_body(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    declaration::properties(&input)
        .map(|properties| expand::read_body(&input, &properties))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
