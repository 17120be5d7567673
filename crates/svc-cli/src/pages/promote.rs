//! `svc pages promote`: what was changed in one environment, in another one.

use std::{
    collections::HashMap,
    io::{self, IsTerminal as _, Write as _},
};

use clap::Args;
use serde::Serialize;
use svc_api::Client;
use svc_model::{Draft, EnvironmentName};

use super::{
    content::{Content, to_update},
    diff::{self, line},
    remote::{Refused, Remote, make_in_turn},
};
use crate::{client::PageService, context::Context, error::Error, output::counted};

/// Give one environment the published pages of another: only what differs, after it was shown
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc pages promote staging prod --project crm\n  \
    svc pages promote staging prod --project crm --yes\n\n\
    Pages are the same page when they have the same unique name. The changes are shown, and made after you agree; \
    --yes agrees beforehand. Pages that only TO has stay, unless --delete is given.")]
pub(crate) struct Promote {
    /// The environment whose pages are taken
    from: EnvironmentName,
    /// The environment that gets them
    to: EnvironmentName,
    /// Make the changes without asking
    #[arg(long)]
    yes: bool,
    /// Delete the pages that only TO has
    #[arg(long)]
    delete: bool,
    #[command(flatten)]
    service: PageService,
}

/// What is promoted, by unique names.
#[derive(Default, Serialize)]
struct Promoted<'a> {
    added: Vec<&'a str>,
    changed: Vec<&'a str>,
    deleted: Vec<&'a str>,
    /// Only `to` has them, and keeps them.
    kept: Vec<&'a str>,
    /// Whether the changes were made.
    done: bool,
}

/// A change that is to be made.
struct Change {
    name: String,
    /// What `from` has; `None` when the page is to be deleted.
    source: Option<Content>,
    /// What `to` has; `None` when the page is to be made.
    target: Option<Remote>,
}

impl Promote {
    pub(super) async fn run(self, context: &Context) -> Result<(), Error> {
        let (from, to, output) = (&self.from, &self.to, &context.output);
        if from == to {
            return Err(Error::usage(
                "FROM and TO are the same environment; name two",
            ));
        }
        let source = self.service.client_of(from)?;
        let target = self.service.client_of(to)?;
        let sources = Remote::list(&source, Draft::Off).await?;
        let targets = Remote::list(&target, Draft::Off).await?;
        let (changes, kept) = compare(sources, targets, self.delete);
        let mut promoted = Promoted {
            kept: kept.iter().map(String::as_str).collect(),
            ..Promoted::default()
        };
        let mut text = String::new();
        for change in &changes {
            let (list, what) = match (&change.source, &change.target) {
                (Some(_), None) => (&mut promoted.added, "added"),
                (Some(_), Some(_)) => (&mut promoted.changed, "changed"),
                _ => (&mut promoted.deleted, "deleted"),
            };
            list.push(&change.name);
            text += &line(what, &change.name);
        }
        for name in &kept {
            text += &line("kept", &format!("{name}: only {to} has it"));
        }
        if changes.is_empty() {
            promoted.done = true;
            let text = format!("{text}nothing to promote: {to} has what {from} has\n");
            return output.result(&promoted, &text);
        }
        if !output.is_json() {
            for change in &changes {
                text += &change.unified(from, to)?;
            }
        }
        let agreed = self.yes || (!output.is_json() && agree(&text, to)?);
        if !agreed {
            if !io::stdin().is_terminal() || output.is_json() {
                output.note("nothing was changed; --yes makes these changes");
            }
            return output.result(&promoted, &text);
        }
        apply(&target, &changes).await?;
        promoted.done = true;
        let pages = counted(changes.len(), "page");
        let text = format!("{text}{pages} promoted from {from} to {to}\n");
        output.result(&promoted, &text)
    }
}

