//! Functions and procedures of MySQL and MariaDB that clients call.

mod catalogue;

use bytes::Bytes;
use mysql_async::prelude::Queryable as _;
use sea_query::{Expr, MysqlQueryBuilder, Query};

use self::catalogue::Found;
use super::{
    Mysql,
    connect::{Lease, Manager},
    fault, read,
    select::{Statement, quoted},
    sql,
    types::{self, Type, type_of},
    write,
};
use crate::{
    Field, Model, Result, Structure,
    engine::{
        server::{ServerEngine as _, functions::explain, transaction::finish},
        statement::Bound as _,
    },
    functions::{AnswerWriter, FunctionCall, Returns, refused},
    query::SELF,
    sql::column_names,
    value::Scalar,
};

/// What the value of a function is called in its statement.
const VALUE: &str = "value";

/// Calls a function or procedure, in a transaction of its own.
pub(super) async fn call(
    lease: &mut Lease,
    structure: &Structure,
    call: &FunctionCall,
) -> Result<Bytes> {
    let found = catalogue::find(lease.client_mut()?, &call.names()).await?;
    let found = call.choose(&found)?;
    let values = call.values(&found.routine)?;
    let statement = statement(found, &values)?;
    Mysql::run(lease, Mysql::BEGIN).await?;
    let answer = match &found.value {
        Some(value) => call_function(lease, &statement, value).await,
        None => call_procedure(lease, &statement, &found.outputs()).await,
    };
    let of_none = Model::of_columns("", Vec::new());
    let answer = finish::<Mysql, _>(lease, &of_none, answer, true).await;
    // Settings, locks and temporary tables of the session are not for others.
    lease.close();
    answer.map_err(|error| fault::about_the_query(explain::<Manager>(structure, error)))
}

/// The call as a statement, with the values that it binds.
fn statement(found: &Found, values: &[Option<Scalar>]) -> Result<Statement> {
    let routine = &found.routine;
    let mut list = Query::select();
    for (argument, value) in routine.arguments.iter().zip(values) {
        let field = &argument.field;
        let refused = |message: String| refused(field, message);
        list.expr(match value {
            Some(value) => write::stored(field, value).map_err(refused)?,
            // What the procedure gives itself.
            None => Expr::val(sea_query::Value::String(None)),
        });
    }
    let (arguments, sea_query::Values(values)) = list.build(MysqlQueryBuilder);
    let arguments = arguments.strip_prefix("SELECT").unwrap_or_default();
    let call = format!(
        "{}.{}({})",
        quoted(&routine.schema),
        quoted(&routine.name),
        arguments.trim_start()
    );
    let sql = match &found.value {
        None => format!("CALL {call}"),
        Some(value) => match type_of(value) {
            Type::Bit | Type::Geometry => {
                let mut select = Query::select();
                let read = select.expr(types::read(SELF, value));
                let read = read.to_string(MysqlQueryBuilder);
                let (name, table) = (quoted(VALUE), quoted(SELF));
                format!("{read} FROM (SELECT {call} AS {name}) AS {table}")
            }
            _ => format!("SELECT {call} AS {}", quoted(VALUE)),
        },
    };
    Ok(Statement {
        sql,
        values: values.into_iter().map(mysql_async::Value::of).collect(),
    })
}

async fn call_function(lease: &mut Lease, statement: &Statement, value: &Field) -> Result<Bytes> {
    let fields = std::slice::from_ref(value);
    let mut writer = AnswerWriter::new(Returns::Value, fields);
    if let Some(row) = read::one(lease, statement).await? {
        writer.row(&row)?;
    }
    Ok(writer.finish())
}

/// Calls a procedure: the rows of its first query, else the values that it gives.
async fn call_procedure(
    lease: &mut Lease,
    statement: &Statement,
    outputs: &[Field],
) -> Result<Bytes> {
    let conn = lease.client_mut()?;
    let sets = conn.exec_iter(statement.sql.as_str(), statement.params());
    let mut sets = sets.await.map_err(fault::translate)?;
    let mut answer = None;
    let mut count = 0_usize;
    while !sets.is_empty() {
        let columns = sets.columns();
        let columns = columns.as_deref().filter(|columns| !columns.is_empty());
        let Some(columns) = columns else {
            // What a statement that gives no rows has to say.
            sets.next().await.map_err(fault::translate)?;
            continue;
        };
        count += 1;
        if count > 1 {
            while sets.next().await.map_err(fault::translate)?.is_some() {}
            continue;
        }
        let names = columns.iter().map(|column| column.name_str());
        let names: Vec<_> = names.collect();
        let names = column_names(names.iter().map(AsRef::as_ref));
        let fields = names.into_iter().zip(columns);
        let fields: Vec<Field> = fields
            .map(|(name, column)| sql::field(name, column))
            .collect();
        // Where no query comes before, these are the values that it gives.
        let mut rows = AnswerWriter::new(Returns::Rows, &fields);
        let mut object = AnswerWriter::new(Returns::Object, outputs);
        let mut refused = None;
        while let Some(row) = sets.next().await.map_err(fault::translate)? {
            let is_output = outputs.len() == row.len() && rows.len() == 0;
            let written = rows.row(&row);
            let written = written.and_then(|()| match is_output {
                true => object.row(&row),
                false => Ok(()),
            });
            if let Err(error) = written {
                refused = Some(error);
                break;
            }
        }
        if let Some(error) = refused {
            drop(sets);
            // Much may be left that would have to be read.
            lease.close();
            return Err(error);
        }
        answer = Some((rows.finish(), object.finish()));
    }
    // The values that a procedure gives come behind the rows of its queries.
    Ok(match answer {
        Some((_, object)) if count == 1 && !outputs.is_empty() => object,
        Some((rows, _)) => rows,
        None => AnswerWriter::new(Returns::Nothing, &[]).finish(),
    })
}
