//! Functions and procedures as the information schema describes them.

use mysql_async::{Conn, Params, Row, Value, prelude::Queryable as _};

use crate::{
    Field, Result,
    engine::mysql::{
        discover::{get, words},
        fault,
        special::VALUES,
        types::{Type, type_named},
    },
    functions::{Argument, Mode, Routine},
};

/// Those of these names that the user of this service sees.
const ROUTINES: &str = "
SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE FROM information_schema.ROUTINES
WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_NAME IN ({names}) ORDER BY ROUTINE_NAME, ROUTINE_TYPE";

/// Their arguments; the value of a function is the first of them.
const PARAMETERS: &str = "
SELECT SPECIFIC_NAME, ROUTINE_TYPE, CAST(ORDINAL_POSITION AS SIGNED), PARAMETER_MODE, PARAMETER_NAME, DATA_TYPE,
    DTD_IDENTIFIER, CAST(CHARACTER_MAXIMUM_LENGTH AS UNSIGNED), CAST(NUMERIC_PRECISION AS UNSIGNED),
    CAST(NUMERIC_SCALE AS UNSIGNED), CAST(DATETIME_PRECISION AS UNSIGNED)
FROM information_schema.PARAMETERS
WHERE SPECIFIC_SCHEMA = DATABASE() AND SPECIFIC_NAME IN ({names})
ORDER BY SPECIFIC_NAME, ROUTINE_TYPE, ORDINAL_POSITION";

/// A function or procedure, and what it gives.
pub(super) struct Found {
    pub(super) routine: Routine,
    /// The value of a function; `None` for a procedure.
    pub(super) value: Option<Field>,
}

impl Found {
    /// The values that a procedure gives.
    pub(super) fn outputs(&self) -> Vec<Field> {
        let outputs = self.routine.arguments.iter().filter(|it| it.is_output());
        outputs.map(|it| it.field.clone()).collect()
    }
}

impl AsRef<Routine> for Found {
    fn as_ref(&self) -> &Routine {
        &self.routine
    }
}

/// The functions and procedures of these names.
pub(super) async fn find(conn: &mut Conn, names: &[&str]) -> Result<Vec<Found>> {
    let places = vec!["?"; names.len()].join(", ");
    let values = || Params::Positional(names.iter().map(|name| Value::from(*name)).collect());
    let routines: Vec<Row> = conn
        .exec(ROUTINES.replace("{names}", &places), values())
        .await
        .map_err(fault::translate)?;
    let parameters: Vec<Row> = conn
        .exec(PARAMETERS.replace("{names}", &places), values())
        .await
        .map_err(fault::translate)?;
    let mut found = Vec::with_capacity(routines.len());
    for row in &routines {
        let (name, kind): (String, String) = (get(row, 1)?, get(row, 2)?);
        let is_procedure = kind == "PROCEDURE";
        let mut arguments = Vec::new();
        let mut value = None;
        for parameter in &parameters {
            if get::<String>(parameter, 0)? != name || get::<String>(parameter, 1)? != kind {
                continue;
            }
            match get::<i64>(parameter, 2)? {
                0 => value = Some(field(parameter, super::VALUE.to_owned())?),
                _ => arguments.push(argument(parameter)?),
            }
        }
        found.push(Found {
            routine: Routine {
                schema: get(row, 0)?,
                name,
                in_default_schema: true,
                is_procedure,
                any_case: true,
                arguments,
            },
            value: value.filter(|_| !is_procedure),
        });
    }
    Ok(found)
}

fn argument(row: &Row) -> Result<Argument> {
    let mode = match get::<Option<String>>(row, 3)?.as_deref() {
        Some("OUT") => Mode::Out,
        Some("INOUT") => Mode::InOut,
        _ => Mode::In,
    };
    let name: Option<String> = get(row, 4)?;
    let (data_type, declared): (String, String) = (get(row, 5)?, get(row, 6)?);
    Ok(Argument {
        field: field(row, name.unwrap_or_default())?,
        mode,
        is_named: true,
        has_default: false,
        types: vec![data_type, declared],
        is_of_any_type: false,
        is_row: false,
    })
}

/// A value as a column.
fn field(row: &Row, name: String) -> Result<Field> {
    let (data_type, declared): (String, String) = (get(row, 5)?, get(row, 6)?);
    let sort = type_named(&data_type, &declared.to_ascii_lowercase());
    let is_short = matches!(data_type.as_str(), "char" | "varchar");
    let max_length = get::<Option<u32>>(row, 7)?.filter(|_| is_short);
    let mut field = Field::of_type(name, sort, max_length, &declared, &VALUES);
    match sort {
        Type::Enum => field.options = words(&declared),
        Type::Set => field.detail.members = words(&declared),
        Type::Decimal => (field.precision, field.scale) = (get(row, 8)?, get(row, 9)?),
        Type::Time | Type::Timestamp => field.precision = get(row, 10)?,
        _ => {}
    }
    Ok(field)
}
