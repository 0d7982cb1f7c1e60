/** What the newest policy revisions changed, found by comparing each with the one before it. */

import { success } from '../../api.ts';
import { readRevision } from '../../calls/policies.ts';
import { useKept, useLoad } from '../../use-load.ts';
import type { ChangeCounts } from './count-changes.ts';
import { count } from './policy-desk.ts';

/** A limit, because each costs a call. */
const COMPARED_MAX = 20;

/** By revision. One that cannot be read, or has none before it, is left out. */
export function useRevisionChanges(revisions: readonly number[]): ReadonlyMap<number, ChangeCounts> {
  const newest = [...revisions].sort((a, b) => b - a).slice(0, COMPARED_MAX);
  const load = useLoad(`changes of ${newest.join(' ')}`, async (signal) => {
    const found = new Map<number, ChangeCounts>();
    const reads = new Map<number, ReturnType<typeof readRevision>>();
    const read = (revision: number) => {
      const reading = reads.get(revision) ?? readRevision(revision, signal);
      reads.set(revision, reading);
      return reading;
    };
    for (const revision of newest) {
      if (revision < 2) continue;
      const [after, before] = [await read(revision), await read(revision - 1)];
      if (after.kind === 'failure' || before.kind === 'failure') break;
      const counts = await count(before.value.documents, after.value.documents);
      if (counts !== null) found.set(revision, counts);
    }
    return success(found);
  });
  return useKept(load).value ?? NONE;
}

const NONE: ReadonlyMap<number, ChangeCounts> = new Map();
