/** The authority gate: is the proposed value the one that the authoritative source holds, as far as anybody can tell? */
import type { AttestationFacts, EvidenceItem, WriteIntent } from '@writecheck/contract';
import { valuesEqual } from './compare-values.ts';
import { type EvaluatedControl, evaluateControl, isSatisfied } from './evaluate-control.ts';
import { modeAt } from './modes.ts';
import type { Comparator } from './policy/documents.ts';
import type { Control, Profile } from './policy/snapshot.ts';
import type { Reading } from './resolve-requirements.ts';

export type AuthorityProblem =
  /** `authorityFound` is not true; `stated` where the caller said false. */
  | { readonly kind: 'not_found'; readonly stated: boolean }
  /** `source` is undefined where the caller named none; `accepted` is empty where the profiles have none in common. */
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
  /** Every problem, the deciding one first. */
  readonly problems: readonly AuthorityProblem[];
  /** The sources that every applying profile accepts; null where any will do. */
  readonly acceptedSources: readonly string[] | null;
  /** The `attestedBy` controls that were evaluated. */
  readonly attestedBy: readonly EvaluatedControl[];
  readonly warnings: readonly string[];
}

const NONE: readonly never[] = [];
const NOT_ASKED: AuthorityOutcome = {
  applies: false,
  problems: NONE,
  acceptedSources: null,
  attestedBy: NONE,
  warnings: NONE,
};

/** `willBeSent` asks what the gate would say if the caller sent authority that it has not sent yet. */
export function evaluateAuthority(
  intent: WriteIntent,
  reading: Reading,
  items: readonly EvidenceItem[],
  facts: readonly AttestationFacts[],
  nowMs: number,
  willBeSent = false,
): AuthorityOutcome {
  const { profiles } = reading;
  const sent =
    willBeSent ||
    intent.authorityFound !== undefined ||
    intent.authorityValue !== undefined ||
    intent.authoritySource !== undefined;
  const nothingRequired = reading.requirements.length === 0;
  const asked = anyAsksForValues(profiles, nowMs);
  if (!sent && !nothingRequired && !asked) return NOT_ASKED;

  const problems: AuthorityProblem[] = [];
  const warnings: string[] = [];
  if (intent.authorityFound !== true) {
    problems.push({ kind: 'not_found', stated: intent.authorityFound === false });
  }

  const acceptedSources = commonSources(profiles);
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
  for (const control of attestingControls(profiles)) {
    const evaluated = evaluateControl(control, items, facts, nowMs, true);
    attestedBy.push(evaluated);
    if (!isSatisfied(evaluated)) problems.push({ kind: 'not_attested', control, evaluated });
  }

  const { agentValue, authorityValue } = intent;
  if (agentValue === undefined || authorityValue === undefined) {
    for (const member of ['agentValue', 'authorityValue'] as const) {
      if (intent[member] !== undefined) continue;
      if (asked || nothingRequired) problems.push({ kind: 'value_missing', member });
      else warnings.push(`no \`${member}\` was sent, so the values were not compared`);
    }
  } else if (!valuesEqual(agentValue, authorityValue, comparatorsOf(profiles))) {
    // INVARIANT: what is missing around the values never turns a mismatch that blocks into a pause. Values of an
    // authority that was not found are no authority's, though.
    const blocks = intent.authorityFound === true && reading.writePolicy === 'block_on_mismatch';
    const mismatch: AuthorityProblem = { kind: 'mismatch', agentValue, authorityValue };
    if (blocks) problems.unshift(mismatch);
    else problems.push(mismatch);
  }
  return { applies: true, problems, acceptedSources, attestedBy, warnings };
}

function anyAsksForValues(profiles: readonly Profile[], nowMs: number): boolean {
  for (let index = 0; index < profiles.length; index += 1)
    if (asksForValues(profiles[index]!, nowMs)) return true;
  return false;
}

export function asksForValues(profile: Profile, nowMs: number): boolean {
  return (
    profile.authorityRequired ||
    profile.matchesOnField ||
    profile.compare !== null ||
    modeAt(profile.mode, nowMs) === 'block_on_mismatch'
  );
}

function commonSources(profiles: readonly Profile[]): readonly string[] | null {
  let common: readonly string[] | null = null;
  for (let index = 0; index < profiles.length; index += 1) {
    const { authoritySources } = profiles[index]!;
    if (authoritySources === null) continue;
    common =
      common === null ? authoritySources : common.filter((source) => authoritySources.includes(source));
  }
  return common;
}

function attestingControls(profiles: readonly Profile[]): readonly Control[] {
  const controls: Control[] = [];
  for (let index = 0; index < profiles.length; index += 1) {
    const { attestedBy } = profiles[index]!;
    if (attestedBy !== null && !controls.some(({ id }) => id === attestedBy.id)) controls.push(attestedBy);
  }
  return controls;
}

function comparatorsOf(profiles: readonly Profile[]): readonly Comparator[] {
  const comparators: Comparator[] = [];
  for (let index = 0; index < profiles.length; index += 1) {
    const { compare } = profiles[index]!;
    if (compare !== null) comparators.push(compare);
  }
  return comparators;
}
