import type { PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { countChanges } from './count-changes.ts';
import { countsInWords } from './counts-in-words.ts';

const profile = (id: string, ...require: string[]): PolicyDocument => ({
  kind: 'Profile',
  id,
  authority: 'required',
  require,
});
const said = (before: PolicyDocument[], after: PolicyDocument[]) =>
  countsInWords(countChanges(before, after));

test('a revision says how many rules it tightens and loosens', () => {
  expect(said([profile('bank', 'identity')], [profile('bank', 'identity', 'approval')])).toBe(
    'tightens 1, loosens 0',
  );
  expect(said([profile('bank', 'identity', 'approval')], [profile('bank', 'identity')])).toBe(
    'tightens 0, loosens 1',
  );
  expect(
    said(
      [{ ...profile('bank', 'identity'), when: 'intent.metadata.context.amount > 5.0' } as PolicyDocument],
      [{ ...profile('bank', 'identity'), when: 'intent.metadata.context.amount < 5.0' } as PolicyDocument],
    ),
  ).toBe('tightens 0, loosens 0, 1 unclear');
  expect(said([profile('bank', 'identity')], [profile('bank', 'identity')])).toBe(
    'no rule stricter or looser',
  );
});
