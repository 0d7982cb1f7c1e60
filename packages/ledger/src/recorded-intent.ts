/** The intent within a record, for who needs nothing else of it. */
import { parseStrictJson, type WriteIntent } from '@writecheck/contract';

type Optional = 'objectType' | 'objectRef' | 'field' | 'operation' | 'workflowId' | 'runId';

/** As it was sent: null is as good as left out. */
export type RecordedIntent = Pick<WriteIntent, 'system'> & {
  readonly [member in Optional]?: WriteIntent[member] | null;
};

/** INVARIANT: the intent stands last in a record, and no string before it can hold this unescaped. */
export const INTENT_MEMBER = ',"intent":';

/**
 * INVARIANT: read by the parser that read it when it was decided, and not by JSON.parse, which V8 lets a caller
 * mislead (nodejs/node#63785): a decision must not vanish from lists or from what is to be forgotten.
 */
export const recordedIntent = (record: Uint8Array): RecordedIntent => {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
  const from = bytes.indexOf(INTENT_MEMBER) + INTENT_MEMBER.length;
  const read = parseStrictJson(bytes.subarray(from, -1));
  if (read.kind === 'malformed') throw new TypeError(`an intent in the log cannot be read: ${read.message}`);
  // INVARIANT: only what was parsed as an intent is ever recorded.
  return read.value as unknown as RecordedIntent;
};
