import { expect, test } from 'vitest';
import {
  draftOf,
  effectiveIntent,
  evidenceOf,
  toggled,
  withAddedItem,
  withMember,
  withoutItem,
} from './draft.ts';

function item(controlId: string) {
  return { controlId, source: 's', result: 'PASS' };
}
const draft = draftOf({ system: 'crm', controlEvidence: [item('a'), item('b'), item('c')] });
function sent(from: typeof draft) {
  return (effectiveIntent(from).controlEvidence as readonly { controlId: string }[]).map(
    ({ controlId }) => controlId,
  );
}

test('evidence that is switched off is not sent, and comes back when switched on', () => {
  const off = toggled(draft, 1);
  expect(sent(off)).toEqual(['a', 'c']);
  expect(evidenceOf(off)).toHaveLength(3);
  expect(effectiveIntent(toggled(off, 1))).toEqual(draft.intent);
});

test('switched-off evidence stays off when other items are removed or added', () => {
  expect(sent(withoutItem(toggled(draft, 2), 0))).toEqual(['b']);
  expect(sent(withoutItem(toggled(draft, 1), 1))).toEqual(['a', 'c']);
  expect(sent(withAddedItem(toggled(draft, 0), item('d')))).toEqual(['b', 'c', 'd']);
});

test('an emptied member is removed', () => {
  expect(withMember(draft, 'system', '').intent).not.toHaveProperty('system');
  expect(withMember(draft, 'authorityFound', false).intent).toHaveProperty('authorityFound', false);
  expect(withMember(draft, 'requiredControls', []).intent).not.toHaveProperty('requiredControls');
});
