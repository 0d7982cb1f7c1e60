/** Evaluates macros and the functions of lists. Every macro visits every element. */
import { isComparable } from './equality.ts';
import { exactSum } from './exact-sum.ts';
import { type Frame, orFail, orUnreadable, spend, type Thunk, type Value } from './frame.ts';
import { isSame } from './operators.ts';
import { bitOf } from './read-value.ts';
import type { MacroName } from './tree.ts';
import { DOUBLE } from './type-names.ts';
import { intInRange } from './values.ts';

type List = readonly Value[];

/** `cost` is the cost of the body, for each element. */
export function macro(name: MacroName, target: Thunk, body: Thunk, depth: number, cost: number): Thunk {
  const results = (frame: Frame): { readonly list: List; readonly found: List } => {
    const list = target(frame) as List;
    const found: Value[] = [];
    for (let index = 0; index < list.length; index += 1) {
      if (!spend(frame, cost)) break;
      frame.elements[depth] = list[index]!;
      found.push(body(frame));
    }
    return { list, found };
  };
  switch (name) {
    case 'all':
      return (frame) => results(frame).found.every((value) => value === true);
    case 'exists':
      return (frame) => results(frame).found.some((value) => value === true);
    case 'filter':
      return (frame) => {
        const { list, found } = results(frame);
        return list.filter((_, index) => found[index] === true);
      };
    case 'map':
      return (frame) => results(frame).found;
  }
}

/** Measured: 250 ns for a decimal with a fraction; a unit is at most 5 ns. */
export const SUM_COST = 60;
/** Decimals that are far apart need as many digits as lie between them. */
const FAR_APART = 1e21;
export const FAR_APART_COST = 1_000;

export function ofNumbers(name: 'sum' | 'min' | 'max', target: Thunk): Thunk {
  return (frame) => {
    const list = target(frame) as List;
    if (!spend(frame, SUM_COST * list.length)) return 0;
    const isIntegers = typeof list[0] === 'bigint';
    if (!isIntegers && !list.every((value) => bitOf(value) === DOUBLE)) return orUnreadable(frame, 0);
    if (name === 'sum')
      return isIntegers ? intSum(frame, list as readonly bigint[]) : sum(frame, list as readonly number[]);
    let best = list[0];
    if (best === undefined) return orUnreadable(frame, 0);
    for (const value of list) if (name === 'min' ? value < best : value > best) best = value;
    return best;
  };
}

function sum(frame: Frame, list: readonly number[]): number {
  const far = list.filter(
    (value) => Math.abs(value) >= FAR_APART || (value !== 0 && Math.abs(value) < 1 / FAR_APART),
  );
  if (!spend(frame, FAR_APART_COST * far.length)) return 0;
  const total = exactSum(list);
  return orFail(frame, Number.isFinite(total) ? total : null, 0);
}

function intSum(frame: Frame, values: readonly bigint[]): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return orFail(frame, intInRange(total), 0n);
}

/** If an element has another type than the value to find, the list is mistyped. */
export function isAmongElements(left: Thunk, target: Thunk): Thunk {
  return (frame) => {
    const sought = left(frame);
    const list = target(frame) as List;
    let isFound = false;
    for (let index = 0; index < list.length; index += 1) {
      const element = list[index]!;
      if (!spend(frame, typeof element === 'string' ? 2 + (element.length >> 3) : 2)) return false;
      if (!isComparable(element, sought) || typeof element === 'object') return orUnreadable(frame, false);
      if (isSame(element, sought as typeof element)) isFound = true;
    }
    return isFound;
  };
}
