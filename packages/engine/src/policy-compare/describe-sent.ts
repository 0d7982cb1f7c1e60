/** Describes the authority and evidence of a sampled write, so that a reader can distinguish two examples. */
import {
  type AttestationChecks,
  type EvidenceItem,
  parseInstant,
  REVIEW_DESK,
  type WriteIntent,
} from '@writecheck/contract';
import { quote } from '../explain.ts';
import type { SampleCase } from './sample-cases.ts';

const CONTROLS_MAX = 4;

/** Evidence for controls that neither bundle requires would only distract. */
export function describeSent({ intent, facts, nowMs }: SampleCase, required: readonly string[]): string {
  const told = required.slice(0, CONTROLS_MAX).map((id) => {
    const items = (intent.controlEvidence ?? []).flatMap((item, at) =>
      item.controlId === id ? [describeItem(item, facts[at], nowMs)] : [],
    );
    return `${quote(id)} ${items.length === 0 ? 'missing' : items.join(' and ')}`;
  });
  const more = required.length - told.length;
  if (more > 0) told.push(`${more} more`);
  return [describeAuthority(intent), ...told].join(', ');
}

function describeAuthority({ agentValue, authorityFound, authorityValue, authoritySource }: WriteIntent) {
  if (authorityFound === undefined && authorityValue === undefined && authoritySource === undefined)
    return 'no authority';
  const from = authoritySource === undefined ? '' : ` from ${quote(authoritySource)}`;
  if (authorityFound !== true) return `no authority found${from}`;
  if (agentValue === undefined || authorityValue === undefined) return `authority${from} without both values`;
  return agentValue === authorityValue
    ? `authority${from} for the same value`
    : `authority${from} for ${quote(authorityValue)} instead of ${quote(agentValue)}`;
}

function describeItem(
  { result, source, checkedAt }: EvidenceItem,
  facts: AttestationChecks | undefined,
  nowMs: number,
): string {
  const checked = checkedAt === undefined ? null : parseInstant(checkedAt);
  const age = checked === null ? '' : `, ${Math.round((nowMs - checked.ms) / 1_000)} s old`;
  const known = source === REVIEW_DESK ? describeReview(facts) : describeFacts(facts);
  return `${quote(result)} from ${quote(source)}${age}${known}`;
}

function describeReview(facts: AttestationChecks | undefined): string {
  if (facts?.kind !== 'verified') return ', without an approved review';
  return facts.usedUp ? ', approved by a person and used before' : ', approved by a person';
}

function describeFacts(facts: AttestationChecks | undefined): string {
  if (facts === undefined || facts.kind === 'none') return '';
  if (facts.kind === 'rejected') return ', signed but not verified';
  if (facts.revoked) return ', signed and revoked';
  if (facts.usedUp) return ', signed and used before';
  if (!facts.boundToDigest) return ', signed for the object alone';
  return facts.expiresAtMs === null ? ', signed without an end' : ', signed';
}
