/** Compares the claims of an attestation with the item, the intent and the workspace. */
import {
  type AttestationChecks,
  type EvidenceItem,
  FACTS_BYTES_MAX,
  FACTS_DEPTH_MAX,
  findValueFault,
  given,
  isName,
  type JsonObject,
  type JsonValue,
  NAME_CHARACTERS_MAX,
  OBJECT_MEMBERS,
  parseInstant,
  type WriteIntent,
} from '@writecheck/contract';
import { type Rejection, reject } from './parse-attestation.ts';

interface ClaimContext {
  readonly item: EvidenceItem;
  readonly intent: WriteIntent;
  readonly intentDigest: string;
  readonly workspace: string;
}

type VerifiedFacts = AttestationChecks & { readonly kind: 'verified' };

/** The last second a JavaScript date can show. */
const LATEST_SECONDS = 8_640_000_000_000;

export function judgeClaims(claims: JsonObject, context: ClaimContext): VerifiedFacts | Rejection {
  const { item } = context;
  if (claims.aud !== context.workspace) return reject('the attestation is not made for this workspace');
  const { jti } = claims;
  if (!isName(jti)) {
    return reject(
      `the attestation has no \`jti\` of 1 to ${NAME_CHARACTERS_MAX} characters without control characters or spaces at the ends`,
    );
  }
  if (claims.controlId !== item.controlId) return reject('the attestation is for another control');
  if (claims.result !== item.result) return reject('the attestation states another result than the item');
  const time = judgeTimes(claims, item);
  if (time.kind === 'rejected') return time;
  const binding = judgeBinding(claims, context);
  if (binding.kind === 'rejected') return binding;
  const facts = Object.hasOwn(claims, 'facts') ? claims.facts : undefined;
  if (facts !== undefined && !areFacts(facts)) return reject(NOT_FACTS);
  return {
    kind: 'verified',
    jti,
    checkedAtMs: time.checkedAtMs,
    expiresAtMs: time.expiresAtMs,
    boundToDigest: binding.toDigest,
    boundToObject: binding.toObject,
    revoked: false,
    usedUp: false,
    ...given({ facts }),
  };
}

const utf8 = new TextEncoder();

export const NOT_FACTS = `the \`facts\` of the attestation are not an object of at most ${FACTS_BYTES_MAX} bytes and ${FACTS_DEPTH_MAX} levels`;

export function areFacts(facts: JsonValue): facts is JsonObject {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return false;
  if (findValueFault(facts, FACTS_DEPTH_MAX) !== null) return false;
  // This text is as long as the canonical one: sorting names moves bytes but adds none.
  return utf8.encode(JSON.stringify(facts)).length <= FACTS_BYTES_MAX;
}

interface Times {
  readonly kind: 'times';
  readonly checkedAtMs: number;
  readonly expiresAtMs: number | null;
}

function judgeTimes(claims: JsonObject, item: EvidenceItem): Times | Rejection {
  const checkedAt = typeof claims.checkedAt === 'string' ? parseInstant(claims.checkedAt) : null;
  if (checkedAt === null || !checkedAt.hasOffset) {
    return reject('the attestation has no `checkedAt` with an offset');
  }
  if (item.checkedAt !== undefined) {
    const said = parseInstant(item.checkedAt);
    if (said?.hasOffset !== true || said.ms !== checkedAt.ms || said.fraction !== checkedAt.fraction) {
      return reject('the attestation states another `checkedAt` than the item');
    }
  }
  for (const name of ['exp', 'nbf', 'iat'] as const) {
    if (Object.hasOwn(claims, name) && !isSeconds(claims[name])) {
      return reject(`the \`${name}\` of the attestation is not a number of seconds`);
    }
  }
  // The engine has no clock. A check dated after the decision is refused later, so this also limits `nbf`.
  if (isSeconds(claims.nbf) && claims.nbf * 1000 > checkedAt.ms) {
    return reject('the attestation starts to hold only after its own `checkedAt`');
  }
  const expiresAtMs = isSeconds(claims.exp) ? Math.floor(claims.exp * 1000) : null;
  return { kind: 'times', checkedAtMs: checkedAt.ms, expiresAtMs };
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST_SECONDS;
}

interface Binding {
  readonly kind: 'binding';
  readonly toDigest: boolean;
  readonly toObject: boolean;
}

/** Every binding must match: the right object does not make up for another value. */
function judgeBinding(claims: JsonObject, { intent, intentDigest }: ClaimContext): Binding | Rejection {
  const toDigest = Object.hasOwn(claims, 'intentDigest');
  if (toDigest && claims.intentDigest !== intentDigest)
    return reject('the attestation is for another intent');
  const named = OBJECT_MEMBERS.filter((member) => Object.hasOwn(claims, member));
  // A member that the intent omits is undefined, which no claim can equal.
  if (named.some((member) => claims[member] !== intent[member]))
    return reject('the attestation is for another object');
  const toObject = named.length === OBJECT_MEMBERS.length;
  if (!toDigest && !toObject)
    return reject('the attestation is bound neither to the intent nor to its object');
  return { kind: 'binding', toDigest, toObject };
}
