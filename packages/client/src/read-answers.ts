/** Reads the value from the text of a response, or the cause if it is not a decision. */
import { conceal } from './conceal.ts';
import type { NoDecisionCause } from './decision-types.ts';
import { hasDuplicateMembers } from './duplicate-members.ts';

/** The value of a JSON text without duplicate members; otherwise undefined. */
export function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasDuplicateMembers(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Some proxies send an error envelope with status 200. */
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
