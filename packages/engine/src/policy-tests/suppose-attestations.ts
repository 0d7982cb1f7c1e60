/**
 * Lets a policy test declare an item as signed, without a key: `attestation: test:signed`.
 *
 * A test cannot contain a real signature, which names one workspace and needs a secret. This word is not a JWS, so
 * the service itself never accepts it: outside tests the item is untrusted.
 */
import {
  type AttestationChecks,
  type EvidenceItem,
  type Fault,
  type JsonValue,
  parseInstant,
  REVIEW_DESK,
  type WriteIntent,
} from '@writecheck/contract';
import { areFacts, NOT_FACTS } from '../evidence/judge-claims.ts';
import { quoted } from '../policy/faults.ts';
import type { PolicySnapshot } from '../policy/snapshot.ts';

const PREFIX = 'test:';
const WORDS = [
  'test:signed',
  'test:signed-for-object',
  'test:never-expires',
  'test:used',
  'test:revoked',
  'test:forged',
] as const;
type Word = (typeof WORDS)[number];

const VALID_FOR_MS = 5 * 60_000;

interface Supposed {
  readonly facts: readonly AttestationChecks[];
  readonly faults: readonly Fault[];
}

/** `sent` is the intent as its author wrote it: an item may have `facts`, which the service would ignore there. */
export function supposeAttestations(
  intent: WriteIntent,
  sent: unknown,
  verified: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
): Supposed {
  const faults: Fault[] = [];
  const facts = (intent.controlEvidence ?? []).map((item, index): AttestationChecks => {
    const word = item.attestation;
    if (!word?.startsWith(PREFIX)) return verified[index]!;
    if (isWord(word)) {
      const checks = factsFor(word, item, index, intent, snapshot, nowMs);
      const facts = (sent as SentIntent).controlEvidence[index]!.facts ?? undefined;
      if (facts === undefined || checks.kind !== 'verified') return checks;
      if (areFacts(facts)) return { ...checks, facts };
      faults.push({ pointer: `/intent/controlEvidence/${index}/facts`, message: NOT_FACTS });
      return { kind: 'rejected', why: NOT_FACTS };
    }
    const known = WORDS.map((one) => `\`${one}\``).join(', ');
    const pointer = `/intent/controlEvidence/${index}/attestation`;
    faults.push({ pointer, message: `${quoted(word)} has no meaning in a test; use one of ${known}` });
    return { kind: 'rejected', why: 'it is not an attestation' };
  });
  return { facts, faults };
}

/** INVARIANT: it was parsed as an intent with evidence before. */
interface SentIntent {
  readonly controlEvidence: readonly { readonly facts?: JsonValue | null }[];
}

function isWord(text: string): text is Word {
  return (WORDS as readonly string[]).includes(text);
}

function factsFor(
  word: Word,
  item: EvidenceItem,
  index: number,
  { system, objectType, objectRef }: WriteIntent,
  snapshot: PolicySnapshot,
  nowMs: number,
): AttestationChecks {
  const isApproval = item.source === REVIEW_DESK;
  // INVARIANT: a source without a key in the bundle could not have signed. The review desk signs nothing.
  const keys = snapshot.evidenceSources.get(item.source)?.keys ?? [];
  if (!isApproval && keys.length === 0)
    return { kind: 'rejected', why: 'the source of the item is not registered' };
  if (word === 'test:forged') {
    return { kind: 'rejected', why: 'the signature of the attestation does not verify' };
  }
  const checkedAt = item.checkedAt === undefined ? null : parseInstant(item.checkedAt);
  if (checkedAt !== null && !checkedAt.hasOffset) {
    return { kind: 'rejected', why: 'the attestation needs `checkedAt` with an offset' };
  }
  const expiresAt = item.expiresAt === undefined ? null : parseInstant(item.expiresAt);
  const isForObject = word === 'test:signed-for-object';
  return {
    kind: 'verified',
    jti: isApproval ? `rev_test:${item.controlId}` : `test-${index}`,
    checkedAtMs: checkedAt?.ms ?? nowMs,
    expiresAtMs: word === 'test:never-expires' ? null : (expiresAt?.ms ?? nowMs + VALID_FOR_MS),
    boundToDigest: !isForObject,
    boundToObject: isForObject && [system, objectType, objectRef].every((part) => part !== undefined),
    revoked: word === 'test:revoked',
    usedUp: word === 'test:used',
    // A test does not know who approved; if a policy requires different people, the test supposes them.
    ...(isApproval && { approval: { by: [`test:${item.controlId}`], confirmsAuthority: true } }),
  };
}
