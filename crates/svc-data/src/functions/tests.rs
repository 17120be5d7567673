//! Which function is meant.

use super::*;
use crate::{ErrorKind, structure::Kind};

fn routine(schema: &str, name: &str, types: &[&str]) -> Routine {
    let argument = |(index, name): (usize, &&str)| Argument {
        field: Field::new(
            format!("a{index}"),
            svc_model::resources::FieldType::IntegerField,
            Kind::Integer,
            name,
        ),
        mode: Mode::In,
        is_named: true,
        has_default: false,
        types: vec![(*name).to_owned(), format!("pg_catalog.{name}")],
        is_of_any_type: false,
        is_row: false,
    };
    Routine {
        schema: schema.to_owned(),
        name: name.to_owned(),
        in_default_schema: schema == "public",
        is_procedure: false,
        any_case: false,
        arguments: types.iter().enumerate().map(argument).collect(),
    }
}

fn chosen(name: &str, listed: &[&str]) -> Result<String, (ErrorKind, String)> {
    let routines = [
        routine("public", "f", &["integer", "text"]),
        routine("public", "f", &["integer"]),
        routine("public", "g", &[]),
        routine("other", "g", &["integer"]),
        routine("public", "we\"ird.(x)", &[]),
    ];
    let listed: Vec<String> = listed.iter().map(|&it| it.to_owned()).collect();
    let call = FunctionCall::new(name, &listed, &JsonObject::new());
    let chosen = call.and_then(|call| {
        let names = call.names();
        let known = routines
            .iter()
            .filter(|it| names.contains(&it.name.as_str()));
        let known: Vec<Routine> = known.cloned().collect();
        Ok(call.choose(&known)?.to_string())
    });
    chosen.map_err(|error| (error.kind(), error.to_string()))
}

#[test]
fn a_function_is_called_as_it_is_listed_with_and_without_types() {
    for (name, listed, expected) in [
        ("g", "g", "g()"),
        ("g()", "g", "g()"),
        ("g", "g()", "g()"),
        ("public.g", "public.g", "g()"),
        ("other.g", "other.g", "other.g(integer)"),
        ("other.g(integer)", "other.g", "other.g(integer)"),
        ("f", "f(integer,text)", "f(integer,text)"),
        (
            "f(integer, text)",
            "f(INTEGER,pg_catalog.text)",
            "f(integer,text)",
        ),
        ("we\"ird.(x)", "we\"ird.(x)", "we\"ird.(x)()"),
    ] {
        assert_eq!(
            chosen(name, &[listed]).as_deref(),
            Ok(expected),
            "{name} {listed}"
        );
    }
    assert_eq!(
        chosen("f(integer)", &["f(integer)", "f(integer,text)"]).as_deref(),
        Ok("f(integer)")
    );
}

#[test]
fn what_is_not_listed_is_missing_whether_it_exists_or_not() {
    let missing = chosen("none", &["g"]).unwrap_err();
    assert_eq!(missing.0, ErrorKind::NotFound);
    for (name, listed) in [
        ("f", &["g"][..]),
        ("f", &[]),
        ("f(integer)", &["f(integer,text)"]),
        ("f(text)", &["f(integer)"]),
        ("g", &["public.g"]),
        ("G", &["g"]),
        ("gone", &["gone"]),
        ("g; DROP TABLE t", &["g"]),
    ] {
        assert_eq!(chosen(name, listed), Err(missing.clone()), "{name}");
    }
}

#[test]
fn of_several_functions_one_has_to_be_named_by_its_types() {
    let (kind, message) = chosen("f", &["f"]).unwrap_err();
    assert_eq!(kind, ErrorKind::Invalid);
    assert!(message.contains("f(integer,text)"), "{message}");
    assert_eq!(
        chosen("f(integer)", &["f"]).unwrap_err().0,
        ErrorKind::Invalid
    );
    let (_, message) = chosen("f", &["f(integer)", "f(integer,text)"]).unwrap_err();
    assert!(message.contains("call one with the types"), "{message}");
}
