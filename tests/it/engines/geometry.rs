//! Geometries of PostGIS.

use serde_json::json;
use svc_tests::servers::PostgresServer;

use crate::shared::serve;

#[test]
fn geometries_are_written_and_read_as_wkt_and_found_with_coveredby() {
    let table = "CREATE TABLE places (id integer PRIMARY KEY, at geometry(Point, 4326), area geography(Polygon));";
    let Some(url) = PostgresServer::shared().database_with_postgis(table) else {
        println!("the tested server has no PostGIS");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder, &[&format!("p={url}")]);
    for (id, at) in [
        (1, "SRID=4326;POINT(1 1)"),
        (2, "SRID=4326;POINT(5 5)"),
        (3, "SRID=4326;POINT(2 1.5)"),
    ] {
        let body = json!({"id": id, "at": at, "area": "POLYGON((0 0,0 1,1 1,1 0,0 0))"});
        let made = service
            .data("POST", "p", "/models/places")
            .json(&body)
            .expect(201)
            .json();
        let shown = at.strip_prefix("SRID=4326;").unwrap();
        assert_eq!(made["at"], shown);
        assert_eq!(made["area"], "POLYGON((0 0,0 1,1 1,1 0,0 0))");
    }
    let inside = |field: &str, wkt: &str| {
        let key = format!("{field}__coveredby");
        let call = service.data("GET", "p", "/models/places?_order_by=id&_fields=id");
        let call = call.query(&[(key.as_str(), wkt)]);
        call.send()
    };
    let square = "POLYGON((0 0,0 3,3 3,3 0,0 0))";
    assert_eq!(
        inside("at", square).json()["results"],
        json!([{"id": 1}, {"id": 3}])
    );
    assert_eq!(inside("area", square).json()["count"], 3);
    for wkt in [
        "",
        "nowhere",
        "POLYGON((0 0",
        "'); DROP TABLE places; --",
        "a\u{0}",
    ] {
        assert_eq!(inside("at", wkt).status, 400, "{wkt}");
    }
    let refused = inside("id", square);
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("PostGIS"), "{}", refused.body);
    let models = service.data("GET", "p", "/model_descriptions").ok();
    assert_eq!(
        models.as_array().unwrap().len(),
        1,
        "tables of the extension are left out"
    );
    assert_eq!(models[0]["fields"][1]["field"], "GeometryField");
}
