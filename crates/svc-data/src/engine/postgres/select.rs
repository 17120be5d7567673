//! Plans as SQL for PostgreSQL, and values as it binds them.

use bytes::BytesMut;
use sea_query::{
    BinOper, Expr, ExprTrait, NullOrdering, PostgresQueryBuilder, QueryBuilder, SelectStatement,
    Value,
};
use tokio_postgres::types::{Format, IsNull, ToSql, Type as SqlType};

use super::{
    literal, place,
    types::{self, Type, bound_as, comparable, type_of},
};
use crate::{
    Error, Field, Result,
    engine::statement,
    plan::{Comparison, Containment, Match, Place},
    query::{
        Dialect, SELF, any_of, call, column, compared,
        cursor::{Key, KeyValue},
        direction, like_pattern,
    },
    record::excerpt::Excerpted,
    structure::Kind,
    value::Scalar,
};

/// The row id of a table.
pub(super) const ROW_ID: &str = "ctid";
/// The most digits after the seconds that PostgreSQL keeps.
pub(super) const MAX_FRACTION: u8 = 6;

pub(super) type Statement = statement::Statement<Bound>;

/// A value as the text that PostgreSQL reads as the type of the placeholder; none is NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound(pub(super) Option<String>);

impl statement::Bound for Bound {
    fn of(value: Value) -> Self {
        Self(match value {
            Value::Bool(Some(truth)) => Some(truth.to_string()),
            Value::BigInt(Some(number)) => Some(number.to_string()),
            Value::Int(Some(number)) => Some(number.to_string()),
            Value::BigUnsigned(Some(number)) => Some(number.to_string()),
            Value::Double(Some(number)) => Some(number.to_string()),
            Value::String(Some(text)) => Some(text),
            // Nothing else is put into statements.
            _ => None,
        })
    }

    fn builder() -> impl QueryBuilder {
        PostgresQueryBuilder
    }
}

impl ToSql for Bound {
    fn to_sql(
        &self,
        _: &SqlType,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(match &self.0 {
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
            None => IsNull::Yes,
        })
    }

    fn accepts(_: &SqlType) -> bool {
        true
    }

    fn encode_format(&self, _: &SqlType) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}

/// How PostgreSQL says what engines say in their own ways.
pub(crate) struct PostgresDialect;

impl Dialect for PostgresDialect {
    fn read(&self, table: &str, field: &Field) -> Expr {
        types::read(table, field)
    }

    fn order_value(&self, table: &str, key: &Key, field: Option<&Field>) -> Expr {
        match field {
            Some(field) => types::ordered(table, field),
            None => column(table, &key.column),
        }
    }

    fn read_key(&self, table: &str, key: &Key, field: Option<&Field>) -> Option<Expr> {
        match field.map(type_of) {
            Some(Type::Integer { .. } | Type::Text) => None,
            _ => Some(column(table, &key.column).cast_as("text")),
        }
    }

    fn bind_key(&self, field: Option<&Field>, value: &KeyValue) -> Result<Expr> {
        let (KeyValue::Null | KeyValue::Integer(_) | KeyValue::Text(_)) = value else {
            return Err(Error::invalid_field(
                "_after",
                "must be the cursor of a next link, unchanged and with the same order",
            ));
        };
        let bound = Expr::val(value.to_value());
        Ok(match field {
            Some(field) => types::bound_for_order(field, bound),
            None => bound.cast_as("tid"),
        })
    }

    fn order_by(&self, select: &mut SelectStatement, key: &Key, field: Option<&Field>) {
        let value = self.order_value(SELF, key, field);
        let nulls = match key.descending {
            true => NullOrdering::Last,
            false => NullOrdering::First,
        };
        // Where there is no NULL, the order is that of an index.
        match key.nullable {
            true => select.order_by_expr_with_nulls(value, direction(key), nulls),
            false => select.order_by_expr(value, direction(key)),
        };
    }

    fn null_is_last_in_index(&self, field: &Field, has_one_value: &dyn Fn(usize) -> bool) -> bool {
        let mut indexes = field.detail.null_is_last_behind.iter();
        indexes.any(|before| before.iter().all(|field| has_one_value(*field)))
    }

    fn compare(
        &self,
        table: &str,
        field: &Field,
        comparison: Comparison,
        value: &Scalar,
    ) -> Result<Expr> {
        let here = comparable(table, field);
        Ok(compared(here, comparison, bind(field, value)?))
    }

    fn is_in(&self, table: &str, field: &Field, values: &[Scalar]) -> Result<Expr> {
        if matches!(
            type_of(field),
            Type::Array | Type::UnorderedArray | Type::OrderedByClass | Type::Geometry
        ) {
            let each = values.iter();
            let each = each.map(|value| self.compare(table, field, Comparison::Equal, value));
            return Ok(any_of(each.collect::<Result<_, _>>()?));
        }
        // One placeholder whatever the number of values, so that the statement stays the same.
        let mut list = String::from("{");
        for (position, value) in values.iter().enumerate() {
            if position > 0 {
                list.push(',');
            }
            match text_of(field, value)? {
                Some(text) => literal::push_element(&mut list, &text),
                None => list.push_str("NULL"),
            }
        }
        list.push('}');
        let list = Expr::val(list).cast_as(format!("{}[]", bound_as(field)));
        Ok(comparable(table, field).eq(call("ANY").arg(list)))
    }

