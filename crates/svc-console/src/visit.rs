//! One request of a browser: what it asks for, whose session it has, and the client that asks the service for it.

use std::{borrow::Cow, collections::HashMap, fmt, sync::Arc};

use http::{HeaderValue, Method, Request, header, request::Parts};
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use svc_api::{
    Client,
    auth::{AuthError, AuthState, AuthTarget, TokenProvider},
};
use svc_model::{
    EnvironmentName, ProjectName,
    administration::account::Account,
    query::parse_pairs,
    wire::{Body, BoxFuture},
};

use crate::{
    BoxError, Codes, OpenSession, Service,
    acting::{ActingAs, AsUser},
    descriptions::Descriptions,
    href::Href,
    multipart::Multipart,
    problem::{Problem, Result},
    session::{Cookie, Sender, TOKEN, is_same, prefix_of, token_of},
    texts::Texts,
    timing::{RuntimeTimer, Timing},
};

/// The largest form, in bytes.
const MAX_FORM: usize = 16 << 20;
/// The largest form of somebody who is not signed in: it comes back behind signing in.
const MAX_SIGNED_OUT: usize = 1 << 20;
/// The largest form that signs in: it has the one before with it, encoded once more.
const MAX_SIGN_IN: usize = 4 << 20;
/// How many fields a form has at most.
const MOST_FIELDS: usize = 10_000;

/// One request of a browser.
pub(crate) struct Visit {
    service: Arc<dyn Service>,
    descriptions: Arc<Descriptions>,
    parts: Parts,
    body: Option<Body>,
    origin: String,
    form: Form,
    authorization: Option<HeaderValue>,
    /// What the browser keeps of its session from now on, where that has changed.
    kept: Option<String>,
    acting_as: Option<ActingAs>,
    account: Option<Account>,
    /// The token that forms have which this browser is given.
    token: Option<String>,
    /// Whether the form must have the token of the session.
    needs_token: bool,
    /// The client that was made last, which the parts of a place share.
    made: Mutex<Option<Made>>,
    /// Where the time goes.
    pub(crate) timing: Timing,
    /// The first place of the console.
    pub(crate) root: Href,
    pub(crate) texts: &'static Texts,
}

/// A client, and the environment that it is for.
struct Made {
    scope: Option<(ProjectName, EnvironmentName)>,
    client: Client,
}

/// The fields of a form, in their order.
#[derive(Clone, Default)]
pub(crate) struct Form(Vec<(String, String)>);

/// Without what was entered: it may be a password.
impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        f.debug_set().entries(names).finish()
    }
}

/// Without headers and form, which hold secrets.
impl fmt::Debug for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visit")
            .field("method", &self.parts.method)
            .field("path", &self.parts.uri.path())
            .finish_non_exhaustive()
    }
}

