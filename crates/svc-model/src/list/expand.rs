//! The `_expand` parameter: related records that come with each record.

use std::{collections::BTreeSet, fmt, str::FromStr};

/// The maximum number of paths in an [`Expand`].
pub const MAX_EXPAND_PATHS: usize = 10;
/// The maximum number of relations in a path of an [`Expand`].
pub const MAX_EXPAND_LEVELS: usize = 3;

/// Related records that come with each record of a list, or with one record (wire contract, section 11).
///
/// On the wire, paths separated by commas. A path is made of relations with dots between them: a foreign key field leads to
/// one record, the name of a relation that leads here to an array. Fields in parentheses are those that are returned of the
/// related records, and their primary key; all of them where none are named. A name with a comma, a dot, a parenthesis, a
/// quote or a space stands in double quotes.
///
/// ```
/// use svc_model::{Expand, Expanded};
///
/// let expand: Expand = "customer_id(name,city),items.product_id".parse()?;
/// let customer = Expanded::new("customer_id").fields(["name", "city"]);
/// let items = Expanded::new("items").expand(Expanded::new("product_id"));
/// assert_eq!(expand, Expand::new([customer, items]));
/// assert_eq!(expand.to_string(), "customer_id(name,city),items.product_id");
/// # Ok::<(), svc_model::ExpandError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expand {
    /// The relations, each once.
    pub relations: Vec<Expanded>,
}

/// A relation whose records are returned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expanded {
    /// A foreign key field, or the name of a relation.
    pub name: String,
    /// The fields of the related records, beside their primary key; `None` for all.
    pub fields: Option<Vec<String>>,
    /// What comes with each of the related records.
    pub expand: Expand,
}

/// A text is not an [`Expand`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpandError {
    message: String,
}

impl ExpandError {
    fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { message }
    }
}

impl Expand {
    /// These relations.
    pub fn new(relations: impl IntoIterator<Item = Expanded>) -> Self {
        let mut expand = Self::default();
        for relation in relations {
            expand.add(relation);
        }
        expand
    }

    /// Adds a relation; one that is there already gets what is new in it.
    pub fn add(&mut self, added: Expanded) {
        let known = self.relations.iter_mut();
        let Some(known) = known.into_iter().find(|known| known.name == added.name) else {
            self.relations.push(added);
            return;
        };
        match (&mut known.fields, added.fields) {
            (Some(known), Some(added)) => {
                let mut seen: BTreeSet<String> = known.iter().cloned().collect();
                known.extend(added.into_iter().filter(|field| seen.insert(field.clone())));
            }
            (known @ None, added) => *known = added,
            (Some(_), None) => {}
        }
        for relation in added.expand.relations {
            known.expand.add(relation);
        }
    }

    /// Whether it has no relation.
    pub fn is_empty(&self) -> bool {
        self.relations.is_empty()
    }

    /// The number of paths that [`fmt::Display`] writes.
    fn paths(&self) -> usize {
        let relations = self.relations.iter();
        relations
            .map(|relation| relation.expand.paths().max(1))
            .sum()
    }

    fn levels(&self) -> usize {
        let relations = self.relations.iter();
        relations
            .map(|relation| relation.expand.levels() + 1)
            .max()
            .unwrap_or(0)
    }

    fn check(&self) -> Result<(), ExpandError> {
        if self.paths() > MAX_EXPAND_PATHS {
            let message = format!("at most {MAX_EXPAND_PATHS} paths are allowed");
            return Err(ExpandError::new(message));
        }
        if self.levels() > MAX_EXPAND_LEVELS {
            let message = format!("at most {MAX_EXPAND_LEVELS} relations in a path are allowed");
            return Err(ExpandError::new(message));
        }
        Ok(())
    }

    fn write_paths(&self, before: &str, paths: &mut Vec<String>) {
        for Expanded {
            name,
            fields,
            expand,
        } in &self.relations
        {
            let mut path = format!("{before}{}", quoted(name));
            if let Some(fields) = fields {
                let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
                path = format!("{path}({})", fields.join(","));
            }
            match expand.is_empty() {
                true => paths.push(path),
                false => expand.write_paths(&format!("{path}."), paths),
            }
        }
    }
}

impl Expanded {
    /// All fields of the records of a relation.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            fields: None,
            expand: Expand::default(),
        }
    }

    /// Only these fields, and the primary key.
    #[must_use]
    pub fn fields<T: Into<String>>(mut self, fields: impl IntoIterator<Item = T>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Adds what comes with each of the related records.
    #[must_use]
    pub fn expand(mut self, relation: Self) -> Self {
        self.expand.add(relation);
        self
    }
}

impl From<Expanded> for Expand {
    fn from(relation: Expanded) -> Self {
        Self::new([relation])
    }
}

impl fmt::Display for Expand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut paths = Vec::new();
        self.write_paths("", &mut paths);
        f.write_str(&paths.join(","))
    }
}

impl FromStr for Expand {
    type Err = ExpandError;

    fn from_str(text: &str) -> Result<Self, ExpandError> {
        let mut rest = text;
        let mut expand = Self::default();
        let mut paths = 0;
        loop {
            expand.add(read_path(&mut rest, MAX_EXPAND_LEVELS)?);
            paths += 1;
            if paths > MAX_EXPAND_PATHS || rest.is_empty() {
                break;
            }
            expect(&mut rest, ',')?;
        }
        match paths > MAX_EXPAND_PATHS {
            true => Err(ExpandError::new(format!(
                "at most {MAX_EXPAND_PATHS} paths are allowed"
            ))),
            false => expand.check().map(|()| expand),
        }
    }
}