    fn matches(&self, table: &str, field: &Field, how: Match, text: &str) -> Result<Expr> {
        let here = types::text(table, field);
        check_text(field, text)?;
        Ok(matched(here, how, text))
    }

    fn has_elements(
        &self,
        table: &str,
        field: &Field,
        containment: Containment,
        values: &[Scalar],
    ) -> Result<Expr> {
        // Not in the form in which arrays compare, so that an index serves.
        let here = types::of_base(field, column(table, &field.name));
        let operator = match containment {
            Containment::All => "@>",
            Containment::Any => "&&",
            Containment::By => "<@",
        };
        let values = bind_elements(field, values)?;
        Ok(here.binary(BinOper::Custom(operator), values))
    }

    fn len(&self, table: &str, field: &Field) -> Result<Expr> {
        let array = column(table, &field.name);
        Ok(Expr::from(call("cardinality").arg(array)).cast_as("int8"))
    }

    fn place(&self, table: &str, field: &Field, place: &Place) -> Result<Expr> {
        place::tested(table, field, place, matched)
    }

    fn is_covered_by(&self, table: &str, field: &Field, wkt: &str) -> Result<Expr> {
        check_text(field, wkt)?;
        let call = |function: &str| call(types::postgis(field, function));
        let here = || column(table, &field.name);
        // WKT does not say in which system its coordinates are: they are in that of the column.
        let shape = call("st_geomfromtext")
            .arg(Expr::val(wkt).cast_as("text"))
            .arg(call("st_srid").arg(types::as_geometry(field, here())));
        Ok(call("st_coveredby")
            .arg(types::as_geometry(field, here()))
            .arg(shape)
            .into())
    }

    fn is_null(&self, table: &str, field: &Field) -> Expr {
        let plain = column(table, &field.name);
        match type_of(field) {
            // A row whose values are all NULL is not NULL itself, as it is shown.
            Type::OrderedByClass | Type::Opaque => {
                Expr::cust_with_exprs("($1 IS NOT DISTINCT FROM NULL)", [plain])
            }
            _ => plain.is_null(),
        }
    }

    fn text(&self, table: &str, field: &Field) -> Expr {
        types::text(table, field)
    }

    fn excerpt(&self, table: &str, field: &Field, most: u32) -> Excerpted {
        types::excerpt(table, field, most)
    }

    fn size(&self, table: &str, field: &Field) -> Option<Expr> {
        let value = match type_of(field) {
            Type::Bytes => column(table, &field.name),
            _ if matches!(field.kind, Kind::Text | Kind::Json | Kind::Any) => {
                types::text(table, field)
            }
            _ => return None,
        };
        Some(call("octet_length").arg(value).into())
    }

    fn joins(&self, here: (&str, &Field), there: (&str, &Field)) -> Expr {
        let plain = |(table, field): (&str, &Field)| column(table, &field.name);
        let number = |kind| matches!(kind, Kind::Integer | Kind::Float | Kind::Decimal);
        let (one, other) = (here.1.kind, there.1.kind);
        match one == other || (number(one) && number(other)) {
            true => plain(there).eq(plain(here)),
            // Types that cannot be compared are joined by what they look like.
            false => types::text(there.0, there.1).eq(types::text(here.0, here.1)),
        }
    }
}

/// Whether a text matches.
fn matched(here: Expr, how: Match, text: &str) -> Expr {
    let (operator, pattern) = match like_pattern(how, text) {
        None => ("~", text.to_owned()),
        Some((pattern, true)) => ("ILIKE", pattern),
        Some((pattern, false)) => ("LIKE", pattern),
    };
    here.binary(
        BinOper::Custom(operator),
        Expr::val(pattern).cast_as("text"),
    )
}

/// A value of a client, bound so that it compares with a field.
pub(super) fn bind(field: &Field, value: &Scalar) -> Result<Expr> {
    let text = text_of(field, value)?;
    Ok(types::bound_for_comparison(field, Expr::val(text)))
}

/// Values of a client, bound as an array that compares with a field.
pub(super) fn bind_elements(field: &Field, values: &[Scalar]) -> Result<Expr> {
    let element = field.detail.element.as_deref();
    let element = element.ok_or_else(|| Error::internal("a column is no array"))?;
    let mut list = String::from("{");
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            list.push(literal::delimiter(element));
        }
        let text = literal::text(type_of(element), value).unwrap_or_default();
        check_text(field, &text)?;
        literal::push_element(&mut list, &text);
    }
    list.push('}');
    Ok(Expr::val(list).cast_as(bound_as(field).to_owned()))
}

/// The text of a value of a client as the type that the field is [bound as](bound_as).
fn text_of(field: &Field, value: &Scalar) -> Result<Option<String>> {
    if let Scalar::Text(text) = value {
        check_text(field, text)?;
        if type_of(field) == Type::Enum && !field.options.contains(text) {
            return Err(Error::invalid_field(
                &field.name,
                format!("must be one of {}", field.options.join(", ")),
            ));
        }
    }
    if let (Some(element), Scalar::Json(json)) = (&field.detail.element, value) {
        let array = literal::array(element, json, |_, _| Ok(()));
        return array
            .map(Some)
            .map_err(|message| Error::invalid_field(&field.name, message));
    }
    Ok(literal::text(type_of(field), value))
}

/// PostgreSQL has no text with a NUL in it.
fn check_text(field: &Field, text: &str) -> Result<()> {
    match text.contains('\0') {
        true => Err(Error::invalid_field(
            &field.name,
            "must not contain a NUL character",
        )),
        false => Ok(()),
    }
}
