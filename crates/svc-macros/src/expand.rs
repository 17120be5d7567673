//! Generates the code of an operation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, GenericArgument, Ident, PathArguments, Type};

use crate::declaration::{Declaration, Location, Part, ResponseType};

pub(crate) fn expand(input: &DeriveInput, declaration: &Declaration) -> TokenStream {
    let constructor = constructor(input, declaration);
    let setters = setters(input, declaration);
    let operation = operation(input, declaration);
    let read = declaration
        .is_read
        .then(|| read_operation(input, declaration));
    let settings = settings(input, declaration);
    quote! { #constructor #setters #operation #settings #read }
}

/// The traits for setting the query, the entity tag and the ID of a statement, which many operations share.
fn settings(input: &DeriveInput, declaration: &Declaration) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let settings = declaration.parts.iter().map(|part| {
        let (field, ty) = (&part.field.ident, &part.field.ty);
        match &part.location {
            Location::Query => quote! {
                impl #impl_generics ::svc_model::wire::HasQuery for #name #type_generics #where_clause {
                    type Query = #ty;

                    fn query_mut(&mut self) -> &mut #ty {
                        &mut self.#field
                    }
                }
            },
            Location::Header(header) if header.value() == "if-match" => quote! {
                impl #impl_generics ::svc_model::wire::HasIfMatch for #name #type_generics #where_clause {
                    fn if_match_mut(&mut self) -> &mut #ty {
                        &mut self.#field
                    }
                }
            },
            Location::Header(header) if header.value() == "x-statement-id" => quote! {
                impl #impl_generics ::svc_model::wire::HasStatementId for #name #type_generics #where_clause {
                    fn statement_id_mut(&mut self) -> &mut #ty {
                        &mut self.#field
                    }
                }
            },
            _ => TokenStream::new(),
        }
    });
    quote! { #(#settings)* }
}

