//! Records that are too large for an answer, and those that are not.

use crate::fixture::Shop;

/// Long cells: `wide` has one of 100 MB, `many` has 30 that are too long together, `fits` one that is not.
const SQL: &str = "
    CREATE TABLE docs (id INTEGER PRIMARY KEY, name TEXT, body BLOB, note TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    INSERT INTO docs SELECT i, 'name ' || i, x'00ff', 'note' FROM n;
    INSERT INTO docs VALUES (7, 'large', zeroblob(100000000), 'behind') ON CONFLICT DO UPDATE
        SET name = 'large', body = zeroblob(100000000), note = 'behind';
    CREATE VIEW named AS SELECT * FROM docs;";

#[tokio::test(flavor = "multi_thread")]
async fn one_large_cell_is_named_and_leaves_the_rest_of_its_table_usable() {
    let shop = Shop::new(SQL).await;
    let refused = shop.refused("docs", "").await;
    for part in [
        "the record 7",
        "\"docs\"",
        "\"body\"",
        "190 MiB",
        "_fields",
        "exclude__id",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    // In an order that has to be sorted, too, and where the values are computed.
    for (model, query) in [
        ("docs", "_order_by=name&_per_page=25"),
        ("named", "_order_by=id"),
    ] {
        let refused = shop.refused(model, query).await;
        assert!(refused.contains("\"body\""), "{model} {query}: {refused}");
    }
    assert_eq!(shop.list("docs", "_fields=id,name,note").await.len(), 20);
    assert_eq!(shop.list("docs", "exclude__id=7").await.len(), 19);
    assert_eq!(
        shop.list("docs", "_per_page=10").await.len(),
        10,
        "20 to 11"
    );
    assert_eq!(
        shop.list("docs", "_order_by=-name&_per_page=1").await.len(),
        1
    );
    // What is compared and not shown may be as long as it is.
    assert_eq!(
        shop.list("docs", "name__icontains=large&_fields=id")
            .await
            .len(),
        1
    );
    assert_eq!(
        shop.list("docs", "body__isnull=false&_fields=id")
            .await
            .len(),
        20
    );
    let refused = shop.get("docs", "7").await.unwrap_err().to_string();
    assert!(refused.contains("\"body\""), "{refused}");
    assert!(shop.get("docs", "8").await.is_ok());
    // It can be changed and deleted, or nobody could mend it.
    shop.delete("docs", "7").await.unwrap();
    assert_eq!(shop.list("docs", "").await.len(), 19);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_long_cells_of_one_row_are_bounded_together() {
    let columns: Vec<String> = (0..30).map(|n| format!("c{n} TEXT")).collect();
    let long = vec!["printf('%.*c', 3000000, 'a')"; 30].join(", ");
    let shop = Shop::new(&format!(
        "CREATE TABLE wide (id INTEGER PRIMARY KEY, {0});
         CREATE TABLE fits (id INTEGER PRIMARY KEY, {0});
         INSERT INTO wide VALUES (1, {long});
         INSERT INTO fits (id, c3) VALUES (1, printf('%.*c', 30000000, 'b'));
         INSERT INTO fits (id) VALUES (2);",
        columns.join(", ")
    ))
    .await;
    let refused = shop.refused("wide", "").await;
    assert!(refused.contains("the record 1 of \"wide\""), "{refused}");
    assert!(refused.contains("64 MiB"), "{refused}");
    assert_eq!(shop.list("wide", "_fields=c1,c2").await.len(), 1);
    // A cell that is longer than the share of a column is read where the row is not too large.
    let page = shop.page("fits", "_order_by=id").await.unwrap();
    assert!(page.results.len() > 30_000_000);
    assert_eq!((page.len, page.has_more), (1, true));
    let rest = page.rest.unwrap().read().await.unwrap();
    assert_eq!((rest.len, rest.has_more), (1, false));
    assert!(shop.get("fits", "1").await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_record_behind_a_part_of_a_page_is_refused_when_it_is_its_turn() {
    let shop = Shop::new(
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT);
         INSERT INTO docs VALUES (1, printf('%.*c', 2000000, 'a')), (2, zeroblob(100000000)), (3, 'c');",
    )
    .await;
    let page = shop.page("docs", "_order_by=id").await.unwrap();
    assert_eq!((page.len, page.has_more), (1, true));
    let refused = page.rest.unwrap().read().await.unwrap_err().to_string();
    assert!(refused.contains("the record 2"), "{refused}");
}
