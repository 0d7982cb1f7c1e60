/** Receipts with a check's answer: whether they are asked for, and how a replayed answer gets its own again. */
import { withReceipt } from '@writecheck/contract';
import type { Committed } from '../store/port.ts';
import type { CheckAnswer } from './answer.ts';

export interface Receipts {
  /** The text of a receipt, for a decision whose request asked to be proven. */
  textOf(committed: Committed): string;
  /** The receipt of a decision recorded before; null where there is none in that workspace. */
  again(workspace: string, decisionId: string): Promise<unknown>;
}

/** RFC 7240: preferences by commas, each with parameters by semicolons; names are caseless. */
export const prefersReceipt = (header: string | undefined): boolean =>
  header?.split(',').some((each) => each.split(/[;=]/, 1)[0]!.trim().toLowerCase() === 'receipt') ?? false;

export const RECEIPTS_APPLIED: CheckAnswer['headers'] = { 'preference-applied': 'receipt' };

/** `response` is a kept answer, of one check or of a batch. */
export const addReceipts = async (
  receipts: Receipts,
  workspace: string,
  response: string,
): Promise<string> => {
  const value = JSON.parse(response) as Answered & { readonly results?: readonly Answered[] };
  if (value.results === undefined) return addReceipt(receipts, workspace, value, response);
  const texts = value.results.map((one) => addReceipt(receipts, workspace, one, JSON.stringify(one)));
  return `{"results":[${(await Promise.all(texts)).join(',')}]}`;
};

interface Answered {
  readonly decision_id?: string;
}

/** An element that is an error has none. */
const addReceipt = async (
  receipts: Receipts,
  workspace: string,
  { decision_id }: Answered,
  text: string,
): Promise<string> => {
  const receipt = decision_id === undefined ? null : await receipts.again(workspace, decision_id);
  return receipt === null ? text : withReceipt(text, receipt);
};
