/**
 * Turns an intent into its UPDATE. A field that is not listed here cannot be written, whatever was allowed.
 */

export interface Write {
  readonly sql: string;
  readonly id: string;
  readonly value: string;
}

/** The statements in full: no name from a request ever becomes SQL. */
const STATEMENTS: ReadonlyMap<unknown, string> = new Map([
  ['payment_terms', 'UPDATE customers SET payment_terms = $1 WHERE id = $2'],
  ['note', 'UPDATE customers SET note = $1 WHERE id = $2'],
]);

export function readWrite(intent: unknown): Write | null {
  if (typeof intent !== 'object' || intent === null) return null;
  const { system, objectType, objectRef, field, agentValue, operation } = intent as Record<string, unknown>;
  const sql = STATEMENTS.get(field);
  if (system !== 'billing' || objectType !== 'customer' || sql === undefined) return null;
  // An operation would name the action a second time, and could contradict it.
  if (operation !== undefined && operation !== null) return null;
  if (typeof objectRef !== 'string' || typeof agentValue !== 'string') return null;
  // PostgreSQL has no text with U+0000, and an allow should not be used up to find that out.
  if (`${objectRef}${agentValue}`.includes('\0')) return null;
  return { sql, id: objectRef, value: agentValue };
}
