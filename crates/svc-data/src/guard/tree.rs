//! Walks the tree of a query; what is not on a list of what is allowed is refused.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, ObjectName, ObjectNamePart, Query, Select, SelectFlavor, SetExpr,
    TableFactor, Value, ValueWithSpan, Visit as _, Visitor,
};

use super::{
    Attribute, Engine, Refusal, Rule, attributes::Attributes, functions, refusal::shown, relations,
};

/// Examines every node beneath a query, and the query itself. Returns the names that may be calls.
///
/// # Errors
///
/// The first thing that is not allowed.
pub(super) fn examine(query: &Query, engine: Engine) -> Result<Vec<Attribute>, Refusal> {
    let mut examiner = Examiner {
        engine,
        attributes: Attributes::default(),
    };
    match query.visit(&mut examiner) {
        // No other engine reads a name after a dot as a call.
        ControlFlow::Continue(()) if engine != Engine::Postgres => Ok(Vec::new()),
        ControlFlow::Continue(()) => examiner.attributes.finish(),
        ControlFlow::Break(refusal) => Err(*refusal),
    }
}

struct Examiner {
    engine: Engine,
    attributes: Attributes,
}

/// A small one, for deep trees.
type Step = ControlFlow<Box<Refusal>>;

fn refuse<T>(rule: Rule, message: impl Into<String>) -> ControlFlow<Box<Refusal>, T> {
    ControlFlow::Break(Box::new(Refusal::new(rule, message)))
}

fn unknown(construct: &str) -> Step {
    refuse(
        Rule::Syntax,
        format!("{construct} is not allowed in a query"),
    )
}

impl Visitor for Examiner {
    type Break = Box<Refusal>;

