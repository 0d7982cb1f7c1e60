import { expect, test } from 'vitest';
import { COMMAND_LINE, newRequest } from '../../test/store-contract/store-contract-values.ts';
import type { RequestResult } from '../commit/build-commit.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import { packRecorded, packResults } from './arrived-group.ts';
import { unpackRecorded, unpackResults } from './commit-wire.ts';

function cross<T>(value: T): T {
  return structuredClone(value);
}
function committed(leafIndex: number) {
  return { kind: 'committed' as const, leafIndex, used: leafIndex + 7 };
}
const over = { kind: 'quota_exceeded' as const, used: 5 };
const stored = {
  requestDigest: 'r',
  expiresAtMs: 9,
  replayableWhile: null,
  response: new TextEncoder().encode('kept'),
};

const sent = [
  newRequest('ws_1'),
  newRequest('ws_2', { limit: 5 }),
  newRequest('ws_3'),
  newRequest('ws_1', { limit: 5, keyKind: 'development' }),
  newRequest('ws_1'),
];
const results: readonly RequestResult[] = [
  committed(0),
  over,
  { kind: 'decide_again' },
  { kind: 'twin', stored },
  committed(1),
];

test('every result finds its request again', () => {
  const named = (i: number) => ({ decisionId: sent[i]!.leaf.decision_id, log: 'l' });
  expect(unpackResults(cross(packResults(results, [])), sent, 'l')).toEqual([
    { ...committed(0), ...named(0) },
    over,
    { kind: 'decide_again' },
    { kind: 'twin', stored },
    { ...committed(1), ...named(4) },
  ]);
});

test('results that do not match the requests are rejected', () => {
  const packed = packResults(results, []);
  const refused = (...args: Parameters<typeof unpackResults>) =>
    expect(() => unpackResults(...args)).toThrow(RangeError);
  refused(packed, sent.slice(0, -1), 'l');
  refused(packed, [...sent, newRequest('ws_1')], 'l');
  // A lost refusal does not become a commit.
  refused({ ...packed, others: null }, sent, 'l');
  // Nor does a check over a limit if there is no limit.
  refused(packed, [sent[0]!, { ...sent[1]!, quota: null }, ...sent.slice(2)], 'l');
});

test('each reported outcome gets its own result, and too few or too many are rejected', () => {
  const told = { workspace: 'ws_1', decisionId: 'dec_1', result: 'done', atMs: 1, recordedAtMs: 2 } as const;
  const first: NewOutcome = {
    ...told,
    by: { ...COMMAND_LINE, session: 's' },
    note: 'ü \0 \ud800',
    ref: null,
  };
  const again: NewOutcome = { ...first, atMs: 5, recordedAtMs: 6 };
  const late: NewOutcome = { ...first, decisionId: 'dec_2' };
  const { workspace: _, by: __, ...outcome } = first;
  const stands: OutcomeRecorded = { kind: 'recorded', outcome: { ...outcome, by: COMMAND_LINE } };
  const recorded: readonly OutcomeRecorded[] = [stands, stands, { kind: 'no_decision' }];
  const outcomes = [first, again, late];
  const packed = cross(packRecorded(outcomes, { recorded, changed: new Set([first]) }));
  // An earlier outcome gets its first report; a new one what was sent, without the session.
  expect(unpackRecorded(packed, outcomes)).toEqual(recorded);
  for (const sentOut of [[], outcomes.slice(1), [...outcomes, late]])
    expect(() => unpackRecorded(packed, sentOut)).toThrow(RangeError);
});
