import { drawsText, limitWindow, stepOf } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { KnownDraws, type PendingDraw } from './known-draws.ts';

const DAY = limitWindow('day')!;
const NOW = Date.UTC(2026, 10, 17, 12);
const STEP = stepOf(DAY, NOW);
const draw = (amount: bigint): PendingDraw => ({ window: DAY, step: STEP, amount, atMs: NOW });

function storeOf(...found: readonly string[]) {
  const asked: (readonly string[])[] = [];
  return {
    asked,
    async drawsAt(places: readonly string[]) {
      const draws = found[asked.push(places) - 1]!;
      return places.map(() => ({ draws, restoredMs: null }));
    },
  };
}

async function knownCounter(...found: readonly string[]) {
  const known = new KnownDraws(storeOf(...found));
  return (await known.read(['a'], false)).get('a')!;
}

test('a counter is read once, and then holds what this thread draws', async () => {
  const store = storeOf('', '');
  const known = new KnownDraws(store);
  expect(known.get('a')).toBeUndefined();
  const [first, second] = await Promise.all([known.read(['a'], false), known.read(['a'], false)]);
  expect(second.get('a')).toBe(first.get('a'));
  known.get('a')!.draw(draw(2n));
  known.get('a')!.draw(draw(3n));
  expect(drawsText(known.get('a')!.draws)).toBe(`${STEP}:5`);
});

test('a check that was not committed drew nothing', async () => {
  const counter = await knownCounter(`${STEP}:1`);
  const [refused, committed] = [draw(2n), draw(4n)];
  counter.draw(refused);
  counter.draw(committed);
  counter.undo(refused);
  counter.undo(refused);
  counter.settle(committed, undefined);
  expect(drawsText(counter.draws)).toBe(`${STEP}:5`);
});

test('the result of a commit replaces the forecast, plus the draws in progress', async () => {
  const counter = await knownCounter('');
  const [first, lost, second, third] = [draw(1n), draw(16n), draw(1n), draw(1n)];
  for (const one of [first, lost, second, third]) counter.draw(one);
  counter.settle(first, `${STEP}:101`);
  expect(drawsText(counter.draws)).toBe(`${STEP}:119`);
  // The draw before it was never settled, so it was never committed.
  counter.settle(second, `${STEP}:102`);
  expect(drawsText(counter.draws)).toBe(`${STEP}:103`);
});

test('a forecast that turned out wrong is read from the store again', async () => {
  const known = new KnownDraws(storeOf('', `${STEP}:7`));
  await known.read(['a'], false);
  expect(drawsText((await known.read(['a'], true)).get('a')!.draws)).toBe(`${STEP}:7`);
  expect(drawsText(known.get('a')!.draws)).toBe(`${STEP}:7`);
});
