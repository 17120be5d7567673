//! Both layers after any steps, compared with what the rules say.

use proptest::prelude::*;

use super::*;

/// What a page is in both layers, as the rules say it.
#[derive(Debug, Clone, Default)]
struct Expected {
    published: Option<(String, i64)>,
    /// `Some(None)` is a deletion.
    draft: Option<Option<(String, i64)>>,
}

impl Expected {
    fn shown(&self, draft: Draft) -> Option<&(String, i64)> {
        match (draft, &self.draft) {
            (Draft::On, Some(draft)) => draft.as_ref(),
            _ => self.published.as_ref(),
        }
    }

    fn write(&mut self, draft: Draft, content: Option<(String, i64)>) {
        match draft {
            Draft::Off if content.is_none() => *self = Self::default(),
            Draft::Off => self.published = content,
            Draft::On if content.is_none() && self.published.is_none() => self.draft = None,
            Draft::On => self.draft = Some(content),
        }
        if self.draft.as_ref() == Some(&self.published) {
            self.draft = None;
        }
    }
}

type Model = BTreeMap<PageUid, Expected>;

/// Whether each layer shows every name once.
fn is_sound(model: &Model) -> bool {
    BOTH.into_iter().all(|draft| {
        let mut names: Vec<_> = model
            .values()
            .filter_map(|page| Some(&page.shown(draft)?.0))
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        names.len() == all
    })
}

/// One of everything that can be done: what, where, to which page, with which name and value.
type Step = (u8, bool, usize, u8, i64);

async fn take(fixture: &Fixture, model: &mut Model, step: Step) {
    let (what, draft, which, name, v) = step;
    let draft = Draft::from(draft);
    let name = format!("n{name}");
    let known: Vec<PageUid> = model.keys().cloned().collect();
    let page = known.get(which % known.len().max(1)).cloned();
    let mut after = model.clone();
    let done = match (what, page) {
        (0 | 1, _) | (_, None) => {
            let text = format!(r#"{{"unique_name":"{name}","v":{v}}}"#);
            let made = fixture.made(draft, &text).await;
            // The refusal of a page that has no identifier yet is that of any page.
            let uid = made.as_ref().map_or_else(|_| PageUid::from("new"), uid);
            after.entry(uid).or_default().write(draft, Some((name, v)));
            made.map(drop)
        }
        (2..=4, Some(page)) => {
            let patch = match what {
                2 => format!(r#"{{"v":{v}}}"#),
                _ => format!(r#"{{"unique_name":"{name}"}}"#),
            };
            let expected = after.get_mut(&page).unwrap();
            let Some((old_name, old_v)) = expected.shown(draft).cloned() else {
                let error = fixture.patched(draft, &page, &patch, None).await;
                assert_eq!(error.unwrap_err().kind(), ErrorKind::NotFound);
                return;
            };
            let content = if what == 2 {
                (old_name, v)
            } else {
                (name, old_v)
            };
            expected.write(draft, Some(content));
            fixture.patched(draft, &page, &patch, None).await.map(drop)
        }
        (5, Some(page)) => {
            let expected = after.get_mut(&page).unwrap();
            if expected.shown(draft).is_none() {
                let error = fixture.dropped(draft, &page).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::NotFound);
                return;
            }
            expected.write(draft, None);
            fixture.dropped(draft, &page).await
        }
        (_, Some(page)) => {
            // Every third time all of them, otherwise one or two.
            let other = known[v.unsigned_abs() as usize % known.len()].clone();
            let uids = [&page, &other];
            let uids = (name != "n0").then_some(&uids[..]);
            let mut changed = Vec::new();
            for (uid, expected) in &mut after {
                let chosen = uids.is_none_or(|uids| uids.contains(&uid));
                if let Some(content) = expected.draft.take_if(|_| chosen) {
                    changed.push(uid.clone());
                    if what == 6 {
                        expected.published = content;
                    }
                }
            }
            let done = match what {
                6 => fixture.publish(uids).await,
                _ => fixture.discard(uids).await,
            };
            done.map(|mut uids| {
                uids.sort();
                assert_eq!(uids, changed);
            })
        }
    };
    after.retain(|_, page| page.published.is_some() || page.draft.is_some());
    match done {
        Ok(()) => {
            assert!(is_sound(&after), "{step:?} was to be refused in {model:?}");
            *model = after;
        }
        Err(error) => {
            assert_eq!(fields(&error), ["unique_name"]);
            assert!(!is_sound(&after), "{step:?} was refused in {model:?}");
        }
    }
    for draft in BOTH {
        let expected: BTreeMap<_, _> = model
            .iter()
            .filter_map(|(uid, page)| {
                let (name, v) = page.shown(draft)?.clone();
                Some((uid.clone(), (name, v, page.draft.is_some())))
            })
            .collect();
        assert_eq!(
            fixture.shown(draft).await,
            expected,
            "{draft:?} after {step:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn both_layers_show_what_the_rules_say_after_any_steps(
        steps in prop::collection::vec((0..8_u8, any::<bool>(), 0..8_usize, 0..4_u8, 0..3_i64), 1..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new().await;
            let mut model = Model::new();
            for step in steps {
                take(&fixture, &mut model, step).await;
            }
        });
    }
}
