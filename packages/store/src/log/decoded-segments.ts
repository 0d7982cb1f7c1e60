/** The segments that were decoded last: callers report many outcomes of one commit together. `npm run bench -- stops` shows what that saves. */
import { decodeSegment, type StoredEntry, type StoredSegment } from './segment.ts';

const KEPT_SEGMENTS = 8;
const KEPT_BYTES_MAX = 1024 * 1024;

export class DecodedSegments {
  readonly #kept: { readonly body: Buffer; readonly entries: readonly StoredEntry[] }[] = [];

  /** INVARIANT: compared with what is stored now, so that nothing is found that was pruned since. */
  entriesOf(segment: StoredSegment): readonly StoredEntry[] {
    const kept = this.#kept.find(({ body }) => body.equals(segment.body));
    if (kept?.entries.length === segment.count) return kept.entries;
    const entries = decodeSegment(segment);
    const bytes = entries.reduce((sum, { record, leaf }) => sum + record.length + leaf.length, 0);
    if (bytes <= KEPT_BYTES_MAX) {
      this.#kept.push({ body: segment.body, entries });
      if (this.#kept.length > KEPT_SEGMENTS) this.#kept.shift();
    }
    return entries;
  }
}
