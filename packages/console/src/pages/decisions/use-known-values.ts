/** The values to choose from after a filter's colon: agents by name, and what the newest decisions have. */

import { useMemo, useRef } from 'preact/hooks';
import { success } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import type { Agents } from '../../components/agent/use-agents.ts';
import { useLoad } from '../../use-load.ts';
import { FIXED_VALUES, type KnownValues } from './search-words.ts';

const LOOKED_THROUGH = '200';

/** Reads decisions once they are wanted. What cannot be read is not suggested; it can still be typed. */
export function useKnownValues(agents: Agents, isWanted: boolean): KnownValues {
  const wasWanted = useRef(false);
  wasWanted.current ||= isWanted;
  const { value } = useLoad(`known values ${wasWanted.current}`, async (signal) =>
    wasWanted.current ? listDecisions({ limit: LOOKED_THROUGH }, signal) : success(null),
  );
  const rows = value?.decisions ?? null;
  return useMemo(() => {
    const of = (member: 'system' | 'objectRef' | 'workflowId' | 'runId' | 'field') =>
      distinct((rows ?? []).map((row) => row[member]));
    return {
      ...FIXED_VALUES,
      agent: distinct([...agents.values()]),
      system: of('system'),
      object: of('objectRef'),
      workflow: of('workflowId'),
      run: of('runId'),
      field: of('field'),
    };
  }, [agents, rows]);
}

function distinct(values: readonly unknown[]): KnownValues[string] {
  // One with a quote cannot be typed.
  const texts = values.filter((each) => typeof each === 'string' && !each.includes('"')) as readonly string[];
  return [...new Set(texts)].map((value) => [value, ''] as const);
}