fn read_path(rest: &mut &str, levels: usize) -> Result<Expanded, ExpandError> {
    let mut relation = Expanded::new(read_name(rest)?);
    if let Some(fields) = rest.strip_prefix('(') {
        *rest = fields;
        let mut fields = vec![read_name(rest)?];
        while let Some(more) = rest.strip_prefix(',') {
            *rest = more;
            fields.push(read_name(rest)?);
        }
        expect(rest, ')')?;
        relation.fields = Some(fields);
    }
    let Some(path) = rest.strip_prefix('.') else {
        return Ok(relation);
    };
    if levels <= 1 {
        let message = format!("at most {MAX_EXPAND_LEVELS} relations in a path are allowed");
        return Err(ExpandError::new(message));
    }
    *rest = path;
    Ok(relation.expand(read_path(rest, levels - 1)?))
}

fn read_name(rest: &mut &str) -> Result<String, ExpandError> {
    let Some(mut quoted) = rest.strip_prefix('"') else {
        let end = rest.find(is_special).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        return match (name, after.chars().next()) {
            (_, Some(c)) if c == '"' || c.is_whitespace() => {
                Err(ExpandError::new(format!("{c:?} must be in double quotes")))
            }
            ("", _) => Err(ExpandError::new(
                "a name is missing; it must be paths such as customer_id,items.product_id(name)",
            )),
            (name, _) => Ok(name.to_owned()),
        };
    };
    let mut name = String::new();
    loop {
        let (part, after) = quoted
            .split_once('"')
            .ok_or_else(|| ExpandError::new("a double quote is not closed"))?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                quoted = after;
            }
            None => {
                *rest = after;
                return Ok(name);
            }
        }
    }
}

fn expect(rest: &mut &str, sign: char) -> Result<(), ExpandError> {
    *rest = rest.strip_prefix(sign).ok_or_else(|| {
        let found = rest.chars().next();
        let found = found.map_or_else(|| "the end".to_owned(), |found| format!("{found:?}"));
        ExpandError::new(format!("{sign:?} must follow, not {found}"))
    })?;
    Ok(())
}

fn is_special(c: char) -> bool {
    matches!(c, ',' | '.' | '(' | ')' | '"') || c.is_whitespace()
}

/// A name as it is written in a path.
fn quoted(name: &str) -> String {
    match name.is_empty() || name.contains(is_special) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["a", "b_id", "c d", "e,f", "g.h(i)\"j\"", "ü"])
            .prop_map(str::to_owned)
    }

    fn fields() -> impl Strategy<Value = Option<Vec<String>>> {
        let fields = prop::option::of(prop::collection::btree_set(name(), 1..3));
        fields.prop_map(|fields| fields.map(|fields| fields.into_iter().collect()))
    }

    fn expand() -> impl Strategy<Value = Expand> {
        let leaf = (name(), fields()).prop_map(|(name, fields)| Expanded {
            fields,
            ..Expanded::new(name)
        });
        let relation = leaf.prop_recursive(2, 6, 2, |inner| {
            let inner = prop::collection::vec(inner, 0..3);
            (name(), fields(), inner).prop_map(|(name, fields, inner)| Expanded {
                name,
                fields,
                expand: Expand::new(inner),
            })
        });
        prop::collection::vec(relation, 1..3).prop_map(Expand::new)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(expand in expand()) {
            let text = expand.to_string();
            match text.parse::<Expand>() {
                Ok(read) => prop_assert_eq!(read, expand, "{}", text),
                Err(error) => prop_assert!(expand.check().is_err(), "{text}: {error}"),
            }
        }

        #[test]
        fn no_text_breaks_it(text in "[a-c,.()\" ]{0,30}") {
            if let Ok(expand) = text.parse::<Expand>() {
                prop_assert_eq!(expand.to_string().parse::<Expand>(), Ok(expand));
            }
        }
    }

    #[test]
    fn one_relation_that_is_named_twice_is_one() {
        let expand: Expand = "a(x).b,a(y,x).c".parse().unwrap();
        assert_eq!(expand.to_string(), "a(x,y).b,a(x,y).c");
        let expand: Expand = "a,a(x)".parse().unwrap();
        assert_eq!(expand.to_string(), "a(x)");
    }

    #[test]
    fn what_is_no_list_of_paths_is_refused() {
        for (text, message) in [
            ("", "a name is missing"),
            ("a,", "a name is missing"),
            (",a", "a name is missing"),
            ("a..b", "a name is missing"),
            ("a()", "a name is missing"),
            ("a b", "' ' must be in double quotes"),
            ("a, b", "' ' must be in double quotes"),
            ("a(b", "')' must follow, not the end"),
            ("a(b)c", "',' must follow, not 'c'"),
            ("\"a", "a double quote is not closed"),
            ("a.b.c.d", "at most 3 relations"),
            ("a,b,c,d,e,f,g,h,i,j,k", "at most 10 paths"),
        ] {
            let error = text.parse::<Expand>().unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
        assert!("a,b,c,d,e,f,g,h,i,j".parse::<Expand>().is_ok());
        assert!("a.b.c".parse::<Expand>().is_ok());
    }
}
