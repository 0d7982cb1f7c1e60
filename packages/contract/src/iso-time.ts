/** The spelling of a moment on the wire. Many decisions fall into one millisecond, so the newest are remembered. */

const REMEMBERED_MAX = 64;
const remembered = new Map<number, string>();

let lastMs = Number.NaN;
let lastText = '';

export function isoTime(epochMs: number): string {
  if (epochMs === lastMs) return lastText;
  let text = remembered.get(epochMs);
  if (text === undefined) {
    text = new Date(epochMs).toISOString();
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(epochMs, text);
  }
  lastMs = epochMs;
  lastText = text;
  return text;
}
