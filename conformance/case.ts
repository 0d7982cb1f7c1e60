/** Reads the golden cases: intent, policies, time, and the complete decision they must produce. */
import { readdirSync, readFileSync } from 'node:fs';
import { type EvidenceItem, intentDigest, intentFromValue, type MatchingFreeze } from '@writecheck/contract';
import { parse } from 'yaml';
import testKeys from './test-keys.json' with { type: 'json' };

/** Signs one evidence item; omitted claims come from the item and the intent. */
export interface CaseAttestation {
  readonly item: number;
  /** A key of test-keys.json. */
  readonly key: string;
  /** The `kid` in the header, if it differs from the signing key. */
  readonly kid?: string;
  readonly claims: { readonly [name: string]: unknown };
  /** The source revoked it before the check. */
  readonly revoked?: true;
  /** An earlier allow used it. */
  readonly usedUp?: true;
}

/** A review that the service accepted for an item of `review-desk`; an item without one is not backed by a review. */
export interface CaseReview {
  readonly item: number;
  /** Its id. */
  readonly review: string;
  readonly approvedAt: string;
  readonly validUntil: string;
  /** An earlier allow used it. */
  readonly usedUp?: true;
  /** Who approved it; one person unless a case says so. */
  readonly by?: readonly string[];
  /** The review did not ask to confirm authority. */
  readonly confirmsAuthority?: false;
}

export interface ConformanceCase {
  readonly name: string;
  readonly title: string;
  /** The rule it is about. */
  readonly rule?: string;
  readonly policy: readonly unknown[];
  readonly intent: { readonly [member: string]: unknown };
  readonly attestations: readonly CaseAttestation[];
  readonly reviews: readonly CaseReview[];
  /** The active freezes that match, oldest first. */
  readonly freezes: readonly MatchingFreeze[];
  readonly now: string;
  /** The decision response without identifiers, timestamp and aliases. */
  readonly expect: unknown;
}

const FOLDER = new URL('./cases/', import.meta.url);

export function loadCases(): readonly ConformanceCase[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8').replace(/\$key: ([\w-]+)/g, (_, key: string) =>
        publicKey(key),
      );
      return {
        policy: [],
        attestations: [],
        reviews: [],
        freezes: [],
        ...parse(text),
        name: file.slice(0, -'.yaml'.length),
      };
    });
}

function publicKey(name: string): string {
  const { kty, crv, kid, x } = keyNamed(name);
  return `{ kty: ${kty}, crv: ${crv}, kid: ${kid}, x: ${JSON.stringify(x)} }`;
}

function keyNamed(name: string) {
  const key = Object.entries(testKeys).find(([id]) => id === name)?.[1];
  if (key === undefined) throw new Error(`conformance/test-keys.json has no key ${name}`);
  return key;
}

/** The intent as a caller in `workspace` would send it, with signed attestations. */
export async function signedIntent(
  { intent, attestations }: ConformanceCase,
  workspace: string,
): Promise<{ readonly [member: string]: unknown }> {
  if (attestations.length === 0) return intent;
  const parsed = intentFromValue(intent);
  if (parsed.kind !== 'intent')
    throw new Error(`a case with attestations has a refused intent: ${parsed.message}`);
  const items = [...((intent.controlEvidence as readonly EvidenceItem[] | undefined) ?? [])];
  for (const { item: index, key, kid, claims } of attestations) {
    const item = items[index]!;
    const { exp, ...others } = claims;
    const payload = {
      aud: workspace,
      controlId: item.controlId,
      result: item.result,
      checkedAt: item.checkedAt,
      intentDigest: intentDigest(parsed.intent),
      ...others,
      exp: typeof exp === 'string' ? Date.parse(exp) / 1000 : undefined,
    };
    items[index] = { ...item, attestation: await signCompact(payload, key, kid ?? key) };
  }
  return { ...intent, controlEvidence: items };
}

/** Drops claims that are null. */
async function signCompact(payload: object, keyName: string, kid: string): Promise<string> {
  const claims = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
  const signed = [{ alg: 'EdDSA', kid, typ: 'writecheck-evidence+jws' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = await crypto.subtle.importKey('jwk', keyNamed(keyName), 'Ed25519', false, ['sign']);
  const signature = await crypto.subtle.sign('Ed25519', key, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}
