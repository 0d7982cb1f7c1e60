-- The gateway's role may change these two columns and nothing else. Agents get no role at all.
CREATE TABLE customers (
  id text PRIMARY KEY,
  payment_terms text NOT NULL,
  note text NOT NULL DEFAULT '',
  credit_limit integer NOT NULL DEFAULT 0
);
INSERT INTO customers (id, payment_terms) VALUES ('c-1', 'NET60'), ('c-2', 'NET60');

-- Which decisions have been carried out. Written in the transaction of the write itself.
CREATE TABLE executed_decisions (
  decision_id text PRIMARY KEY,
  executed_at timestamptz NOT NULL DEFAULT now()
);

CREATE ROLE gateway LOGIN PASSWORD 'gateway';
GRANT SELECT, UPDATE (payment_terms, note) ON customers TO gateway;
GRANT SELECT, INSERT ON executed_decisions TO gateway;
