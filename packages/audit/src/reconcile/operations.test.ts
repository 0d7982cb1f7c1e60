/** Tests which mappings of operations are accepted, and what they read from an intent. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operationWrite, readOperations } from './operations.ts';

async function mapped(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'writecheck-operations-')), 'map.yaml');
  writeFileSync(file, text);
  return readOperations(file);
}

test('a mapping names members of the intent at any depth; a number or boolean counts as its JSON text', async () => {
  const operations = await mapped('Refund.create: {objectRef: metadata.order, value: metadata.a.b}');
  for (const [b, value] of [
    ['x', 'x'],
    [99.5, '99.5'],
    [false, 'false'],
  ] as const) {
    const intent = { system: 'erp', operation: 'refund.CREATE', metadata: { order: 'O-1', a: { b } } };
    expect(operationWrite(intent, operations)).toEqual({ objectRef: 'O-1', value });
  }
});

test('a member that the intent does not contain itself is not compared', async () => {
  const operations = await mapped('op: {objectRef: metadata.constructor.name}');
  expect(operationWrite({ system: 'erp', operation: 'op' }, operations)).toBeNull();
  const intent = { system: 'erp', operation: 'op', metadata: {} };
  expect(operationWrite(intent, operations)).toBeNull();
  expect(operationWrite({ system: 'erp', operation: 'other' }, operations)).toBeNull();
  expect(operationWrite({ system: 'erp' }, operations)).toBeNull();
});

test.each([
  'op: x',
  'op: {value: a}',
  'op: {objectRef: 5}',
  'op: {objectRef: a, extra: b}',
  'op: null',
  '- op',
  'a: [',
])('--operations with `%s` is a wrong argument', async (text) => {
  await expect(mapped(text)).rejects.toMatchObject({ exitCode: 1 });
});
