/** A tiny seeded source of choices: the same seed gives the same cases on every machine. */
import { seededRandom } from '../../../scripts/seeded-random.ts';

export interface Dice {
  /** A whole number from 0 up to, not including, `below`. */
  readonly roll: (below: number) => number;
  readonly chance: (percent: number) => boolean;
  readonly pick: <T>(choices: readonly T[]) => T;
}

export function seededDice(seed: number, stream: number): Dice {
  const random = seededRandom(Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b));
  const roll = (below: number): number => Math.floor(random() * below);
  return {
    roll,
    chance: (percent) => roll(100) < percent,
    pick: (choices) => choices[roll(choices.length)] as (typeof choices)[number],
  };
}