impl Form {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if text.bytes().filter(|byte| *byte == b'&').count() >= MOST_FIELDS {
            return Err(Problem::TooLarge);
        }
        let pairs = parse_pairs(text).map_err(|_| Problem::NotUtf8)?;
        let owned =
            |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into_owned(), value.into_owned());
        Ok(Self(pairs.into_iter().map(owned).collect()))
    }

    /// A form with these fields.
    pub(crate) fn of(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// All values of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter()
            .filter(move |(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// The first value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// The first value of each field, to look up many.
    pub(crate) fn by_name(&self) -> HashMap<&str, &str> {
        let mut first = HashMap::with_capacity(self.0.len());
        for (name, value) in self.iter() {
            first.entry(name).or_insert(value);
        }
        first
    }

    /// The first value of a field, or the empty text.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The credential of a session.
#[derive(Debug)]
struct OfSession(Option<HeaderValue>);

impl TokenProvider for OfSession {
    fn authorization<'a>(
        &'a self,
        _: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

impl Visit {
    pub(crate) fn new(
        service: Arc<dyn Service>,
        descriptions: Arc<Descriptions>,
        request: Request<Body>,
    ) -> Self {
        let (parts, body) = request.into_parts();
        let origin = service.origin(&parts);
        Self {
            root: Href::root(prefix_of(&origin)),
            texts: Texts::of(&parts.headers),
            service,
            descriptions,
            parts,
            body: Some(body),
            origin,
            form: Form::default(),
            authorization: None,
            kept: None,
            acting_as: None,
            account: None,
            token: None,
            needs_token: false,
            made: Mutex::default(),
            timing: Timing::start(),
        }
    }

    /// The same visit for a part of the page that follows later. Its form stays here.
    pub(crate) fn for_later(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            descriptions: Arc::clone(&self.descriptions),
            parts: self.parts.clone(),
            body: None,
            origin: self.origin.clone(),
            form: Form::default(),
            authorization: self.authorization.clone(),
            // What has changed is in the beginning of the answer.
            kept: None,
            acting_as: self.acting_as.clone(),
            account: self.account.clone(),
            token: self.token.clone(),
            needs_token: false,
            made: Mutex::default(),
            timing: Timing::start(),
            root: self.root.clone(),
            texts: self.texts,
        }
    }

    pub(crate) fn method(&self) -> &Method {
        &self.parts.method
    }

    pub(crate) fn is_post(&self) -> bool {
        self.parts.method == Method::POST
    }

    /// The query string as it was sent.
    pub(crate) fn raw_query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    /// The parameters of the query string.
    pub(crate) fn query(&self) -> Result<Form> {
        Form::parse(self.raw_query())
    }

    /// Path and query string, as the browser has them.
    pub(crate) fn here(&self) -> String {
        let prefix = prefix_of(&self.origin);
        let uri = self.parts.uri.path_and_query();
        format!("{prefix}{}", uri.map_or("/console/", |uri| uri.as_str()))
    }

    /// The parts of the path below the console, unescaped.
    pub(crate) fn path(&self) -> Result<Vec<String>> {
        let path = self.parts.uri.path();
        let below = path.strip_prefix("/console").unwrap_or(path);
        let parts = below.split('/').filter(|part| !part.is_empty());
        let decoded = parts.map(|part| {
            let decoded = percent_decode_str(part).decode_utf8();
            decoded.map(Cow::into_owned).map_err(|_| Problem::NotUtf8)
        });
        decoded.collect()
    }

    /// Whether the path ends as places do.
    pub(crate) fn has_slash(&self) -> bool {
        self.parts.uri.path().ends_with('/')
    }

    /// The part of the page that a script asks for.
    pub(crate) fn fragment(&self) -> Option<&str> {
        let value = self.parts.headers.get("svc-fragment")?;
        value.to_str().ok()
    }

    /// Whether it may be that a page of another site has led here.
    pub(crate) fn is_from_elsewhere(&self) -> bool {
        Sender::of_link(&self.parts, &self.origin) != Sender::Own
    }

    /// The identifier of the request.
    pub(crate) fn request_id(&self) -> Option<&str> {
        let value = self.parts.headers.get(svc_model::X_REQUEST_ID)?;
        value.to_str().ok()
    }

    fn cookie(&self) -> Cookie {
        Cookie::new(self.service.short_name(), &self.origin)
    }

    /// The header that sets the cookie to what is kept of a new session.
    pub(crate) fn keep(&self, tokens: AuthState) -> Option<String> {
        let kept = self.service.browser_session(tokens)?;
        Some(self.cookie().set(&kept))
    }

    /// Signs in who has a link for one use: the header that sets the cookie.
    pub(crate) async fn sign_in_with(&self, code: &str) -> Result<Option<String>> {
        let kept = self.codes()?.sign_in_with(&self.parts, code).await;
        let kept = kept.map_err(Problem::Unavailable)?;
        Ok(kept.map(|kept| self.cookie().set(&kept)))
    }

    /// The ways in by a code. Where there are none, their places do not exist.
    pub(crate) fn codes(&self) -> Result<&dyn Codes> {
        self.service.codes().ok_or(Problem::NotFound)
    }

    /// The header that removes the cookie.
    pub(crate) fn clear_cookie(&self) -> String {
        self.cookie().clear()
    }

    /// The header that sets the cookie to what the browser keeps from now on, where that has changed.
    pub(crate) fn changed_cookie(&self) -> Option<String> {
        let kept = self.kept.as_deref()?;
        Some(self.cookie().set(kept))
    }

    /// Looks whose session it is.
    pub(crate) async fn open_session(&mut self) -> Result<()> {
        let cookie = self.cookie();
        if let Some(kept) = cookie.read(&self.parts.headers) {
            self.token = Some(token_of(kept));
            let opened = self.service.open_session(kept).await;
            self.take_session(opened)?;
        }
        Ok(())
    }

    fn take_session(&mut self, opened: Result<Option<OpenSession>, BoxError>) -> Result<()> {
        let opened = opened.map_err(Problem::Unavailable)?;
        *self.made.get_mut() = None;
        self.authorization = opened.as_ref().map(|opened| opened.authorization.clone());
        self.kept = opened.and_then(|opened| opened.kept);
        if let Some(kept) = &self.kept {
            self.token = Some(token_of(kept));
        }
        Ok(())
    }

    /// Whether somebody is signed in.
    pub(crate) fn is_signed_in(&self) -> bool {
        self.authorization.is_some()
    }

    /// Looks who is signed in: the language of the account decides about that of the texts.
    pub(crate) async fn open_account(&mut self) -> Result<()> {
        let account = match self.fetch_account().await {
            // The session may go on although its token has ended early: by new signing keys.
            Err(Problem::SignedOut) => {
                let cookie = self.cookie();
                let refused = self.authorization.take();
                if let (Some(kept), Some(refused)) = (cookie.read(&self.parts.headers), refused) {
                    self.service.refused(kept, &refused);
                }
                self.open_session().await?;
                match self.is_signed_in() {
                    true => self.fetch_account().await?,
                    false => return Err(Problem::SignedOut),
                }
            }
            fetched => fetched?,
        };
        let language = account.language.as_deref();
        if let Some(texts) = language.and_then(Texts::of_language) {
            self.texts = texts;
        }
        self.account = Some(account);
        Ok(())
    }

    async fn fetch_account(&self) -> Result<Account> {
        // With the client that the place has use for.
        let path = self.path()?;
        let client = match path.as_slice() {
            [first, project, environment, ..] if first == "projects" => {
                self.client_in(&project.as_str().into(), &environment.as_str().into())
            }
            _ => self.client(),
        };
        Ok(client?.administration().account().get().send().await?)
    }

    /// The account of who is signed in.
    pub(crate) fn account(&self) -> Result<&Account> {
        self.account.as_ref().ok_or(Problem::SignedOut)
    }

    /// Scheme, host and path prefix of the data host, as programs reach it.
    pub(crate) fn data_url(&self) -> String {
        self.service.data_url(&self.parts)
    }

    /// The same of the application host.
    pub(crate) fn app_url(&self) -> String {
        self.service.app_url(&self.parts)
    }

    /// The token that forms of this browser have.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Reads the form, which a page of the console must have sent. One with a file is left for the place, where it takes files.
    pub(crate) async fn read_form(&mut self, takes_files: bool) -> Result<()> {
        let sender = Sender::of(&self.parts, &self.origin);
        let is_foreign = sender == Sender::Foreign;
        // No cookie, nothing that another site could do in somebody's name.
        self.needs_token =
            sender == Sender::Unknown && self.cookie().read(&self.parts.headers).is_some();
        let media_type = self.parts.headers.get(header::CONTENT_TYPE);
        let media_type = media_type
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        if takes_files && Multipart::boundary_of(media_type).is_some() {
            return match is_foreign {
                true => Err(Problem::Foreign),
                false => Ok(()),
            };
        }
        if !media_type.starts_with("application/x-www-form-urlencoded") {
            return Err(match is_foreign {
                true => Problem::Foreign,
                false => Problem::NotAForm,
            });
        }
        let largest = match self.is_signed_in() {
            true if is_foreign => MAX_SIGNED_OUT,
            true => MAX_FORM,
            false if self.parts.uri.path().ends_with("/sign-in/") => MAX_SIGN_IN,
            false => MAX_SIGNED_OUT,
        };
        let body = self.body.take().unwrap_or_else(Body::empty);
        let bytes = body.collect(largest).await;
        let bytes = bytes.map_err(|_| match self.is_signed_in() {
            _ if is_foreign => Problem::Foreign,
            true => Problem::TooLarge,
            false => Problem::TooLargeToKeep,
        })?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Problem::NotUtf8)?;
        self.set_form(Form::parse(text)?)?;
        match is_foreign {
            // What was entered is shown with it.
            true => Err(Problem::Foreign),
            false => Ok(()),
        }
    }

    /// Takes the file that was sent, with the fields of its form; `None` for a form without files.
    pub(crate) fn take_upload(&mut self) -> Option<Multipart> {
        let media_type = self.parts.headers.get(header::CONTENT_TYPE)?;
        let boundary = Multipart::boundary_of(media_type.to_str().ok()?)?;
        Some(Multipart::new(self.body.take()?, &boundary))
    }

    /// Keeps the fields of a form, which must have the token where the browser does not say that the form is one of the console.
    pub(crate) fn set_form(&mut self, form: Form) -> Result<()> {
        self.form = form;
        let cookie = self.cookie();
        let kept = cookie.read(&self.parts.headers).unwrap_or_default();
        match self.needs_token && !is_same(self.form.text(TOKEN), &token_of(kept)) {
            true => Err(Problem::StaleForm),
            false => Ok(()),
        }
    }

    /// What is kept of the models of databases.
    pub(crate) fn descriptions(&self) -> &Descriptions {
        &self.descriptions
    }

    /// The credential of the session, to tell what was answered to it.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// The form that was sent.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// The places that follow show what a user of the environment would see.
    pub(crate) fn act_as(&mut self, user: ActingAs) {
        *self.made.get_mut() = None;
        self.acting_as = Some(user);
    }

    /// The user whose view is shown, if it is not that of who is signed in.
    pub(crate) fn acting_as(&self) -> Option<&ActingAs> {
        self.acting_as.as_ref()
    }

    /// Whether the view is that of who is signed in. What a user would see leads to records alone.
    pub(crate) fn is_own_view(&self) -> bool {
        self.acting_as.is_none()
    }

    /// The address of an environment's first place, for as long as the view is the same person's.
    pub(crate) fn environment(&self, project: &str, environment: &str) -> Href {
        let own = ["projects", project, environment];
        match &self.acting_as {
            None => self.root.below(own),
            Some(acting) => self.root.below(own.into_iter().chain(acting.path())),
        }
    }

    /// A client of the service, with the rights of who is signed in.
    pub(crate) fn client(&self) -> Result<Client> {
        self.client_for(None)
    }

    /// The same for an environment of a project.
    pub(crate) fn client_in(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Client> {
        self.client_for(Some((project, environment)))
    }

    fn client_for(&self, scope: Option<(&ProjectName, &EnvironmentName)>) -> Result<Client> {
        let mut made = self.made.lock();
        if let Some(made) = &*made
            && scope
                == made
                    .scope
                    .as_ref()
                    .map(|(project, environment)| (project, environment))
        {
            return Ok(made.client.clone());
        }
        let client = self.make_client(scope)?;
        *made = Some(Made {
            scope: scope.map(|(project, environment)| (project.clone(), environment.clone())),
            client: client.clone(),
        });
        Ok(client)
    }

    fn make_client(&self, scope: Option<(&ProjectName, &EnvironmentName)>) -> Result<Client> {
        let (transport, data, app) = (
            self.timing.around(self.service.transport(&self.parts)),
            self.service.base_url(),
            self.service.app_base_url(),
        );
        let mut builder = Client::builder()
            .transport(AsUser::around(transport, self.acting_as(), data, app)?)
            .timer(RuntimeTimer::new())
            .api_base_url(data)
            .app_base_url(app)
            .token_provider(OfSession(self.authorization.clone()));
        if let Some((project, environment)) = scope {
            builder = builder.project(project).environment(environment);
        }
        Ok(builder.build()?)
    }
}
