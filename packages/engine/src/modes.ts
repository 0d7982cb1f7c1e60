/** Modes: which write policy a source has at a given moment, and which of two is stricter. */
import { WRITE_POLICIES, type WritePolicy } from '@writecheck/contract';
import type { Mode } from './policy/snapshot.ts';

export function modeAt(mode: Mode, nowMs: number): WritePolicy {
  return observesAt(mode, nowMs) ? 'observe' : asEnforced(mode.writePolicy);
}

export function observesAt(mode: Mode, nowMs: number): boolean {
  return nowMs < enforcesFromMs(mode);
}

/** Negative infinity if it always does, infinity if it never will. */
export function enforcesFromMs({ writePolicy, observeUntilMs }: Mode): number {
  if (writePolicy !== 'observe') return Number.NEGATIVE_INFINITY;
  return observeUntilMs ?? Number.POSITIVE_INFINITY;
}

export function asEnforced(writePolicy: WritePolicy): WritePolicy {
  return writePolicy === 'observe' ? 'enforce' : writePolicy;
}

export function stricterMode(a: WritePolicy, b: WritePolicy): WritePolicy {
  if (a === b) return a;
  return WRITE_POLICIES.indexOf(a) >= WRITE_POLICIES.indexOf(b) ? a : b;
}
