/**
 * Carries out an UPDATE only with a receipt that proves that exactly this write was allowed here, and that
 * nobody has used the allow yet.
 */
import { type ReceiptRefusal, verifyReceipt } from '@writecheck/client/receipt';
import type pg from 'pg';
import { type RedeemRefusal, type Redemption, redeem } from './redeem.ts';
import { readWrite, type Write } from './write.ts';

export interface GatewaySettings {
  readonly database: pg.Pool;
  /** The service that redeems receipts, and a checking key of its workspace. */
  readonly service: Redemption;
  /** Verifier key lines of `GET /v1/audit/key`, fetched once when the gateway is set up, and the workspace that counts. */
  readonly keys: string;
  readonly workspace: string;
  readonly now?: () => number;
}

export type Execution =
  | { readonly kind: 'executed'; readonly decisionId: string }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly message: string };

export type Refusal =
  | ReceiptRefusal
  | RedeemRefusal
  | 'not_a_write'
  | 'already_executed'
  | 'no_such_object'
  | 'database_failed';

const refuse = (reason: Refusal, message: string): Execution => ({ kind: 'refused', reason, message });

/** Longer than an UPDATE of one row takes: a write that waits for a lock must not happen long after it was allowed. */
const STATEMENT_TIMEOUT_MS = 2000;

export async function execute(
  settings: GatewaySettings,
  request: { readonly intent: unknown; readonly receipt: unknown },
): Promise<Execution> {
  // INVARIANT: the UPDATE is made from the intent that is compared with the receipt, so no second description
  // of the write can differ from it.
  const write = readWrite(request.intent);
  if (write === null) return refuse('not_a_write', 'the intent is no write this gateway carries out');

  const { keys, workspace, now = Date.now } = settings;
  // Named one by one: a request must not bring options that would accept less.
  const { intent, receipt } = request;
  const verdict = await verifyReceipt({ receipt, intent, keys, workspace, now: now() });
  if (!verdict.ok) return refuse(verdict.reason, verdict.message);

  const { decision_id: decisionId, intentDigest } = verdict.leaf;
  const redeemed = await redeem(settings.service, decisionId, intentDigest);
  if (redeemed.kind === 'refused') return refuse(redeemed.reason, redeemed.message);

  try {
    return await update(settings.database, write, decisionId);
  } catch {
    // COMMIT may have been cut off, so the outcome is unknown; sending the same receipt again finds out.
    return refuse('database_failed', 'the database did not confirm the write; send the same receipt again');
  }
}

async function update(database: pg.Pool, write: Write, decisionId: string): Promise<Execution> {
  const connection = await database.connect();
  let isBroken = true;
  try {
    await connection.query(`BEGIN; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    // INVARIANT: one decision, one row, in the transaction of the write. A second request waits here, then
    // finds it.
    const noted = await connection.query(
      'INSERT INTO executed_decisions (decision_id) VALUES ($1) ON CONFLICT DO NOTHING',
      [decisionId],
    );
    const written =
      noted.rowCount === 1 ? await connection.query(write.sql, [write.value, write.id]) : undefined;
    await connection.query(written?.rowCount === 1 ? 'COMMIT' : 'ROLLBACK');
    isBroken = false;
    if (written === undefined) return refuse('already_executed', 'this decision was carried out before');
    if (written.rowCount !== 1) return refuse('no_such_object', 'there is no such row; nothing was written');
    return { kind: 'executed', decisionId };
  } finally {
    // A connection in the middle of a transaction is closed, which rolls it back.
    connection.release(isBroken);
  }
}
