/** The intent within a record, for who needs nothing else of it. */
import { parseStrictJson } from '@writecheck/contract';

/** As it was sent: null is as good as left out. */
export interface RecordedIntent {
  readonly system: string;
  readonly objectType?: string | null;
  readonly objectRef?: string | null;
  readonly field?: string | null;
  readonly operation?: string | null;
  readonly workflowId?: string | null;
  readonly runId?: string | null;
}

const INTENT_MEMBER = Buffer.from(',"intent":');

/**
 * INVARIANT: read by the parser that read it when it was decided, and not by JSON.parse, which V8 lets a caller
 * mislead (nodejs/node#63785): a decision must not vanish from lists or from what is to be forgotten.
 */
export const recordedIntent = (record: Uint8Array): RecordedIntent => {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
  // It stands last, and no string before it can hold its name unescaped.
  const from = bytes.indexOf(INTENT_MEMBER) + INTENT_MEMBER.length;
  const read = parseStrictJson(bytes.subarray(from, -1));
  if (read.kind === 'malformed') throw new TypeError(`an intent in the log cannot be read: ${read.message}`);
  // INVARIANT: only what was parsed as an intent is ever recorded.
  return read.value as unknown as RecordedIntent;
};
