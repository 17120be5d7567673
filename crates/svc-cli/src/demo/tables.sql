CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name VARCHAR(120) NOT NULL,
    email VARCHAR(254) NOT NULL UNIQUE,
    country CHAR(2) NOT NULL,
    phone VARCHAR(32),
    birthday DATE,
    preferences JSON,
    newsletter BOOLEAN NOT NULL DEFAULT 0,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    sku VARCHAR(32) NOT NULL UNIQUE,
    name VARCHAR(120) NOT NULL,
    category VARCHAR(32) NOT NULL,
    price DECIMAL(10,2) NOT NULL CHECK (price >= 0),
    attributes JSON,
    active BOOLEAN NOT NULL DEFAULT 1
);

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    status VARCHAR(16) NOT NULL DEFAULT 'pending'
        CHECK (status IN ('paid', 'pending', 'shipped', 'cancelled', 'refunded')),
    total DECIMAL(12,2) NOT NULL DEFAULT 0 CHECK (total >= 0),
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    shipped_at DATETIME,
    note TEXT
);

CREATE TABLE order_items (
    id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price DECIMAL(10,2) NOT NULL CHECK (unit_price >= 0)
);
