/**
 * The few parts of a record that replaying needs, found without parsing the rest, which is most of it: with
 * `readRecord` a run takes half as long again (`npm run bench -- impact`). A test holds it against `readRecord`.
 */
import type { AttestationChecks } from '@writecheck/contract';
import { checksFrom } from '@writecheck/ledger/log';

interface RecordParts {
  readonly engine: string;
  readonly facts: readonly AttestationChecks[];
  /** The intent's bytes as received. */
  readonly intent: Uint8Array;
}

/** INVARIANT: no string before the intent can contain these, because quotes in strings are escaped. */
const START = Buffer.from('{"version":"writecheck.record.v1","engine":"');
const FACTS = ',"facts":';
const DECISION = ',"decision":{';
const INTENT = ',"intent":';
const QUOTE = 0x22;
const NO_FACTS: readonly AttestationChecks[] = [];

/** Null if the record is not of this version. */
export function recordParts(record: Buffer): RecordParts | null {
  if (!record.subarray(0, START.length).equals(START)) return null;
  const engineEnd = record.indexOf(QUOTE, START.length);
  const factsAt = record.indexOf(FACTS, engineEnd, 'latin1') + FACTS.length;
  const decisionAt = record.indexOf(DECISION, factsAt, 'latin1');
  const intentAt = record.indexOf(INTENT, decisionAt, 'latin1');
  if (engineEnd < 0 || factsAt < FACTS.length || decisionAt < 0 || intentAt < 0) return null;
  const isEmpty = decisionAt - factsAt === 2;
  return {
    engine: record.toString('latin1', START.length, engineEnd),
    facts: isEmpty ? NO_FACTS : checksFrom(JSON.parse(record.toString('utf8', factsAt, decisionAt))),
    intent: record.subarray(intentAt + INTENT.length, -1),
  };
}
