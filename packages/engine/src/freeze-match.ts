/** Decides whether a freeze stops a write: a member that the write omits counts as matching. */
import { type FreezeScope, UNNAMED_SYSTEM, type WriteIntent } from '@writecheck/contract';
import { asciiLower, compileMatch, compilePattern } from './policy/match.ts';

/** `keyIds`: the requesting key and those it was rotated from; null if unknown. */
export type FreezeMatcher = (intent: WriteIntent, keyIds: readonly string[] | null) => boolean;

export function compileFreeze({ system, workflowId, keyId, ...match }: FreezeScope): FreezeMatcher {
  const matchesTarget = compileMatch(match);
  const matchesSystem = system === undefined ? null : compilePattern(system);
  const matchesWorkflow = workflowId === undefined ? null : compilePattern(workflowId);
  const keys = keyId === undefined ? null : new Set(typeof keyId === 'string' ? [keyId] : keyId);
  return (intent, keyIds) => {
    if (keys !== null && keyIds !== null && !keyIds.some((id) => keys.has(id))) return false;
    if (matchesSystem !== null) {
      // INVARIANT: an AuthZEN evaluation that names no system is recorded under this name, and counts as leaving it out.
      const named = asciiLower(intent.system);
      if (named !== UNNAMED_SYSTEM && !matchesSystem(named)) return false;
    }
    if (matchesWorkflow !== null && intent.workflowId !== undefined) {
      if (!matchesWorkflow(asciiLower(intent.workflowId))) return false;
    }
    return matchesTarget(intent);
  };
}
