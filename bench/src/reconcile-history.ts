/** The history that `npm run bench -- reconcile` generates: every tenth decision is carried out. */
import { DAY_MS } from '@writecheck/contract';

const START_MS = Date.UTC(2026, 9, 1);
const DAYS = 30;
const OBJECTS = 200_000;
const FIELDS = ['iban', 'terms', 'limit', 'address', 'contact'];

export function decisionsOf(environment: NodeJS.ProcessEnv): number {
  return Number(environment.BENCH_DECISIONS ?? 10_000_000);
}

export interface GeneratedDecision {
  /** The part of the id after `dec_`. */
  readonly id: string;
  readonly atMs: number;
  readonly objectRef: string;
  readonly field: string;
  readonly value: string;
  readonly intent: string;
}

export function recordOf(i: number): GeneratedDecision {
  const id = i.toString(16).padStart(32, '0');
  // One every 40 ms or so: ten million in thirty days, each object again after a while.
  const atMs = START_MS + Math.floor((i / 10_000_000) * DAYS * DAY_MS);
  const objectRef = `V-${(i * 7_919) % OBJECTS}`;
  const field = FIELDS[i % FIELDS.length]!;
  const value = `value ${i}`;
  const intent = `{"system":"erp","objectType":"vendor","objectRef":"${objectRef}","field":"${field}","agentValue":"${value}"}`;
  return { id, atMs, objectRef, field, value, intent };
}

/** The class that a change made from a decision must get; null if no change is made from it. */
export function changedDecision(i: number): 'redeemed' | 'allowed' | null {
  if (i % 10 !== 0) return null;
  return i % 20 === 0 ? 'redeemed' : 'allowed';
}

/** Every thousandth change was never checked. */
export function isBypassed(i: number): boolean {
  return i % 10_000 === 0;
}
