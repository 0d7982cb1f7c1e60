import { expect, test } from 'vitest';
import type { Failure } from '../api.ts';
import { faultAt, withoutPlaced } from './field-fault.tsx';

const REFUSED: Failure = {
  kind: 'failure',
  code: 'invalid_request',
  status: 422,
  message: 'the request is invalid',
  details: [
    { pointer: '/amount', message: 'only 5 is drawn' },
    { pointer: '/scope/system', message: 'is too long' },
    { pointer: '/amounts', message: 'is not known' },
    { pointer: '', message: 'has no group' },
  ],
  requestId: null,
  retryAfterSeconds: null,
};

test('an error stands at its field once, and what belongs to no field is still said below', () => {
  expect(faultAt(REFUSED, '/amount')).toBe('only 5 is drawn');
  expect(faultAt(REFUSED, '/scope')).toBe('is too long');
  expect(faultAt(null, '/amount')).toBe(null);
  const left = withoutPlaced(REFUSED, ['/amount', '/scope']) as Failure;
  expect(left.details.map(({ pointer }) => pointer)).toEqual(['/amounts', '']);
  expect(withoutPlaced({ ...REFUSED, details: REFUSED.details.slice(0, 1) }, ['/amount'])).toBe(null);
  expect(withoutPlaced({ ...REFUSED, details: [] }, ['/amount'])).not.toBe(null);
});
