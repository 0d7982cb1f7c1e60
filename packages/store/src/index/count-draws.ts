/** Counts the draws of limits from the log: what allows drew, less what owners gave back. */
import { amountOfSum, type Draws, openDraws, stepOf } from '@writecheck/contract';
import { parseEntry } from '@writecheck/ledger/log';
import { windowOf } from '../commit/admit-limits.ts';
import { drawsIn } from '../log/recorded-draws.ts';
import type { StoredEntry } from '../log/segment.ts';
import { type CounterName, counterPlace, groupPlace } from '../port/limits.ts';

/** One group's draws, in a form that can be passed to another thread. */
export interface CountedGroup {
  /** The group's values as JSON; null if no record names the group. */
  texts: string | null;
  /** The window; null if only a correction names the group. */
  per: string | null;
  /** Amounts by step. Negative while a correction was read before the draw that it gives back. */
  readonly steps: Map<number, bigint>;
}

/** The groups by place. */
export type DrawCount = Map<string, CountedGroup>;

/** Most entries draw nothing, so most leaves are skipped without parsing. */
const ALLOW = Buffer.from('"decision":"allow"');
const CORRECTION = Buffer.from('"kind":"limit.corrected"');

export function countDraws(count: DrawCount, { leaf, record }: StoredEntry): void {
  if (leaf.includes(ALLOW)) {
    const draws = drawsIn(record);
    if (draws.length === 0) return;
    const entry = parseEntry(leaf);
    if (entry?.kind !== 'decision' || entry.leaf.decision !== 'allow') return;
    const { workspace, keyKind, timestamp } = entry.leaf;
    for (const { state, reading, counted, amount } of draws) {
      if (amount === null || amount === 0n) continue;
      const name = { workspace, keyKind, limitId: state.id, counter: counted.counter };
      const group = groupIn(count, groupPlace(counterPlace(name), reading.group));
      group.texts = JSON.stringify(counted.group);
      group.per = state.per;
      addTo(group.steps, stepAt(state.per, timestamp), amount);
    }
  } else if (leaf.includes(CORRECTION)) {
    const entry = parseEntry(leaf);
    if (entry?.kind !== 'limit.corrected') return;
    const { workspace, keyKind, limit: limitId, counter, group, steps } = entry;
    const name = { workspace, keyKind, limitId, counter } as CounterName;
    const corrected = groupIn(count, groupPlace(counterPlace(name), group));
    for (const { step, amount } of steps) addTo(corrected.steps, step, -amountOfSum(amount));
  }
}

export function addDraws(count: DrawCount, place: string, draws: Draws): void {
  const { steps } = groupIn(count, place);
  for (const [step, amount] of draws) addTo(steps, step, amount);
}

function groupIn(count: DrawCount, place: string): CountedGroup {
  let group = count.get(place);
  if (group === undefined) {
    group = { texts: null, per: null, steps: new Map() };
    count.set(place, group);
  }
  return group;
}

function addTo(steps: Map<number, bigint>, step: number, amount: bigint): void {
  steps.set(step, (steps.get(step) ?? 0n) + amount);
}

function stepAt(per: string, timestamp: string): number {
  return stepOf(windowOf(per), Date.parse(timestamp));
}

/** The rest of a group's draws, in order, without those that are over by then, if the window is known. */
export function drawsOf({ per, steps }: CountedGroup, newestMs: number): Draws {
  const draws = [...steps].filter(([, amount]) => amount > 0n).sort(([a], [b]) => a - b);
  return per === null ? draws : openDraws(windowOf(per), draws, newestMs);
}
