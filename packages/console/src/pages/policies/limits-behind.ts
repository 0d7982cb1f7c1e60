/** The limits that a trial's changed decisions can be put down to. */
import type { Changed } from '@writecheck/api';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';

const OF_LIMITS: ReadonlySet<string> = new Set(['limit_exceeded', 'limit_unreadable']);

/** The report counts profiles only, so a reader is told which limits the bundle changes where one is a reason. */
export function limitsBehind(
  { byCode }: Pick<Changed, 'byCode'>,
  changes: readonly Pick<DocumentChange, 'kind' | 'id'>[],
): readonly string[] {
  if (!byCode.some(({ code }) => OF_LIMITS.has(code))) return [];
  return changes.filter(({ kind }) => kind === 'Limit').map(({ id }) => id);
}
