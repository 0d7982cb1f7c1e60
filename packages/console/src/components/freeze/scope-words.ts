/** What a freeze stops, in words and as filters of the decision list. */
import type { FreezeScope } from '@writecheck/contract';
import type { Agents } from '../agent/use-agents.ts';
import { labelOf } from '../member-labels.ts';
import { quoted } from '../quoted.ts';

type Member = keyof FreezeScope;

/** In reading order. */
const WORDS: { readonly [member in Member]: string } = {
  system: 'to',
  operation: 'with operation',
  objectType: 'on objects of kind',
  field: 'of the field',
  workflowId: 'in workflow',
  keyId: 'by',
};

/** Such as "Writes to `payments` with operation `refund.*` by `refund-bot`". Names stand in backticks. */
export function scopeInWords(scope: FreezeScope, agents: Agents): string {
  const parts = (Object.keys(WORDS) as Member[]).flatMap((member) => {
    const values = valuesOf(scope[member]);
    if (values.length === 0) return [];
    const named = values.map((value) => (member === 'keyId' ? (agents.get(value) ?? value) : value));
    return [`${WORDS[member]} ${named.map(quoted).join(' or ')}`];
  });
  return parts.length === 0 ? 'Every write of this workspace' : `Writes ${parts.join(' ')}`;
}

/** The same within a sentence. */
export function scopeWithin(scope: FreezeScope, agents: Agents): string {
  const words = scopeInWords(scope, agents);
  return `${words[0]!.toLowerCase()}${words.slice(1)}`;
}

/** INVARIANT: a freeze also stops a write that leaves a member out, so the form must say so. Null if none can. */
export function alsoInWords(scope: FreezeScope): string | null {
  const given = (Object.keys(WORDS) as Member[]).filter((member) => valuesOf(scope[member]).length > 0);
  const named = given.flatMap((member) => labelOf([member])?.toLowerCase() ?? []);
  if (named.length === 0) return null;
  const rest = given.length > 1 ? ', if the rest matches' : '';
  return `Writes that don’t name their ${named.join(' or ')} stop too${rest}.`;
}

export function valuesOf(pattern: string | readonly string[] | undefined): readonly string[] {
  return pattern === undefined ? [] : typeof pattern === 'string' ? [pattern] : pattern;
}

/** Whether it stops an agent: all of its writes, or only some; null if it names no agent, or another one. */
export function stopsAgent(scope: FreezeScope, keyId: string): 'all' | 'some' | null {
  const { keyId: keys, ...rest } = scope;
  const isNamed = valuesOf(keys).includes(keyId);
  const namesMore = Object.values(rest).some((pattern) => valuesOf(pattern).length > 0);
  if (keys === undefined) return namesMore ? null : 'all';
  return isNamed ? (namesMore ? 'some' : 'all') : null;
}

/** The members that the decision list can filter by. */
export function filtersOf(scope: FreezeScope): { readonly [name: string]: string } {
  const filters = (['system', 'workflowId', 'keyId'] as const).flatMap((member) => {
    const [value, ...more] = valuesOf(scope[member]);
    return value === undefined || more.length > 0 || value.includes('*') ? [] : [[member, value] as const];
  });
  return Object.fromEntries(filters);
}
