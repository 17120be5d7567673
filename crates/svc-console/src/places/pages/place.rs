//! What the places about pages know: the account that is signed in, what they may do, and how the pages are read.

use std::collections::HashSet;

use http::StatusCode;
use maud::Markup;
use svc_api::{Call, Client, Error};
use svc_model::{PageSettings, PageUid, Tagged, pages};

use super::content::title_of;
use crate::{
    access::may_edit,
    answer::Answer,
    href::Href,
    places::{Context, Scope},
    problem::{Problem, Result},
    texts::Texts,
    ui::{frame::Area, notice},
    visit::Visit,
};

/// Who looks at the pages of an environment.
#[derive(Debug)]
pub(super) struct Pages<'v> {
    pub(super) context: Context<'v>,
    /// Whether the signed-in account may change pages.
    pub(super) may_write: bool,
}

impl<'v> Pages<'v> {
    pub(super) async fn open(visit: &'v Visit, scope: &Scope) -> Result<Self> {
        let context = Box::pin(Context::open(visit, scope)).await?;
        let may_write = may_edit(&context.account, &context.project);
        Ok(Self { context, may_write })
    }

    pub(super) fn visit(&self) -> &'v Visit {
        self.context.visit
    }

    pub(super) fn texts(&self) -> &'static Texts {
        self.context.texts()
    }

    /// The tree of the pages.
    pub(super) fn index(&self) -> Href {
        self.context.place(["pages"])
    }

    /// The place of a page.
    pub(super) fn of(&self, uid: &PageUid) -> Href {
        self.index().below(["page", uid.as_str()])
    }

    /// A place that is not the tree itself.
    pub(super) fn answer(
        &self,
        title: String,
        above: Vec<(String, Href)>,
        main: &Markup,
    ) -> Answer {
        let pages = (self.texts().get("area-pages"), self.index());
        let above = [pages].into_iter().chain(above).collect();
        Answer::page(self.context.page(Area::Pages, title, above, main))
    }

    /// What somebody is told who may not do this.
    pub(super) fn refused(&self, title: String) -> Answer {
        let message = notice::error(self.visit(), &self.texts().get("pages-read-only"));
        self.answer(title, Vec::new(), &message)
            .status(StatusCode::FORBIDDEN)
    }
}

/// The client of the environment's pages.
pub(super) fn pages_of(visit: &Visit, scope: &Scope) -> Result<svc_api::Pages> {
    let client = visit.client_in(&scope.project, &scope.environment)?;
    Ok(client.pages())
}

/// What the tree shows of a page, and by what it is arranged.
const SHOWN: [&str; 7] = [
    "uid",
    "unique_name",
    "name",
    "view",
    "parent",
    "order",
    "draft",
];

/// All pages as a layer shows them, with what the tree needs of them.
pub(super) fn listed(pages: &svc_api::Pages, is_draft: bool) -> Call<pages::List> {
    pages.list().draft(is_draft).fields(SHOWN)
}

/// All pages as the draft layer and as the published one shows them.
pub(super) async fn both_layers(
    pages: &svc_api::Pages,
) -> Result<(Vec<PageSettings>, Vec<PageSettings>), Error> {
    let (drafts, published) = (
        Box::pin(listed(pages, true).send()),
        Box::pin(listed(pages, false).send()),
    );
    tokio::try_join!(drafts, published)
}

/// How many pages an environment has, in both layers together.
pub(super) async fn count(client: &Client) -> Result<usize, Error> {
    let (drafts, published) = both_layers(&client.pages()).await?;
    let in_drafts: HashSet<PageUid> = drafts.iter().filter_map(PageSettings::uid).collect();
    // A page that is only missing in the drafts is there too.
    let uids = published.iter().filter_map(PageSettings::uid);
    let deleted = uids.filter(|uid| !in_drafts.contains(uid)).count();
    Ok(drafts.len() + deleted)
}

/// A page as the draft layer shows it, and as it is published.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) draft: Option<Tagged<PageSettings>>,
    pub(super) published: Option<Tagged<PageSettings>>,
}

impl Layers {
    /// # Errors
    /// [`Problem::NotFound`] when no layer has the page.
    pub(super) async fn load(pages: &svc_api::Pages, uid: &PageUid) -> Result<Self> {
        let layer = async |is_draft: bool| {
            let call = pages.get(uid.clone()).draft(is_draft);
            found(call.send_tagged().await)
        };
        let (draft, published) = (Box::pin(layer(true)), Box::pin(layer(false)));
        let (draft, published) = tokio::try_join!(draft, published)?;
        match (&draft, &published) {
            (None, None) => Err(Problem::NotFound),
            _ => Ok(Self { draft, published }),
        }
    }

    pub(super) fn state(&self) -> State {
        match (&self.draft, &self.published) {
            (Some(draft), Some(_)) if !draft.value.draft() => State::Published,
            (Some(_), Some(_)) => State::Changed,
            (Some(_), None) => State::New,
            (None, _) => State::Deleted,
        }
    }

    /// The page as editors see it: the draft, or what is still published of it.
    pub(super) fn shown(&self) -> PageSettings {
        let shown = self.draft.as_ref().or(self.published.as_ref());
        shown.map(|tagged| tagged.value.clone()).unwrap_or_default()
    }

    pub(super) fn title(&self) -> String {
        title_of(&self.shown())
    }

    /// The entity tag of what would be published.
    pub(super) fn tag(&self) -> String {
        let shown = self.draft.as_ref().or(self.published.as_ref());
        let tag = shown.and_then(|tagged| tagged.etag.clone());
        tag.unwrap_or_default()
    }
}

/// What was found, if anything.
fn found<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// How the draft of a page relates to what is published of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// There is no draft.
    Published,
    /// The draft differs.
    Changed,
    /// The page was never published.
    New,
    /// The page is missing in the drafts.
    Deleted,
}

impl State {
    /// Whether there is something to publish.
    pub(super) fn is_draft(self) -> bool {
        self != Self::Published
    }

    pub(super) fn mark(self, texts: &Texts) -> Markup {
        let (class, text) = match self {
            Self::Published => ("published", texts.get("pages-state-published")),
            Self::Changed => ("changed", texts.get("pages-state-changed")),
            Self::New => ("new", texts.get("pages-state-new")),
            Self::Deleted => ("deleted", texts.get("pages-state-deleted")),
        };
        maud::html! { span.page-state.(class) { (text) } }
    }
}
