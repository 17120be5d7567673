//! Functions and procedures of PostgreSQL that clients call.

mod catalogue;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use sea_query::{Expr, PostgresQueryBuilder, Query};
use svc_model::sql::MAX_ROWS;
use tokio_postgres::{
    Column, Row, Transaction,
    types::{Format, IsNull, Kind as SqlKind, ToSql, Type as SqlType},
};

use self::catalogue::{Found, Gives};
use super::{
    connect::{Lease, Manager},
    fault,
    probe::{self, Probe},
    select::{Bound, PostgresDialect, Statement},
    sql,
    types::{self, Type},
    value, write,
};
use crate::{
    Field, Model, Result, Structure,
    engine::server::functions::explain,
    functions::{AnswerWriter, Argument, FunctionCall, Mode, Returns, refused},
    query::{Dialect as _, SELF, quoted},
    sql::{QUERY, column_names},
    structure::Storage,
    value::Scalar,
};

/// Calls a function or procedure, in a transaction of its own.
pub(super) async fn call(
    lease: &mut Lease,
    structure: &Structure,
    call: &FunctionCall,
) -> Result<Bytes> {
    let found = catalogue::find(lease.client()?, &call.names()).await?;
    let found = call.choose(&found)?;
    let values = call.values(&found.routine)?;
    let (arguments, probes) = Arguments::new(found, &values)?;
    let answer = match run(lease, found, &arguments).await {
        Err(error) => {
            let error = probe::blame(lease, probes, None, error).await;
            Err(fault::about_the_call(explain::<Manager>(structure, error)))
        }
        answer => answer,
    };
    // Settings, locks and temporary tables of the session are not for others.
    lease.close();
    answer
}

async fn run(lease: &mut Lease, found: &Found, arguments: &Arguments) -> Result<Bytes> {
    let client: &mut tokio_postgres::Client = lease.client_mut()?;
    let transaction = client.build_transaction().start().await;
    let transaction = transaction.map_err(fault::translate)?;
    let called = Called {
        found,
        arguments,
        transaction: &transaction,
    };
    match called.answer().await {
        Ok(answer) => {
            transaction.commit().await.map_err(fault::translate)?;
            Ok(answer)
        }
        Err(error) => {
            // What fails here closes the connection, which ends the transaction too.
            transaction.rollback().await.ok();
            Err(error)
        }
    }
}

/// The arguments of a call as SQL, and the values that they bind.
struct Arguments {
    sql: String,
    values: Vec<Bound>,
}

impl Arguments {
    fn new(found: &Found, values: &[Option<Scalar>]) -> Result<(Self, Vec<Probe>)> {
        let routine = &found.routine;
        let (mut parts, mut bound, mut probes) = (Vec::new(), Vec::new(), Vec::new());
        // Behind an argument that is left out, others are given by their names.
        let mut left_out: Option<&Argument> = None;
        for (argument, value) in routine.arguments.iter().zip(values) {
            let field = &argument.field;
            let value = match (argument.mode, value) {
                // With its type, since these arguments decide between procedures of one name too.
                (Mode::Out, _) if routine.is_procedure => format!("NULL::{}", field.db_type),
                (Mode::Out, _) => continue,
                (_, None) => {
                    left_out = Some(argument);
                    continue;
                }
                (_, Some(value)) => {
                    let refused = |message: String| refused(field, message);
                    let text = write::stored(field, value).map_err(refused)?;
                    bound.push(Bound(text.clone()));
                    let number = bound.len();
                    let is_object = matches!(value, Scalar::Json(_));
                    match argument.is_row && is_object {
                        true => format!(
                            "pg_catalog.jsonb_populate_record(NULL::{}, ${number}::jsonb)",
                            field.db_type
                        ),
                        false => {
                            let probe = text.map(|text| Probe::of_stored(field, Expr::val(text)));
                            probes.extend(probe.flatten());
                            format!("${number}::{}", field.db_type)
                        }
                    }
                }
            };
            let name = match left_out {
                None => String::new(),
                Some(_) if argument.is_named => format!("{} => ", quoted(&field.name)),
                Some(left_out) => {
                    return Err(refused(
                        &left_out.field,
                        "is required where an argument without a name behind it is given",
                    ));
                }
            };
            let variadic = match argument.mode {
                Mode::Variadic => "VARIADIC ",
                _ => "",
            };
            parts.push(format!("{variadic}{name}{value}"));
        }
        let sql = format!(
            "{}.{}({})",
            quoted(&routine.schema),
            quoted(&routine.name),
            parts.join(", ")
        );
        Ok((Self { sql, values: bound }, probes))
    }
}

