import { Frontier } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { newRequest } from '../../test/store-contract/store-contract-values.ts';
import { admit, type Known } from '../commit/admit.ts';
import { SegmentBuilder } from '../commit/segment-builder.ts';
import type { CommitRequest } from '../port.ts';
import { callOf, statementNameOf } from './call-function.ts';
import { commitArguments } from './commit-arguments.ts';
import { FUNCTIONS } from './schema-functions.ts';

const frontier = new Frontier().toBytes();
const log = { number: 1, log: 'l', size: 0, frontier, newestMs: 0, writer: 'w', lease: '1 second' };
const known: Known = {
  used: () => 0,
  answer: () => undefined,
  stored: () => 0,
  basis: () => ({ ended: null, freezeNumber: null, running: null, storesAtMost: null }),
  isConsumed: () => false,
  isRevoked: () => false,
  draws: () => ({ draws: '', restoredMs: null }),
};
const segment = new SegmentBuilder(log).finish();

/** The arguments a function declares. */
function declared(functions: string, name: string): readonly string[] {
  const [, list] = new RegExp(`CREATE FUNCTION writecheck\\.${name}\\(([^)]*)\\)`).exec(functions)!;
  return [...list!.matchAll(/\bp_\w+/g)].map(([argument]) => argument);
}

function argumentsOf(requests: readonly CommitRequest[]) {
  const candidates = requests.map((request) => ({ ...request, storedBytes: 1 }));
  return commitArguments(log, segment, admit(candidates, known), { outcomes: [], storesAtMost: null });
}

test('a function is called with every argument it declares, and with no other', () => {
  expect(Object.keys(argumentsOf([])).sort()).toEqual([...declared(FUNCTIONS, 'commit')].sort());
});

test('a call names its arguments, so that the order of the values follows from the names', () => {
  const { text, values } = callOf('f', { p_b: 2, p_a: [1] });
  expect(text).toMatch(/ FROM writecheck\.f\(p_b => \$1, p_a => \$2\)$/);
  expect(values).toEqual([2, [1]]);
});

test('two versions of the program that share a pooled connection never give one name to two statements', () => {
  expect(statementNameOf('SELECT * FROM writecheck.f(p_b => $1)')).toMatch(/^f_[0-9a-f]{16}$/);
  expect(statementNameOf('SELECT 1')).toMatch(/^writecheck_[0-9a-f]{16}$/);
  expect(statementNameOf('SELECT 1')).toBe(statementNameOf('SELECT 1'));
  expect(statementNameOf('SELECT 2')).not.toBe(statementNameOf('SELECT 1'));
});

test('locks are taken in one order, whatever the order of requests', () => {
  const requests = ['ws_2', 'ws_1', 'ws_3'].map((workspace, i) =>
    newRequest(workspace, {
      consumes: [{ source: 's', jti: `j${i}` }],
      claim: { key: `k${i}`, response: 'r', expiresAtMs: 1 },
    }),
  );
  const sorted = ['ws_1', 'ws_2', 'ws_3'];
  for (const order of [requests, requests.toReversed()]) {
    const values = argumentsOf(order);
    expect(values.p_use_workspaces).toEqual(sorted);
    expect(values.p_key_workspaces).toEqual(sorted);
    expect(values.p_used_workspaces).toEqual(sorted);
    expect(values.p_used_jtis).toEqual(['j1', 'j0', 'j2']);
  }
});
