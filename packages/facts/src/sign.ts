/** Signs what a record says about one intent, and limits what of the intent can choose the record. */
import { type PrivateJwk, type SignedEvidence, signEvidence } from '@writecheck/client/evidence';
import {
  ATTESTATION_BYTES_MAX,
  canonicalJson,
  DIGEST_MEMBERS,
  FACTS_BYTES_MAX,
  FACTS_DEPTH_MAX,
  isObject,
  type JsonObject,
  type JsonValue,
  OBJECT_MEMBERS,
  parseStrictJson,
  type WriteIntent,
} from '@writecheck/contract';
import { FactsUnavailable, UnusableMember } from './failures.ts';

export type Bind = 'intent' | 'object';
/** The part of an intent that a source may see. */
export type SeenIntent = Readonly<Record<string, JsonValue>> & { readonly objectRef: string };

/** A place inside `metadata`. */
const METADATA = /^metadata(?:\.[A-Za-z_][A-Za-z0-9_]*)+$/;

/**
 * INVARIANT: facts bound to an object depend on nothing but the object, and facts bound to an intent on nothing
 * that its digest leaves out. Otherwise a caller could choose the signed content, and use it for another write.
 */
export function seenIntent(intent: WriteIntent, bind: Bind): SeenIntent {
  for (const member of bind === 'object' ? OBJECT_MEMBERS : (['objectRef'] as const)) {
    if (typeof intent[member] !== 'string')
      throw new UnusableMember(member, 'is needed to read the record; send it');
  }
  const seen = (bind === 'object' ? OBJECT_MEMBERS : DIGEST_MEMBERS).flatMap((member) => {
    const value = intent[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  return Object.fromEntries(seen) as SeenIntent;
}

/** Why a query or a URL must not contain this name; null if it may. */
export function nameFault(name: string, bind: Bind): string | null {
  const allowed: readonly string[] =
    bind === 'object' ? OBJECT_MEMBERS : DIGEST_MEMBERS.filter((member) => member !== 'metadata');
  if (allowed.includes(name) || (bind === 'intent' && METADATA.test(name))) return null;
  const more = bind === 'object' ? '; anything else of the intent needs `bind: intent`' : ', metadata.NAME';
  return `names \`${name}\`, which it cannot see; it sees ${allowed.join(', ')}${more}`;
}

export function seenValue(seen: SeenIntent, name: string): string {
  let value: JsonValue | undefined = seen;
  for (const step of name.split('.'))
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null)
    throw new UnusableMember(name, 'is needed to read the record; send it');
  const kind = Array.isArray(value) ? 'a list' : 'an object';
  throw new UnusableMember(name, `is ${kind}, and only text, a number or a boolean can be looked up`);
}

/**
 * Whether a record is about the object of the intent. It compares code points, because a database may find `0123`,
 * ` 123` or another case for `123`, and the reader would then sign the facts of one object for another.
 */
export function isKeyOf(value: unknown, objectRef: string): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && String(value) === objectRef;
  return typeof value === 'string' && value === objectRef;
}

/** Refuses facts that the service would not accept here, where the reason can be reported. */
export function checkFacts(facts: JsonObject): void {
  let bytes: Uint8Array;
  try {
    bytes = Buffer.from(canonicalJson(facts));
  } catch {
    throw new FactsUnavailable('the record holds text that is not Unicode');
  }
  if (bytes.length > FACTS_BYTES_MAX)
    throw new FactsUnavailable(`the record is longer than ${FACTS_BYTES_MAX} bytes; select less`);
  if (parseStrictJson(bytes, FACTS_DEPTH_MAX).kind !== 'json')
    throw new FactsUnavailable(
      `the record is deeper than ${FACTS_DEPTH_MAX} levels, or has a name or number that is not strict JSON`,
    );
}

export interface Signer {
  /** The id of the EvidenceSource that signs. */
  readonly issuer: string;
  readonly workspace: string;
  readonly key: { readonly jwk: PrivateJwk; readonly kid: string };
}

export interface ReadFacts {
  readonly control: { readonly id: string; readonly bind: Bind };
  readonly facts: JsonObject;
  /** The moment before the read began: later changes are newer than the facts. */
  readonly checkedAt: Date;
}

export async function signFacts(
  { issuer: source, workspace, key: { jwk: key, kid } }: Signer,
  intent: WriteIntent,
  { control: { id: controlId, bind }, facts, checkedAt }: ReadFacts,
): Promise<SignedEvidence> {
  const item = { source, workspace, controlId, result: 'PASS', intent, bind, checkedAt, facts } as const;
  const signed = await signEvidence({ ...item, key, kid });
  if (signed.attestation.length > ATTESTATION_BYTES_MAX)
    throw new FactsUnavailable(`the signed item is longer than ${ATTESTATION_BYTES_MAX} bytes; select less`);
  return signed;
}
