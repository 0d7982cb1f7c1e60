/** What a key may be used for, in words. A key without limits may do everything, so "none" would say the opposite. */
import type { Key } from '@writecheck/api';

type Limited = Pick<Key, 'kind' | 'allowedSystems' | 'allowedWorkflows'>;

/** Whether it sends checks, which makes it an agent. */
export function isAgent({ kind }: Pick<Key, 'kind'>): boolean {
  return kind === 'development' || kind === 'live';
}

export function limitsOf({ kind, allowedSystems, allowedWorkflows }: Limited): readonly string[] {
  if (kind === 'owner') return ['manages the workspace'];
  if (kind === 'service') return ['what its roles may do'];
  return [
    allowedSystems === null ? 'any system' : named('system', allowedSystems),
    ...(allowedWorkflows === null ? [] : [named('workflow', allowedWorkflows)]),
  ];
}

/** Whether nothing narrows a key that is used in production. */
export function isUnlimited({ kind, allowedSystems, allowedWorkflows }: Limited): boolean {
  return kind === 'live' && allowedSystems === null && allowedWorkflows === null;
}

function named(what: string, names: readonly string[]): string {
  return names.length === 0 ? `no ${what}` : `${what}s ${names.join(', ')}`;
}
