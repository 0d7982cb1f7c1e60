/** Controls, profiles, workflows and snapshots written by hand, for tests of one file that need no compiler. */
import { type AttestationChecks, type EvidenceItem, MINUTE_MS, type WriteIntent } from '@writecheck/contract';
import { enforcesFromMs } from '../src/modes.ts';
import type {
  Control,
  EvidenceKeys,
  PolicySnapshot,
  Profile,
  RequiredControl,
  Workflow,
} from '../src/policy/snapshot.ts';

export const NOW_MS = Date.parse('2026-11-15T12:00:00Z');

export function control(id: string, more: Partial<Control> = {}): Control {
  return {
    id,
    maxAgeMs: null,
    sources: null,
    assurance: 'asserted',
    useOnce: false,
    bindObject: false,
    onUnmet: 'pause',
    onFailed: 'block',
    review: null,
    facts: false,
    ...more,
  };
}

export function required(...controls: readonly (string | Control)[]): readonly RequiredControl[] {
  return controls.map((one) => ({
    control: typeof one === 'string' ? control(one) : one,
    promotedFrom: null,
  }));
}

export function profile(id: string, more: Partial<Profile> = {}): Profile {
  return {
    id,
    version: null,
    ref: `profile:${id}`,
    controlPackId: null,
    specificity: 0,
    matchesOnObjectType: false,
    matchesOnField: false,
    matchesOnOperation: false,
    isAboutField: true,
    isAboutOperation: true,
    asksByField: false,
    require: [],
    authorityRequired: false,
    authoritySources: null,
    attestedBy: null,
    confirmedBy: null,
    different: null,
    requesterRequired: false,
    permit: false,
    compare: null,
    mode: { writePolicy: 'enforce', observeUntilMs: null },
    conditionReadsValues: false,
    times: [],
    readsFacts: [],
    when: null,
    ...more,
  };
}

export function workflow(id: string, more: Partial<Workflow> = {}): Workflow {
  return {
    id,
    ref: `workflow:${id}`,
    profiles: [],
    require: [],
    mode: { writePolicy: 'enforce', observeUntilMs: null },
    ...more,
  };
}

export interface Parts extends Partial<Omit<PolicySnapshot, 'workflows' | 'controls' | 'evidenceSources'>> {
  /** All of them match every intent. */
  readonly profiles?: readonly Profile[];
  readonly workflows?: readonly Workflow[];
  readonly controls?: readonly Control[];
  readonly evidenceSources?: readonly EvidenceKeys[];
}

export function snapshot({ profiles, workflows, controls, evidenceSources, ...more }: Parts): PolicySnapshot {
  const byId = <T extends { readonly id: string }>(list: readonly T[] = []) =>
    new Map(list.map((one) => [one.id, one]));
  const defined = byId(controls);
  return {
    digest: null,
    hasRules: (profiles?.length ?? 0) + (workflows?.length ?? 0) > 0,
    rulesEnforceFromMs: Math.min(
      ...[...(profiles ?? []), ...(workflows ?? [])].map((one) => enforcesFromMs(one.mode)),
    ),
    defaultMode: { writePolicy: 'enforce', observeUntilMs: null },
    unmatchedPauses: () => false,
    limits: [],
    authzenContext: [],
    matchingProfiles: () => profiles ?? [],
    controlOf: (id) => defined.get(id) ?? control(id),
    ...more,
    workflows: byId(workflows),
    controls: defined,
    evidenceSources: byId(evidenceSources),
  };
}

/** The intent of a test; the system is `erp` by default. */
export type Sent = Partial<WriteIntent>;

export function intentOf(sent: Sent): WriteIntent {
  return { system: 'erp', ...sent };
}

/** A PASS of `okta`, checked a minute ago. */
export function item(controlId: string, more: Partial<EvidenceItem> = {}): EvidenceItem {
  return { controlId, source: 'okta', result: 'PASS', checkedAt: '2026-11-15T11:59:00Z', ...more };
}

type Verified = Extract<AttestationChecks, { readonly kind: 'verified' }>;

/** A valid attestation, checked a minute ago, bound to the intent's digest and valid for an hour. */
export function verified(more: Partial<Verified> = {}): Verified {
  return {
    kind: 'verified',
    jti: 'j1',
    checkedAtMs: NOW_MS - MINUTE_MS,
    expiresAtMs: NOW_MS + 60 * MINUTE_MS,
    boundToDigest: true,
    boundToObject: false,
    revoked: false,
    usedUp: false,
    ...more,
  };
}