/// Asks at the terminal whether the changes are to be made; without a terminal they are not.
fn agree(text: &str, to: &EnvironmentName) -> Result<bool, Error> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut errors = io::stderr().lock();
    // What cannot be shown is not agreed to.
    let asked = write!(errors, "{text}\nMake these changes in {to}? [y/N] ");
    if asked.and_then(|()| errors.flush()).is_err() {
        return Ok(false);
    }
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.map_err(|error| Error::new(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// What differs, and the names of the pages that only the target has and keeps.
fn compare(sources: Vec<Remote>, targets: Vec<Remote>, delete: bool) -> (Vec<Change>, Vec<String>) {
    let targets = targets.into_iter();
    let mut targets: HashMap<String, Remote> = targets
        .map(|page| (page.unique_name.clone(), page))
        .collect();
    let mut changes = Vec::new();
    for page in sources {
        let target = targets.remove(&page.unique_name);
        let same = |target: &Remote| page.content.changes_of(&target.content).is_empty();
        if !target.as_ref().is_some_and(same) {
            changes.push(Change {
                name: page.unique_name,
                source: Some(page.content),
                target,
            });
        }
    }
    let mut only: Vec<Remote> = targets.into_values().collect();
    only.sort_by(|one, other| one.unique_name.cmp(&other.unique_name));
    if !delete {
        let kept = only.into_iter().map(|page| page.unique_name);
        return (changes, kept.collect());
    }
    changes.extend(only.into_iter().map(|page| Change {
        name: page.unique_name.clone(),
        source: None,
        target: Some(page),
    }));
    (changes, Vec::new())
}

/// Makes the changes, of pages that are still what was compared.
async fn apply(target: &Client, changes: &[Change]) -> Result<(), Error> {
    // Deletions first, so that their names are free.
    let (deletions, writes): (Vec<_>, Vec<_>) =
        changes.iter().partition(|change| change.source.is_none());
    let changes = deletions.into_iter().chain(writes);
    make_in_turn(changes, async |change| change.apply(target).await).await
}

impl Change {
    async fn apply(&self, target: &Client) -> Result<(), Refused> {
        let pages = target.pages();
        let etag = match &self.target {
            Some(page) => Some(page.etag(target, Draft::Off, false, &self.name).await?),
            None => None,
        };
        let made = match (&self.source, &self.target, etag) {
            (Some(content), Some(page), Some(etag)) => {
                let update = to_update(content.changes_of(&page.content))?;
                let call = pages.update(page.uid.clone(), update).if_match(etag);
                call.send().await.map(drop)
            }
            (Some(content), ..) => {
                let settings = content.to_new(&self.name)?;
                pages.create(&settings).send().await.map(drop)
            }
            (None, Some(page), Some(etag)) => {
                let call = pages.delete(page.uid.clone()).if_match(etag);
                call.send().await.map(drop)
            }
            _ => Ok(()),
        };
        made.map_err(|error| Refused::of(&self.name, error))
    }

    /// The change as a unified diff.
    fn unified(&self, from: &EnvironmentName, to: &EnvironmentName) -> Result<String, Error> {
        let before = self.target.as_ref().map(|page| page.content.file_text());
        let after = self.source.as_ref().map(|content| match &self.target {
            Some(page) => page
                .content
                .with(&content.changes_of(&page.content))
                .file_text(),
            None => content.file_text(),
        });
        let (before, after) = (before.transpose()?, after.transpose()?);
        let (before, after) = ((to.as_str(), before), (from.as_str(), after));
        Ok(diff::unified(&self.name, before, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(uid: &str, name: &str, v: u32) -> Remote {
        let text = format!(r#"{{"uid":"{uid}","unique_name":"{name}","v":{v}}}"#);
        Remote::of(serde_json::from_str(&text).unwrap()).unwrap()
    }

    #[test]
    fn only_what_differs_is_promoted_by_the_names_of_pages() {
        let sources = vec![page("1", "a", 1), page("2", "b", 2), page("3", "c", 3)];
        let targets = || vec![page("9", "d", 4), page("8", "b", 1), page("7", "a", 1)];
        let (changes, kept) = compare(sources.clone(), targets(), false);
        let names: Vec<_> = changes.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        assert_eq!(kept, ["d"]);
        let (changes, kept) = compare(sources, targets(), true);
        assert!(changes[2].name == "d" && changes[2].source.is_none());
        assert!(kept.is_empty());
    }
}
