/** The step before a decision: finds out which attestations hold, so that deciding itself waits for nothing. */
import {
  ATTESTED_ITEMS_MAX,
  type AttestationFacts,
  type EvidenceItem,
  NO_ATTESTATION,
  type WriteIntent,
} from '@writecheck/contract';
import type { PolicySnapshot, Profile } from '../policy/snapshot.ts';
import { algorithmOf, verifySignature } from './evidence-keys.ts';
import { judgeClaims } from './judge-claims.ts';
import { parseAttestation, reject } from './parse-attestation.ts';

export interface VerificationRequest {
  readonly intent: WriteIntent;
  readonly intentDigest: string;
  /** The workspace's id, which the `aud` of every attestation must name. */
  readonly workspace: string;
  readonly snapshot: PolicySnapshot;
}

/** Cheap and false for nearly every request, which then needs no wait at all. */
export function needsVerification(intent: WriteIntent, snapshot: PolicySnapshot): boolean {
  const items = intent.controlEvidence;
  if (items === undefined || !items.some((item) => item.attestation !== undefined)) return false;
  const asked = controlsAskedAbout(intent, snapshot);
  return items.some((item) => item.attestation !== undefined && asked.has(item.controlId));
}

/** One fact per evidence item, in order. Never rejects: whatever goes wrong makes the attestation worthless. */
export async function verifyAttestations(request: VerificationRequest): Promise<readonly AttestationFacts[]> {
  const { intent, snapshot } = request;
  const items = intent.controlEvidence ?? [];
  if (!needsVerification(intent, snapshot)) return items.map(() => NO_ATTESTATION);
  const asked = controlsAskedAbout(intent, snapshot);
  let verified = 0;
  return Promise.all(
    items.map((item) => {
      if (item.attestation === undefined || !asked.has(item.controlId)) return NO_ATTESTATION;
      verified += 1;
      if (verified > ATTESTED_ITEMS_MAX)
        return reject(`more than ${ATTESTED_ITEMS_MAX} attestations are not looked at`);
      return verifyOne(item, item.attestation, request);
    }),
  );
}

async function verifyOne(
  item: EvidenceItem,
  attestation: string,
  { intent, intentDigest, workspace, snapshot }: VerificationRequest,
): Promise<AttestationFacts> {
  const source = snapshot.evidenceSources.get(item.source);
  if (source === undefined) return reject('the source of the item is not registered');
  const parsed = parseAttestation(attestation);
  if (parsed.kind === 'rejected') return parsed;
  const jwk = source.keys.find((key) => key.kid === parsed.kid);
  if (jwk === undefined) return reject('the attestation names a key that its source does not have');
  if (algorithmOf(jwk) !== parsed.alg) return reject('the `alg` of the attestation does not fit its key');
  // What costs least goes first: a flood of attestations for something else never reaches the signature.
  const facts = judgeClaims(parsed.claims, { item, intent, intentDigest, workspace });
  if (facts.kind === 'rejected') return facts;
  const holds = await verifySignature(jwk, parsed.signature, parsed.signed);
  return holds ? facts : reject('the signature of the attestation does not verify');
}

/**
 * Every control a decision could ask about: conditions are not asked yet, so the profiles are those that could apply.
 * INVARIANT: never fewer than `decide` looks at, since an attestation nobody verified counts as worthless there.
 */
function controlsAskedAbout(intent: WriteIntent, snapshot: PolicySnapshot): ReadonlySet<string> {
  const asked = new Set(intent.requiredControls);
  const workflow = intent.workflowId === undefined ? undefined : snapshot.workflows.get(intent.workflowId);
  for (const { control } of workflow?.require ?? []) asked.add(control.id);
  const ask = (profile: Profile) => {
    for (const { control } of profile.require) asked.add(control.id);
    if (profile.attestedBy !== null) asked.add(profile.attestedBy.id);
  };
  workflow?.profiles.forEach(ask);
  snapshot.matchingProfiles(intent).forEach(ask);
  return asked;
}
