/** Modes: which write policy a source has at a given moment, and which of two is stricter. */
import { WRITE_POLICIES, type WritePolicy } from '@writecheck/contract';
import type { Mode } from './policy/snapshot.ts';

export function modeAt(mode: Mode, nowMs: number): WritePolicy {
  return observesAt(mode, nowMs) ? 'observe' : asEnforced(mode.writePolicy);
}

export function observesAt(mode: Mode, nowMs: number): boolean {
  return mode.writePolicy === 'observe' && (mode.observeUntilMs === null || nowMs < mode.observeUntilMs);
}

export function asEnforced(writePolicy: WritePolicy): WritePolicy {
  return writePolicy === 'observe' ? 'enforce' : writePolicy;
}

export function stricterMode(a: WritePolicy, b: WritePolicy): WritePolicy {
  if (a === b) return a;
  return WRITE_POLICIES.indexOf(a) >= WRITE_POLICIES.indexOf(b) ? a : b;
}
