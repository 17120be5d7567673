//! Pages as code: `svc pages pull`, `diff` and `push`.

use std::{collections::HashSet, path::PathBuf};

use clap::Args;
use serde::Serialize;
use svc_api::Client;
use svc_model::{Draft, PageUid};

use super::{
    content::{Content, to_update},
    diff::{self, line},
    folder::{Base, Folder},
    names,
    plan::{Pair, Standing, pairs_of},
    remote::{Refused, Remote, make_in_turn},
};
use crate::{client::PageLayer, context::Context, error::Error, output::counted};

/// Write the pages of an environment into a folder, a file for each page
#[derive(Args)]
#[command(after_help = "Example:\n  svc pages pull pages --project demo")]
pub(crate) struct Pull {
    /// Folder; it is made when there is none
    folder: PathBuf,
    /// Overwrite files that were changed here as well as on the service
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    service: PageLayer,
}

/// Show what a push of a folder would change
#[derive(Args)]
#[command(after_help = "Example:\n  svc pages diff pages --project demo")]
pub(crate) struct Diff {
    /// Folder that svc pages pull has written
    folder: PathBuf,
    #[command(flatten)]
    service: PageLayer,
}

/// Give the service the pages of a folder: what was changed here since the last pull or push
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc pages push pages --project demo --draft\n  \
    svc pages push pages --project demo --publish")]
pub(crate) struct Push {
    /// Folder that svc pages pull has written
    folder: PathBuf,
    /// Write drafts, and publish those of the folder's pages in one step when all are written
    #[arg(long)]
    publish: bool,
    /// Delete pages whose files were removed; otherwise they stay
    #[arg(long)]
    delete: bool,
    /// Overwrite pages that were changed on the service as well as here
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    service: PageLayer,
}

/// What a pull did, by names of files.
#[derive(Default, Serialize)]
struct Pulled<'a> {
    written: Vec<String>,
    removed: Vec<&'a str>,
    /// Changed here and not on the service.
    kept: Vec<&'a str>,
    conflicts: Vec<&'a str>,
}

/// What a push does, by names of files.
#[derive(Default, Serialize)]
struct Pushed<'a> {
    added: Vec<&'a str>,
    changed: Vec<&'a str>,
    deleted: Vec<&'a str>,
    conflicts: Vec<&'a str>,
    /// Changed on the service and not here: a pull gets them.
    behind: Vec<&'a str>,
    published: Vec<PageUid>,
}

impl Pull {
    pub(super) async fn run(self, context: &Context) -> Result<(), Error> {
        let mut folder = Folder::make(&self.folder, self.service.names())?;
        let draft = self.service.draft();
        let client = self.service.client()?;
        let files = folder.files()?;
        let mut taken: HashSet<_> = files.iter().map(|file| names::folded(&file.name)).collect();
        let pairs = pairs_of(&folder, Remote::list(&client, draft).await?, files);
        let mut done = Pulled::default();
        let mut text = String::new();
        for pair in &pairs {
            let standing = pair.standing()?;
            let write = match standing {
                Standing::ChangedThere | Standing::NewThere | Standing::Removed => true,
                Standing::Conflict(_) => self.force,
                _ => false,
            };
            match (&pair.here, &pair.there) {
                (_, Some(there)) if write => {
                    let file = name_for(pair, there, &mut taken);
                    folder.write(&file, &there.content)?;
                    if let Some(old) = pair.here.as_ref().filter(|old| old.name != file) {
                        folder.remove(&old.name)?;
                    }
                    text += &format!("written {file}\n");
                    note(&mut folder, pair, there, &file, &there.content)?;
                    done.written.push(file);
                }
                (Some(here), None) if write || standing == Standing::RemovedThere => {
                    folder.remove(&here.name)?;
                    text += &format!("removed {}\n", here.name);
                    done.removed.push(&here.name);
                    forget(&mut folder, pair);
                }
                (Some(here), Some(there)) if standing == Standing::Same => {
                    note(&mut folder, pair, there, &here.name, &here.content)?;
                }
                (None, None) if draft == Draft::Off => forget(&mut folder, pair),
                _ => match standing {
                    Standing::Conflict(why) => {
                        text += &format!("conflict {}: {why}\n", pair.label());
                        done.conflicts.push(pair.label());
                    }
                    Standing::Changed | Standing::New => {
                        text += &format!("kept {}: changed here only\n", pair.label());
                        done.kept.push(pair.label());
                    }
                    _ => {}
                },
            }
        }
        folder.save()?;
        if text.is_empty() {
            text = "nothing to pull\n".to_owned();
        }
        context.output.result(&done, &text)?;
        refuse(&done.conflicts, "left as they are")
    }
}

impl Diff {
    pub(super) async fn run(self, context: &Context) -> Result<(), Error> {
        let folder = Folder::open(&self.folder, self.service.names())?;
        let draft = self.service.draft();
        let remotes = Remote::list(&self.service.client()?, draft).await?;
        let pairs = pairs_of(&folder, remotes, folder.files()?);
        let (done, mut shown) = compare(&pairs, false)?;
        if !context.output.is_json() {
            for pair in &pairs {
                shown += &unified(pair)?;
            }
        }
        context.output.result(&done, &shown)?;
        refuse(&done.conflicts, "a push leaves them as they are")
    }
}

