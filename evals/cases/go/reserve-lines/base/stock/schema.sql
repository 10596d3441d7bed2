CREATE TABLE stock (
    sku       text PRIMARY KEY,
    available integer NOT NULL
);

CREATE TABLE reservations (
    order_id text    NOT NULL,
    line     integer NOT NULL,
    sku      text    NOT NULL REFERENCES stock,
    quantity integer NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (order_id, line)
);
