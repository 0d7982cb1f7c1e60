import { expect, test } from 'vitest';
import { foundElsewhere } from './found-members.ts';

const INTENT = {
  system: 'erp',
  objectRef: 'V-1016',
  controlEvidence: [{ evidenceRef: 'okafor' }],
  metadata: {
    context: { requestedBy: 'a.Okafor@example.com', note: `${'x'.repeat(90)}urgent${'y'.repeat(90)}` },
  },
};
const found = (wanted: string, shown = 'vendor V-1016') =>
  foundElsewhere(wanted, INTENT, shown).map(({ path, text }) => `${path.at(-1)}: ${text}`);

test('a match that a row does not show is named by its member, once, and cut around if long', () => {
  expect(found('okafor')).toEqual(['requestedBy: a.Okafor@example.com']);
  expect(found('v-1016 okafor example')).toEqual(['requestedBy: a.Okafor@example.com']);
  expect(found('urgent')).toEqual([`note: …${'x'.repeat(24)}urgent${'y'.repeat(24)}…`]);
});

test('what the row shows, and what nothing has, gets no line', () => {
  expect(found('')).toEqual([]);
  expect(found('V-1016')).toEqual([]);
  expect(found('nothing')).toEqual([]);
});
