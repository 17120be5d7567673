//! How well names fit what was typed.

/// How well a name fits: the less the better. Of two names that fit equally well, the shorter one is better.
pub(super) type Rank = (u8, usize);

/// What was typed: words in small letters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed {
    text: String,
    words: Vec<String>,
}

impl Typed {
    pub(super) fn new(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_lowercase);
        Self {
            text: text.trim().to_owned(),
            words: words.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well a model fits a text that ends in the key of a record, and the key: `MODEL KEY`, or `DATABASE MODEL KEY`.
    pub(super) fn rank_with_key(&self, model: &str, resource: &str) -> Option<(Rank, &str)> {
        let (first, rest) = first_word(&self.text)?;
        let second = first_word(rest).filter(|_| first.eq_ignore_ascii_case(resource));
        let below = second.and_then(|(name, key)| Some((Self::new(name).rank(model)?, key)));
        below.or_else(|| Some((Self::new(first).rank(model)?, rest)))
    }

    /// How well a name fits; `None` if it does not.
    pub(super) fn rank(&self, name: &str) -> Option<Rank> {
        let name = name.to_lowercase();
        let [word] = &self.words[..] else {
            let has_all = self.words.iter().all(|word| name.contains(word));
            return has_all.then_some((2, name.len()));
        };
        let at = name.find(word)?;
        let before = name[..at].chars().next_back();
        let kind = match before {
            None if name == *word => 0,
            None => 1,
            Some(before) if !before.is_alphanumeric() => 2,
            Some(_) => 3,
        };
        Some((kind, name.len()))
    }

    /// The same for a name inside of another one, whose words may have been typed too.
    pub(super) fn rank_below(&self, name: &str, outer: &str) -> Option<Rank> {
        let all = || {
            let (kind, length) = self.rank(&format!("{outer} {name}"))?;
            Some((kind + 4, length))
        };
        self.rank(name).or_else(all)
    }
}

/// The first word, and what follows it as it was typed.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    Some((first, rest.trim_start()))
}

/// Those that fit best, and how many more fit. Equally good ones stay in their order.
pub(super) fn best<T>(
    all: impl Iterator<Item = T>,
    rank: impl Fn(&T) -> Option<Rank>,
    most: usize,
) -> (Vec<T>, usize) {
    let mut fitting: Vec<(Rank, T)> = all.filter_map(|one| Some((rank(&one)?, one))).collect();
    fitting.sort_by_key(|(rank, _)| *rank);
    let more = fitting.len().saturating_sub(most);
    let best = fitting.into_iter().take(most).map(|(_, one)| one);
    (best.collect(), more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_come_before_beginnings_words_and_parts() {
        let typed = Typed::new(" Order ");
        let names = [
            "reorders",
            "order_items",
            "orders",
            "my_orders",
            "Order",
            "parts",
        ];
        let (found, more) = best(names.into_iter(), |name| typed.rank(name), 4);
        assert_eq!(found, ["Order", "orders", "order_items", "my_orders"]);
        assert_eq!(more, 1);
    }

    #[test]
    fn all_words_have_to_be_there_in_the_name_or_around_it() {
        let typed = Typed::new("shop item");
        assert_eq!(typed.rank_below("order_items", "shop"), Some((6, 16)));
        assert_eq!(typed.rank_below("order_items", "crm"), None);
        assert_eq!(Typed::new("").rank("parts"), Some((2, 5)));
    }

    #[test]
    fn a_key_is_what_follows_the_name_as_it_was_typed() {
        let typed = Typed::new("Part_tags  1,Steel Plate");
        let found = typed.rank_with_key("part_tags", "shop");
        assert_eq!(found, Some(((0, 9), "1,Steel Plate")));
        assert_eq!(Typed::new("parts").rank_with_key("parts", "shop"), None);
        let typed = Typed::new("shop parts 42");
        assert_eq!(typed.rank_with_key("parts", "shop"), Some(((0, 5), "42")));
        assert_eq!(typed.rank_with_key("parts", "crm"), None);
        // A model may have the name of its database.
        let typed = Typed::new("shop 42");
        assert_eq!(typed.rank_with_key("shop", "shop"), Some(((0, 4), "42")));
        // Letters that are longer in small are no problem.
        assert_eq!(Typed::new("\u{130}x").rank("a\u{130}x"), Some((3, 5)));
    }
}
