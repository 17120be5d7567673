//! Which values of records are cut, and where that is done.

use std::{collections::HashSet, sync::Arc};

use sea_query::Expr;

use crate::{
    Field, Model,
    structure::{ColumnType, Kind},
};

/// The property with the whole lengths of what was cut.
pub(crate) const CUT: &str = "_cut";

/// How long values are shown at most, and which ones.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt {
    /// So many characters of texts and of the compact text of JSON, so many bytes of binary data.
    pub(crate) most: u32,
    /// Whether values are cut, for each field of the model.
    is_cut: Arc<[bool]>,
}

/// Where a value is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cutting {
    /// Nowhere: it is shown whole.
    Never,
    /// Here, when it was read.
    Here,
    /// In the database. At this place of a row is its length, where it may be longer than it is shown.
    InDatabase(usize),
    /// In the database, which gives a text: the length, where it may be longer than it is shown, a colon, and the value.
    Measured,
}

/// Where the value of a field is in a row, and how much of it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) position: usize,
    pub(crate) cutting: Cutting,
    pub(crate) most: u32,
}

/// How the values of rows are cut.
#[derive(Clone, Debug)]
pub(crate) struct RowExcerpts {
    /// How those of each field are, in the order of the row.
    pub(crate) cuttings: Vec<Cutting>,
    pub(crate) most: u32,
}

impl RowExcerpts {
    /// Where the value of a field is, by its place among those that are shown.
    pub(crate) fn place(&self, position: usize) -> Place {
        let cutting = self.cuttings.get(position).copied();
        Place {
            position,
            cutting: cutting.unwrap_or(Cutting::Never),
            most: self.most,
        }
    }
}

/// How an engine reads the excerpt of a field.
pub(crate) enum Excerpted {
    /// It reads the value whole.
    Whole(Expr),
    /// The value or its beginning, and its length, NULL where it is not longer than it is shown.
    InDatabase(Expr, Expr),
    /// Both in one, as [`Cutting::Measured`] says.
    Measured(Expr),
}

impl Excerpt {
    /// Excerpts of the records of a model. Keys and foreign keys are shown whole.
    pub(crate) fn new(model: &Model, most: u32) -> Self {
        let foreign_keys = model.foreign_keys.iter().flat_map(|key| &key.fields);
        let keys: HashSet<usize> = foreign_keys.chain(&model.key).copied().collect();
        let fields = model.fields.iter().enumerate();
        let is_cut = fields.map(|(index, field)| {
            may_be_longer(field, most) && !keys.contains(&index) && field.related.is_none()
        });
        Self {
            most,
            is_cut: is_cut.collect(),
        }
    }

    /// Whether values of a field are cut, by its place in the model.
    pub(crate) fn cuts(&self, index: usize) -> bool {
        self.is_cut.get(index).copied().unwrap_or(false)
    }
}

/// Whether a field may have values that are longer.
fn may_be_longer(field: &Field, most: u32) -> bool {
    let is_open = matches!(
        field.kind,
        Kind::Text | Kind::Any | Kind::Json | Kind::Binary
    );
    let has_words = !field.options.is_empty() || !field.detail.members.is_empty();
    let is_short = match field.column_type() {
        Some(
            ColumnType::Enum
            | ColumnType::Set
            | ColumnType::Interval
            | ColumnType::Uuid
            | ColumnType::Bits(_),
        ) => true,
        // SQLite does not hold to what a column declares.
        Some(_) if field.kind == Kind::Json => false,
        Some(_) => field.max_length.is_some_and(|length| length <= most),
        None => false,
    };
    is_open && !has_words && !is_short
}
