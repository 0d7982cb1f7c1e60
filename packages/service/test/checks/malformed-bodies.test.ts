import { expect } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { tortureBodies } from './bodies-torture.ts';

testInPart(
  { part: 2_000, whole: 20_000, named: (count) => `${count} malformed bodies: no 5xx, no allow, no charge` },
  async (bodies) => expect(await tortureBodies(bodies, 20_261_115)).toEqual([]),
);
