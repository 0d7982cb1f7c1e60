/** The authority gate: whether the proposed value is the one in the authoritative source, as far as known. */
import type { WriteIntent } from '@writecheck/contract';
import { valuesEqual } from './compare-values.ts';
import { gives } from './cover.ts';
import {
  awaitsPerson,
  type EvaluatedControl,
  type Evidence,
  evaluateControl,
  isSatisfied,
} from './evaluate-control.ts';
import { modeAt } from './modes.ts';
import type { Comparator } from './policy/documents.ts';
import type { Control, Profile } from './policy/snapshot.ts';
import type { ModeReading } from './resolve-requirements.ts';

export type AuthorityProblem =
  /** `authorityFound` is not true; `stated` if the caller said false. */
  | { readonly kind: 'not_found'; readonly stated: boolean }
  /** `source` is undefined if the caller named none; `accepted` is empty if the profiles have none in common. */
  | {
      readonly kind: 'source_not_accepted';
      readonly stated: boolean;
      readonly source: string | undefined;
      readonly accepted: readonly string[];
    }
  | { readonly kind: 'not_attested'; readonly control: Control; readonly evaluated: EvaluatedControl }
  | { readonly kind: 'value_missing'; readonly member: 'agentValue' | 'authorityValue' }
  | { readonly kind: 'mismatch'; readonly agentValue: string; readonly authorityValue: string };

export interface AuthorityOutcome {
  readonly applies: boolean;
  /** Every problem, the deciding one first; includes those that a person confirmed. */
  readonly problems: readonly AuthorityProblem[];
  /** The sources that every applying profile accepts; null if any source will do. */
  readonly acceptedSources: readonly string[] | null;
  /** The `attestedBy` controls that were evaluated. */
  readonly attestedBy: readonly EvaluatedControl[];
  /** The control with which a person may confirm the problems; null if there are none or nobody may. */
  readonly confirmation: EvaluatedControl | null;
  readonly warnings: readonly string[];
}

const NONE: readonly never[] = [];
const NOT_ASKED: AuthorityOutcome = {
  applies: false,
  problems: NONE,
  acceptedSources: null,
  attestedBy: NONE,
  confirmation: null,
  warnings: NONE,
};

/** `willBeSent` gives the result as if the caller had sent the authority that it has not sent yet. */
export function evaluateAuthority(
  intent: WriteIntent,
  reading: ModeReading,
  evidence: Evidence,
  willBeSent = false,
): AuthorityOutcome {
  const { nowMs } = evidence;
  const { profiles } = reading;
  const sent =
    willBeSent ||
    intent.authorityFound !== undefined ||
    intent.authorityValue !== undefined ||
    intent.authoritySource !== undefined;
  const { isNothingRequired } = reading;
  const asked = anyAsksForValues(profiles, nowMs);
  if (!sent && !isNothingRequired && !asked) return NOT_ASKED;

  const problems: AuthorityProblem[] = [];
  const warnings: string[] = [];
  if (intent.authorityFound !== true) {
    problems.push({ kind: 'not_found', stated: intent.authorityFound === false });
  }

  // In excess the write pauses anyway, and only a mismatch could block it.
  const asking = reading.excess === null ? profiles : NONE;
  const acceptedSources = commonSources(asking);
  const source = intent.authoritySource;
  if (acceptedSources !== null && (source === undefined || !acceptedSources.includes(source))) {
    problems.push({
      kind: 'source_not_accepted',
      stated: source !== undefined,
      source,
      accepted: acceptedSources,
    });
  }

  const attestedBy: EvaluatedControl[] = [];
  for (const control of attestingControls(asking)) {
    const evaluated = evaluateControl(control, evidence, 'attestedBy');
    attestedBy.push(evaluated);
    if (!isSatisfied(evaluated)) problems.push({ kind: 'not_attested', control, evaluated });
  }

  const { agentValue, authorityValue } = intent;
  if (agentValue === undefined || authorityValue === undefined) {
    for (const member of ['agentValue', 'authorityValue'] as const) {
      if (intent[member] !== undefined) continue;
      if (asked || isNothingRequired) problems.push({ kind: 'value_missing', member });
      else warnings.push(`no \`${member}\` was sent, so the values were not compared`);
    }
  } else if (
    agentValue !== authorityValue &&
    !valuesEqual(agentValue, authorityValue, comparatorsOf(reading))
  ) {
    // INVARIANT: a problem around the values never turns a mismatch that blocks into a pause. But values of an
    // authority that was not found belong to no authority.
    const blocks = intent.authorityFound === true && reading.writePolicy === 'block_on_mismatch';
    const mismatch: AuthorityProblem = { kind: 'mismatch', agentValue, authorityValue };
    if (blocks) problems.unshift(mismatch);
    else problems.push(mismatch);
  }
  const confirming = problems.length === 0 ? null : confirmingControl(intent, reading, nowMs);
  const confirmation = confirming === null ? null : evaluateControl(confirming, evidence, 'confirmedBy');
  return { applies: true, problems, acceptedSources, attestedBy, confirmation, warnings };
}