impl Push {
    pub(super) async fn run(self, context: &Context) -> Result<(), Error> {
        let mut folder = Folder::open(&self.folder, self.service.names())?;
        let draft = match self.publish {
            true => Draft::On,
            false => self.service.draft(),
        };
        let client = self.service.client()?;
        let remotes = Remote::list(&client, draft).await?;
        let pairs = pairs_of(&folder, remotes, folder.files()?);
        let (mut done, mut text) = compare(&pairs, self.force)?;
        if !done.conflicts.is_empty() {
            context.output.result(&done, &text)?;
            return refuse(&done.conflicts, "nothing was pushed");
        }
        if !self.delete {
            for label in done.deleted.drain(..) {
                text = text.replace(&line("deleted", label), "");
                context.output.note(&format!(
                    "the page of {label} stays; --delete deletes pages whose files were removed"
                ));
            }
        }
        let mut pusher = Pusher {
            client: &client,
            folder: &mut folder,
            draft,
            force: self.force,
            delete: self.delete,
            drafted: Vec::new(),
        };
        let pushed = pusher.push(&pairs).await;
        let drafted = std::mem::take(&mut pusher.drafted);
        // What was done is saved even when the rest could not be.
        folder.save()?;
        pushed?;
        if self.publish {
            let uids = to_publish(&client, &pairs, drafted, self.delete).await?;
            done.published = client.pages().publish(uids).send().await?;
            text += &format!("published {}\n", counted(done.published.len(), "page"));
        }
        if text.is_empty() {
            text = "nothing to push\n".to_owned();
        }
        context.output.result(&done, &text)
    }
}

/// The work of a push.
struct Pusher<'a> {
    client: &'a Client,
    folder: &'a mut Folder,
    draft: Draft,
    force: bool,
    delete: bool,
    /// The pages that have a draft now.
    drafted: Vec<PageUid>,
}

