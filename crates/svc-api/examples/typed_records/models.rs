// Made by `svc generate rust` from the structure of databases. After a change there, make it again.

/// The models of the resource `shop`.
#[allow(dead_code, missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
#[rustfmt::skip]
pub mod shop {
    use serde::{Deserialize, Serialize};

    /// The resource.
    pub const RESOURCE: &str = "shop";

    /// A record of `customer_revenue`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct CustomerRevenue {
        pub customer_id: Option<i64>,
        pub name: Option<String>,
        pub country: Option<String>,
        pub orders: Option<i64>,
        pub revenue: Option<String>,
    }

    impl CustomerRevenue {
        /// The name of the model.
        pub const MODEL: &'static str = "customer_revenue";
    }

    /// The names of the fields of `customer_revenue`.
    pub struct CustomerRevenueFields;

    impl CustomerRevenueFields {
        pub const CUSTOMER_ID: &'static str = "customer_id";
        pub const NAME: &'static str = "name";
        pub const COUNTRY: &'static str = "country";
        pub const ORDERS: &'static str = "orders";
        pub const REVENUE: &'static str = "revenue";
    }

    /// A record of `customers`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Customers {
        pub id: i64,
        pub name: String,
        pub email: String,
        pub country: String,
        pub phone: Option<String>,
        pub birthday: Option<String>,
        pub preferences: serde_json::Value,
        pub newsletter: bool,
        pub created_at: String,
    }

    impl Customers {
        /// The name of the model.
        pub const MODEL: &'static str = "customers";
    }

    /// A new record of `customers`. The database fills what is `None`.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct CustomersCreate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        pub name: String,
        pub email: String,
        pub country: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub phone: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub birthday: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub preferences: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub newsletter: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub created_at: Option<String>,
    }

    impl CustomersCreate {
        /// A record with what it must have.
        pub fn new(name: String, email: String, country: String) -> Self {
            Self { id: None, name, email, country, phone: None, birthday: None, preferences: None, newsletter: None, created_at: None }
        }
    }

    /// Changes of a record of `customers`.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct CustomersUpdate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub email: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub country: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub phone: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub birthday: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub preferences: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub newsletter: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub created_at: Option<String>,
    }

    /// The names of the fields of `customers`.
    pub struct CustomersFields;

    impl CustomersFields {
        pub const ID: &'static str = "id";
        pub const NAME: &'static str = "name";
        pub const EMAIL: &'static str = "email";
        pub const COUNTRY: &'static str = "country";
        pub const PHONE: &'static str = "phone";
        pub const BIRTHDAY: &'static str = "birthday";
        pub const PREFERENCES: &'static str = "preferences";
        pub const NEWSLETTER: &'static str = "newsletter";
        pub const CREATED_AT: &'static str = "created_at";
    }

    /// The names of the relations of `customers`.
    pub struct CustomersRelations;

    impl CustomersRelations {
        /// The `orders` whose `customer_id` is the `id` here.
        pub const ORDERS: &'static str = "orders";
    }

    /// A record of `order_items`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct OrderItems {
        pub id: i64,
        pub order_id: i64,
        pub product_id: i64,
        pub quantity: i64,
        pub unit_price: String,
    }

    impl OrderItems {
        /// The name of the model.
        pub const MODEL: &'static str = "order_items";
    }

    /// A new record of `order_items`. The database fills what is `None`.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct OrderItemsCreate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        pub order_id: i64,
        pub product_id: i64,
        pub quantity: i64,
        pub unit_price: String,
    }

    impl OrderItemsCreate {
        /// A record with what it must have.
        pub fn new(order_id: i64, product_id: i64, quantity: i64, unit_price: String) -> Self {
            Self { id: None, order_id, product_id, quantity, unit_price }
        }
    }

    /// Changes of a record of `order_items`.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct OrderItemsUpdate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub order_id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub product_id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub quantity: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub unit_price: Option<String>,
    }

    /// The names of the fields of `order_items`.
    pub struct OrderItemsFields;

    impl OrderItemsFields {
        pub const ID: &'static str = "id";
        pub const ORDER_ID: &'static str = "order_id";
        pub const PRODUCT_ID: &'static str = "product_id";
        pub const QUANTITY: &'static str = "quantity";
        pub const UNIT_PRICE: &'static str = "unit_price";
    }

    /// The names of the relations of `order_items`.
    pub struct OrderItemsRelations;

    impl OrderItemsRelations {
        /// The `products` whose `id` is the `product_id` here.
        pub const PRODUCT: &'static str = "product";
        /// The `orders` whose `id` is the `order_id` here.
        pub const ORDER: &'static str = "order";
    }

    /// A record of `orders`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Orders {
        pub id: i64,
        pub customer_id: i64,
        pub status: String,
        pub total: String,
        pub created_at: String,
        pub shipped_at: Option<String>,
        pub note: Option<String>,
    }

    impl Orders {
        /// The name of the model.
        pub const MODEL: &'static str = "orders";
    }

    /// A new record of `orders`. The database fills what is `None`.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct OrdersCreate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        pub customer_id: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub status: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub total: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub created_at: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub shipped_at: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<Option<String>>,
    }

    impl OrdersCreate {
        /// A record with what it must have.
        pub fn new(customer_id: i64) -> Self {
            Self { id: None, customer_id, status: None, total: None, created_at: None, shipped_at: None, note: None }
        }
    }

    /// Changes of a record of `orders`.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct OrdersUpdate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub customer_id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub status: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub total: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub created_at: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub shipped_at: Option<Option<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<Option<String>>,
    }

    /// The names of the fields of `orders`.
    pub struct OrdersFields;

    impl OrdersFields {
        pub const ID: &'static str = "id";
        pub const CUSTOMER_ID: &'static str = "customer_id";
        pub const STATUS: &'static str = "status";
        pub const TOTAL: &'static str = "total";
        pub const CREATED_AT: &'static str = "created_at";
        pub const SHIPPED_AT: &'static str = "shipped_at";
        pub const NOTE: &'static str = "note";
    }

    /// The names of the relations of `orders`.
    pub struct OrdersRelations;

    impl OrdersRelations {
        /// The `order_items` whose `order_id` is the `id` here.
        pub const ORDER_ITEMS: &'static str = "order_items";
        /// The `customers` whose `id` is the `customer_id` here.
        pub const CUSTOMER: &'static str = "customer";
    }

    /// A record of `products`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Products {
        pub id: i64,
        pub sku: String,
        pub name: String,
        pub category: String,
        pub price: String,
        pub attributes: serde_json::Value,
        pub active: bool,
    }

    impl Products {
        /// The name of the model.
        pub const MODEL: &'static str = "products";
    }

    /// A new record of `products`. The database fills what is `None`.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct ProductsCreate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        pub sku: String,
        pub name: String,
        pub category: String,
        pub price: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub attributes: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub active: Option<bool>,
    }

    impl ProductsCreate {
        /// A record with what it must have.
        pub fn new(sku: String, name: String, category: String, price: String) -> Self {
            Self { id: None, sku, name, category, price, attributes: None, active: None }
        }
    }

    /// Changes of a record of `products`.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct ProductsUpdate {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sku: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub category: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub price: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub attributes: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub active: Option<bool>,
    }

    /// The names of the fields of `products`.
    pub struct ProductsFields;

    impl ProductsFields {
        pub const ID: &'static str = "id";
        pub const SKU: &'static str = "sku";
        pub const NAME: &'static str = "name";
        pub const CATEGORY: &'static str = "category";
        pub const PRICE: &'static str = "price";
        pub const ATTRIBUTES: &'static str = "attributes";
        pub const ACTIVE: &'static str = "active";
    }

    /// The names of the relations of `products`.
    pub struct ProductsRelations;

    impl ProductsRelations {
        /// The `order_items` whose `product_id` is the `id` here.
        pub const ORDER_ITEMS: &'static str = "order_items";
    }
}
