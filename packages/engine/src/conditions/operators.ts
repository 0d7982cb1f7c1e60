/** Evaluates each operator and function of a condition. */
import { linearFinder, NATIVE_NEEDLE_CHARACTERS_MAX } from '../policy/match.ts';
import { type Frame, orFail, type Scalar, spend, type Thunk, type Value } from './frame.ts';
import { type ClockPart, clockReader } from './time-zone.ts';
import type { BinaryOperator, ConditionFunction, Node } from './tree.ts';
import { compareTexts, countCodePoints, durationFromText, intInRange, timestampFromText } from './values.ts';

export function not(operand: Thunk): Thunk {
  return (frame) => operand(frame) !== true;
}

export function negate(operand: Thunk): Thunk {
  return (frame) => {
    const value = operand(frame);
    return typeof value === 'bigint' ? orFail(frame, intInRange(-value), 0n) : -(value as number);
  };
}

export function equal(left: Thunk, right: Thunk): Thunk {
  return (frame) => {
    const a = left(frame) as Scalar;
    const b = right(frame) as Scalar;
    if (typeof a === 'string') return spend(frame, Math.min(a.length, (b as string).length) >> 3) && a === b;
    return isSame(a, b);
  };
}

/** Not `==`, and no conversion: an integer and a double are equal only if they are the same number. */
export function isSame(a: Scalar, b: Scalar): boolean {
  return typeof a === typeof b ? a === b : !(a < b) && !(a > b);
}

export function ordered(operator: '<' | '<=' | '>' | '>=', left: Thunk, right: Thunk): Thunk {
  switch (operator) {
    case '<':
      return (frame) => order(frame, left, right) < 0;
    case '<=':
      return (frame) => order(frame, left, right) <= 0;
    case '>':
      return (frame) => order(frame, left, right) > 0;
    case '>=':
      return (frame) => order(frame, left, right) >= 0;
  }
}

/** JavaScript compares a number with a bigint exactly; there is no NaN here, see `doubleArithmetic`. */
function order(frame: Frame, left: Thunk, right: Thunk): number {
  const a = left(frame) as Scalar;
  const b = right(frame) as Scalar;
  if (typeof a !== 'string') return a < b ? -1 : a > b ? 1 : 0;
  const text = b as string;
  return spend(frame, 2 * Math.min(a.length, text.length)) ? compareTexts(a, text) : 0;
}

export function isAmong(left: Thunk, list: Node): Thunk {
  const elements = (list as Node & { kind: 'list' }).elements.map(
    (element) => (element as Node & { kind: 'literal' }).value,
  );
  if (typeof elements[0] === 'string') {
    const texts = new Set(elements);
    return (frame) => {
      const text = left(frame) as string;
      return spend(frame, text.length) && texts.has(text);
    };
  }
  return (frame) => {
    const value = left(frame) as Scalar;
    return elements.some((element) => isSame(element, value));
  };
}

/** A result that is not finite counts as an error: infinity or NaN would silently satisfy comparisons. */
export function doubleArithmetic(operator: BinaryOperator, left: Thunk, right: Thunk): Thunk {
  const compute = DOUBLE_OPERATORS.get(operator)!;
  return (frame) => {
    const result = compute(left(frame) as number, right(frame) as number);
    return orFail(frame, Number.isFinite(result) ? result : null, 0);
  };
}

const DOUBLE_OPERATORS: ReadonlyMap<BinaryOperator, (a: number, b: number) => number> = new Map([
  ['+', (a: number, b: number) => a + b],
  ['-', (a: number, b: number) => a - b],
  ['*', (a: number, b: number) => a * b],
  ['/', (a: number, b: number) => a / b],
]);

export function intArithmetic(
  operator: BinaryOperator,
  left: Thunk,
  right: Thunk,
  inRange: (value: bigint) => bigint | null,
): Thunk {
  const compute = INT_OPERATORS.get(operator)!;
  return (frame) => {
    const result = compute(left(frame) as bigint, right(frame) as bigint);
    return orFail(frame, result === null ? null : inRange(result), 0n);
  };
}

const INT_OPERATORS: ReadonlyMap<BinaryOperator, (a: bigint, b: bigint) => bigint | null> = new Map([
  ['+', (a: bigint, b: bigint) => a + b],
  ['-', (a: bigint, b: bigint) => a - b],
  ['*', (a: bigint, b: bigint) => a * b],
  ['/', (a: bigint, b: bigint) => (b === 0n ? null : a / b)],
  ['%', (a: bigint, b: bigint) => (b === 0n ? null : a % b)],
] as const);

export function call(
  name: Exclude<ConditionFunction, 'sum' | 'min' | 'max'>,
  args: readonly Thunk[],
  nodes: readonly Node[],
): Thunk {
  const text = args[0]! as (frame: Frame) => string;
  const second = args[1] as (frame: Frame) => string;
  switch (name) {
    case 'size':
      return (frame) => {
        const value: Value = args[0]!(frame);
        if (typeof value === 'object')
          return BigInt(Array.isArray(value) ? value.length : Object.keys(value).length);
        const texted = value as string;
        return spend(frame, 2 * texted.length) ? BigInt(countCodePoints(texted)) : 0n;
      };
    case 'timestamp':
      return (frame) => readTime(frame, text(frame), timestampFromText);
    case 'duration':
      return (frame) => readTime(frame, text(frame), durationFromText);
    case 'startsWith':
      return (frame) => {
        const value = text(frame);
        const start = second(frame);
        return spend(frame, 2 * start.length) && value.startsWith(start);
      };
    case 'endsWith':
      return (frame) => {
        const value = text(frame);
        const end = second(frame);
        return spend(frame, 2 * end.length) && value.endsWith(end);
      };
    case 'contains':
      return contains(text, second, nodes[1]!);
    case 'getHours':
    case 'getDayOfWeek':
      return readClock(name, args[0]!, nodes[1]);
  }
}

export const TIME_COST = 200;

function readTime(frame: Frame, text: string, read: (text: string) => bigint | null): bigint {
  return spend(frame, TIME_COST) ? orFail(frame, read(text), 0n) : 0n;
}

/** An invalid zone has been refused before. Measured: 2.3 us for a zone by its name; a unit is at most 5 ns. */
export const CLOCK_COST = 1_000;

function readClock(part: ClockPart, time: Thunk, zone: Node | undefined): Thunk {
  const read = clockReader(part, zone === undefined ? 'UTC' : (zone as { readonly value: string }).value)!;
  return (frame) => {
    const nanos = time(frame) as bigint;
    return spend(frame, CLOCK_COST) ? read(nanos) : 0n;
  };
}

function contains(text: (frame: Frame) => string, part: (frame: Frame) => string, node: Node): Thunk {
  const known = node.kind === 'literal' ? linearFinder(node.value as string) : null;
  return (frame) => {
    const value = text(frame);
    const sought = part(frame);
    const costPerCharacter = sought.length > NATIVE_NEEDLE_CHARACTERS_MAX ? 16 : 4;
    if (!spend(frame, costPerCharacter * (value.length + sought.length))) return false;
    return (known ?? linearFinder(sought))(value, 0) >= 0;
  };
}
