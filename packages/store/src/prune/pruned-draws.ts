/** Draws of emptied records in open windows: a rebuild of the counters must still count them. */
import { type Draws, drawsEndMs, drawsOfText, drawsText } from '@writecheck/contract';
import { windowOf } from '../commit/admit-limits.ts';
import { addDraws, type DrawCount, drawsOf } from '../index/count-draws.ts';

export interface PrunedDraws {
  readonly place: string;
  readonly texts: string;
  readonly per: string;
  readonly draws: Draws;
  readonly untilMs: number;
}

export function openDrawsIn(count: DrawCount, newestMs: number): readonly PrunedDraws[] {
  const found: PrunedDraws[] = [];
  for (const [place, group] of count) {
    const { texts, per } = group;
    const draws = drawsOf(group, newestMs);
    if (texts === null || per === null || draws.length === 0) continue;
    found.push({ place, texts, per, draws, untilMs: drawsEndMs(windowOf(per), draws) });
  }
  return found;
}

/** Adds what was pruned of a group before and now: the window, then the draws. */
export function prunedTogether(before: string | undefined, { place, per, draws }: PrunedDraws): string {
  const count: DrawCount = new Map();
  addPruned(count, place, before ?? '');
  addDraws(count, place, draws);
  return `${per} ${drawsText(drawsOf(count.get(place)!, 0))}`;
}

export function addPruned(count: DrawCount, place: string, pruned: string): void {
  if (pruned === '') return;
  const at = pruned.indexOf(' ');
  addDraws(count, place, drawsOfText(pruned.slice(at + 1)));
  count.get(place)!.per = pruned.slice(0, at);
}
