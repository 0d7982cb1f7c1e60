/** Finds the limits that apply to an intent, what it would draw of each, and which of them it exceeds. */
import {
  type AttestationChecks,
  amountText,
  type LimitReading,
  type LimitState,
  type WriteIntent,
  withReading,
} from '@writecheck/contract';
import { newConditionBudget } from './conditions/budget.ts';
import type { FactsOf } from './conditions/compiled-condition.ts';
import { observesAt } from './modes.ts';
import { digestOf } from './policy/build-limit.ts';
import { amountAt, groupAt, type LimitSources } from './policy/limit-paths.ts';
import type { Control, Limit, PolicySnapshot } from './policy/snapshot.ts';
import { RecordFacts } from './record-facts.ts';

/** More enforcing limits than this on one intent are an error of the policy. */
export const LIMITS_ON_INTENT_MAX = 8;

const ONE = '1';

export interface LimitGroup {
  readonly texts: readonly string[];
  /** The texts in JSON. */
  readonly name: string;
  /** `sha256:` and hex of their RFC 8785 form. */
  readonly digest: string;
}

/** A limit that applies, before its counter is read. */
export interface AppliedLimit {
  readonly limit: Limit;
  readonly observes: boolean;
  /** Whether its condition could not be evaluated. */
  readonly erred: boolean;
  /** Null if a value that it counts by cannot be read. */
  readonly group: LimitGroup | null;
  /** Decimal text; null if it cannot be read, or is negative. */
  readonly draw: string | null;
}

/** A limit that applies, with what its counter says. */
export interface JudgedLimit extends AppliedLimit {
  readonly state: LimitState;
  /** Null if the write stays within the limit. */
  readonly code: 'limit_unreadable' | 'limit_exceeded' | null;
  /** Whether draws may be missing, because the store was restored. */
  readonly restored: boolean;
}

const NONE: readonly never[] = [];

/** What applies before a counter is read; `decide` finds the same from the same input. */
export function limitsOn(
  intent: WriteIntent,
  checks: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  firstKeyId: string | null,
): readonly AppliedLimit[] {
  if (snapshot.limits.length === 0) return NONE;
  const evidence = { items: intent.controlEvidence ?? NONE, facts: checks, nowMs };
  return applyLimits(intent, new RecordFacts(evidence, snapshot).of, snapshot, nowMs, firstKeyId);
}

/** Returns the limits that apply, by id. A value that a limit cannot look up counts as matching. */
export function applyLimits(
  intent: WriteIntent,
  facts: FactsOf,
  snapshot: PolicySnapshot,
  nowMs: number,
  firstKeyId: string | null,
): readonly AppliedLimit[] {
  if (snapshot.limits.length === 0) return NONE;
  const sources: LimitSources = { intent, facts, firstKeyId };
  // INVARIANT: an observed condition never starves one that decides.
  const budgets = { enforcing: newConditionBudget(), observing: newConditionBudget() };
  const applied: AppliedLimit[] = [];
  for (const limit of snapshot.limits) {
    if (!limit.matches(intent)) continue;
    const observes = observesAt(limit.mode, nowMs);
    const budget = observes ? budgets.observing : budgets.enforcing;
    const result = limit.when === null ? 'applies' : limit.when(intent, nowMs, budget, sources.facts);
    if (result === 'skips') continue;
    const texts = groupAt(limit.by, sources);
    const draw = limit.sum === null ? ONE : textOf(amountAt(limit.sum, sources));
    const group = texts === null ? null : groupOf(texts);
    applied.push({ limit, observes, erred: result === 'error', group, draw });
  }
  return applied;
}

/** Digests of recent groups. A longer name is not kept, because callers choose it. */
const digests = new Map<string, string>();
const DIGESTS_MAX = 10_000;
const NAME_KEPT_MAX = 256;

function groupOf(texts: readonly string[]): LimitGroup {
  const name = JSON.stringify(texts);
  let digest = digests.get(name);
  if (digest === undefined) {
    digest = digestOf(texts);
    if (digests.size >= DIGESTS_MAX) digests.clear();
    if (name.length <= NAME_KEPT_MAX) digests.set(name, digest);
  }
  return { texts, name, digest };
}

function textOf(amount: bigint | null): string | null {
  return amount === null ? null : amountText(amount);
}

/** INVARIANT: a limit without a reading of its own group counts as exceeded. */
export function judgeLimits(
  applied: readonly AppliedLimit[],
  readings: readonly LimitReading[],
): readonly JudgedLimit[] {
  if (applied.length === 0) return NONE;
  return applied.map((one): JudgedLimit => {
    const { limit, group, draw, observes } = one;
    const reading =
      group === null
        ? null
        : (readings.find((known) => known.limit === limit.id && known.group === group.digest) ?? null);
    const unread: LimitState = {
      id: limit.id,
      version: limit.version,
      max: limit.max,
      drawn: null,
      draw,
      remaining: null,
      per: limit.per,
      resetsAt: null,
      beyond: true,
      observed: observes,
    };
    const isReadable = draw !== null && reading !== null;
    const state = reading === null ? unread : withReading(unread, reading);
    return {
      ...one,
      state,
      code: isReadable ? (state.beyond ? 'limit_exceeded' : null) : 'limit_unreadable',
      restored: reading?.restored === true,
    };
  });
}

/** Whether a condition could not be evaluated, or too many limits apply. */
export function haveLimitErrors(limits: readonly JudgedLimit[]): boolean {
  return limits.length > LIMITS_ON_INTENT_MAX || limits.some(({ erred }) => erred);
}

/** Returns limits in the order in which they give the reason: by id, unreadable before exceeded. */
export function limitsBeyond(limits: readonly JudgedLimit[]): readonly JudgedLimit[] {
  if (limits.length === 0) return NONE;
  const unreadable = limits.filter(({ code }) => code === 'limit_unreadable');
  return [...unreadable, ...limits.filter(({ code }) => code === 'limit_exceeded')];
}

/** The controls whose facts limits read: in a condition that was evaluated, or in the rest of a limit that applies. */
export function factsReadBy(
  intent: WriteIntent,
  { limits }: PolicySnapshot,
  applied: readonly AppliedLimit[],
  nowMs: number,
  isEnforced: boolean,
): readonly Control[] {
  const read: Control[] = [];
  for (const limit of limits) {
    if (limit.readsFacts.length === 0 || !limit.matches(intent)) continue;
    if (isEnforced && observesAt(limit.mode, nowMs)) continue;
    const applies = applied.some((one) => one.limit === limit);
    read.push(...(applies ? limit.readsFacts : limit.conditionReadsFacts));
  }
  return read;
}
