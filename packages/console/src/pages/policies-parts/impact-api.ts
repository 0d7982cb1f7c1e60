/** The calls behind "Try it on the last 30 days" and "Enforce". */
import type { Decision, RunState } from '@writecheck/contract';
import { callAs, type Outcome } from '../../api.ts';
import { ifMatch } from './policies-api.ts';

export interface Changed {
  readonly decisions: number;
  readonly intents: number;
  readonly share: number;
  readonly agents: number;
  readonly objects: number;
  readonly byCode: readonly { readonly code: string; readonly decisions: number }[];
  readonly byProfile: readonly { readonly profile: string | null; readonly decisions: number }[];
  readonly examples: readonly {
    readonly decision_id: string;
    readonly before: { readonly decision: Decision; readonly reason_code: string };
    readonly after: { readonly decision: Decision; readonly reason_code: string };
  }[];
}

export interface ImpactRun {
  readonly run: {
    readonly id: string;
    readonly state: RunState;
    readonly progress: { readonly done: number; readonly total: number };
    readonly because: string | null;
  };
  readonly report: {
    readonly coverage: { readonly decisions: number; readonly replayed: number };
    readonly newlyStopped: Changed;
    readonly newlyAllowed: Changed;
  };
}

export function startRun(documents: readonly unknown[]): Promise<Outcome<Pick<ImpactRun, 'run'>>> {
  return callAs('POST', '/v1/policies/impact', { json: { documents }, has: { run: 'object' } });
}

export function readRun(id: string): Promise<Outcome<ImpactRun>> {
  return callAs('GET', `/v1/policies/impact/${id}`, { has: { run: 'object', report: 'object' } });
}

export function cancelRun(id: string): Promise<Outcome<Pick<ImpactRun, 'run'>>> {
  return callAs('DELETE', `/v1/policies/impact/${id}`, { has: { run: 'object' } });
}

/** How an observing profile has done so far. */
export interface Assessment {
  readonly verdict: 'ready' | 'not_ready';
  readonly reasons: readonly { readonly code: 'days' | 'decisions' | 'stopped' }[];
  readonly assessedAt: string;
  readonly observingSince: string;
  readonly thresholds: {
    readonly minDays: number;
    readonly minDecisions: number;
    readonly maxStopped: number;
  };
  readonly decisions: number;
  readonly stopped: {
    readonly decisions: number;
    readonly share: number;
    readonly redeemed: number;
    readonly approved: number;
    readonly byCode: readonly { readonly code: string; readonly decisions: number }[];
  };
  readonly byKey: readonly {
    readonly keyId: string;
    readonly name: string;
    readonly decisions: number;
    readonly stopped: number;
  }[];
}

export interface Assessed {
  readonly assessment: Assessment;
  /** The digest of the bundle that was assessed. */
  readonly ifMatch: string;
  readonly applied?: { readonly revision: number };
}

/** Long enough to replay 90 days of a busy workspace. */
const ASSESS_MS = 300_000;

export function assess(profile: string): Promise<Outcome<Assessed>> {
  return promote({ profile }, null);
}

/** Over the bundle that was assessed, and no other. */
export function enforce(
  profile: string,
  over: string,
  options: { readonly force: boolean; readonly confirmLoosening: boolean },
): Promise<Outcome<Assessed>> {
  return promote({ profile, apply: true, ...options }, over);
}

function promote(json: object, over: string | null): Promise<Outcome<Assessed>> {
  return callAs('POST', '/v1/policies/promotions', {
    json,
    headers: ifMatch(over),
    timeoutMs: ASSESS_MS,
    has: { assessment: 'object', ifMatch: 'string' },
  });
}
