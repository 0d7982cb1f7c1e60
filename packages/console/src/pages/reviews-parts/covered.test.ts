/** What a reviewer sees of a write, and its digest. */
import { DIGEST_MEMBERS, intentDigest } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { coveredWrite, METADATA_FOLD } from './covered.ts';

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
  const { metadata } = coveredWrite(WHOLE);
  expect(metadata.map(({ names, text }) => [...names.slice(2), text])).toEqual([
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
