//! The database of our own on a PostgreSQL server, which several processes have open at once.

use std::time::Duration;

use svc_data::{Connection, Database, Error, ErrorKind, Migration, Value};
use svc_tests::servers::{PostgresServer, Server as _};

const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "first",
    sql: "CREATE TABLE item (name TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL);
          INSERT INTO item VALUES ('counter', 0);",
}];

async fn url() -> String {
    let make = || PostgresServer::shared().database("");
    tokio::task::spawn_blocking(make).await.unwrap()
}

async fn open(url: &str) -> Result<Database, Error> {
    Database::open_postgres(url, MIGRATIONS, &[], &[]).await
}

async fn number(database: &Database, name: &'static str) -> Option<i64> {
    let read = move |c: &mut dyn Connection| {
        let row = c.query_one("SELECT number FROM item WHERE name = ?1", &[name.into()])?;
        row.map(|row| row.get("number")).transpose()
    };
    database.read::<_, Error, _>(read).await.unwrap()
}

fn insert(c: &mut dyn Connection, name: &str) -> Result<u64, Error> {
    c.execute("INSERT INTO item VALUES (?1, 1)", &[name.into()])
}

#[tokio::test]
async fn what_is_read_in_a_write_is_still_so_when_it_writes() {
    let url = url().await;
    let (one, other) = (open(&url).await.unwrap(), open(&url).await.unwrap());
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..40 {
        let database = if writer % 2 == 0 { &one } else { &other };
        let database = database.clone();
        writers.spawn(async move {
            let add = |c: &mut dyn Connection| {
                let row = c.query_one("SELECT number FROM item WHERE name = 'counter'", &[])?;
                let number: i64 = row.unwrap().get("number")?;
                let sql = "UPDATE item SET number = ?1 WHERE name = 'counter'";
                c.execute(sql, &[Value::Int(number + 1)])
            };
            database.write::<_, Error, _>(add).await.unwrap()
        });
    }
    assert_eq!(writers.join_all().await, [1; 40]);
    assert_eq!(number(&one, "counter").await, Some(40));
}

#[tokio::test]
async fn a_statement_that_is_refused_takes_back_itself_alone_and_an_error_everything() {
    let database = open(&url().await).await.unwrap();
    let done = database.write::<_, Error, _>(|c| {
        insert(c, "a")?;
        assert_eq!(insert(c, "a").unwrap_err().kind(), ErrorKind::Constraint);
        insert(c, "b")
    });
    done.await.unwrap();
    assert_eq!(number(&database, "a").await, Some(1));
    assert_eq!(number(&database, "b").await, Some(1));
    let failed = database.write::<(), Error, _>(|c| {
        insert(c, "c")?;
        Err(Error::invalid("not this"))
    });
    failed.await.unwrap_err();
    assert_eq!(number(&database, "c").await, None);
}

#[tokio::test]
async fn what_goes_with_the_commit_is_found_by_what_follows_and_is_done_with_all_or_not_at_all() {
    let database = open(&url().await).await.unwrap();
    let insert_at_end = |c: &mut dyn Connection, names: &[&str]| {
        let mut rows = names.iter().map(|&name| vec![name.into()]);
        c.execute_at_end("INSERT INTO item VALUES (?1, 1)", &mut rows)
    };
    let done = database.write::<_, Error, _>(move |c| {
        insert_at_end(c, &["a", "b"])?;
        let sql = "SELECT count(*) AS number FROM item WHERE name IN ('a', 'b')";
        let row = c.query_one(sql, &[])?.unwrap();
        assert_eq!(row.get::<i64>("number")?, 2);
        insert_at_end(c, &["c"])
    });
    done.await.unwrap();
    assert_eq!(number(&database, "c").await, Some(1));

    let many: Vec<String> = (0..600).map(|number| format!("many {number}")).collect();
    let done = database.write::<_, Error, _>(move |c| {
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        insert_at_end(c, &many[..200])?;
        insert_at_end(c, &many[200..])
    });
    done.await.unwrap();
    for name in ["many 0", "many 199", "many 200", "many 599"] {
        assert_eq!(number(&database, name).await, Some(1), "{name}");
    }

    let failed = database.write::<_, Error, _>(move |c| {
        insert(c, "d")?;
        insert_at_end(c, &["e", "a", "f"])?;
        insert_at_end(c, &["g"])
    });
    let failed = failed.await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Constraint, "{failed}");
    for name in ["d", "e", "f", "g"] {
        assert_eq!(number(&database, name).await, None, "{name}");
    }

    for _ in 0..20 {
        let announced = database.write::<_, Error, _>(move |c| {
            c.announce();
            insert_at_end(c, &["a"])
        });
        let failed = announced.await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Constraint, "{failed}");
    }

    let ignored = database.write::<_, Error, _>(move |c| {
        insert_at_end(c, &["a"])?;
        insert(c, "j").unwrap_err();
        insert(c, "k")
    });
    ignored.await.unwrap_err();
    assert_eq!(number(&database, "k").await, None);

    let unreadable = database.write::<_, Error, _>(move |c| {
        insert(c, "h")?;
        c.execute_at_end(
            "INSERT INTO nowhere VALUES (?1)",
            &mut [vec!["h".into()]].into_iter(),
        )
    });
    unreadable.await.unwrap_err();
    assert_eq!(number(&database, "h").await, None);
    database
        .write::<_, Error, _>(|c| insert(c, "i"))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_paused_in_the_middle_of_a_write_keeps_no_other_waiting_for_long() {
    let url = url().await;
    let (paused, other) = (open(&url).await.unwrap(), open(&url).await.unwrap());
    let (holds, held) = tokio::sync::oneshot::channel();
    let (wake, woken) = std::sync::mpsc::channel();
    let write = tokio::spawn(async move {
        let write = move |c: &mut dyn Connection| {
            insert(c, "paused")?;
            holds.send(()).unwrap();
            woken.recv_timeout(Duration::from_secs(60)).unwrap();
            insert(c, "woken")
        };
        paused.write::<_, Error, _>(write).await
    });
    held.await.unwrap();
    let meanwhile = other.write::<_, Error, _>(|c| insert(c, "other"));
    meanwhile.await.unwrap();
    wake.send(()).unwrap();
    write.await.unwrap().unwrap_err();
    assert_eq!(number(&other, "other").await, Some(1));
    assert_eq!(number(&other, "paused").await, None);
}

