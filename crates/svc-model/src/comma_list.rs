//! Comma-separated lists of texts.

/// Writes a comma-separated list; a value with a comma, a bar, a quote, outer space or a bracket in front, which could
/// be read as JSON, is quoted, quotes are doubled.
pub(crate) fn write_list(values: impl Iterator<Item = String>) -> String {
    let mut list = String::new();
    for (index, value) in values.enumerate() {
        if index > 0 {
            list.push(',');
        }
        let is_plain =
            !value.is_empty() && !value.contains([',', '"', '|']) && value.trim() == value;
        if !is_plain || value.starts_with('[') {
            list.push('"');
            list.push_str(&value.replace('"', "\"\""));
            list.push('"');
        } else {
            list.push_str(&value);
        }
    }
    list
}

/// The names of a comma list of fields; `None` where one of them is empty, or the list is malformed.
pub(crate) fn read_fields(list: &str) -> Option<Vec<String>> {
    let fields = read_list(list).ok()?;
    fields
        .iter()
        .all(|field| !field.is_empty())
        .then_some(fields)
}

/// Reads a comma-separated list. Outer space around a value that is not quoted is ignored.
pub(crate) fn read_list(list: &str) -> Result<Vec<String>, &'static str> {
    let mut values = Vec::new();
    let mut rest = list.trim_start();
    loop {
        let value;
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut text = String::new();
            let mut tail = quoted;
            loop {
                let Some((part, after)) = tail.split_once('"') else {
                    return Err("a double quote is not closed");
                };
                text.push_str(part);
                match after.strip_prefix('"') {
                    Some(after) => {
                        text.push('"');
                        tail = after;
                    }
                    None => {
                        tail = after;
                        break;
                    }
                }
            }
            rest = tail.trim_start();
            if !rest.is_empty() && !rest.starts_with(',') {
                return Err("a comma must follow a quoted value");
            }
            value = text;
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            value = rest[..end].trim_end().to_owned();
            rest = &rest[end..];
        }
        values.push(value);
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None => return Ok(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_written_comma_list_is_read_back(values in prop::collection::vec("[a-zé,|\"\\[ ]{0,6}", 1..5)) {
            let list = write_list(values.iter().cloned());
            prop_assert_eq!(read_list(&list).unwrap(), values);
        }
    }
}
