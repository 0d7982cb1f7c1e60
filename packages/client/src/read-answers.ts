/** Reads the values from the text of a response, one for each intent that was sent. */
import { conceal } from './conceal.ts';
import type { NoDecisionCause } from './decision-types.ts';
import { hasDuplicateMembers } from './duplicate-members.ts';
import { own } from './own.ts';

/** The value of a JSON text without duplicate members; otherwise undefined. */
export function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasDuplicateMembers(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The decisions in order, or undefined if the response does not match the request. */
export function readAnswers(answer: unknown, batch: boolean, count: number): readonly unknown[] | undefined {
  if (!batch) return [answer];
  const results = own(answer, 'results');
  return Array.isArray(results) && results.length === count ? results : undefined;
}

/** A place in a batch may hold an error envelope instead of a decision. */
export function refusedOrInvalid(answer: unknown, fault: string, apiKey: string): NoDecisionCause {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } };
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return invalidAnswer(fault);
  const code = conceal(error.code, apiKey, 100);
  return {
    kind: 'refused',
    message: `the service refused, \`${code}\`: ${conceal(error.message, apiKey, 300)}`,
    code,
  };
}

export function invalidAnswer(fault: string): NoDecisionCause {
  return { kind: 'invalid_answer', message: `the response is not a decision: ${fault}`, status: 200 };
}
