/** What a reviewer sees of a write, and its digest. */
import { DIGEST_MEMBERS, intentDigest } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { coveredWrite, METADATA_FOLD, sharedMembers } from './covered.ts';

const WHOLE = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-1',
  field: 'iban',
  operation: 'update',
  agentValue: 'new',
  authorityValue: 'old',
  authoritySource: 'master',
  authorityFound: true,
  workflowId: 'w',
  metadata: { context: { amount: 5, text: '5', list: [1, { deep: null }], none: {} } },
};

test('every member that the digest covers is shown or named as absent', () => {
  for (const without of [null, ...DIGEST_MEMBERS]) {
    const intent = Object.fromEntries(Object.entries(WHOLE).filter(([member]) => member !== without));
    const { before, after, rows, metadata, absent, digest } = coveredWrite({ ...intent, runId: 'r' });
    const shown = [before, after, ...rows, ...metadata].filter((row) => row !== null);
    const members = new Set(shown.map(({ names }) => names[0]!));
    expect([...members, ...absent].sort()).toEqual([...DIGEST_MEMBERS].sort());
    expect(digest).toBe(intentDigest(intent));
  }
});

test('metadata is shown to its leaves, and a text differs from a number', () => {
  const { rows, metadata } = coveredWrite(WHOLE);
  const leaves = [...rows.filter(({ names: [first] }) => first === 'metadata'), ...metadata];
  expect(leaves.map(({ names, text }) => [...names.slice(2), text])).toEqual([
    ['amount', '5'],
    ['text', '"5"'],
    ['list', '0', '1'],
    ['list', '1', 'deep', 'null'],
    ['none', '{}'],
  ]);
});

test('long texts and long metadata are folded, and nothing else is', () => {
  expect(coveredWrite(WHOLE).folds).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`m${at}`, at]));
  const folded = coveredWrite({ ...WHOLE, agentValue: 'x'.repeat(401), metadata: many });
  expect(folded.folds).toEqual(['["agentValue"]', METADATA_FOLD]);
});

test('a null member counts as absent, and an inherited one too', () => {
  const intent = Object.assign(Object.create({ field: 'iban' }), { system: 'erp', agentValue: null });
  const { absent, digest } = coveredWrite(intent);
  expect(absent).toContain('field');
  expect(absent).toContain('agentValue');
  expect(digest).toBe(intentDigest({ system: 'erp' }));
});

test('a member that one write has otherwise, or lacks, is not shown as shared', () => {
  const vendor = { system: 'erp', objectType: 'vendor', field: 'iban' };
  const writes = [
    { ...vendor, objectRef: 'V-1', workflowId: 'w', metadata: { a: 1, b: '5' } },
    { ...vendor, objectRef: 'V-2', workflowId: 'w', metadata: { a: 1, b: 5 } },
    { ...vendor, objectRef: 'V-3', metadata: { a: 1 } },
  ];
  expect(sharedMembers(writes.map(coveredWrite)).map(({ names }) => names.join('.'))).toEqual([
    'system',
    'objectType',
    'field',
    'metadata.a',
  ]);
});
