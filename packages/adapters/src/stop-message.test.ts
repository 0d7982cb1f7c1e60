import type { StopDecision } from '@writecheck/client';
import { expect, it } from 'vitest';
import { stopMessage } from './stop-message.ts';

const paused: StopDecision = {
  decision: 'pause',
  allowed: false,
  reason: 'Current authority could not be confirmed.',
  reason_code: 'authority_unverified',
  schemaVersion: 'write_intent.v1',
  review: { controls: ['authority_confirmation', 'approval'] },
  remediation: [
    { gate: 'authority', controlId: 'authority_confirmation', action: 'supply', need: 'an approval' },
    { gate: 'control', controlId: 'approval', action: 'supply', need: 'an approval' },
  ],
};

it('names the approvals and not the reason if the write needs only approvals', () => {
  const message = stopMessage(paused);
  expect(message).toContain('a person must approve this write (`authority_confirmation` and `approval`)');
  expect(message).not.toContain('authority could not be confirmed');
});

it.each([
  ['evidence is missing too', { gate: 'control', controlId: 'identity', action: 'supply', need: 'a PASS' }],
  ['a value must change', { gate: 'authority', action: 'correct', need: 'the value of the source' }],
] as const)('gives the reason and every need if %s', (_, need) => {
  const message = stopMessage({ ...paused, remediation: [...paused.remediation!, need] });
  expect(message).toContain('Current authority could not be confirmed.');
  expect(message).toContain(need.need);
});

it.each([undefined, { controls: [] }, { controls: 'approval' as never }])(
  'gives the reason if nobody could approve it: %j',
  (review) => {
    const { review: _, ...rest } = paused;
    const message = stopMessage(review === undefined ? rest : { ...rest, review });
    expect(message).toContain('Current authority could not be confirmed.');
  },
);
