import type { Store } from '@writecheck/store/port';
import { expect, test } from 'vitest';
import { recordedIntents } from './recorded-intents.ts';

const MIB = 1024 * 1024;

/** Logs of ten large records each, one to a segment, numbered by their last byte. */
function storeOf(...names: readonly string[]): Pick<Store, 'logs' | 'segments'> {
  const numbered = (log: string, index: number) => {
    const record = new Uint8Array(6 * MIB).fill(32);
    record.set(Buffer.from('{"workspace":"wks_1"'));
    record.set(Buffer.from(`"${log}${index}"}`), record.length - 5);
    return record;
  };
  return {
    logs: async () =>
      names.map((log) => ({ log, size: 10, frontier: new Uint8Array(), newestAtMs: 0, isOpen: true })),
    segments: async (log, from) => [
      {
        log,
        firstIndex: from,
        entries: [{ record: numbered(log, from), leaf: new Uint8Array() }],
        leafHashes: new Uint8Array(),
      },
    ],
  };
}

const nameOf = (record: Uint8Array) => Buffer.from(record.subarray(-4, -2)).toString();

test('of more than fits, the newest records of every log show what a change would loosen', async () => {
  const one = await recordedIntents(storeOf('a'), 'wks_1');
  expect(one.map(nameOf)).toEqual(['a5', 'a6', 'a7', 'a8', 'a9']);
  const two = await recordedIntents(storeOf('a', 'b'), 'wks_1');
  expect(two.map(nameOf)).toEqual(['a8', 'a9', 'b8', 'b9']);
  expect(await recordedIntents(storeOf('a'), 'wks_2')).toEqual([]);
});
