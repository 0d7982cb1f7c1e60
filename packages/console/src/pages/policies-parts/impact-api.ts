/** The calls behind "Try it on the last 30 days". */
import type { Decision, RunState } from '@writecheck/contract';
import { call, type Outcome } from '../../api.ts';

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
  return call('POST', '/v1/policies/impact', { json: { documents }, has: { run: 'object' } });
}

export function readRun(id: string): Promise<Outcome<ImpactRun>> {
  return call('GET', `/v1/policies/impact/${id}`, { has: { run: 'object', report: 'object' } });
}

export function cancelRun(id: string): Promise<Outcome<Pick<ImpactRun, 'run'>>> {
  return call('DELETE', `/v1/policies/impact/${id}`, { has: { run: 'object' } });
}