impl Pusher<'_> {
    async fn push(&mut self, pairs: &[Pair]) -> Result<(), Error> {
        let mut writes = Vec::new();
        for pair in pairs {
            match pair.standing()? {
                Standing::Same => self.is_same(pair)?,
                Standing::New | Standing::Changed => writes.push(pair),
                Standing::Conflict(_) if self.force && pair.here.is_some() => writes.push(pair),
                // First, so that their names are free.
                Standing::Removed | Standing::Conflict(_) if self.delete => {
                    self.delete(pair).await?;
                }
                _ => {}
            }
        }
        make_in_turn(writes, async |pair| self.write(pair).await).await
    }

    /// Notes a page that is the same on both sides, maybe by a push that was interrupted.
    fn is_same(&mut self, pair: &Pair) -> Result<(), Error> {
        match (&pair.here, &pair.there) {
            (Some(here), Some(there)) => {
                if there.draft {
                    self.drafted.push(there.uid.clone());
                }
                note(self.folder, pair, there, &here.name, &here.content)
            }
            // A draft that is deleted may be published yet.
            (None, None) if self.draft == Draft::Off => {
                forget(self.folder, pair);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn write(&mut self, pair: &Pair) -> Result<(), Refused> {
        let Some(here) = &pair.here else {
            return Ok(());
        };
        let pages = self.client.pages();
        let page = match &pair.there {
            None => {
                let settings = here.content.to_new(&here.unique_name)?;
                pages.create(&settings).draft(self.draft).send().await
            }
            Some(there) => {
                let etag = there.etag(self.client, self.draft, self.force, pair.label());
                let etag = etag.await?;
                let update = to_update(pair.changes())?;
                let call = pages.update(there.uid.clone(), update).draft(self.draft);
                call.if_match(etag).send().await
            }
        };
        let page = page.map_err(|error| Refused::of(&here.name, error))?;
        let written = Remote::of(page)?;
        if written.draft {
            self.drafted.push(written.uid.clone());
        }
        note(self.folder, pair, &written, &here.name, &here.content)?;
        // A page that was made must be known again, whatever comes next.
        self.folder.save()?;
        Ok(())
    }

    async fn delete(&mut self, pair: &Pair) -> Result<(), Error> {
        let Some(there) = &pair.there else {
            return Ok(());
        };
        let etag = there.etag(self.client, self.draft, self.force, pair.label());
        let etag = etag.await?;
        let call = self.client.pages().delete(there.uid.clone());
        let deleted = call.draft(self.draft).if_match(etag).send().await;
        let refused = |error| Error::new(format!("{}: {}", pair.label(), Error::from(error)));
        deleted.map_err(refused)?;
        if self.draft == Draft::Off {
            forget(self.folder, pair);
        }
        Ok(())
    }
}

/// The pages of the folder whose drafts are what the folder says.
async fn to_publish(
    client: &Client,
    pairs: &[Pair],
    mut drafted: Vec<PageUid>,
    delete: bool,
) -> Result<Vec<PageUid>, Error> {
    let removed = pairs.iter().filter(|pair| delete && pair.here.is_none());
    let removed = removed.filter_map(|pair| Some(pair.base.as_ref()?.0.as_str()));
    let removed: HashSet<&str> = removed.collect();
    if !removed.is_empty() {
        let shown = Remote::list(client, Draft::On).await?.into_iter();
        let shown: HashSet<_> = shown.map(|page| page.uid).collect();
        let published = Remote::list(client, Draft::Off).await?.into_iter();
        let gone = published.filter(|page| removed.contains(page.uid.as_str()));
        drafted.extend(gone.map(|page| page.uid).filter(|uid| !shown.contains(uid)));
    }
    Ok(drafted)
}

/// What a push does, and the same for people. With force a conflict is a change like others.
fn compare(pairs: &[Pair], force: bool) -> Result<(Pushed<'_>, String), Error> {
    let mut done = Pushed::default();
    let mut text = String::new();
    for pair in pairs {
        let label = pair.label();
        let standing = match (pair.standing()?, &pair.here, &pair.there) {
            (Standing::Conflict(_), Some(_), Some(_)) if force => Standing::Changed,
            (Standing::Conflict(_), Some(_), None) if force => Standing::New,
            (Standing::Conflict(_), None, _) if force => Standing::Removed,
            (standing, ..) => standing,
        };
        let behind = "changed on the service only; svc pages pull gets it";
        let (list, what, why) = match standing {
            Standing::Same | Standing::NewThere => continue,
            Standing::New => (&mut done.added, "added", None),
            Standing::Changed => (&mut done.changed, "changed", None),
            Standing::Removed => (&mut done.deleted, "deleted", None),
            Standing::Conflict(why) => (&mut done.conflicts, "conflict", Some(why)),
            Standing::ChangedThere | Standing::RemovedThere => {
                (&mut done.behind, "behind", Some(behind))
            }
        };
        list.push(label);
        text += &match why {
            Some(why) => line(what, &format!("{label}: {why}")),
            None => line(what, label),
        };
    }
    Ok((done, text))
}

/// The change that a push makes to a page, as a unified diff of its file.
fn unified(pair: &Pair) -> Result<String, Error> {
    let (before, after) = match (pair.standing()?, &pair.here, &pair.there) {
        (Standing::New, Some(here), _) => (None, Some(here.content.file_text()?)),
        (Standing::Removed, _, Some(there)) => (Some(there.content.file_text()?), None),
        (Standing::Changed | Standing::Conflict(_), Some(_), Some(there)) => {
            let after = there.content.with(&pair.changes());
            (Some(there.content.file_text()?), Some(after.file_text()?))
        }
        _ => return Ok(String::new()),
    };
    let (before, after) = (("service", before), ("folder", after));
    Ok(diff::unified(pair.label(), before, after))
}

/// The file that a page is written into: the one that it has as long as its name stays.
fn name_for(pair: &Pair, there: &Remote, taken: &mut HashSet<String>) -> String {
    let base = pair.base.as_ref().map(|(_, base)| base);
    let stays = base.is_some_and(|base| base.name == there.unique_name);
    let own = match (&pair.here, base) {
        (Some(here), _) => Some(&here.name),
        (None, base) => base.map(|base| &base.file),
    };
    if let Some(own) = own {
        let free = pair.here.is_some() || !taken.contains(&names::folded(own));
        let unnoted = base.is_none() && pair.here.is_some();
        if (stays || unnoted) && free {
            taken.insert(names::folded(own));
            return own.clone();
        }
        // The own file goes, so its name is free.
        if pair.here.is_some() {
            taken.remove(&names::folded(own));
        }
    }
    let file = match (&pair.here, names::free(&there.unique_name, taken)) {
        // Where upper and lower case are the same, these two are one file.
        (Some(own), file) if names::folded(&own.name) == names::folded(&file) => own.name.clone(),
        (_, file) => file,
    };
    taken.insert(names::folded(&file));
    file
}

/// Notes that both sides have this of a page.
fn note(
    folder: &mut Folder,
    pair: &Pair,
    there: &Remote,
    file: &str,
    here: &Content,
) -> Result<(), Error> {
    let uid = there.uid.as_str();
    if pair.base.as_ref().is_some_and(|(old, _)| old != uid) {
        forget(folder, pair);
    }
    let base = Base {
        file: file.to_owned(),
        name: there.unique_name.clone(),
        here: here.digest()?,
        there: there.content.digest()?,
    };
    folder.note(uid, Some(base));
    Ok(())
}

fn forget(folder: &mut Folder, pair: &Pair) {
    if let Some((uid, _)) = &pair.base {
        folder.note(uid, None);
    }
}

/// Ends a command that met conflicts.
fn refuse(conflicts: &[&str], consequence: &str) -> Result<(), Error> {
    let are = if conflicts.len() == 1 { "is" } else { "are" };
    match conflicts {
        [] => Ok(()),
        _ => Err(Error::new(format!(
            "{} {are} in conflict; {consequence}; --force overwrites",
            counted(conflicts.len(), "page")
        ))),
    }
}
