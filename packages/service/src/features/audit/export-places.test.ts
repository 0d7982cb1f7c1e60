import { expect, test } from 'vitest';
import { isRefusal } from '../../exchange/refusal.ts';
import { ExportPlaces, placesMemory } from './export-places.ts';

const REFUSED = () => undefined;
const take = (places: ExportPlaces, workspace: string): (() => void) => {
  const taken = places.take(workspace);
  return typeof taken === 'function' ? taken : REFUSED;
};
const isTaken = (giveBack: () => void): boolean => giveBack !== REFUSED;

test('a workspace has 2 places and a process 4, and a place that is given back is free', () => {
  const places = new ExportPlaces();
  const [first] = [take(places, 'a'), take(places, 'a')];
  const refusal = places.take('a');
  expect(isRefusal(refusal) && refusal).toMatchObject({ code: 'overloaded', retryAfterMs: 5_000 });
  expect(isRefusal(refusal) && refusal.message).toContain('workspace already has 2 exports');
  expect(isTaken(take(places, 'b'))).toBe(true);
  const last = take(places, 'c');
  expect(isTaken(last)).toBe(true);
  const full = places.take('d');
  expect(isRefusal(full) && full.message).toContain('sends 4 exports');
  first!();
  expect(isTaken(take(places, 'a'))).toBe(true);
  expect(isTaken(take(places, 'd'))).toBe(false);
  last();
  expect(isTaken(take(places, 'd'))).toBe(true);
});

test('the threads of a process share the places, and a thread that replaces another has its places again', () => {
  const memory = placesMemory(3);
  const threads = [0, 1, 2].map((thread) => new ExportPlaces(memory, thread));
  expect(threads.map((places) => isTaken(take(places, 'a')))).toEqual([true, true, false]);
  expect(threads.map((places) => isTaken(take(places, 'b')))).toEqual([true, true, false]);
  expect(isTaken(take(threads[2]!, 'c'))).toBe(false);
  const again = new ExportPlaces(memory, 0);
  expect(isTaken(take(threads[2]!, 'a'))).toBe(true);
  expect(isTaken(take(again, 'b'))).toBe(true);
  expect(isTaken(take(again, 'c'))).toBe(false);
});
