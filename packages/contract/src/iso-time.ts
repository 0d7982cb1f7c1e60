/** The spelling of a moment on the wire. Many decisions fall into one millisecond, so the newest are remembered. */

const REMEMBERED_MAX = 64;
const remembered = new Map<number, string>();

export function isoTime(epochMs: number): string {
  let text = remembered.get(epochMs);
  if (text === undefined) {
    text = new Date(epochMs).toISOString();
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(epochMs, text);
  }
  return text;
}
