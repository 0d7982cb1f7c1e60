import { expect, test } from 'vitest';
import { tortureCores } from './cores-torture.ts';
import { tortureByKilling } from './kill-torture.ts';
import { tortureQuota } from './quota-torture.ts';
import { tortureReviewsByKilling } from './review-torture.ts';

test('20 kills in the middle of commits lose nothing that was acknowledged', async () => {
  const { faults, acknowledged, recorded } = await tortureByKilling(20, 20_261_115);
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(20);
  expect(recorded).toBeGreaterThanOrEqual(acknowledged);
}, 180_000);

test('5 kills in the middle of changes leave every review as the log tells of it', async () => {
  const { faults, acknowledged } = await tortureReviewsByKilling(5, 20_261_116);
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(5);
}, 180_000);

test('5,000 checks at once from 3 processes spend exactly 1,000, five times', async () => {
  expect(await tortureQuota(5)).toEqual([]);
}, 180_000);

test('2 kills of three deciding threads under load lose nothing that was acknowledged', {
  tags: 'nightly',
  timeout: 180_000,
}, async () => {
  const { faults, acknowledged } = await tortureCores(2, 20_261_117);
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThanOrEqual(2 * 32);
});
