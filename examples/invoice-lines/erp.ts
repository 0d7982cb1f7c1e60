/** The "ERP": invoices and their lines in a SQLite file, and the one write that the agent wants. */
import { DatabaseSync } from 'node:sqlite';

const SCHEMA = `
  create table invoice (id text primary key, paid real);
  create table line (
    invoice text references invoice, number integer, text text, amount real, purchase_order text,
    primary key (invoice, number));
  insert into invoice (id) values ('INV-1'), ('INV-2');
  insert into line values
    ('INV-1', 1, 'paper', 120.5, null), ('INV-1', 2, 'printers', 880, 'PO-7'),
    ('INV-2', 1, 'paper', 99, null), ('INV-2', 2, 'consulting', 900, null);
`;

export interface Erp {
  pay(invoice: string, amount: number): void;
  paid(invoice: string): number | null;
  close(): void;
}

export function openErp(file: string): Erp {
  const db = new DatabaseSync(file);
  db.exec(SCHEMA);
  return {
    pay: (invoice, amount) =>
      void db.prepare('update invoice set paid = ? where id = ?').run(amount, invoice),
    paid: (invoice) =>
      (db.prepare('select paid from invoice where id = ?').get(invoice)?.paid as number) ?? null,
    close: () => db.close(),
  };
}
