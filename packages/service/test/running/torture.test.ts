import { expect, test } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { tortureCores } from './cores-torture.ts';
import { tortureByKilling } from './kill-torture.ts';
import { tortureQuota } from './quota-torture.ts';
import { tortureReviewsByKilling } from './review-torture.ts';

testInPart(
  {
    part: 3,
    whole: 20,
    named: (count) => `${count} kills in the middle of commits lose nothing that was acknowledged`,
  },
  async (kills) => {
    const { faults, acknowledged, recorded } = await tortureByKilling(kills, 20_261_115);
    expect(faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(kills);
    expect(recorded).toBeGreaterThanOrEqual(acknowledged);
  },
);

testInPart(
  {
    part: 2,
    whole: 5,
    named: (count) => `${count} kills in the middle of changes leave every review as the log tells of it`,
  },
  async (kills) => {
    const { faults, acknowledged } = await tortureReviewsByKilling(kills, 20_261_116);
    expect(faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(kills);
  },
);

testInPart(
  {
    part: 1,
    whole: 5,
    named: (count) => `5,000 checks at once from 3 processes spend exactly 1,000, ${count} times`,
  },
  async (rounds) => expect(await tortureQuota(rounds)).toEqual([]),
);

test('2 kills of three deciding threads under load lose nothing that was acknowledged', {
  tags: 'nightly',
  timeout: 180_000,
}, async () => {
  const { faults, acknowledged } = await tortureCores(2, 20_261_117);
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThanOrEqual(2 * 32);
});
