/** Equality of values whose type only the values tell, and of lists and objects. */
import { type Frame, orUnreadable, spend, type Thunk, type Value } from './frame.ts';
import { isSame } from './operators.ts';

/** Compares sides whose types only their values show; the types must be equal. */
export function sharingType(compare: (left: Thunk, right: Thunk) => Thunk, left: Thunk, right: Thunk): Thunk {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (!isComparable(a, b)) return orUnreadable(frame, false);
    return compare(
      () => a,
      () => b,
    )(frame);
  };
}

export function equalContainers(left: Thunk, right: Thunk): Thunk {
  return (frame) => isDeeplyEqual(frame, left(frame), right(frame));
}

/** Whether both have one type; integers and doubles count as one, and so do lists and objects. */
export function isComparable(a: Value, b: Value): boolean {
  if (typeof a === typeof b) return true;
  return isNumber(a) && isNumber(b);
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

const MEMBER_COST = 4;

/** Equal exactly if the RFC 8785 forms are: by members whatever their order, by numbers as doubles, by text as it is. */
function isDeeplyEqual(frame: Frame, a: unknown, b: unknown): boolean {
  if (!spend(frame, MEMBER_COST)) return false;
  if (typeof a === 'string' && typeof b === 'string')
    return spend(frame, Math.min(a.length, b.length) >> 3) && a === b;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return isNumber(a) && isNumber(b) ? isSame(a as never, b as never) : a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a))
    return (
      a.length === (b as readonly Value[]).length &&
      a.every((element, index) => isDeeplyEqual(frame, element, (b as readonly Value[])[index]))
    );
  const names = Object.keys(a);
  const otherNames = Object.keys(b);
  const other = b as { readonly [name: string]: unknown };
  // Listing names costs, even if their number already shows the difference.
  return (
    spend(frame, MEMBER_COST * (names.length + otherNames.length)) &&
    names.length === otherNames.length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isDeeplyEqual(frame, (a as { readonly [name: string]: unknown })[name], other[name]),
    )
  );
}
