//! What the places of an environment know: the account that is signed in, and the project.

use maud::Markup;
use svc_api::Client;
use svc_model::{
    EnvironmentName, ProjectName, ResourceName, administration::account::Account, projects::Project,
};

use crate::{
    access::may_administer,
    href::Href,
    problem::{Problem, Result, or_not_found},
    texts::Texts,
    ui::frame::{Area, Frame},
    visit::Visit,
};

/// Project and environment of a place.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) project: ProjectName,
    pub(crate) environment: EnvironmentName,
}

impl Scope {
    /// The address of the environment's first place.
    pub(crate) fn home(&self, visit: &Visit) -> Href {
        visit.environment(self.project.as_str(), self.environment.as_str())
    }

    /// Whether this is the environment that people depend on.
    pub(crate) fn is_production(&self) -> bool {
        self.environment.as_str() == EnvironmentName::PROD
    }
}

/// Who looks at a place of an environment, and the project that it is in.
#[derive(Debug)]
pub(crate) struct Context<'v> {
    pub(crate) visit: &'v Visit,
    pub(crate) scope: Scope,
    pub(crate) account: Account,
    pub(crate) project: Project,
    /// A client for the environment.
    pub(crate) client: Client,
}

impl<'v> Context<'v> {
    pub(crate) async fn open(visit: &'v Visit, scope: &Scope) -> Result<Self> {
        let client = visit.client_in(&scope.project, &scope.environment)?;
        let account = visit.account()?.clone();
        check_account(visit, &account)?;
        let project = client.projects().get(&scope.project).send().await;
        let project = project.map_err(or_not_found)?;
        let mut known = project.environments.iter();
        if !known.any(|known| known.unique_name == scope.environment) {
            return Err(Problem::NotFound);
        }
        Ok(Self {
            visit,
            scope: scope.clone(),
            account,
            project,
            client,
        })
    }

    /// Whether the signed-in account may administer the project, and does not just see what somebody else would.
    pub(crate) fn is_administrator(&self) -> bool {
        self.visit.acting_as().is_none() && may_administer(&self.account, &self.project)
    }

    /// Refuses anyone who may not administer the project.
    pub(crate) fn check_administrator(&self) -> Result<()> {
        match self.is_administrator() {
            true => Ok(()),
            false => Err(Problem::NotAdministrator),
        }
    }

    /// The databases of the environment.
    pub(crate) fn databases(&self) -> Vec<&ResourceName> {
        let all = self.project.resources.iter();
        let here = all.filter(|resource| {
            resource.environment == self.scope.environment && resource.kind == "database"
        });
        here.map(|resource| &resource.unique_name).collect()
    }

    /// The texts in the language of the signed-in account.
    pub(crate) fn texts(&self) -> &'static Texts {
        self.visit.texts
    }

    /// The address of a place of the environment.
    pub(crate) fn place<S: AsRef<str>>(&self, parts: impl IntoIterator<Item = S>) -> Href {
        self.scope.home(self.visit).below(parts)
    }

    /// What is around a page; `above` are the places between the project and this one.
    pub(crate) fn frame(&self, area: Area, title: String, above: Vec<(String, Href)>) -> Frame<'_> {
        let home = (self.project.name.clone(), self.scope.home(self.visit));
        Frame {
            visit: self.visit,
            account: &self.account,
            scope: Some((&self.project, &self.scope.environment)),
            area: Some(area),
            above: [home].into_iter().chain(above).collect(),
            title,
        }
    }

    /// A whole page.
    pub(crate) fn page(
        &self,
        area: Area,
        title: String,
        above: Vec<(String, Href)>,
        main: &Markup,
    ) -> Markup {
        self.frame(area, title, above).page(main)
    }
}

/// A form that somebody else has opened is not sent in the name of who is signed in by now.
pub(crate) fn check_account(visit: &Visit, account: &Account) -> Result<()> {
    match visit.form().get("account") {
        Some(opened_by) if opened_by != account.uid => Err(Problem::OtherAccount),
        _ => Ok(()),
    }
}
