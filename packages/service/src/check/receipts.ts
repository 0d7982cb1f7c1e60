/** Receipts in a check's response: whether the caller requested them, and how a replayed response gets its own. */
import { withReceipt } from '@writecheck/contract';
import type { Committed } from '@writecheck/store/port';
import type { Answer } from '../exchange/answer.ts';

export interface Receipts {
  /** The text of a receipt, for a decision whose caller requested one. */
  textOf(committed: Committed): string | Promise<string>;
  /** The receipt of an earlier decision; null if this key made no such decision. */
  again(asker: Asker, decisionId: string): Promise<unknown>;
}

export interface Asker {
  readonly workspace: string;
  readonly keyId: string;
}

/** RFC 7240: preferences are separated by commas, their parameters by semicolons; names are case-insensitive. */
export function prefersReceipt(header: string): boolean {
  return preferences(header).some((each) => each.split('=', 1)[0] === 'receipt');
}

export function prefersRepresentation(header: string | undefined): boolean {
  return header !== undefined && preferences(header).includes('return=representation');
}

function preferences(header: string): readonly string[] {
  return header.split(',').map((each) => each.split(';', 1)[0]!.replaceAll(/[\s"]/g, '').toLowerCase());
}

export const RECEIPTS_APPLIED: Answer['headers'] = { 'preference-applied': 'receipt' };

/** `response` is a kept response, of one check or of a batch. Null if this key made none of its decisions. */
export async function addReceipts(
  receipts: Receipts,
  asker: Asker,
  response: string,
): Promise<string | null> {
  const value = JSON.parse(response) as Answered & { readonly results?: readonly Answered[] };
  const answers = value.results ?? [value];
  const receiptOfEach = await Promise.all(
    // An element that is an error has no receipt.
    answers.map(({ decision_id }) => (decision_id === undefined ? null : receipts.again(asker, decision_id))),
  );
  if (receiptOfEach.every((receipt) => receipt === null)) return null;
  if (value.results === undefined) return withReceipt(response, receiptOfEach[0]);
  const texts = value.results.map((answer, i) => {
    const text = JSON.stringify(answer);
    return receiptOfEach[i] === null ? text : withReceipt(text, receiptOfEach[i]);
  });
  return `{"results":[${texts.join(',')}]}`;
}

interface Answered {
  readonly decision_id?: string;
}
