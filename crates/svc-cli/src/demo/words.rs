//! The names and texts that the rows of the shop are made of. A list of words is one text with commas between them.

use std::sync::LazyLock;

use serde::Deserialize;

/// A country with first and last names of it.
type Country = (&'static str, &'static str, &'static str);
/// A category of products, what its products are called, and the cents they cost at least and at most.
pub(super) type Category = (&'static str, &'static str, u64, u64);

#[derive(Deserialize)]
pub(super) struct Words {
    pub(super) countries: Vec<Country>,
    pub(super) languages: Vec<&'static str>,
    pub(super) themes: Vec<&'static str>,
    pub(super) categories: Vec<Category>,
    pub(super) styles: &'static str,
    pub(super) colors: Vec<&'static str>,
    pub(super) tags: Vec<&'static str>,
    pub(super) notes: Vec<String>,
}

/// The words of the file beside this one.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    serde_json::from_str(include_str!("words.json")).expect("the file holds these lists")
});
