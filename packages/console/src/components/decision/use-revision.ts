/** The policy revision that a decision was made under, found by its digest. */

import { durationMs } from '@writecheck/contract';
import { success } from '../../api.ts';
import { type Bundle, listRevisions, readRevision } from '../../calls/policies.ts';
import type { ControlLimit } from '../../picture/picture.ts';
import { controlIn } from '../../picture/record-facts.ts';
import { useLoad } from '../../use-load.ts';

export type RevisionOf = NonNullable<ReturnType<typeof useRevision>>;

export function useRevision(policyRef: string | undefined, at: string) {
  const { value } = useLoad<Bundle | null>(`revision ${policyRef} ${at}`, async (signal) => {
    if (policyRef === undefined) return success(null);
    const listed = await listRevisions(signal);
    if (listed.kind === 'failure') return listed;
    // A rollback repeats a digest; the one in force then is the newest before the decision.
    const found = listed.value.revisions.find(
      ({ digest, createdAt }) => digest === policyRef && Date.parse(createdAt) <= Date.parse(at),
    );
    return found === undefined ? success(null) : readRevision(found.revision, signal);
  });
  return value;
}

/** The same control as the decision picture needs it. */
export function limitIn(revision: RevisionOf | null, controlId: string): ControlLimit | null {
  const control = controlIn(revision?.documents ?? [], controlId);
  if (control === null) return null;
  return {
    maxAgeMs: control.maxAge === undefined ? null : durationMs(control.maxAge),
    sources: control.sources ?? null,
    assurance: control.assurance ?? 'asserted',
    use: control.use,
  };
}
