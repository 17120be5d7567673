//! The rows of a file, one after the other.

use std::{fs::File, io::Read, sync::Arc};

use svc_model::{Invalid, imports::Mapping, resources::ModelDescription};

use super::{
    csv_rows::CsvReader,
    ndjson_rows::NdjsonReader,
    row::{Columns, Form, Row, Unreadable},
};

/// Reads the rows of a file.
pub(super) struct Reader<R: Read = File> {
    rows: Rows<R>,
    number: u64,
}

enum Rows<R: Read> {
    Csv(Box<CsvReader<R>>),
    Ndjson(NdjsonReader<R>),
}

impl<R: Read> Reader<R> {
    /// Reads a file, of which no row may be longer than this.
    ///
    /// # Errors
    /// [`Invalid`] where the columns of the file and the mapping do not fit the model.
    pub(super) fn new(
        file: R,
        form: Form,
        columns: &Columns,
        model: &ModelDescription,
        longest: usize,
    ) -> Result<Self, Invalid> {
        check_fields(&columns.mapping, model)?;
        let rows = match form {
            Form::Csv { delimiter } => {
                let csv = CsvReader::new(file, delimiter, columns, model, longest)?;
                Rows::Csv(Box::new(csv))
            }
            Form::Ndjson => Rows::Ndjson(NdjsonReader::new(file, &columns.mapping, longest)),
        };
        Ok(Self { rows, number: 0 })
    }

    /// Leaves rows out.
    ///
    /// # Errors
    /// As those of a row.
    pub(super) fn skip_rows(&mut self, rows: u64) -> Result<(), Unreadable> {
        while self.number < rows {
            let is_there = match &mut self.rows {
                Rows::Csv(csv) => csv.skip()?,
                Rows::Ndjson(ndjson) => ndjson.skip()?,
            };
            if !is_there {
                break;
            }
            self.number += 1;
        }
        Ok(())
    }

    /// The columns of CSV.
    pub(super) fn columns(&self) -> Arc<[String]> {
        match &self.rows {
            Rows::Csv(csv) => csv.columns(),
            Rows::Ndjson(_) => Arc::default(),
        }
    }

    /// How many bytes of the file were read.
    pub(super) fn bytes(&self) -> u64 {
        match &self.rows {
            Rows::Csv(csv) => csv.bytes(),
            Rows::Ndjson(ndjson) => ndjson.bytes(),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Row, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = match &mut self.rows {
            Rows::Csv(csv) => csv.next()?,
            Rows::Ndjson(ndjson) => ndjson.next()?,
        };
        self.number += 1;
        let number = self.number;
        Some(row.map(|(raw, record)| Row {
            number,
            raw,
            record,
        }))
    }
}

/// Refuses a mapping to what is no field.
fn check_fields(mapping: &Mapping, model: &ModelDescription) -> Result<(), Invalid> {
    let mut invalid = Invalid::new();
    for (column, field) in mapping.iter() {
        let Some(field) = field else { continue };
        if !model.fields.iter().any(|known| known.name == field) {
            let message = format!("{column:?}: {} has no field {field:?}", model.model);
            invalid.push_field("_mapping", message);
        }
    }
    invalid.into_result()
}

#[cfg(test)]
mod tests {
    use svc_model::{
        imports::ImportQuery,
        resources::{FieldDescription, FieldType},
    };

    use super::*;

    fn model() -> ModelDescription {
        let mut model = ModelDescription::new("t", "t");
        let field = |name: &str, sort| FieldDescription::new(name, sort, "");
        model.fields = vec![
            field("id", FieldType::IntegerField),
            field("name", FieldType::TextField),
            field("doc", FieldType::JsonField),
        ];
        model
    }

    const CSV: Form = Form::Csv { delimiter: b',' };
    const NDJSON: Form = Form::Ndjson;