    fn pre_visit_query(&mut self, query: &Query) -> Step {
        self.attributes.add_query(query);
        if let Some(lock) = query.locks.first() {
            return refuse(
                Rule::Lock,
                format!("a query may not lock rows: `for {}`", lock.lock_type).to_lowercase(),
            );
        }
        if query.for_clause.is_some()
            || query.settings.is_some()
            || query.format_clause.is_some()
            || !query.pipe_operators.is_empty()
        {
            return unknown("a clause of another database");
        }
        // Set operations are no queries of their own, so their sides are looked at here.
        let mut bodies = vec![query.body.as_ref()];
        while let Some(body) = bodies.pop() {
            match body {
                SetExpr::Select(_) | SetExpr::Query(_) => {}
                SetExpr::SetOperation { left, right, .. } => {
                    bodies.extend([left, right].map(AsRef::as_ref));
                }
                SetExpr::Values(values) => {
                    if values.value_keyword || (values.explicit_row && self.engine != Engine::Mysql)
                    {
                        return unknown("this form of `values`");
                    }
                }
                SetExpr::Insert(_) => return writes("insert"),
                SetExpr::Update(_) => return writes("update"),
                SetExpr::Delete(_) => return writes("delete"),
                SetExpr::Merge(_) => return writes("merge"),
                SetExpr::Table(_) => {
                    return refuse(Rule::Statement, "write `select * from` instead of `table`");
                }
            }
        }
        Step::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> Step {
        if select.into.is_some() {
            return refuse(
                Rule::Into,
                "a query may not write its rows elsewhere: `into`",
            );
        }
        if select
            .select_modifiers
            .as_ref()
            .is_some_and(|modifiers| modifiers.high_priority)
        {
            return refuse(
                Rule::Lock,
                "a query may not go before those that write: `high_priority`",
            );
        }
        if !select.optimizer_hints.is_empty()
            || select.top.is_some()
            || select.exclude.is_some()
            || !select.lateral_views.is_empty()
            || select.prewhere.is_some()
            || !select.connect_by.is_empty()
            || !select.cluster_by.is_empty()
            || !select.distribute_by.is_empty()
            || !select.sort_by.is_empty()
            || select.qualify.is_some()
            || select.value_table_mode.is_some()
            || select.flavor != SelectFlavor::Standard
        {
            return unknown("a clause of another database");
        }
        Step::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> Step {
        self.attributes.add_table(table);
        match table {
            TableFactor::Table {
                name,
                args,
                version,
                json_path,
                ..
            } => {
                if version.is_some() || json_path.is_some() {
                    return unknown("a table at another time or a path within it");
                }
                match args {
                    Some(args) if args.settings.is_some() => unknown("settings of a function"),
                    Some(_) => self.function(name),
                    None => Step::Continue(()),
                }
            }
            TableFactor::Function { name, .. } => self.function(name),
            TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::JsonTable { .. } => Step::Continue(()),
            _ => unknown("this kind of table"),
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> Step {
        let parts = self.folded(relation)?;
        if relations::is_allowed(self.engine, &parts) {
            Step::Continue(())
        } else {
            refuse(
                Rule::Relation,
                format!(
                    "the relation {} belongs to the engine and may not be read by a query",
                    shown(&parts.join("."))
                ),
            )
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Step {
        self.attributes.add_expr(expr);
        match expr {
            Expr::Identifier(name) if name.quote_style.is_none() => {
                if functions::is_unwritten_call(self.engine, &name.value.to_ascii_lowercase()) {
                    refuse_function(&name.value.to_ascii_lowercase())
                } else {
                    Step::Continue(())
                }
            }
            Expr::Function(function) => {
                if function.uses_odbc_syntax
                    || function.parameters != sqlparser::ast::FunctionArguments::None
                {
                    return unknown("this form of a function call");
                }
                self.function(&function.name)
            }
            Expr::BinaryOp { op, .. }
            | Expr::AnyOp { compare_op: op, .. }
            | Expr::AllOp { compare_op: op, .. } => match op {
                BinaryOperator::Assignment => refuse(
                    Rule::Variable,
                    "variables are neither read nor assigned by a query",
                ),
                BinaryOperator::PGCustomBinaryOperator(_) => unknown("`operator(...)`"),
                _ => Step::Continue(()),
            },
            Expr::Prefixed { prefix, .. } => {
                if self.engine == Engine::Mysql && prefix.value.starts_with('_') {
                    Step::Continue(())
                } else {
                    unknown("this prefix of a string")
                }
            }
            Expr::Convert { is_try, styles, .. } if *is_try || !styles.is_empty() => {
                unknown("this form of `convert`")
            }
            Expr::Identifier(_)
            | Expr::CompoundIdentifier(_)
            | Expr::CompoundFieldAccess { .. }
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::IsJson { .. }
            | Expr::IsNormalized { .. }
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::SimilarTo { .. }
            | Expr::RLike { .. }
            | Expr::UnaryOp { .. }
            | Expr::Convert { .. }
            | Expr::Cast { .. }
            | Expr::AtTimeZone { .. }
            | Expr::Extract { .. }
            | Expr::Ceil { .. }
            | Expr::Floor { .. }
            | Expr::Position { .. }
            | Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::Overlay { .. }
            | Expr::Collate { .. }
            | Expr::Nested(_)
            | Expr::Value(_)
            | Expr::TypedString(_)
            | Expr::Case { .. }
            | Expr::Exists { .. }
            | Expr::Subquery(_)
            | Expr::GroupingSets(_)
            | Expr::Cube(_)
            | Expr::Rollup(_)
            | Expr::Tuple(_)
            | Expr::Array(_)
            | Expr::Interval(_)
            | Expr::MatchAgainst { .. }
            | Expr::Wildcard(_)
            | Expr::QualifiedWildcard(..)
            | Expr::MemberOf(_) => Step::Continue(()),
            _ => unknown("this kind of expression"),
        }
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> Step {
        match &value.value {
            // The lexer refuses other placeholders; the parser knows more kinds.
            Value::Placeholder(text)
                if !text.starts_with(['?', '$'])
                    || !text.chars().skip(1).all(|c| c.is_ascii_digit()) =>
            {
                unknown("this placeholder")
            }
            _ => Step::Continue(()),
        }
    }
}

impl Examiner {
    fn function(&self, name: &ObjectName) -> Step {
        let parts = self.folded(name)?;
        let full = parts.join(".");
        let built_in = match parts.as_slice() {
            [name] => functions::is_listed(self.engine, name),
            [schema, name] => {
                self.engine == Engine::Postgres
                    && schema == "pg_catalog"
                    && functions::is_listed(self.engine, name)
            }
            _ => false,
        };
        if built_in {
            Step::Continue(())
        } else {
            refuse_function(&full)
        }
    }

    /// The parts of a name as the engine compares them.
    fn folded(&self, name: &ObjectName) -> ControlFlow<Box<Refusal>, Vec<String>> {
        let mut parts = Vec::with_capacity(name.0.len());
        for part in &name.0 {
            let ObjectNamePart::Identifier(ident) = part else {
                return refuse(
                    Rule::Syntax,
                    "a name that a function makes is not allowed in a query",
                );
            };
            let is_string = match ident.quote_style {
                Some('\'') => true,
                Some('"') => self.engine == Engine::Mysql,
                _ => false,
            };
            if is_string {
                return refuse(Rule::Literal, "there is a string where a name has to be");
            }
            // PostgreSQL keeps the letters of a quoted name.
            parts.push(
                if self.engine == Engine::Postgres && ident.quote_style.is_some() {
                    ident.value.clone()
                } else {
                    ident.value.to_ascii_lowercase()
                },
            );
        }
        ControlFlow::Continue(parts)
    }
}

fn writes(word: &str) -> Step {
    refuse(
        Rule::Write,
        format!("a query may only read; it contains `{word}`"),
    )
}

fn refuse_function(name: &str) -> Step {
    refuse(
        Rule::Function,
        format!(
            "the function {} is not one that a query may call; a view of the database can call it",
            shown(name)
        ),
    )
}
