import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { callIdFrom } from './call-id.ts';

const CALLS: readonly (readonly [tool: string, id: string, thread?: string])[] = [
  ['refund', 'call_9f0Zk2mQ1'],
  ['refund', 'D681PevKs'],
  ['refund', 'call_1', 'thread-7'],
  ['refund', 'call_1'],
  ['refund', 'functions.refund:0'],
];

it('names a call alike in two processes, unless its id is counted and its thread unknown', () => {
  const program = `
    import { callIdFrom } from ${JSON.stringify(new URL('call-id.ts', import.meta.url).href)};
    console.log(JSON.stringify(${JSON.stringify(CALLS)}.map((call) => callIdFrom(...call))));`;
  const args = ['--conditions=writecheck-source', '--input-type=module', '-e', program];
  const elsewhere = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
  const here = CALLS.map((call) => callIdFrom(...call));
  expect(here.map((name, place) => name === elsewhere[place])).toEqual([true, true, true, false, false]);
  expect(new Set(here).size).toBe(CALLS.length);
});

it('does not name a call without an id', () => {
  for (const id of [undefined, '', 7, null]) expect(callIdFrom('refund', id)).toBeUndefined();
});
