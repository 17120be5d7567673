//! What the demo shows first: charts of the shop, a query with values, and a dashboard of them.

use serde_json::{Value, json};
use svc_model::Scope;
use svc_store::{NewItem, Store};
use uuid::Uuid;

use super::RESOURCE;
use crate::error::Error;

/// The charts of a model: name, model, and the query string of the chart.
const CHARTS: [(&str, &str, &str); 4] = [
    (
        "Orders per month",
        "orders",
        "_y_func=count&_x_column=created_at&_x_lookup=date_month&_shape=line",
    ),
    (
        "Revenue by status",
        "orders",
        "_y_func=sum&_y_column=total&_x_column=status&_shape=bar",
    ),
    (
        "Customers by country",
        "customers",
        "_y_func=count&_x_column=country&_shape=pie",
    ),
    (
        "Revenue of paid and shipped orders",
        "orders",
        "status__in=paid,shipped&_y_func=sum&_y_column=total",
    ),
];

/// The customers who have ordered most, since a day.
const QUERY: &str = "SELECT c.name, sum(o.total) AS revenue
FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE o.status IN ('paid', 'shipped') AND o.created_at >= :since
GROUP BY c.id, c.name
ORDER BY revenue DESC
LIMIT 10";

/// Makes them, shared, as the items of an account.
pub(super) async fn make(store: &Store, scope: &Scope, email: &str) -> Result<(), Error> {
    let Some(account) = store.accounts().find(email).await? else {
        return Ok(());
    };
    let owner = account.uid;
    let mut charts = Vec::new();
    for (name, model, query) in CHARTS {
        let value = json!({"place": ["model", RESOURCE, model], "query": query});
        let about = format!("{RESOURCE}.{model}");
        charts.push(share(store, scope, owner, ("chart", name, &about), &value).await?);
    }
    let since = json!({"since": {"value": "2026-01-01", "kind": "text"}});
    let query = json!({"query": QUERY, "parameters": since});
    let name = "Best customers since a day";
    share(store, scope, owner, ("query", name, RESOURCE), &query).await?;
    let tile = |chart: &Uuid| json!({"chart": chart.to_string()});
    let mut tiles: Vec<Value> = charts.iter().map(tile).collect();
    for model in ["orders", "customers"] {
        tiles.push(json!({"count": {"resource": RESOURCE, "model": model}}));
    }
    let dashboard = json!({ "tiles": tiles });
    let what = ("dashboard", "dashboard", RESOURCE);
    share(store, scope, owner, what, &dashboard).await?;
    Ok(())
}

async fn share(
    store: &Store,
    scope: &Scope,
    owner: Uuid,
    (kind, name, model): (&str, &str, &str),
    value: &Value,
) -> Result<Uuid, Error> {
    let mut new = NewItem::new(kind, name, value.to_string());
    new.model = Some(model.to_owned());
    new.shared = true;
    Ok(store.items().create(scope, owner, new).await?)
}
