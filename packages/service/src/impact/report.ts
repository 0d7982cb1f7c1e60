/** The report of an impact run, in the order in which it is shown. */
import type { Decision } from '@writecheck/contract';

/** In order: the first reason that applies counts. */
export const NOT_REPLAYED = ['pruned', 'version', 'signature', 'use', 'review'] as const;
export type NotReplayed = (typeof NOT_REPLAYED)[number];

export type Cells = { readonly [before in Decision]: { readonly [after in Decision]: number } };

export interface Matrix {
  readonly decisions: Cells;
  /** Each digest once in every cell it falls into. */
  readonly intents: Cells;
}

export interface Example {
  readonly decision_id: string;
  readonly before: { readonly decision: Decision; readonly reason_code: string };
  readonly after: { readonly decision: Decision; readonly reason_code: string };
}

/** Decisions that the candidate turns from an allow into a stop, or the other way round. */
export interface Changed {
  readonly decisions: number;
  readonly intents: number;
  /** Of the decisions replayed, 0 to 1. */
  readonly share: number;
  readonly agents: number;
  readonly systems: number;
  readonly workflows: number;
  readonly objects: number;
  readonly byCode: readonly { readonly code: string; readonly decisions: number; readonly intents: number }[];
  readonly byProfile: readonly {
    readonly profile: string | null;
    readonly decisions: number;
    readonly intents: number;
  }[];
  readonly examples: readonly Example[];
}

export interface RuleCount {
  readonly id: string;
  readonly applied: number;
  readonly decided: number;
}

export interface ImpactReport {
  readonly coverage: {
    readonly decisions: number;
    readonly replayed: number;
    readonly notReplayed: { readonly [reason in NotReplayed]: number };
  };
  readonly matrix: { readonly decision: Matrix; readonly evaluatedDecision: Matrix };
  readonly newlyStopped: Changed;
  readonly newlyAllowed: Changed;
  readonly rules: {
    readonly profiles: readonly (RuleCount & { readonly version: string | null })[];
    readonly workflows: readonly RuleCount[];
    readonly controls: readonly RuleCount[];
  };
  readonly approximate: boolean;
}
