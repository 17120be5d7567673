CREATE INDEX orders_status_created_at ON orders (status, created_at);
CREATE INDEX orders_customer_id ON orders (customer_id);
CREATE INDEX order_items_order_id ON order_items (order_id);
CREATE INDEX order_items_product_id ON order_items (product_id);
CREATE INDEX customers_country ON customers (country);
CREATE VIEW customer_revenue AS
    SELECT c.id AS customer_id, c.name, c.country, count(o.id) AS orders,
        CAST(round(coalesce(sum(o.total), 0), 2) AS DECIMAL(14,2)) AS revenue
    FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status IN ('paid', 'shipped')
    GROUP BY c.id;
DROP TABLE IF EXISTS refinery_schema_history;
