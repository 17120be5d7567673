//! Reading the attributes of an operation.

use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, Ident, Lit, LitBool, LitStr, Path,
    Result, Token, Type,
    parse::{Parse, ParseStream},
    spanned::Spanned as _,
};

/// An operation as it was declared.
pub(crate) struct Declaration {
    pub(crate) method: Ident,
    pub(crate) host: Ident,
    pub(crate) path: LitStr,
    pub(crate) name: LitStr,
    pub(crate) credential: Ident,
    /// The level that the caller needs, as a variant of `Level`.
    pub(crate) level: Option<Ident>,
    /// The path template of the same operation on accounts of the service.
    pub(crate) service: Option<LitStr>,
    pub(crate) answer: ResponseType,
    pub(crate) is_idempotent: bool,
    /// The function that makes the body of the whole operation.
    pub(crate) body: Option<Path>,
    /// The documentation of the constructor; an operation without it has no constructor.
    pub(crate) new: Option<LitStr>,
    /// The function that makes the query string of the whole operation.
    pub(crate) query: Option<Path>,
    /// The status of a success, as the name of a constant of `StatusCode`.
    pub(crate) status: Ident,
    /// The summary: the first sentence of the documentation, without the route.
    pub(crate) summary: String,
    /// Whether a service reads the operation from a request.
    pub(crate) is_read: bool,
    pub(crate) parts: Vec<Part>,
}

/// The content of a successful response.
pub(crate) enum ResponseType {
    Nothing,
    Json(Type),
    Tagged(Type),
    ReadBy(Type, Path),
}

/// A field and its position on the wire.
pub(crate) struct Part {
    pub(crate) field: Field,
    pub(crate) location: Location,
    /// Whether the constructor leaves it out.
    pub(crate) has_default: bool,
    /// Whether only an absent property is `None`, while the inner type decides what null means.
    pub(crate) is_present: bool,
}

/// The position of a field on the wire.
pub(crate) enum Location {
    Path,
    Query,
    Parameter(LitStr),
    Header(LitStr),
    BodyProperty,
    WholeBody,
    /// The body, which is a file.
    Upload,
    /// A position that a function of the operation chooses, or none.
    Elsewhere,
}

impl Declaration {
    pub(crate) fn read(input: &DeriveInput) -> Result<Self> {
        let mut attributes = Attributes::default();
        for attribute in &input.attrs {
            if attribute.path().is_ident("operation") {
                attribute.parse_args_with(|input: ParseStream<'_>| attributes.read(input))?;
            }
        }
        let missing = |what: &str| {
            let message = format!("an operation needs {what} in #[operation(...)]");
            Error::new(input.ident.span(), message)
        };
        let (method, host, path) = attributes
            .route
            .ok_or_else(|| missing("its route, such as GET Data \"/path\","))?;
        let is_idempotent = attributes
            .idempotent
            .unwrap_or_else(|| ["GET", "PUT", "DELETE"].iter().any(|safe| method == safe));
        let answer = match (attributes.answer, attributes.tagged, attributes.parse) {
            (None, None, None) => ResponseType::Nothing,
            (Some(answer), None, None) => ResponseType::Json(answer),
            (None, Some(tagged), None) => ResponseType::Tagged(tagged),
            (Some(answer), None, Some(parse)) => ResponseType::ReadBy(answer, parse),
            _ => {
                return Err(missing(
                    "either answer or tagged, and parse only with answer,",
                ));
            }
        };
        let status = attributes.status.unwrap_or_else(|| {
            let name = match answer {
                ResponseType::Nothing => "NO_CONTENT",
                _ => "OK",
            };
            Ident::new(name, input.ident.span())
        });
        let declaration = Self {
            status,
            summary: summary(input),
            is_read: attributes.is_read,
            method,
            host,
            path,
            name: attributes.name.ok_or_else(|| missing("name"))?,
            credential: attributes.credential.ok_or_else(|| missing("credential"))?,
            level: attributes.level,
            service: attributes.service,
            answer,
            is_idempotent,
            body: attributes.body,
            new: attributes.new,
            query: attributes.query,
            parts: parts(input)?,
        };
        declaration.check()?;
        Ok(declaration)
    }

    /// Checks that the body is made in only one way.
    fn check(&self) -> Result<()> {
        let mut ways = usize::from(self.body.is_some());
        let mut has_property = false;
        for part in &self.parts {
            match part.location {
                Location::WholeBody | Location::Upload => ways += 1,
                Location::BodyProperty => has_property = true,
                _ => {}
            }
        }
        match ways + usize::from(has_property) {
            0 | 1 => Ok(()),
            _ => Err(Error::new(
                self.name.span(),
                "a body is made of fields marked body, of one marked whole_body or upload, or by a function",
            )),
        }
    }
}

/// The attributes that were read so far.
#[derive(Default)]
struct Attributes {
    route: Option<(Ident, Ident, LitStr)>,
    name: Option<LitStr>,
    credential: Option<Ident>,
    level: Option<Ident>,
    service: Option<LitStr>,
    answer: Option<Type>,
    tagged: Option<Type>,
    parse: Option<Path>,
    idempotent: Option<bool>,
    body: Option<Path>,
    query: Option<Path>,
    new: Option<LitStr>,
    status: Option<Ident>,
    is_read: bool,
}

impl Attributes {
    fn read(&mut self, input: ParseStream<'_>) -> Result<()> {
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                self.set(&word, input)?;
            } else if word == "read" {
                self.is_read = true;
            } else {
                set(
                    &mut self.route,
                    &word,
                    (word.clone(), input.parse()?, input.parse()?),
                )?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    fn set(&mut self, key: &Ident, input: ParseStream<'_>) -> Result<()> {
        match key.to_string().as_str() {
            "name" => set(&mut self.name, key, input.parse()?),
            "credential" => set(&mut self.credential, key, input.parse()?),
            "level" => set(&mut self.level, key, input.parse()?),
            "service" => set(&mut self.service, key, input.parse()?),
            "answer" => set(&mut self.answer, key, input.parse()?),
            "tagged" => set(&mut self.tagged, key, input.parse()?),
            "parse" => set(&mut self.parse, key, input.parse()?),
            "idempotent" => set(&mut self.idempotent, key, input.parse::<LitBool>()?.value),
            "body" => set(&mut self.body, key, input.parse()?),
            "query" => set(&mut self.query, key, input.parse()?),
            "new" => set(&mut self.new, key, input.parse()?),
            "status" => set(&mut self.status, key, input.parse()?),
            other => Err(Error::new(
                key.span(),
                format!(
                    "an operation has no {other:?}; known are name, credential, level, service, answer, tagged, parse, status, idempotent, body, query, new, and read"
                ),
            )),
        }
    }
}

fn set<T>(slot: &mut Option<T>, key: &Ident, value: T) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::new(key.span(), "this is said twice")),
    }
}

