//! Functions and procedures as PostgreSQL's catalogue describes them.

use std::{collections::HashMap, sync::Arc};

use tokio_postgres::{Client, Row};

use crate::{
    Error, Field, Result,
    engine::postgres::{
        discover::{Sizes, get},
        fault,
        special::VALUES,
        types::{Order, Type, type_named},
    },
    functions::{Argument, Mode, Routine},
};

/// Those of these names that the user of this service sees.
const ROUTINES: &str = "
SELECT n.nspname::text, p.proname::text, n.nspname = current_schema(), p.prokind::text, p.proretset,
    t.typname::text, t.typtype::text, coalesce(p.proallargtypes, p.proargtypes::oid[]),
    p.proargmodes::text[], p.proargnames::text[], p.pronargdefaults
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_type t ON t.oid = p.prorettype
WHERE p.prokind IN ('f', 'p') AND p.proname = ANY($1) AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY n.nspname, p.proname, p.oid";

/// Types, and what domains and arrays are made of.
const TYPES: &str = "
WITH RECURSIVE base(declared, type, typmod) AS (
    SELECT DISTINCT oid, oid, -1 FROM pg_catalog.unnest($1::oid[]) AS oid
    UNION ALL
    SELECT b.declared, t.typbasetype, t.typtypmod
    FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT b.declared, pg_catalog.format_type(b.declared, NULL), d.typname::text,
    pg_catalog.quote_ident(dn.nspname) || '.' || pg_catalog.quote_ident(d.typname), b.typmod,
    t.oid, t.typname::text, t.typtype::text, t.typcategory::text,
    pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(t.typname),
    e.oid, e.typname::text, e.typtype::text, e.typcategory::text,
    pg_catalog.quote_ident(en.nspname) || '.' || pg_catalog.quote_ident(e.typname)
FROM base b
JOIN pg_catalog.pg_type d ON d.oid = b.declared
JOIN pg_catalog.pg_namespace dn ON dn.oid = d.typnamespace
JOIN pg_catalog.pg_type t ON t.oid = b.type AND t.typtype <> 'd'
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_type x ON t.typtype = 'b' AND t.typcategory = 'A' AND x.oid = t.typelem
LEFT JOIN pg_catalog.pg_type e ON e.oid = CASE WHEN x.typtype = 'd' THEN x.typbasetype ELSE x.oid END
LEFT JOIN pg_catalog.pg_namespace en ON en.oid = e.typnamespace";

/// The words of enumerations.
const WORDS: &str = "
SELECT enumtypid, enumlabel::text FROM pg_catalog.pg_enum WHERE enumtypid = ANY($1)
ORDER BY enumtypid, enumsortorder";

/// A function or procedure, and what it gives.
pub(super) struct Found {
    pub(super) routine: Routine,
    pub(super) gives: Gives,
    pub(super) is_set: bool,
}

/// What a function gives, once or as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Procedure,
    Nothing,
    Value,
    /// A row whose columns are known.
    Row,
    /// A row that says itself what columns it has.
    UnknownRow,
}

/// What is known of a type.
struct Described {
    names: Vec<String>,
    /// A column of the type, without a name.
    field: Field,
    is_of_any_type: bool,
    is_row: bool,
}

/// A row of the catalogue.
struct Listed {
    row: Row,
    types: Vec<u32>,
    modes: Vec<String>,
    names: Vec<String>,
}

impl AsRef<Routine> for Found {
    fn as_ref(&self) -> &Routine {
        &self.routine
    }
}

/// The functions and procedures of these names.
pub(super) async fn find(client: &Client, names: &[&str]) -> Result<Vec<Found>> {
    let rows = client.query(ROUTINES, &[&names]).await;
    let mut listed = Vec::new();
    for row in rows.map_err(fault::translate)? {
        let kind: &str = get(&row, 6)?;
        let name: &str = get(&row, 5)?;
        // What PostgreSQL itself calls, such as a trigger.
        if kind == "p" && !matches!(name, "void" | "record") && !name.starts_with("any") {
            continue;
        }
        listed.push(Listed {
            types: get(&row, 7)?,
            modes: get::<Option<_>>(&row, 8)?.unwrap_or_default(),
            names: get::<Option<_>>(&row, 9)?.unwrap_or_default(),
            row,
        });
    }
    let types: Vec<u32> = listed
        .iter()
        .flat_map(|it| it.types.iter().copied())
        .collect();
    let types = match types.is_empty() {
        true => HashMap::new(),
        false => describe(client, &types).await?,
    };
    listed.iter().map(|listed| listed.found(&types)).collect()
}

