/** A claim that is tested by repetition: a part of it in every run of the suite, the whole at night. */
import { test } from 'vitest';

export interface Repeated {
  readonly part: number;
  readonly whole: number;
  /** Includes the number, so that a report says how much was tried. */
  readonly named: (count: string) => string;
}

/** Sets no time limit: the number bounds the work, and a busy machine only takes longer. */
export function testInPart(
  { part, whole, named }: Repeated,
  run: (count: number) => Promise<void> | void,
): void {
  for (const [count, tags] of [
    [part, []],
    [whole, ['nightly']],
  ] as const) {
    test(named(count.toLocaleString('en')), { tags: [...tags], timeout: 0 }, () => run(count));
  }
}
