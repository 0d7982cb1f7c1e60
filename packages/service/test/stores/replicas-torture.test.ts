/** @module-tag nightly */
import { expect, test } from 'vitest';
import { CUTS } from './cut-proxy.ts';
import { FAULTS, tortureReplicas } from './replicas-torture.ts';

test('three replicas lose nothing acknowledged and respond again within 5 s, through every kind of fault', async () => {
  const rounds = Object.keys(FAULTS).length + CUTS.length;
  const { faults, acknowledged, refused, recorded } = await tortureReplicas(rounds, 20_261_115);
  expect(faults).toEqual([]);
  // Faults that no caller notices, or that stop every caller, would prove nothing.
  expect(acknowledged).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(10);
  expect(recorded).toBeGreaterThanOrEqual(acknowledged);
}, 180_000);
