import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { HARMLESS } from '../../../test/harmless-texts.ts';
import { HOSTILE } from '../../../test/hostile-texts.ts';
import { warningsOf } from './warnings.ts';

/** The text stands wherever a caller can put one. */
function kindsFor(text: string): readonly string[] {
  const asked = { keyId: 'key_1', keyName: 'ap-bot', onBehalfOf: null, externalRef: null, at: '' };
  const intent = {
    system: 'erp',
    objectRef: 'V-1',
    field: 'name',
    metadata: { context: { note: text }, said: text },
  };
  const review = {
    id: `rev ${text}`,
    intent,
    askedBy: [{ ...asked, justification: text }],
  } as unknown as Review;
  return warningsOf(review).map(({ kind }) => kind);
}

test('200 harmless texts in ten languages cause no warning', () => {
  const texts = Object.values(HARMLESS).flat();
  expect([texts.length, Object.keys(HARMLESS).length]).toEqual([200, 10]);
  expect(texts.flatMap((text) => kindsFor(text).map((kind) => `${kind}: ${text}`))).toEqual([]);
});

test('60 hostile texts each cause the right warning, and no other', () => {
  const all = Object.entries(HOSTILE).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const));
  expect(all).toHaveLength(60);
  const judged = all.map(([, text]) => [...new Set(kindsFor(text))].join(', '));
  expect(judged.map((kinds, at) => `${kinds}: ${all[at]![1]}`)).toEqual(
    all.map(([kind, text]) => `${kind}: ${text}`),
  );
});
