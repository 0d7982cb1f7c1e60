/** Writes only with a receipt that proves that exactly this write was allowed here, and that nobody has used the allow yet. */
import type { DatabaseSync } from 'node:sqlite';
import type { Client } from '@writecheck/client';
import { verifyReceipt } from '@writecheck/client/receipt';

export interface Gateway {
  /** Only the gateway can open it; the agent has no access. */
  readonly database: DatabaseSync;
  /** With a checking key of the workspace, to redeem. */
  readonly client: Client;
  /** Two gateways with one name could each carry out the same decision. */
  readonly name: string;
  /** The lines of `GET /v1/audit/key`, fetched when the gateway is set up, never from the bearer of a receipt. */
  readonly keys: string;
  readonly workspace: string;
}

/** The statements in full: no name from a request ever becomes SQL, and other fields cannot be written. */
const STATEMENTS: ReadonlyMap<unknown, string> = new Map([
  ['payment_terms', 'UPDATE customers SET payment_terms = ? WHERE id = ?'],
  ['note', 'UPDATE customers SET note = ? WHERE id = ?'],
]);

/** `executed`, or the code of what refused the write. */
export async function execute(gateway: Gateway, intent: unknown, receipt: unknown): Promise<string> {
  const { database, client, name, keys, workspace } = gateway;
  // INVARIANT: the UPDATE is made from the intent that is compared with the receipt, so the two cannot differ.
  const { system, objectType, objectRef, field, agentValue, operation = null } = Object(intent);
  const sql = STATEMENTS.get(field);
  const isWrite =
    system === 'billing' && objectType === 'customer' && operation === null && sql !== undefined;
  if (!isWrite || typeof objectRef !== 'string' || typeof agentValue !== 'string') return 'not_a_write';

  const verdict = await verifyReceipt({ receipt, intent, keys, workspace, now: Date.now() });
  if (!verdict.ok) return verdict.reason;
  const { decision_id, intentDigest } = verdict.leaf;
  // The same key after a crash, so that the gateway that redeemed a decision, and no other, can still carry it out.
  const idempotencyKey = `${name}/${decision_id}`;
  const redeemed = await client.redeem({ decision_id, intentDigest }, { idempotencyKey });
  if (redeemed.kind !== 'redeemed') return redeemed.cause.code ?? 'redeem_failed';

  database.exec('BEGIN IMMEDIATE');
  try {
    // INVARIANT: one decision, one row, in the transaction of the write.
    const noted = database.prepare('INSERT OR IGNORE INTO executed_decisions VALUES (?)').run(decision_id);
    const isWritten = noted.changes === 1 && database.prepare(sql).run(agentValue, objectRef).changes === 1;
    database.exec(isWritten ? 'COMMIT' : 'ROLLBACK');
    if (isWritten) return 'executed';
    return noted.changes === 1 ? 'no_such_object' : 'already_executed';
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}