/// The start of the documentation: its first sentence, up to the route.
fn summary(input: &DeriveInput) -> String {
    let mut text = String::new();
    for line in documentation(input) {
        if line.is_empty() {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&line);
    }
    let end = text.find(": `").or_else(|| text.find(". "));
    text.truncate(end.unwrap_or(text.trim_end_matches('.').len()));
    text
}

/// The lines of a documentation comment.
fn documentation(input: &DeriveInput) -> impl Iterator<Item = String> + '_ {
    input.attrs.iter().filter_map(|attribute| {
        let pair = attribute.meta.require_name_value().ok()?;
        if !pair.path.is_ident("doc") {
            return None;
        }
        match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) => Some(line.value().trim().to_owned()),
            _ => None,
        }
    })
}

fn parts(input: &DeriveInput) -> Result<Vec<Part>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "an operation is a struct"));
    };
    match &data.fields {
        Fields::Named(fields) => fields.named.iter().map(part).collect(),
        Fields::Unit => Ok(Vec::new()),
        Fields::Unnamed(_) => Err(Error::new(
            input.ident.span(),
            "the fields of an operation have names",
        )),
    }
}

/// The fields of a struct for a whole body, which are the properties of the body.
pub(crate) fn properties(input: &DeriveInput) -> Result<Vec<Part>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "a body is a struct"));
    };
    let property = |field: &Field| {
        Ok(Part {
            field: field.clone(),
            location: Location::BodyProperty,
            has_default: false,
            is_present: marks(field)?.is_present,
        })
    };
    data.fields.iter().map(property).collect()
}

fn marks(field: &Field) -> Result<Marks> {
    let attribute = field.attrs.iter().find(|it| it.path().is_ident("wire"));
    attribute.map_or_else(|| Ok(Marks::default()), syn::Attribute::parse_args)
}

fn part(field: &Field) -> Result<Part> {
    let marks = marks(field)?;
    let type_name = last_name(&field.ty);
    let is_phantom = type_name.is_some_and(|name| name == "PhantomData");
    let location = match marks.location {
        Some(location) => location,
        None if is_phantom => Location::Elsewhere,
        None => {
            return Err(Error::new(
                field.span(),
                "say where this stands: #[wire(path)], query, header = \"...\", body, whole_body, upload or elsewhere",
            ));
        }
    };
    let may_be_left_out = type_name.is_some_and(|name| {
        ["Option", "bool", "PhantomData"]
            .iter()
            .any(|it| name == it)
    });
    Ok(Part {
        field: field.clone(),
        location,
        has_default: marks.has_default || may_be_left_out,
        is_present: marks.is_present,
    })
}

