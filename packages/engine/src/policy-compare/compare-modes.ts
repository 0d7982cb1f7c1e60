/** Tells which of two modes is weaker, at any moment. */
import { parseInstant, type WritePolicy } from '@writecheck/contract';
import type { Findings } from './findings.ts';

export interface Moded {
  readonly writePolicy?: WritePolicy;
  readonly observeUntil?: string;
}

/** INVARIANT: modes are totally ordered, because each enforces from one moment on and only one of them blocks. */
export function isWeakerMode(a: Moded, b: Moded): boolean {
  if (blocks(a) || blocks(b)) return !blocks(a);
  return enforcedFromMs(a) > enforcedFromMs(b);
}

export function blocks({ writePolicy }: Moded): boolean {
  return writePolicy === 'block_on_mismatch';
}

/** Negative infinity if it always enforces, infinity if it never will. */
export function enforcedFromMs({ writePolicy, observeUntil }: Moded): number {
  if (writePolicy !== 'observe') return Number.NEGATIVE_INFINITY;
  if (observeUntil === undefined) return Number.POSITIVE_INFINITY;
  return parseInstant(observeUntil)?.ms ?? Number.POSITIVE_INFINITY;
}

/** Whether it observes with no end: then it decides nothing, and a comparison ignores it. */
export function onlyWatches(moded: Moded): boolean {
  return enforcedFromMs(moded) === Number.POSITIVE_INFINITY;
}

/** Whether `a` enforces at every moment at which `b` does. */
export function enforcesNoLater(a: Moded, b: Moded): boolean {
  return enforcedFromMs(a) <= enforcedFromMs(b);
}

export function compareModes(before: Moded, after: Moded, findings: Findings): void {
  const change = `from ${describeMode(before)} to ${describeMode(after)}`;
  if (isWeakerMode(after, before)) findings.loosens('/writePolicy', `the mode weakens ${change}`);
  else if (isWeakerMode(before, after)) findings.tightens('/writePolicy', `the mode hardens ${change}`);
}

export function describeMode({ writePolicy = 'enforce', observeUntil }: Moded): string {
  return `\`${writePolicy}\`${observeUntil === undefined ? '' : ` until ${observeUntil}`}`;
}
