/** Looks up the value of a path in an intent, in facts, or in an element of a list. */
import type { PathNode, Step } from './tree.ts';
import { BOOL, DOUBLE, LIST, OBJECT, STRING } from './type-names.ts';

/** Longer lists count as mistyped, so that no condition can be made slow. */
export const LIST_ELEMENTS_MAX = 1_000;

/** Returned if a path leads through a value without such members or elements. */
const MISTYPED = Symbol('a path leads through something that has no members');

/**
 * Undefined or null if there is no value. Reads only own members of objects: neither inherited members nor the length of
 * a list can be named.
 */
export function valueAt(from: unknown, steps: readonly Step[]): unknown {
  let value = from;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index]!;
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value) !== (typeof step === 'number')) return MISTYPED;
    if (typeof step === 'number') {
      const list = value as readonly unknown[];
      if (step >= list.length || list.length > LIST_ELEMENTS_MAX) return MISTYPED;
      value = list[step];
    } else {
      if (!Object.hasOwn(value, step)) return undefined;
      value = (value as { readonly [name: string]: unknown })[step];
    }
  }
  return value;
}

/** The same, with undefined for anything that is not a usable value. */
export function usableValueAt(from: unknown, steps: readonly Step[]): unknown {
  const value = valueAt(from, steps);
  return value === MISTYPED || value === null ? undefined : value;
}

/** A path below `facts` starts at its control. */
export function startOf({ root, members }: PathNode): {
  readonly controlId: string | null;
  readonly steps: readonly Step[];
} {
  return root === 'facts'
    ? { controlId: members[0] as string, steps: members.slice(1) }
    : { controlId: null, steps: members };
}

/** Whether there is a value; null if the path leads through a value without members. */
export function hasValue(from: unknown, steps: readonly Step[]): boolean | null {
  const value = valueAt(from, steps);
  return value === MISTYPED ? null : value !== undefined && value !== null;
}

/** The bit of a value's type; 0 for one that is absent or cannot be used. */
export function bitOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    case 'object':
      if (value === null) return 0;
      if (!Array.isArray(value)) return OBJECT;
      return value.length > LIST_ELEMENTS_MAX ? 0 : LIST;
    default:
      return 0;
  }
}