#[tokio::test]
async fn a_text_that_the_server_cannot_keep_is_refused_and_found_nowhere() {
    let database = open(&url().await).await.unwrap();
    let write = database.write::<_, Error, _>(|c| insert(c, "a\0b"));
    let refused = write.await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains("U+0000"), "{refused}");
    assert_eq!(number(&database, "a\0b").await, None);
}

#[tokio::test]
async fn processes_that_open_a_new_database_at_once_bring_it_up_to_date_once() {
    let url = url().await;
    let mut opening = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let url = url.clone();
        opening.spawn(async move { open(&url).await.map(drop) });
    }
    for opened in opening.join_all().await {
        opened.unwrap();
    }
    let both = [
        MIGRATIONS[0],
        Migration {
            version: 2,
            name: "second",
            sql: "CREATE TABLE part (id BIGINT)",
        },
    ];
    let newer = Database::open_postgres(&url, &both, &[], &[]).await;
    drop(newer.unwrap());
    let error = open(&url).await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("newer version"), "{error}");
}

#[tokio::test]
async fn a_change_that_is_announced_is_heard_of_by_all_also_after_a_lost_connection() {
    let url = url().await;
    let (one, other) = (open(&url).await.unwrap(), open(&url).await.unwrap());
    let in_time = async |what: &str| {
        let changed = tokio::time::timeout(Duration::from_secs(20), other.changed());
        changed.await.unwrap_or_else(|_| panic!("{what}"));
    };
    assert_eq!(other.change_counter().await.unwrap(), None);
    other.listen();
    in_time("it says when it begins to listen").await;
    let before = other.change_counter().await.unwrap();
    assert!(before.is_some());
    let quiet = |c: &mut dyn Connection| insert(c, "quiet");
    one.write::<_, Error, _>(quiet).await.unwrap();
    let announced = |c: &mut dyn Connection| {
        c.announce();
        insert(c, "announced")
    };
    one.write::<_, Error, _>(announced).await.unwrap();
    in_time("an announced change is heard of").await;
    let after = other.change_counter().await.unwrap();
    assert_eq!(after, before.map(|count| count + 1), "a quiet one is not");

    let own = url.clone();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query = '')";
    let ending = move || PostgresServer::shared().execute(&own, end);
    tokio::task::spawn_blocking(ending).await.unwrap();
    in_time("a lost connection may have missed some").await;
    while other.change_counter().await.unwrap().is_none() {
        in_time("it listens again").await;
    }
    let again = |c: &mut dyn Connection| {
        c.announce();
        insert(c, "again")
    };
    let before = other.change_counter().await.unwrap();
    one.write::<_, Error, _>(again).await.unwrap();
    while other.change_counter().await.unwrap() == before {
        in_time("a change after that is heard of").await;
    }
}

#[tokio::test]
async fn a_lock_is_of_one_process_until_it_is_dropped() {
    let url = url().await;
    let (one, other) = (open(&url).await.unwrap(), open(&url).await.unwrap());
    let lock = one.lock().await.unwrap();
    assert!(lock.is_some());
    let waits = other.lock();
    let mut waits = std::pin::pin!(waits);
    let early = tokio::time::timeout(Duration::from_millis(300), &mut waits).await;
    assert!(early.is_err());
    drop(lock);
    assert!(waits.await.unwrap().is_some());
}

#[tokio::test]
async fn a_url_that_cannot_be_used_is_refused_without_its_password() {
    let error = open("mysql://u:hidden@a/b").await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(!error.to_string().contains("hidden"));
    let nowhere = "postgres://u:hidden@127.0.0.1:1/b";
    let error = open(nowhere).await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
}
