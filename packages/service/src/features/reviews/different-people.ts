/**
 * Chooses whose approvals count for which controls, so that no person counts for two controls that require
 * different people.
 */

export interface Wanted {
  readonly controlId: string;
  readonly approvals: number;
  /** Whose approvals could count for it. */
  readonly authors: readonly string[];
}

/** A search that takes longer finds nothing, so the review stays open: doubt never approves. */
const STEPS_MAX = 10_000;

/** The authors that count for each control; null if there are not enough different ones. */
export function differentPeople(
  wanted: readonly Wanted[],
  different: readonly (readonly string[])[],
): ReadonlyMap<string, readonly string[]> | null {
  const differ = (one: Wanted, other: Wanted): boolean =>
    one !== other && different.some((list) => list.includes(one.controlId) && list.includes(other.controlId));
  const bound = wanted.filter((one) => wanted.some((other) => differ(one, other)));
  const chosen = new Map(wanted.map(({ controlId, authors }) => [controlId, authors]));
  for (const { controlId } of bound) chosen.set(controlId, []);
  let steps = 0;

  /** Adds to the control at `at`, from its author at `from` on, until it and all that follow have enough. */
  const fill = (at: number, from: number): boolean => {
    const control = bound[at];
    if (control === undefined) return true;
    steps += 1;
    const { controlId, authors, approvals } = control;
    const own = chosen.get(controlId)!;
    if (own.length === approvals) return fill(at + 1, 0);
    for (let i = from; i < authors.length && steps < STEPS_MAX; i += 1) {
      const author = authors[i]!;
      if (bound.some((other) => differ(control, other) && chosen.get(other.controlId)!.includes(author)))
        continue;
      chosen.set(controlId, [...own, author]);
      if (fill(at, i + 1)) return true;
      chosen.set(controlId, own);
    }
    return false;
  };

  return fill(0, 0) ? chosen : null;
}
