/**
 * Types that narrow while the rest of a condition is read: a set of types, including those of members and
 * elements.
 */
import type { Step } from './tree.ts';
import { CONTAINERS, JSON_TYPES, LIST, NUMBERS, OBJECT } from './type-names.ts';

export interface OpenType {
  mask: number;
  /** Points to the type that it was joined with. */
  sameAs: OpenType | null;
  /** The type of a list's elements. */
  element: OpenType | null;
  /** The types of the members that the condition names. */
  members: Map<string, OpenType> | null;
}

export function open(mask: number): OpenType {
  return { mask, sameAs: null, element: null, members: null };
}

/** Fits everywhere, so that each error is reported once. */
export function broken(): OpenType {
  return open(~0);
}

export function listOf(element: OpenType): OpenType {
  return { ...open(LIST), element };
}

export function settled(type: OpenType): OpenType {
  let end = type;
  while (end.sameAs !== null) end = end.sameAs;
  return end;
}

export function isSingle(mask: number): boolean {
  return mask !== 0 && (mask & (mask - 1)) === 0;
}

/** Integers and doubles compare with each other, and so do lists and objects, which are never equal. */
export function comparableWith(mask: number): number {
  let wider = mask;
  if ((mask & NUMBERS) !== 0) wider |= NUMBERS;
  if ((mask & CONTAINERS) !== 0) wider |= CONTAINERS;
  return wider;
}

/** Null if the type can have no such member or element. */
export function stepInto(type: OpenType, step: Step): OpenType | null {
  const from = settled(type);
  const needed = typeof step === 'string' ? OBJECT : LIST;
  if ((from.mask & needed) === 0) return null;
  from.mask &= needed;
  if (typeof step === 'number') {
    from.element ??= open(JSON_TYPES);
    return from.element;
  }
  from.members ??= new Map();
  let member = from.members.get(step);
  if (member === undefined) {
    member = open(JSON_TYPES);
    from.members.set(step, member);
  }
  return member;
}

/**
 * Makes two types that are compared with each other fit; false if they cannot. It ends even if a type comes to contain
 * itself, as in `a == a.b`: each round joins two types that were apart.
 */
export function join(one: OpenType, other: OpenType, mask = ~0): boolean {
  const a = settled(one);
  const b = settled(other);
  if (a === b) {
    if ((a.mask & mask) === 0) return false;
    a.mask &= mask;
    return true;
  }
  const shared = comparableWith(a.mask) & comparableWith(b.mask) & mask;
  if ((a.mask & shared) === 0 || (b.mask & shared) === 0) return false;
  a.mask &= shared;
  b.mask &= shared;
  if (a.mask !== b.mask) return a.element === null || b.element === null ? true : join(a.element, b.element);
  b.sameAs = a;
  const { element, members } = b;
  let fits = true;
  if (element !== null) {
    if (a.element === null) a.element = element;
    else fits = join(a.element, element);
  }
  if (members === null) return fits;
  if (a.members === null) a.members = members;
  else
    for (const [name, member] of members) {
      const known = a.members.get(name);
      if (known === undefined) a.members.set(name, member);
      else fits = join(known, member) && fits;
    }
  return fits;
}
