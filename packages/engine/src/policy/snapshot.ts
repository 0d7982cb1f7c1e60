/** A compiled bundle: immutable, indexed, conditions turned into closures. Every decision reads exactly one. */
import type {
  Assurance,
  DiagnosePromotion,
  LimitWindow,
  ReviewIdentity,
  WriteIntent,
  WritePolicy,
} from '@writecheck/contract';
import type { Condition } from '../conditions/compiled-condition.ts';
import type { TimeRead } from '../conditions/times-read.ts';
import type { Comparator, PublicJwk } from './documents.ts';
import type { LimitPath } from './limit-paths.ts';

/** Who may approve a control in a review, how many people, and for how long; every default filled in. */
export interface ReviewRule {
  /** Sorted, each once; null if anyone who may review will do. */
  readonly groups: readonly string[] | null;
  readonly approvals: number;
  readonly identity: ReviewIdentity;
  readonly expiresInMs: number;
  readonly holdsForMs: number;
  readonly selfReview: boolean;
  /** RFC 8785, without members at their default: its digest names the rule. */
  readonly canonical: string;
}

export interface Control {
  readonly id: string;
  readonly maxAgeMs: number | null;
  /** Null if any source is accepted. */
  readonly sources: readonly string[] | null;
  readonly assurance: Assurance;
  readonly useOnce: boolean;
  readonly bindObject: boolean;
  readonly onUnmet: 'pause' | 'block';
  readonly onFailed: 'pause' | 'block';
  /** Null if no person may satisfy it. */
  readonly review: ReviewRule | null;
  /** Whether conditions may read the facts of its items. */
  readonly facts: boolean;
}

/** An observing mode may end automatically: from `observeUntilMs` on it enforces. */
export interface Mode {
  readonly writePolicy: WritePolicy;
  readonly observeUntilMs: number | null;
}

export interface RequiredControl {
  readonly control: Control;
  readonly promotedFrom: DiagnosePromotion | null;
}

/** What a profile and a limit have in common. */
interface Rule {
  readonly id: string;
  readonly version: string | null;
  /** `profile:ID@VERSION` or `limit:ID@VERSION`, as provenance names it. */
  readonly ref: string;
  readonly mode: Mode;
  /** Null if it has no condition. */
  readonly when: Condition | null;
  /** The texts that the condition reads as times or durations. */
  readonly times: readonly TimeRead[];
}

export interface Profile extends Rule {
  readonly controlPackId: string | null;
  /** Orders provenance: the larger tuple is the more specific profile (match members, then exactness). */
  readonly specificity: number;
  readonly matchesOnObjectType: boolean;
  readonly matchesOnField: boolean;
  readonly matchesOnOperation: boolean;
  /**
   * Whether it covers the field, or the operation, of an intent that sends both. It does if it matches on that member
   * or reads it in its condition, or if it is about neither.
   */
  readonly isAboutField: boolean;
  readonly isAboutOperation: boolean;
  /** Whether its match on `field` requires the values. */
  readonly asksByField: boolean;
  readonly require: readonly RequiredControl[];
  readonly authorityRequired: boolean;
  /** Null if any authority source is accepted. */
  readonly authoritySources: readonly string[] | null;
  readonly attestedBy: Control | null;
  /** The control with which a person may confirm authority. */
  readonly confirmedBy: Control | null;
  /** Ids of controls of which no person may approve two; null if the profile names none. */
  readonly different: readonly string[] | null;
  /** Whether a review must say on whose behalf it is asked. */
  readonly requesterRequired: boolean;
  /** Whether it counts as a required control that is satisfied. */
  readonly permit: boolean;
  readonly compare: Comparator | null;
  /** Whether the condition reads `authority*` or `agentValue`, so that supplying them could change what applies. */
  readonly conditionReadsValues: boolean;
  /** The controls whose facts the condition reads, in order of id. */
  readonly readsFacts: readonly Control[];
}

export interface Workflow {
  readonly id: string;
  /** `workflow:ID`, as provenance names it. */
  readonly ref: string;
  /** Ordered by id. */
  readonly profiles: readonly Profile[];
  readonly require: readonly RequiredControl[];
  readonly mode: Mode;
}

/** A ceiling on what recorded allows draw in a window. */
export interface Limit extends Rule {
  readonly matches: (intent: WriteIntent) => boolean;
  /** Empty if the whole workspace is one group. */
  readonly by: readonly LimitPath[];
  /** Null if each write draws 1. */
  readonly sum: LimitPath | null;
  /** The controls whose facts it reads, in its condition, `by` or `sum`, in order of id. */
  readonly readsFacts: readonly Control[];
  readonly conditionReadsFacts: readonly Control[];
  /** Decimal text. */
  readonly max: string;
  /** The window as written in the document. */
  readonly per: string;
  readonly window: LimitWindow;
  /** The digest of `by`, `sum` and `per`: limits that differ in these do not share counters. */
  readonly counter: string;
  readonly beyond: 'pause' | 'block' | 'require';
  /** The controls that let a write beyond it through; empty unless `beyond` is `require`. */
  readonly require: readonly RequiredControl[];
}

export interface EvidenceKeys {
  readonly id: string;
  readonly keys: readonly PublicJwk[];
}

export interface PolicySnapshot {
  /** `sha256:...` of the bundle; null if the workspace has none. */
  readonly digest: string | null;
  readonly defaultMode: Mode;
  /** Whether it has a profile or workflow, in any mode. */
  readonly hasRules: boolean;
  /** When the first of them enforces: negative infinity if one always does, infinity if none ever will. */
  readonly rulesEnforceFromMs: number;
  /** Whether the intent pauses if no profile that enforces covers it. */
  readonly unmatchedPauses: (intent: WriteIntent) => boolean;
  /** Members of an AuthZEN request's `context` that become part of the intent. */
  readonly authzenContext: readonly string[];
  readonly workflows: ReadonlyMap<string, Workflow>;
  /** Ordered by id. */
  readonly limits: readonly Limit[];
  readonly controls: ReadonlyMap<string, Control>;
  readonly evidenceSources: ReadonlyMap<string, EvidenceKeys>;
  /** Profiles whose match accepts the intent, before conditions are evaluated, in order of id. */
  readonly matchingProfiles: (intent: WriteIntent) => readonly Profile[];
  /** The definition of a control, or the defaults if no pack defines it. */
  readonly controlOf: (controlId: string) => Control;
}
