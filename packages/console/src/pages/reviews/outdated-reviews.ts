/** Reviews that changes of policy closed, counted for each revision. */
import type { Review } from '@writecheck/api';

export interface ClosedBy {
  /** Null while it is unknown which one it was. */
  readonly revision: number | null;
  /** When the first of them closed, which is nearest to the change: some close only when somebody reads them. */
  readonly at: string;
  readonly count: number;
}

/** The newest revision first. */
export function closedByRevision(
  closed: readonly Pick<Review, 'resolvedAt'>[],
  revisions: readonly { readonly revision: number; readonly createdAt: string }[],
): readonly ClosedBy[] {
  const found = new Map<number | null, ClosedBy>();
  const times = closed.map(({ resolvedAt }) => resolvedAt ?? '').sort();
  for (const at of times) {
    const before = revisions.filter(({ createdAt }) => createdAt <= at).map(({ revision }) => revision);
    const revision = before.length === 0 ? null : Math.max(...before);
    const known = found.get(revision) ?? { revision, at, count: 0 };
    found.set(revision, { ...known, count: known.count + 1 });
  }
  return [...found.values()].reverse();
}