/// The code that reads the body of a request, property by property.
pub(crate) fn read_body(input: &DeriveInput, properties: &[Part]) -> TokenStream {
    let name = &input.ident;
    let names: Vec<_> = properties.iter().map(|part| &part.field.ident).collect();
    let reads = properties.iter().map(read_property);
    quote! {
        impl ::svc_model::wire::ReadBody for #name {
            fn read_body(
                request: &mut ::svc_model::wire::ReceivedRequest<'_>,
            ) -> ::core::option::Option<Self> {
                #(let #names = #reads;)*
                ::core::option::Option::Some(Self { #(#names: #names?),* })
            }
        }
    }
}

/// The code with which a service reads an operation.
fn read_operation(input: &DeriveInput, declaration: &Declaration) -> TokenStream {
    let name = &input.ident;
    let names: Vec<_> = declaration
        .parts
        .iter()
        .map(|part| &part.field.ident)
        .collect();
    let reads = declaration.parts.iter().map(|part| match &part.location {
        Location::Path => quote! { request.path() },
        Location::Query => quote! { request.query() },
        Location::Parameter(name) => quote! { request.parameter(#name) },
        Location::Header(name) => quote! { request.header(#name) },
        Location::WholeBody => quote! { ::svc_model::wire::ReadBody::read_body(&mut request) },
        // A file is not read as an operation.
        Location::Upload => quote! { ::core::option::Option::None },
        Location::BodyProperty | Location::Elsewhere => read_property(part),
    });
    let has_body = declaration.parts.iter().any(|part| {
        matches!(
            part.location,
            Location::WholeBody | Location::BodyProperty | Location::Elsewhere
        )
    });
    quote! {
        impl ::svc_model::wire::ReadOperation for #name {
            const HAS_BODY: bool = #has_body;

            fn from_request(
                mut request: ::svc_model::wire::ReceivedRequest<'_>,
            ) -> ::core::result::Result<Self, ::svc_model::Invalid> {
                #(let #names = #reads;)*
                request.finish()?;
                match (#(#names,)*) {
                    (#(::core::option::Option::Some(#names),)*) => {
                        ::core::result::Result::Ok(Self { #(#names),* })
                    }
                    _ => ::core::result::Result::Err(::svc_model::Invalid::new()),
                }
            }
        }
    }
}

fn read_property(part: &Part) -> TokenStream {
    let name = part.field.ident.as_ref().map(ToString::to_string);
    match part.is_present {
        true => quote! { request.present_property(#name) },
        false => quote! { request.property(#name) },
    }
}

fn constructor(input: &DeriveInput, declaration: &Declaration) -> Option<TokenStream> {
    let doc = declaration.new.as_ref()?;
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let (mut parameters, mut values) = (Vec::new(), Vec::new());
    for part in &declaration.parts {
        let (field, ty) = (&part.field.ident, &part.field.ty);
        if part.has_default {
            values.push(quote! { #field: ::core::default::Default::default() });
        } else {
            parameters.push(quote! { #field: impl ::core::convert::Into<#ty> });
            values.push(quote! { #field: #field.into() });
        }
    }
    Some(quote! {
        impl #impl_generics #name #type_generics #where_clause {
            #[doc = #doc]
            pub fn new(#(#parameters),*) -> Self {
                Self { #(#values),* }
            }
        }
    })
}

/// A method for each field that the constructor leaves out, which sets it and returns the operation.
fn setters(input: &DeriveInput, declaration: &Declaration) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let optional = declaration.parts.iter().filter(|part| part.has_default);
    let setters = optional.filter_map(|part| {
        let (field, ty) = (part.field.ident.as_ref()?, &part.field.ty);
        let (ty, value) = match type_argument(ty) {
            Some(("Option", inner)) => (
                inner,
                quote! { ::core::option::Option::Some(#field.into()) },
            ),
            Some(("PhantomData", _)) => return None,
            _ => (ty, quote! { #field.into() }),
        };
        let attributes = part.field.attrs.iter();
        let docs = attributes.filter(|attribute| attribute.path().is_ident("doc"));
        let title = format!("Sets `{field}`.");
        Some(quote! {
            #[doc = #title]
            #[doc = ""]
            #(#docs)*
            #[must_use]
            pub fn #field(mut self, #field: impl ::core::convert::Into<#ty>) -> Self {
                self.#field = #value;
                self
            }
        })
    });
    let setters: Vec<_> = setters.collect();
    if setters.is_empty() {
        return TokenStream::new();
    }
    quote! {
        impl #impl_generics #name #type_generics #where_clause {
            #(#setters)*
        }
    }
}

/// The name of a generic type and its argument: `Option` and `u32` of `Option<u32>`.
fn type_argument(ty: &Type) -> Option<(&'static str, &Type)> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let GenericArgument::Type(argument) = arguments.args.first()? else {
        return None;
    };
    let known = ["Option", "PhantomData"].into_iter();
    let mut names = known.filter(|name| last.ident == name);
    Some((names.next()?, argument))
}

fn operation(input: &DeriveInput, declaration: &Declaration) -> TokenStream {
    let Declaration {
        method,
        host,
        path,
        name,
        credential,
        is_idempotent,
        status,
        summary,
        ..
    } = declaration;
    let parameters = parameters(declaration);
    let (_, type_generics, _) = input.generics.split_for_impl();
    let type_name = &input.ident;
    // Type parameters are the types of records, which are read from the response.
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter
            .bounds
            .push(syn::parse_quote! { ::svc_model::__derive::DeserializeOwned });
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let path_arguments = path_arguments(declaration);
    let query = query(declaration);
    let headers = headers(declaration);
    let body = body(declaration);
    let upload = upload(declaration);
    let parse = parse(declaration);
    let level = declaration.level.iter();
    let level = quote! { #(.with_level(::svc_model::wire::Level::#level))* };
    let (service, info) = of_service(type_name, declaration);
    quote! {
        #service

        impl #impl_generics ::svc_model::wire::Operation for #type_name #type_generics #where_clause {
            const INFO: ::svc_model::wire::OperationInfo = ::svc_model::wire::OperationInfo::new(
                #name,
                ::svc_model::__derive::Method::#method,
                ::svc_model::wire::Host::#host,
                #path,
                ::svc_model::wire::Credential::#credential,
                #is_idempotent,
            )
            .with_status(::svc_model::__derive::StatusCode::#status)
            .with_summary(#summary)
            .with_parameters(#parameters)
            #level;
            #parse
            #info
            #path_arguments
            #query
            #headers
            #body
            #upload
        }
    }
}

/// The description of the same operation on accounts of the service, and the function that chooses between both.
fn of_service(type_name: &Ident, declaration: &Declaration) -> (TokenStream, TokenStream) {
    let Some(path) = &declaration.service else {
        return (TokenStream::new(), TokenStream::new());
    };
    let service = quote! {
        impl ::svc_model::wire::RealmOperation for #type_name {
            const OF_SERVICE: ::svc_model::wire::OperationInfo =
                <Self as ::svc_model::wire::Operation>::INFO.of_service(#path);
        }
    };
    let info = quote! {
        fn info(&self) -> ::svc_model::wire::OperationInfo {
            match self.realm.scope() {
                ::core::option::Option::Some(_) => Self::INFO,
                ::core::option::Option::None => <Self as ::svc_model::wire::RealmOperation>::OF_SERVICE,
            }
        }
    };
    (service, info)
}

/// The fields with one kind of position.
fn fields<'a>(
    declaration: &'a Declaration,
    is_at: impl Fn(&Location) -> bool + 'a,
) -> impl Iterator<Item = &'a Part> {
    let parts = declaration.parts.iter();
    parts.filter(move |part| is_at(&part.location))
}

fn path_arguments(declaration: &Declaration) -> TokenStream {
    let names: Vec<&Option<Ident>> =
        fields(declaration, |location| matches!(location, Location::Path))
            .map(|part| &part.field.ident)
            .collect();
    quote! {
        fn path_arguments(&self) -> ::svc_model::wire::PathArguments<'_> {
            #[allow(unused_mut, reason = "some paths have no names")]
            let mut arguments = ::svc_model::wire::PathArguments::default();
            #(::svc_model::wire::PathPart::push_to(&self.#names, &mut arguments);)*
            arguments
        }
    }
}

fn query(declaration: &Declaration) -> Option<TokenStream> {
    if let Some(function) = &declaration.query {
        return Some(quote! {
            fn query(&self) -> ::svc_model::QueryString {
                #function(self)
            }
        });
    }
    let writes: Vec<TokenStream> = declaration
        .parts
        .iter()
        .filter_map(|part| {
            let field = &part.field.ident;
            match &part.location {
                Location::Query => {
                    Some(quote! { ::svc_model::wire::QueryPart::write(&self.#field, &mut query); })
                }
                Location::Parameter(name) => Some(
                    quote! { ::svc_model::wire::QueryValue::write(&self.#field, #name, &mut query); },
                ),
                _ => None,
            }
        })
        .collect();
    (!writes.is_empty()).then(|| {
        quote! {
            fn query(&self) -> ::svc_model::QueryString {
                let mut query = ::svc_model::QueryString::new();
                #(#writes)*
                query
            }
        }
    })
}

/// The names of the parameters, a list for each field.
fn parameters(declaration: &Declaration) -> TokenStream {
    let lists = declaration.parts.iter().filter_map(|part| {
        let ty = &part.field.ty;
        match &part.location {
            Location::Query => Some(quote! { <#ty as ::svc_model::wire::QueryPart>::NAMES }),
            Location::Parameter(name) | Location::Header(name) => Some(quote! { &[#name] }),
            _ => None,
        }
    });
    quote! { &[#(#lists),*] }
}

fn headers(declaration: &Declaration) -> Option<TokenStream> {
    let pushes: Vec<TokenStream> = declaration
        .parts
        .iter()
        .filter_map(|part| {
            let field = &part.field.ident;
            let Location::Header(name) = &part.location else {
                return None;
            };
            Some(quote! {
                if let ::core::option::Option::Some(value) = &self.#field {
                    let name = ::svc_model::__derive::HeaderName::from_static(#name);
                    headers.push((name, ::std::string::ToString::to_string(value)));
                }
            })
        })
        .collect();
    (!pushes.is_empty()).then(|| {
        quote! {
            fn headers(&self) -> ::std::vec::Vec<(::svc_model::__derive::HeaderName, ::std::string::String)> {
                let mut headers = ::std::vec::Vec::new();
                #(#pushes)*
                headers
            }
        }
    })
}

fn body(declaration: &Declaration) -> Option<TokenStream> {
    let whole = fields(declaration, |location| {
        matches!(location, Location::WholeBody)
    })
    .next();
    let properties: Vec<&Option<Ident>> = fields(declaration, |location| {
        matches!(location, Location::BodyProperty)
    })
    .map(|part| &part.field.ident)
    .collect();
    let body = if let Some(function) = &declaration.body {
        quote! { ::svc_model::__derive::encode(&#function(self)) }
    } else if let Some(part) = whole {
        let field = &part.field.ident;
        quote! { ::svc_model::__derive::encode(&self.#field) }
    } else if properties.is_empty() {
        return None;
    } else {
        let names = properties.iter().flat_map(|name| name.as_ref());
        let names = names.map(ToString::to_string);
        quote! {
            ::core::result::Result::Ok(
                ::svc_model::__derive::BodyProperties::new()
                    #(.with(#names, &self.#properties)?)*
                    .encode()
            )
        }
    };
    Some(quote! {
        fn body(&self) -> ::core::result::Result<
            ::core::option::Option<::svc_model::__derive::Bytes>,
            ::svc_model::wire::RequestError,
        > {
            #body.map(::core::option::Option::Some)
        }
    })
}

/// The request of an operation whose body is a file.
fn upload(declaration: &Declaration) -> Option<TokenStream> {
    let mut uploads = fields(declaration, |location| matches!(location, Location::Upload));
    let field = &uploads.next()?.field.ident;
    Some(quote! {
        fn to_request(&self, base_url: &str) -> ::core::result::Result<
            ::svc_model::__derive::HttpRequest,
            ::svc_model::wire::RequestError,
        > {
            ::svc_model::__derive::upload_request(self, base_url, &self.#field)
        }
    })
}

fn parse(declaration: &Declaration) -> TokenStream {
    let (response, read) = match &declaration.answer {
        ResponseType::Nothing => (
            quote! { () },
            quote! { { let _ = response; ::core::result::Result::Ok(()) } },
        ),
        ResponseType::Json(ty) => (
            quote! { #ty },
            quote! { ::svc_model::decode_json(response) },
        ),
        ResponseType::Tagged(ty) => (
            quote! { ::svc_model::Tagged<#ty> },
            quote! { ::svc_model::__derive::decode_tagged(response) },
        ),
        ResponseType::ReadBy(ty, function) => (quote! { #ty }, quote! { #function(response) }),
    };
    quote! {
        type Response = #response;

        fn parse_success(
            response: ::svc_model::__derive::HttpResponse,
        ) -> ::core::result::Result<Self::Response, ::svc_model::ResponseError> {
            #read
        }
    }
}