/** Whether a person confirmed what the gate would pause for. */
export function isConfirmed({ confirmation }: AuthorityOutcome): boolean {
  return confirmation !== null && isSatisfied(confirmation);
}

/** Whether a person could still confirm what the gate pauses for. */
export function awaitsConfirmation({ confirmation }: AuthorityOutcome): boolean {
  return confirmation !== null && awaitsPerson(confirmation);
}

export function codeOf({ kind }: AuthorityProblem): 'authority_unverified' | 'authority_mismatch' {
  return kind === 'mismatch' ? 'authority_mismatch' : 'authority_unverified';
}

/** The deciding problem; undefined if the gate has none, or a person confirmed them all. */
export function authorityObjection(outcome: AuthorityOutcome): AuthorityProblem | undefined {
  return isConfirmed(outcome) ? undefined : outcome.problems[0];
}

/**
 * The control with which a person may confirm authority, if every profile with a say names the same one and one
 * that covers the intent does. INVARIANT: nobody confirms a write that does not say what it writes, or one
 * whose mismatch blocks: omitting something must not turn that block into a pause.
 */
export function confirmingControl(intent: WriteIntent, reading: ModeReading, nowMs: number): Control | null {
  if (intent.agentValue === undefined || reading.writePolicy === 'block_on_mismatch') return null;
  let confirming: Control | null = null;
  for (let index = 0; index < reading.profiles.length; index += 1) {
    const profile = reading.profiles[index]!;
    if (!hasSay(profile, nowMs)) continue;
    const { confirmedBy } = profile;
    if (confirmedBy === null || (confirming !== null && confirming.id !== confirmedBy.id)) return null;
    confirming = confirmedBy;
  }
  if (confirming === null) return null;
  const { id } = confirming;
  const isGiven = gives(reading.cover, (profile) =>
    profile.confirmedBy?.id === id && hasSay(profile, nowMs) ? [id] : NONE,
  );
  return isGiven ? confirming : null;
}

export function hasSay(profile: Profile, nowMs: number): boolean {
  return profile.authoritySources !== null || profile.attestedBy !== null || asksForValues(profile, nowMs);
}

function anyAsksForValues(profiles: readonly Profile[], nowMs: number): boolean {
  for (let index = 0; index < profiles.length; index += 1)
    if (asksForValues(profiles[index]!, nowMs)) return true;
  return false;
}

export function asksForValues(profile: Profile, nowMs: number): boolean {
  return (
    profile.authorityRequired ||
    profile.asksByField ||
    profile.compare !== null ||
    modeAt(profile.mode, nowMs) === 'block_on_mismatch'
  );
}

export function commonSources(profiles: readonly Profile[]): readonly string[] | null {
  let common: readonly string[] | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const { authoritySources } = profiles[index]!;
    if (authoritySources === null) continue;
    if (common === null) common = authoritySources;
    else {
      const accepted = new Set(authoritySources);
      common = common.filter((source) => accepted.has(source));
    }
  }
  return common;
}

export function attestingControls(profiles: readonly Profile[]): readonly Control[] {
  let controls: Map<string, Control> | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const { attestedBy } = profiles[index]!;
    if (attestedBy === null) continue;
    controls ??= new Map();
    if (!controls.has(attestedBy.id)) controls.set(attestedBy.id, attestedBy);
  }
  return controls === null ? NONE : [...controls.values()];
}

/** The comparators that must agree: those of every profile that applies, if a covering profile names any. */
function comparatorsOf({ profiles, cover }: ModeReading): readonly Comparator[] {
  if (!gives(cover, comparatorIn)) return NONE;
  // Each once: comparing long values takes a while.
  return [...new Set(profiles.flatMap(comparatorIn))];
}

function comparatorIn({ compare }: Profile): readonly Comparator[] {
  return compare === null ? NONE : [compare];
}
