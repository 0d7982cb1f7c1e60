/** Shortens two long texts around their first difference, so that the difference is never cut away. */

/** Characters kept before the difference and after it. */
const BEFORE = 12;
const AFTER = 28;
/** A text up to this length is kept whole. */
const WHOLE_MAX = BEFORE + AFTER;

export function cutAround(left: string, right: string) {
  const [a, b] = [[...left], [...right]];
  if (a.length <= WHOLE_MAX && b.length <= WHOLE_MAX) return { left, right };
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  // Texts of equal beginning that end differently keep their ends in view.
  const from = Math.max(0, same - BEFORE);
  return { left: part(a, from), right: part(b, from) };
}

/** With a mark at each end where something is left out. */
export function part(points: readonly string[], from: number, to = from + WHOLE_MAX): string {
  return `${from > 0 ? '…' : ''}${points.slice(from, to).join('')}${to < points.length ? '…' : ''}`;
}
