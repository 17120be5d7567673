//! What is known of the models of databases, so that a page over thousands of tables does not read all of them again.
//!
//! What a session sees depends on its rights. So each is asked for with the session's own credential and the entity tag of what
//! that session was told before: only where the service says that it would tell it the same is it taken from here. A form that
//! was sent while the database is away is the exception: it is shown again by what its session was told last.

use std::{collections::VecDeque, fmt, sync::Arc};

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use svc_api::{Call, Error};
use svc_model::resources::{ModelDescription, ModelDescriptions};

/// How many fields of models are kept, over all sessions. Each takes about half a kilobyte.
const MOST_FIELDS: usize = 200_000;
/// How many answers are kept.
const MOST_KEPT: usize = 1_000;

/// The models of a database, as somebody sees them.
pub(crate) type Models = Arc<Vec<ModelDescription>>;

/// Whose models: a digest of the credential with project, environment and resource.
type Key = [u8; 32];

/// What is kept.
#[derive(Default)]
pub(crate) struct Descriptions(Mutex<All>);

#[derive(Default)]
struct All {
    /// The last used at the end.
    kept: VecDeque<Kept>,
    /// How many fields are kept in all; what several share counts once.
    fields: usize,
}

struct Kept {
    key: Key,
    etag: String,
    models: Models,
    /// How many fields the models have.
    fields: usize,
}

impl All {
    /// Takes out what is kept of a session.
    fn take(&mut self, key: &Key) -> Option<Kept> {
        let at = self.kept.iter().position(|kept| kept.key == *key)?;
        let taken = self.kept.remove(at)?;
        if !self.shares(&taken.models) {
            self.fields -= taken.fields;
        }
        Some(taken)
    }

    /// Adds what was used last.
    fn add(&mut self, added: Kept) {
        if !self.shares(&added.models) {
            self.fields += added.fields;
        }
        self.kept.push_back(added);
    }

    /// Whether somebody who is kept sees these models.
    fn shares(&self, models: &Models) -> bool {
        self.kept
            .iter()
            .any(|kept| Arc::ptr_eq(&kept.models, models))
    }

    /// Drops what was not used for longest, until there is not too much.
    fn make_room(&mut self) {
        while self.kept.len() > MOST_KEPT || self.fields > MOST_FIELDS {
            let Some(dropped) = self.kept.pop_front() else {
                return;
            };
            if !self.shares(&dropped.models) {
                self.fields -= dropped.fields;
            }
        }
    }
}

impl fmt::Debug for Descriptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descriptions").finish_non_exhaustive()
    }
}

impl Descriptions {
    /// The models that a call asks for, as its caller sees them now. `place` are all the parts that tell whose they are.
    pub(crate) async fn get(
        &self,
        call: Call<ModelDescriptions, Vec<ModelDescription>>,
        place: &[&[u8]],
    ) -> Result<Models, Error> {
        let key = key_of(place);
        if let Some((etag, models)) = self.find(&key) {
            return match call.send_if_changed(&etag).await? {
                None => Ok(models),
                Some(changed) => Ok(self.keep(key, changed.etag, changed.value)),
            };
        }
        let tagged = call.send_tagged().await?;
        Ok(self.keep(key, tagged.etag, tagged.value))
    }

    /// The models that a session was told last.
    pub(crate) fn last(&self, place: &[&[u8]]) -> Option<Models> {
        let (_, models) = self.find(&key_of(place))?;
        Some(models)
    }

    fn find(&self, key: &Key) -> Option<(String, Models)> {
        let mut kept = self.0.lock();
        let found = kept.take(key)?;
        let answer = (found.etag.clone(), Arc::clone(&found.models));
        kept.add(found);
        Some(answer)
    }

    fn keep(&self, key: Key, etag: Option<String>, models: Vec<ModelDescription>) -> Models {
        let mut kept = self.0.lock();
        kept.take(&key);
        // Most people see the same, which is kept once.
        let same = kept
            .kept
            .iter()
            .find(|kept| Some(&kept.etag) == etag.as_ref() && *kept.models == models);
        let models = match same {
            Some(same) => Arc::clone(&same.models),
            None => Arc::new(models),
        };
        if let Some(etag) = etag {
            kept.add(Kept {
                key,
                etag,
                fields: models.iter().map(|model| model.fields.len() + 1).sum(),
                models: Arc::clone(&models),
            });
        }
        kept.make_room();
        models
    }
}

fn key_of(place: &[&[u8]]) -> Key {
    let mut digest = Sha256::new();
    for part in place {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(name: &str, fields: usize) -> Vec<ModelDescription> {
        let mut model = ModelDescription::new(name, name);
        let field = svc_model::resources::FieldDescription::new(
            "f",
            svc_model::resources::FieldType::TextField,
            "text",
        );
        model.fields = vec![field; fields];
        vec![model]
    }

    #[test]
    fn what_one_session_sees_is_not_found_for_another() {
        let kept = Descriptions::default();
        let mine = key_of(&[b"JWT a", b"p"]);
        kept.keep(mine, Some("\"1\"".to_owned()), models("secret", 1));
        assert!(kept.find(&mine).is_some());
        assert!(kept.find(&key_of(&[b"JWT ", b"ap"])).is_none());
        assert!(kept.find(&key_of(&[b"JWT b", b"p"])).is_none());
    }

    #[test]
    fn what_is_the_same_is_kept_once_and_the_oldest_makes_way() {
        let kept = Descriptions::default();
        let tag = || Some("\"1\"".to_owned());
        let one = kept.keep(key_of(&[b"1"]), tag(), models("m", 10));
        let two = kept.keep(key_of(&[b"2"]), tag(), models("m", 10));
        assert!(Arc::ptr_eq(&one, &two));
        let other = kept.keep(key_of(&[b"3"]), tag(), models("n", 10));
        assert!(!Arc::ptr_eq(&one, &other));
        let large = MOST_FIELDS - 20;
        kept.keep(
            key_of(&[b"4"]),
            Some("\"2\"".to_owned()),
            models("l", large),
        );
        assert!(kept.find(&key_of(&[b"1"])).is_none());
        assert!(kept.find(&key_of(&[b"4"])).is_some());
        let all = kept.0.lock();
        let mut sum = 0;
        for (at, one) in all.kept.iter().enumerate() {
            let mut before = all.kept.iter().take(at);
            if !before.any(|known| Arc::ptr_eq(&known.models, &one.models)) {
                sum += one.fields;
            }
        }
        assert_eq!(all.fields, sum);
    }
}
