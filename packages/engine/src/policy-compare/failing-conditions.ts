/**
 * Finds the facts that are read by a condition that could fail and pause the write. If they are missing, the condition
 * is not evaluated and no longer pauses.
 */
import type { PolicyDocument } from '../policy/documents.ts';
import { canFail, mayExhaustBudget } from './condition-traits.ts';
import { factsReadBy } from './spoken-sides.ts';

/** The ids of the controls. Profiles have one budget and limits another, and a condition may use up that of the next. */
export function factsOfFailingConditions(documents: readonly PolicyDocument[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const kind of ['Profile', 'Limit'] as const) {
    const conditions = documents.flatMap((document) =>
      document.kind === kind && document.when !== undefined ? [document.when] : [],
    );
    const share = mayExhaustBudget(conditions);
    for (const when of conditions)
      if (share || canFail(when)) for (const id of factsReadBy(when)) ids.add(id);
  }
  return ids;
}

/** Whether a source may sign such facts. */
export function feedsFailingConditions(documents: readonly PolicyDocument[]): (sourceId: string) => boolean {
  const ids = factsOfFailingConditions(documents);
  const accepted = documents.flatMap((document) =>
    document.kind === 'ControlPack'
      ? Object.entries(document.controls).flatMap(([id, { sources }]) => (ids.has(id) ? [sources] : []))
      : [],
  );
  return (sourceId) => accepted.some((sources) => sources === undefined || sources.includes(sourceId));
}