    fn reader<'t>(text: &'t [u8], form: Form, query: &str) -> Result<Reader<&'t [u8]>, Invalid> {
        let query = ImportQuery::parse(query).unwrap();
        let form = match (form, query.delimiter) {
            (Form::Csv { .. }, Some(delimiter)) => Form::Csv { delimiter },
            (form, _) => form,
        };
        let columns = Columns {
            mapping: query.mapping,
            empty_cells: query.empty_cells,
        };
        Reader::new(text, form, &columns, &model(), 200)
    }

    /// Each row as the record that it describes, or as itself with the message, or why reading ended.
    fn read(text: &[u8], form: Form, query: &str) -> Vec<String> {
        let mut reader = reader(text, form, query).unwrap();
        let mut rows = Vec::new();
        while let Some(row) = reader.next() {
            rows.push(match row {
                Err(error) => format!("ends: {error}"),
                Ok(row) => match row.record {
                    Ok(record) => serde_json::to_string(&record).unwrap(),
                    Err(why) => format!("{}: {why}", row.raw.to_json(&reader.columns())),
                },
            });
        }
        if !rows.last().is_some_and(|row| row.starts_with("ends")) {
            assert_eq!(reader.bytes(), text.len() as u64);
        }
        rows
    }

    #[test]
    fn cells_become_the_fields_of_their_columns() {
        let text = "\u{feff}id,name,doc\n1,\"a \"\"b\"\"\nc\",\"{\"\"x\"\": [1]}\"\n\n2,d,\n";
        assert_eq!(
            read(text.as_bytes(), CSV, ""),
            [
                r#"{"id":"1","name":"a \"b\"\nc","doc":{"x": [1]}}"#,
                r#"{"id":"2","name":"d"}"#
            ]
        );
        let text = b"No;Who;Rest\r\n1;a,b;z\r\n";
        let query = "_delimiter=%3B&_mapping={\"No\":\"id\",\"Who\":\"name\",\"Rest\":null}";
        assert_eq!(read(text, CSV, query), [r#"{"id":"1","name":"a,b"}"#]);
        assert!(read(b"", CSV, "").is_empty());
        assert!(read(b"id,name\n", CSV, "").is_empty());
    }

    #[test]
    fn an_empty_cell_becomes_what_its_column_says() {
        let mut model = model();
        for field in &mut model.fields {
            field.null = field.name != "id";
            field.editable = true;
        }
        let read = |query: &str| {
            let query = ImportQuery::parse(query).unwrap();
            let columns = Columns {
                mapping: query.mapping,
                empty_cells: query.empty_cells,
            };
            let mut reader = Reader::new(&b"id,Name,doc\n,,\n"[..], CSV, &columns, &model, 200)?;
            let record = reader.next().unwrap().unwrap().record.unwrap();
            Ok::<_, Invalid>(serde_json::to_string(&record).unwrap())
        };
        let mapping = "_mapping={\"Name\":\"name\"}";
        for (empty, record) in [
            ("{}", r#"{"name":null,"doc":null}"#),
            (r#"{"Name":"text"}"#, r#"{"name":"","doc":null}"#),
            (r#"{"Name":"default","doc":"default"}"#, "{}"),
            (
                r#"{"id":"null","Name":"null"}"#,
                r#"{"id":null,"name":null,"doc":null}"#,
            ),
        ] {
            let query = format!("{mapping}&_empty={empty}");
            assert_eq!(read(&query).unwrap(), record, "{empty}");
        }
        for (query, message) in [
            (
                r#"{"Nmae":"text"}"#,
                "_empty: the file has no column \"Nmae\"",
            ),
            // The columns are those of the file, not the fields.
            (
                r#"{"name":"text"}"#,
                "_empty: the file has no column \"name\"",
            ),
            (r#"{"doc":"text"}"#, "_empty: \"doc\": the field doc"),
        ] {
            let refused = read(&format!("{mapping}&_empty={query}")).unwrap_err();
            let (field, messages) = &refused.field_errors()[0];
            let told = format!("{field}: {}", messages[0]);
            assert!(told.starts_with(message), "{told}");
        }
        let left_out = read("_mapping={\"Name\":null}&_empty={\"Name\":\"null\"}");
        assert!(left_out.unwrap_err().to_string().contains("is left out"));
    }

    #[test]
    fn an_empty_cell_in_quotes_is_the_empty_text_where_there_is_one() {
        let mut model = model();
        for field in &mut model.fields {
            field.null = true;
            field.editable = true;
        }
        let text = b"\xef\xbb\xbf\"id\",name,doc\n1,\"\",\n\n2,,\n\"\",\"\",\"\"\n3,\"\",\"1\"\n";
        let read = |query: &str| {
            let query = ImportQuery::parse(query).unwrap();
            let columns = Columns {
                mapping: query.mapping,
                empty_cells: query.empty_cells,
            };
            let reader = Reader::new(&text[..], CSV, &columns, &model, 200).unwrap();
            let records = reader.map(|row| row.unwrap().record.unwrap());
            let records = records.map(|record| serde_json::to_string(&record).unwrap());
            records.collect::<Vec<_>>()
        };
        assert_eq!(
            read(""),
            [
                r#"{"id":"1","name":"","doc":null}"#,
                r#"{"id":"2","name":null,"doc":null}"#,
                r#"{"id":null,"name":"","doc":null}"#,
                r#"{"id":"3","name":"","doc":1}"#,
            ]
        );
        // What was chosen is for every empty cell.
        let chosen = read("_empty={\"name\":\"null\"}");
        assert_eq!(chosen[0], r#"{"id":"1","name":null,"doc":null}"#);
    }

    #[test]
    fn lines_become_the_fields_of_their_properties() {
        let text = b"{\"id\":1,\"name\":\"a\"}\r\n\n  {\"id\":9007199254740993}";
        assert_eq!(
            read(text, NDJSON, ""),
            [r#"{"id":1,"name":"a"}"#, r#"{"id":9007199254740993}"#]
        );
        let query = "_mapping={\"No\":\"id\",\"x\":null}";
        let text = b"{\"No\":1,\"x\":2,\"name\":\"a\"}\n";
        assert_eq!(read(text, NDJSON, query), [r#"{"id":1,"name":"a"}"#]);
    }

    #[test]
    fn a_row_that_is_no_record_does_not_keep_the_others() {
        let rows = read(
            b"id,name\n1\n2,b,c\n3,\xff\n4,d\n5,e\n",
            CSV,
            "_mapping={\"name\":\"doc\"}",
        );
        assert!(
            rows[0].starts_with(r#"["1"]: the row has 1 value, "#),
            "{rows:?}"
        );
        assert!(
            rows[1].starts_with(r#"["2","b","c"]: the row has 3"#),
            "{rows:?}"
        );
        assert!(rows[2].starts_with("null: "), "{rows:?}");
        assert!(rows[3].contains("doc: not JSON"), "{rows:?}");
        assert_eq!(rows.len(), 5);
        let rows = read(b"{\"id\":1}\n[1]\n{broken\n\xff\n{\"id\":2}\n", NDJSON, "");
        assert_eq!(rows.len(), 5);
        assert!(rows[1].starts_with("[1]: "), "{rows:?}");
        assert!(rows[2].starts_with("\"{broken\": "), "{rows:?}");
        assert_eq!(rows[4], r#"{"id":2}"#);
        let large = read(b"{\"id\": 1e999}\n[1e999]\n", NDJSON, "");
        assert_eq!(large[0], r#"{"id":1e999}"#);
        assert!(large[1].starts_with(r#""[1e999]": "#), "{large:?}");
        let deep = format!("id,doc\n1,{}{}\n", "[".repeat(95), "]".repeat(95));
        assert!(read(deep.as_bytes(), CSV, "")[0].starts_with("{\"id\":\"1\""));
        let deep = format!("doc\n{}{}\n", "[".repeat(101), "]".repeat(101));
        let mut reader =
            Reader::new(deep.as_bytes(), CSV, &Columns::default(), &model(), 500).unwrap();
        let why = reader.next().unwrap().unwrap().record.unwrap_err();
        assert!(why.to_string().contains("100 levels"), "{why}");
    }

    #[test]
    fn a_quote_that_is_not_closed_and_an_endless_row_end_the_file() {
        let rows = read(b"id,name\n1,a\n2,\"b\n3,c\n", CSV, "");
        assert_eq!(rows.len(), 2);
        assert!(rows[1].starts_with("ends: line 3: a quote"), "{rows:?}");
        let endless = format!("id,name\n1,a\n2,{}", "x".repeat(20_000));
        let rows = read(endless.as_bytes(), CSV, "");
        assert!(rows[1].contains("longer than 200 bytes"), "{rows:?}");
        let endless = format!("{{\"id\":1}}\n{}", "x".repeat(20_000));
        let rows = read(endless.as_bytes(), NDJSON, "");
        assert!(rows[1].contains("longer than 200 bytes"), "{rows:?}");
        assert!(reader(b"id,\"na", CSV, "").is_err());
    }

    #[test]
    fn rows_and_headers_of_too_many_values_are_refused() {
        let many = |values: usize| ",".repeat(values);
        let text = format!("id\n{}\n1\n", many(12_000));
        let mut reader =
            Reader::new(text.as_bytes(), CSV, &Columns::default(), &model(), 1 << 20).unwrap();
        let row = reader.next().unwrap().unwrap();
        assert_eq!(row.raw.to_json(&reader.columns()), "null");
        assert!(row.record.unwrap_err().to_string().contains("12001 values"));
        assert!(reader.next().unwrap().unwrap().record.is_ok());
        let left_out = Columns {
            mapping: Mapping::default().without(""),
            ..Columns::default()
        };
        let header = many(12_000);
        let refused = Reader::new(header.as_bytes(), CSV, &left_out, &model(), 1 << 20).err();
        assert!(refused.unwrap().to_string().contains("10000 columns"));
        let endless = format!("id\n{}\n", many(9 << 20));
        let mut reader = Reader::new(
            endless.as_bytes(),
            CSV,
            &Columns::default(),
            &model(),
            16 << 20,
        )
        .unwrap();
        assert!(reader.next().unwrap().is_err());
    }

    #[test]
    fn columns_that_fit_no_field_are_named() {
        let refused = |text: &[u8], query: &str| {
            let refused = reader(text, CSV, query).err().unwrap();
            let (field, messages) = refused.field_errors()[0].clone();
            format!("{field}: {}", messages[0])
        };
        assert!(refused(b"id,nope\n1,2\n", "").starts_with("nope: t has no field \"nope\""));
        assert!(refused(b"id,id\n", "").starts_with("id: two columns"));
        let query = "_mapping={\"a\":\"id\"}";
        assert!(refused(b"id\n", query).starts_with("_mapping: the file has no column \"a\""));
        let query = "_mapping={\"id\":\"nope\"}";
        assert!(refused(b"id\n", query).contains("t has no field \"nope\""));
        assert!(reader(b"", NDJSON, query).is_err());
    }

    #[test]
    fn rows_that_are_left_out_keep_their_numbers() {
        for (text, form) in [
            (&b"id,name\n1,a\n2,\n3,c\n"[..], CSV),
            (&b"{\"id\":\"1\"}\n\n{broken\n{\"id\":\"3\"}\n"[..], NDJSON),
        ] {
            let mut reader = reader(text, form, "").unwrap();
            reader.skip_rows(2).unwrap();
            let row = reader.next().unwrap().unwrap();
            assert_eq!(row.number, 3);
            assert_eq!(row.record.unwrap().get_raw("id"), Some("\"3\""));
            assert!(reader.next().is_none());
            reader.skip_rows(9).unwrap();
        }
    }
}
