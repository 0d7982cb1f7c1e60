import { expect, test } from 'vitest';
import { refuseNodeVersion } from './node-version.ts';

test('Node 24 and newer are accepted, older ones are refused with the fix', () => {
  expect(refuseNodeVersion('v24.0.0')).toBeNull();
  expect(refuseNodeVersion('v26.10.0')).toBeNull();
  expect(refuseNodeVersion('v20.20.2')).toBe(
    'writecheck needs Node 24 or newer, and this is v20.20.2; install a newer one and start again',
  );
  expect(refuseNodeVersion('nonsense')).not.toBeNull();
});