fn last_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// The content of `#[wire(...)]`.
#[derive(Default)]
struct Marks {
    location: Option<Location>,
    has_default: bool,
    is_present: bool,
}

impl Parse for Marks {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut marks = Self::default();
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            let value = match input.peek(Token![=]) {
                true => {
                    input.parse::<Token![=]>()?;
                    Some(input.parse::<LitStr>()?)
                }
                false => None,
            };
            let location = match (word.to_string().as_str(), value) {
                ("path", None) => Location::Path,
                ("query", None) => Location::Query,
                ("query", Some(name)) => Location::Parameter(name),
                ("header", Some(name)) => Location::Header(name),
                ("body", None) => Location::BodyProperty,
                ("whole_body", None) => Location::WholeBody,
                ("upload", None) => Location::Upload,
                ("elsewhere", None) => Location::Elsewhere,
                ("default", None) => {
                    marks.has_default = true;
                    continue_list(input)?;
                    continue;
                }
                ("present", None) => {
                    marks.is_present = true;
                    continue_list(input)?;
                    continue;
                }
                _ => {
                    return Err(Error::new(
                        word.span(),
                        "known are path, query, query = \"name\", header = \"name\", body, whole_body, upload, elsewhere, default and present",
                    ));
                }
            };
            set(&mut marks.location, &word, location)?;
            continue_list(input)?;
        }
        Ok(marks)
    }
}

fn continue_list(input: ParseStream<'_>) -> Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    /// The message for an invalid declaration.
    fn refusal(input: &DeriveInput) -> String {
        match Declaration::read(input) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_operation_is_read_with_its_required_and_optional_attributes() {
        let declaration = Declaration::read(&parse_quote! {
            #[operation(GET Data "/a/{id}", name = "a.get", credential = ApiKey, tagged = A)]
            struct Get<T> {
                #[wire(path)]
                id: Id,
                #[wire(query, default)]
                view: View,
                #[wire(header = "if-match")]
                tag: Option<String>,
                of: PhantomData<T>,
            }
        });
        let declaration = declaration.unwrap_or_else(|error| panic!("{error}"));
        assert!(declaration.is_idempotent);
        assert!(matches!(declaration.answer, ResponseType::Tagged(_)));
        let left_out: Vec<bool> = declaration
            .parts
            .iter()
            .map(|part| part.has_default)
            .collect();
        assert_eq!(left_out, [false, true, true, true]);
    }

    #[test]
    fn a_post_is_not_idempotent_unless_it_is_declared_so() {
        let read = |input: DeriveInput| Declaration::read(&input).map(|it| it.is_idempotent);
        let post = read(parse_quote! {
            #[operation(POST Data "/a", name = "a.make", credential = ApiKey)]
            struct Make;
        });
        let question = read(parse_quote! {
            #[operation(POST Data "/a", name = "a.ask", credential = ApiKey, idempotent = true)]
            struct Ask;
        });
        assert!(matches!((post, question), (Ok(false), Ok(true))));
    }

    #[test]
    fn missing_unknown_and_repeated_attributes_are_named() {
        let missing = refusal(&parse_quote! {
            #[operation(name = "a.get", credential = ApiKey)]
            struct Get;
        });
        assert!(missing.contains("its route"), "{missing}");
        let unknown = refusal(&parse_quote! {
            #[operation(GET Data "/a", name = "a.get", credentials = ApiKey)]
            struct Get;
        });
        assert!(unknown.contains("\"credentials\""), "{unknown}");
        let twice = refusal(&parse_quote! {
            #[operation(GET Data "/a", name = "a.get", name = "a.got", credential = ApiKey)]
            struct Get;
        });
        assert!(twice.contains("said twice"), "{twice}");
        let unplaced = refusal(&parse_quote! {
            #[operation(GET Data "/a", name = "a.get", credential = ApiKey)]
            struct Get {
                id: Id,
            }
        });
        assert!(unplaced.contains("where this stands"), "{unplaced}");
        let bodies = refusal(&parse_quote! {
            #[operation(POST Data "/a", name = "a.make", credential = ApiKey)]
            struct Make {
                #[wire(whole_body)]
                all: All,
                #[wire(body)]
                one: One,
            }
        });
        assert!(bodies.contains("a body is made of"), "{bodies}");
    }
}
