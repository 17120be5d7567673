// Made by `svc generate typescript` from the structure of databases. After a change there, make it again.

/** Any JSON value. A whole number that a `number` cannot hold exactly is a `bigint`. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** The records of each model, by resource. */
export interface Models {
  shop: {
    customer_revenue: CustomerRevenue;
    customers: Customers;
    order_items: OrderItems;
    orders: Orders;
    products: Products;
  };
}

/** A record of `customer_revenue` in `shop`. */
export interface CustomerRevenue {
  customer_id: number | null;
  name: string | null;
  country: string | null;
  orders: number | null;
  revenue: string | null;
}

/** The names of the fields of `customer_revenue`. */
export type CustomerRevenueField = keyof CustomerRevenue;

/** A record of `customers` in `shop`. */
export interface Customers {
  id: number;
  name: string;
  email: string;
  country: string;
  phone: string | null;
  birthday: string | null;
  preferences: Json;
  newsletter: boolean;
  created_at: string;
}

/** A new record of `customers`. */
export interface CustomersCreate {
  id?: number;
  name: string;
  email: string;
  country: string;
  phone?: string | null;
  birthday?: string | null;
  preferences?: Json;
  newsletter?: boolean;
  created_at?: string;
}

/** Changes of a record of `customers`. */
export interface CustomersUpdate {
  id?: number;
  name?: string;
  email?: string;
  country?: string;
  phone?: string | null;
  birthday?: string | null;
  preferences?: Json;
  newsletter?: boolean;
  created_at?: string;
}

/** The names of the fields of `customers`. */
export type CustomersField = keyof Customers;

/** The relations of `customers`, and what they lead to. */
export interface CustomersRelations {
  /** The `orders` whose `customer_id` is the `id` here. */
  orders: Orders[];
}

/** A record of `order_items` in `shop`. */
export interface OrderItems {
  id: number;
  order_id: number;
  product_id: number;
  quantity: number;
  unit_price: string;
}

/** A new record of `order_items`. */
export interface OrderItemsCreate {
  id?: number;
  order_id: number;
  product_id: number;
  quantity: number;
  unit_price: string;
}

/** Changes of a record of `order_items`. */
export interface OrderItemsUpdate {
  id?: number;
  order_id?: number;
  product_id?: number;
  quantity?: number;
  unit_price?: string;
}

/** The names of the fields of `order_items`. */
export type OrderItemsField = keyof OrderItems;

/** The relations of `order_items`, and what they lead to. */
export interface OrderItemsRelations {
  /** The `products` whose `id` is the `product_id` here. */
  product: Products;
  /** The `orders` whose `id` is the `order_id` here. */
  order: Orders;
}

/** A record of `orders` in `shop`. */
export interface Orders {
  id: number;
  customer_id: number;
  status: string;
  total: string;
  created_at: string;
  shipped_at: string | null;
  note: string | null;
}

/** A new record of `orders`. */
export interface OrdersCreate {
  id?: number;
  customer_id: number;
  status?: string;
  total?: string;
  created_at?: string;
  shipped_at?: string | null;
  note?: string | null;
}

/** Changes of a record of `orders`. */
export interface OrdersUpdate {
  id?: number;
  customer_id?: number;
  status?: string;
  total?: string;
  created_at?: string;
  shipped_at?: string | null;
  note?: string | null;
}

/** The names of the fields of `orders`. */
export type OrdersField = keyof Orders;

/** The relations of `orders`, and what they lead to. */
export interface OrdersRelations {
  /** The `order_items` whose `order_id` is the `id` here. */
  order_items: OrderItems[];
  /** The `customers` whose `id` is the `customer_id` here. */
  customer: Customers;
}

/** A record of `products` in `shop`. */
export interface Products {
  id: number;
  sku: string;
  name: string;
  category: string;
  price: string;
  attributes: Json;
  active: boolean;
}

/** A new record of `products`. */
export interface ProductsCreate {
  id?: number;
  sku: string;
  name: string;
  category: string;
  price: string;
  attributes?: Json;
  active?: boolean;
}

/** Changes of a record of `products`. */
export interface ProductsUpdate {
  id?: number;
  sku?: string;
  name?: string;
  category?: string;
  price?: string;
  attributes?: Json;
  active?: boolean;
}

/** The names of the fields of `products`. */
export type ProductsField = keyof Products;

/** The relations of `products`, and what they lead to. */
export interface ProductsRelations {
  /** The `order_items` whose `product_id` is the `id` here. */
  order_items: OrderItems[];
}