impl Listed {
    fn found(&self, types: &HashMap<u32, Described>) -> Result<Found> {
        let row = &self.row;
        let is_procedure = get::<&str>(row, 3)? == "p";
        let mut arguments = Vec::with_capacity(self.types.len());
        let mut has_columns = false;
        for (index, oid) in self.types.iter().enumerate() {
            let mode = match self.modes.get(index).map_or("i", String::as_str) {
                "b" => Mode::InOut,
                "v" => Mode::Variadic,
                "o" => Mode::Out,
                // A column of a table that the function gives.
                "t" => {
                    has_columns = true;
                    continue;
                }
                _ => Mode::In,
            };
            has_columns |= matches!(mode, Mode::Out | Mode::InOut);
            let Some(described) = types.get(oid) else {
                return Err(Error::internal(
                    "the catalogue lacks the type of an argument",
                ));
            };
            let name = self.names.get(index).filter(|name| !name.is_empty());
            // As PostgreSQL calls an argument that has no name.
            let known = name.cloned().unwrap_or_else(|| format!("${}", index + 1));
            arguments.push(Argument {
                field: described.field.named(known),
                mode,
                is_named: name.is_some(),
                has_default: false,
                types: described.names.clone(),
                is_of_any_type: described.is_of_any_type,
                is_row: described.is_row,
            });
        }
        // The last ones that the caller gives.
        let defaults = usize::try_from(get::<i16>(row, 10)?).unwrap_or(0);
        let inputs = arguments.iter_mut().filter(|it| it.is_input()).rev();
        for argument in inputs.take(defaults) {
            argument.has_default = true;
        }
        let gives = match (get::<&str>(row, 5)?, get::<&str>(row, 6)?) {
            _ if is_procedure => Gives::Procedure,
            ("void", "p") => Gives::Nothing,
            ("record", "p") if has_columns => Gives::Row,
            ("record", "p") => Gives::UnknownRow,
            (_, "c") => Gives::Row,
            _ => Gives::Value,
        };
        Ok(Found {
            routine: Routine {
                schema: get(row, 0)?,
                name: get(row, 1)?,
                in_default_schema: get::<Option<bool>>(row, 2)?.unwrap_or(false),
                is_procedure,
                any_case: false,
                arguments,
            },
            gives,
            is_set: get(row, 4)?,
        })
    }
}

async fn describe(client: &Client, types: &[u32]) -> Result<HashMap<u32, Described>> {
    let rows = client.query(TYPES, &[&types]).await;
    let rows = rows.map_err(fault::translate)?;
    let mut enumerations: Vec<u32> = Vec::new();
    for row in &rows {
        for (oid, kind) in [(5, 7), (10, 12)] {
            if get::<Option<&str>>(row, kind)? == Some("e") {
                enumerations.push(get(row, oid)?);
            }
        }
    }
    let mut words: HashMap<u32, Vec<String>> = HashMap::new();
    if !enumerations.is_empty() {
        let rows = client.query(WORDS, &[&enumerations]).await;
        for row in rows.map_err(fault::translate)? {
            words.entry(get(&row, 0)?).or_default().push(get(&row, 1)?);
        }
    }
    let described = rows.iter().map(|row| {
        let declared: u32 = get(row, 0)?;
        let is_declared = get::<u32>(row, 5)? == declared;
        let mut field = field_of(row, 5, &words)?;
        if let Type::Array | Type::UnorderedArray = type_of(&field)
            && get::<Option<u32>>(row, 10)?.is_some()
        {
            field.detail.element = Some(Arc::new(field_of(row, 10, &words)?));
        }
        field.db_type = get(row, 3)?;
        let sort: &str = get(row, 7)?;
        let is_row = sort == "c" && is_declared;
        Ok((
            declared,
            Described {
                names: vec![get(row, 1)?, get(row, 2)?, get(row, 3)?],
                field,
                is_of_any_type: sort == "p",
                is_row,
            },
        ))
    });
    described.collect()
}

fn type_of(field: &Field) -> Type {
    field.column_type().unwrap_or(Type::Opaque)
}

/// A column of the type that is described from a place of a row on.
fn field_of(row: &Row, first: usize, words: &HashMap<u32, Vec<String>>) -> Result<Field> {
    let (name, kind, category) = (
        get::<&str>(row, first + 1)?,
        get::<&str>(row, first + 2)?,
        get::<&str>(row, first + 3)?,
    );
    let sort = type_named(name, kind, category, Order::COMMON);
    let sizes = Sizes::of(sort, get(row, 4)?);
    let mut field = Field::of_type(String::new(), sort, sizes.max_length, name, &VALUES);
    field.precision = sizes.precision;
    field.scale = sizes.scale;
    field.detail.bound_type = get(row, first + 4)?;
    if let (Type::Enum, Some(words)) = (sort, words.get(&get(row, first)?)) {
        field.options.clone_from(words);
    }
    Ok(field)
}