/// A call inside its transaction.
struct Called<'a> {
    found: &'a Found,
    arguments: &'a Arguments,
    transaction: &'a Transaction<'a>,
}

impl Called<'_> {
    async fn answer(&self) -> Result<Bytes> {
        let call = &self.arguments.sql;
        let is_set = self.found.is_set;
        let rows = match is_set {
            true => Returns::Rows,
            false => Returns::Object,
        };
        match self.found.gives {
            Gives::Procedure => self.call_procedure().await,
            Gives::Nothing => self.rows(format!("SELECT {call}"), Returns::Nothing).await,
            // Its columns have no names and types but in its rows.
            Gives::UnknownRow => {
                let returns = match is_set {
                    true => Returns::Values,
                    false => Returns::Value,
                };
                let select = format!("SELECT pg_catalog.to_jsonb({call}) AS value");
                self.rows(select, returns).await
            }
            Gives::Row => self.rows(format!("SELECT * FROM {call}"), rows).await,
            Gives::Value if is_set => self.rows(format!("SELECT * FROM {call}"), rows).await,
            Gives::Value => {
                let select = format!("SELECT {call} AS value");
                self.rows(select, Returns::Value).await
            }
        }
    }

    /// The rows of a statement, in the form in which they are read.
    async fn rows(&self, sql: String, returns: Returns) -> Result<Bytes> {
        let prepared = self
            .transaction
            .prepare(&sql)
            .await
            .map_err(fault::translate)?;
        let fields = fields_of(prepared.columns());
        let columns = prepared.columns().iter();
        let statement = match columns
            .clone()
            .all(|column| is_written_as_sent(column.type_()))
        {
            _ if returns == Returns::Nothing => prepared,
            true => prepared,
            false => {
                let names: Vec<String> = fields.iter().map(|field| quoted(&field.name)).collect();
                let (name, names) = (quoted(QUERY), names.join(","));
                let sql = format!("WITH {name}({names}) AS ({sql}) {}", read(&fields, None));
                self.transaction
                    .prepare(&sql)
                    .await
                    .map_err(fault::translate)?
            }
        };
        let portal = self
            .transaction
            .bind_raw(&statement, &self.arguments.values)
            .await;
        let portal = portal.map_err(fault::translate)?;
        let most = i32::try_from(MAX_ROWS)
            .unwrap_or(i32::MAX)
            .saturating_add(1);
        let rows = self.transaction.query_portal_raw(&portal, most).await;
        let mut rows = std::pin::pin!(rows.map_err(fault::translate)?);
        let mut writer = AnswerWriter::new(returns, &fields);
        while let Some(row) = rows.next().await {
            writer.row(&row.map_err(fault::translate)?)?;
        }
        Ok(writer.finish())
    }

    /// Calls a procedure, whose values come back as one row.
    async fn call_procedure(&self) -> Result<Bytes> {
        let sql = format!("CALL {}", self.arguments.sql);
        let prepared = self
            .transaction
            .prepare(&sql)
            .await
            .map_err(fault::translate)?;
        let values = self.arguments.values.iter();
        let values: Vec<&(dyn ToSql + Sync)> = values.map(|value| value as _).collect();
        let rows = self.transaction.query(&prepared, &values).await;
        let rows = rows.map_err(fault::translate)?;
        let Some(row) = rows.first() else {
            return Ok(AnswerWriter::new(Returns::Nothing, &[]).finish());
        };
        let fields = fields_of(row.columns());
        let mut writer = AnswerWriter::new(Returns::Object, &fields);
        let mut columns = row.columns().iter();
        match columns.all(|column| is_written_as_sent(column.type_())) {
            true => writer.row(row)?,
            false => writer.row(&self.read_again(row, &fields).await?)?,
        }
        Ok(writer.finish())
    }

    /// The values of a row of a procedure, in the form in which they are read: its statement cannot be part of another.
    async fn read_again(&self, row: &Row, fields: &[Field]) -> Result<Row> {
        let mut sent = Vec::with_capacity(fields.len());
        for position in 0..fields.len() {
            sent.push(Sent(value::sent(row, position)?));
        }
        let values = fields.iter().enumerate().map(|(position, field)| {
            let number = position + 1;
            format!("${number}::{} AS {}", field.db_type, quoted(&field.name))
        });
        let values = values.collect::<Vec<_>>().join(", ");
        let sql = read(fields, Some(&values));
        let types: Vec<SqlType> = row.columns().iter().map(|it| it.type_().clone()).collect();
        let prepared = self.transaction.prepare_typed(&sql, &types).await;
        let prepared = prepared.map_err(fault::translate)?;
        let values: Vec<&(dyn ToSql + Sync)> = sent.iter().map(|value| value as _).collect();
        let read = self.transaction.query_one(&prepared, &values).await;
        read.map_err(fault::translate)
    }
}

