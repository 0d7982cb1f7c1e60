/** Tells how long a verdict counts: until its author may no longer decide, or it is too old for its controls. */
import { type Author, isSameAuthor, type StandingOf } from './author.ts';
import type { Review, ReviewedControl, Verdict } from './review.ts';

/**
 * The author's verdict, if it still stands. A verdict no longer counts if its author was disabled or reset
 * since, if its owner key is revoked, or if it is older than `holdsFor` for every control. Then it blocks no
 * new verdict.
 */
export function standingVerdict(
  review: Review,
  by: Author,
  standingOf: StandingOf,
  nowMs: number,
): Verdict | null {
  const own = review.verdicts.find((each) => isSameAuthor(each.by, by));
  // All owner keys are one author, so a key other than `by` may have given it.
  if (own === undefined || standingOf(own.by, review)?.epoch !== own.epoch) return null;
  return heldControls(own, review, nowMs).length > 0 ? own : null;
}

/** The controls that a verdict speaks for and is not too old for. */
function heldControls(verdict: Verdict, { controls }: Review, nowMs: number): readonly string[] {
  return controls.filter((control) => holds(verdict, control, nowMs)).map(({ controlId }) => controlId);
}

export function holds(
  { controls, atMs }: Verdict,
  { controlId, rule }: ReviewedControl,
  nowMs: number,
): boolean {
  return controls.includes(controlId) && nowMs - atMs <= rule.holdsForMs;
}

/** Whether it speaks for more controls, or renews one that ran out without losing any that still holds. */
export function takesPlaceOf(
  before: Verdict,
  spoken: readonly string[],
  review: Review,
  nowMs: number,
): boolean {
  if (spoken.some((controlId) => !before.controls.includes(controlId))) return true;
  const held = heldControls(before, review, nowMs);
  return spoken.length > held.length && held.every((controlId) => spoken.includes(controlId));
}
