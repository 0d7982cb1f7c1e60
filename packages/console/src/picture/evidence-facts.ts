/** Reads from an evidence item whether it is signed, by which key, and until when. */
import { type EvidenceItem, isObject, REVIEW_DESK } from '@writecheck/contract';

export type EvidenceKind =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'review'; readonly reviewId: string | null }
  | {
      readonly kind: 'signed';
      readonly kid: string | null;
      readonly expiresAt: string | null;
    };

/** What people say for the results that the contract knows. */
export const RESULT_WORDS: { readonly [result: string]: string } = { PASS: 'passed', FAIL: 'failed' };

/** What a source signed about a record. */
export type RecordValues = { readonly [member: string]: unknown };

const REVIEW_URN = 'urn:writecheck:review:';

/** INVARIANT: reads only what the item says of itself; whether the signature is good is the evaluation's to say. */
export function evidenceKind(item: EvidenceItem): EvidenceKind {
  if (item.source === REVIEW_DESK) {
    const ref = item.evidenceRef ?? '';
    return { kind: 'review', reviewId: ref.startsWith(REVIEW_URN) ? ref.slice(REVIEW_URN.length) : null };
  }
  if (typeof item.attestation !== 'string') return { kind: 'claimed' };
  const [head, claims] = item.attestation.split('.').map(decoded);
  const seconds = claims?.exp;
  const isTime = typeof seconds === 'number' && Math.abs(seconds) < 8e12;
  return {
    kind: 'signed',
    kid: textOf(head?.kid),
    expiresAt: isTime ? new Date(seconds * 1_000).toISOString() : null,
  };
}

/** The facts in an item's own claim. INVARIANT: only a decision says whether they count. */
export function claimedFacts({ attestation }: EvidenceItem): RecordValues | null {
  if (typeof attestation !== 'string') return null;
  const facts = decoded(attestation.split('.')[1] ?? '')?.facts;
  return isObject(facts) ? facts : null;
}

function decoded(part: string): RecordValues | null {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
