import { type ExportLine, encodeBase64, type NotedEntry, notedEntryBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { FrozenAllows } from './frozen-allows.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const AT = { workspace: 'ws_1', timestamp: '2026-11-17T04:00:00.000Z' };
const BY = { ...AT, by: { kind: 'owner_key', id: 'key_o' } } as const;

function line(entry: NotedEntry, index: number): ExportLine {
  return { kind: 'entry', log: 'l', index, leaf: encodeBase64(notedEntryBytes(entry, 'l')) };
}

test('an allow under a number at which a matching freeze was active is found, and no other', () => {
  const freezes = new FrozenAllows();
  expect(freezes.areAny).toBe(false);
  const frozen = { kind: 'freeze.created', ...BY, until: null, reasonDigest: DIGEST } as const;
  const lines: readonly NotedEntry[] = [
    { ...frozen, freeze: 'frz_1', number: 2, scope: { system: 'crm' } },
    { ...frozen, freeze: 'frz_2', number: 3, scope: { keyId: 'key_1' } },
    { kind: 'freeze.lifted', ...BY, freeze: 'frz_1', number: 5, reasonDigest: DIGEST },
    { kind: 'key.rotated', ...BY, key: 'key_1', keyKind: 'live', replacement: 'key_2' },
  ];
  for (const [index, entry] of lines.entries()) freezes.learn(line(entry, index));
  expect(freezes.areAny).toBe(true);
  const activeAt = (system: string, keyId: string, number: number) =>
    freezes.activeFor({ system }, keyId, number);
  expect([1, 2, 4, 5].map((number) => activeAt('crm', 'key_9', number))).toEqual([
    null,
    'frz_1',
    'frz_1',
    null,
  ]);
  expect(activeAt('erp', 'key_9', 4)).toBeNull();
  // The name of an AuthZEN evaluation without a system.
  expect([1, 4, 5].map((number) => activeAt('authzen', 'key_9', number))).toEqual([null, 'frz_1', null]);
  expect([2, 3, 9].map((number) => activeAt('erp', 'key_2', number))).toEqual([null, 'frz_2', 'frz_2']);
});
