/** The scope of a freeze: it selects writes by what an intent names, and by the key that asks. */

/** Exact, a glob with `*` (not for `keyId`), or a list of these. An omitted member stops everything. */
export const FREEZE_SCOPE_MEMBERS = [
  'system',
  'objectType',
  'field',
  'operation',
  'workflowId',
  'keyId',
] as const;

type Pattern = string | readonly string[];

export type FreezeScope = { readonly [member in (typeof FREEZE_SCOPE_MEMBERS)[number]]?: Pattern };

/** Whether a value read from somewhere is one. */
export function isFreezeScope(value: unknown): value is FreezeScope {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members: readonly string[] = FREEZE_SCOPE_MEMBERS;
  return Object.entries(value).every(([member, pattern]) => members.includes(member) && isPattern(pattern));
}

function isPattern(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'string';
  return value.length > 0 && value.every((one) => typeof one === 'string');
}
