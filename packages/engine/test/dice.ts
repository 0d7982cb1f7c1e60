/** A tiny seeded source of choices (mulberry32): the same seed gives the same cases on every machine. */
export interface Dice {
  /** A whole number from 0 up to, not including, `below`. */
  readonly roll: (below: number) => number;
  readonly chance: (percent: number) => boolean;
  readonly pick: <T>(choices: readonly T[]) => T;
}

export function seededDice(seed: number, stream: number): Dice {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) | 0;
  const roll = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * below);
  };
  return {
    roll,
    chance: (percent) => roll(100) < percent,
    pick: (choices) => choices[roll(choices.length)] as (typeof choices)[number],
  };
}
