//! What is known of the models of databases, so that a page over thousands of tables does not read all of them again.
//!
//! What a session sees depends on its rights. So each is asked for with the session's own credential and the entity tag of what
//! that session was told before: only where the service says that it would tell it the same is it taken from here.

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

/// What is kept, the last used at the end.
#[derive(Default)]
pub(crate) struct Descriptions(Mutex<VecDeque<Kept>>);

struct Kept {
    key: Key,
    etag: String,
    models: Models,
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

    fn find(&self, key: &Key) -> Option<(String, Models)> {
        let mut kept = self.0.lock();
        let at = kept.iter().position(|kept| kept.key == *key)?;
        let found = kept.remove(at)?;
        let answer = (found.etag.clone(), Arc::clone(&found.models));
        kept.push_back(found);
        Some(answer)
    }

    fn keep(&self, key: Key, etag: Option<String>, models: Vec<ModelDescription>) -> Models {
        let mut kept = self.0.lock();
        kept.retain(|kept| kept.key != key);
        // Most people see the same, which is kept once.
        let same = kept
            .iter()
            .find(|kept| Some(&kept.etag) == etag.as_ref() && *kept.models == models);
        let models = match same {
            Some(same) => Arc::clone(&same.models),
            None => Arc::new(models),
        };
        if let Some(etag) = etag {
            kept.push_back(Kept {
                key,
                etag,
                models: Arc::clone(&models),
            });
        }
        while kept.len() > MOST_KEPT || (fields_of(&kept) > MOST_FIELDS && !kept.is_empty()) {
            kept.pop_front();
        }
        models
    }
}

/// How many fields are kept in all; what several share counts once.
fn fields_of(kept: &VecDeque<Kept>) -> usize {
    let mut seen: Vec<*const Vec<ModelDescription>> = Vec::new();
    let mut fields = 0;
    for kept in kept {
        let at = Arc::as_ptr(&kept.models);
        if !seen.contains(&at) {
            seen.push(at);
            let models = kept.models.iter();
            fields += models.map(|model| model.fields.len() + 1).sum::<usize>();
        }
    }
    fields
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
    }
}
