import { expect, test } from 'vitest';
import { tortureBodies } from './bodies-torture.ts';

test('20,000 malformed bodies: no 5xx, no allow, no charge', { timeout: 600_000 }, async () => {
  expect(await tortureBodies(20_000, 20_261_115)).toEqual([]);
});