/// A statement that reads columns: those of the query in front of it, or of these values.
fn read(fields: &[Field], values: Option<&str>) -> String {
    let mut select = Query::select();
    for field in fields {
        select.expr(types::read(SELF, field));
    }
    let columns = match values {
        None => {
            let model = Model::of_columns(QUERY, fields.to_vec());
            PostgresDialect.from(&mut select, &model, SELF);
            return Statement::select(&select).sql;
        }
        Some(_) => select.to_string(PostgresQueryBuilder),
    };
    let values = values.unwrap_or_default();
    format!("{columns} FROM (SELECT {values}) AS {}", quoted(SELF))
}

/// The columns of a result as fields.
fn fields_of(columns: &[Column]) -> Vec<Field> {
    let names = column_names(columns.iter().map(Column::name));
    let fields = names.into_iter().zip(columns);
    let fields = fields.map(|(name, column)| {
        let sort = column.type_();
        let mut field = sql::field(name, sort, column.type_modifier());
        if types::type_of(&field) == Type::Opaque {
            // Whether it has an order was not asked; as one that has, an address is shown as it is in records.
            field.storage = Storage::Typed(Type::Ordered);
        }
        if let SqlKind::Array(element) = sort.kind() {
            // Elements are shown as they are in a column of this type.
            let element = sql::field("element".to_owned(), element, -1);
            field.detail.element = Some(element.into());
        }
        field
    });
    fields.collect()
}

/// Whether values of a type can be written as they are sent.
fn is_written_as_sent(sort: &SqlType) -> bool {
    match sort.kind() {
        SqlKind::Array(element) => value::is_known(element),
        _ => value::is_known(sort),
    }
}

/// A value as the server has sent it.
#[derive(Debug)]
struct Sent(Option<Vec<u8>>);

impl ToSql for Sent {
    fn to_sql(
        &self,
        _: &SqlType,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(match &self.0 {
            Some(bytes) => {
                out.extend_from_slice(bytes);
                IsNull::No
            }
            None => IsNull::Yes,
        })
    }

    fn accepts(_: &SqlType) -> bool {
        true
    }

    fn encode_format(&self, _: &SqlType) -> Format {
        Format::Binary
    }

    tokio_postgres::types::to_sql_checked!();
}
