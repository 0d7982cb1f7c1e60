/** The step before a decision: verifies attestations, so that deciding itself waits for nothing. */
import {
  ATTESTED_ITEMS_MAX,
  type AttestationChecks,
  type EvidenceItem,
  NO_ATTESTATION,
  REVIEW_DESK,
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

/** Cheap, and false for nearly every request, which then does not wait at all. */
export function needsVerification(intent: WriteIntent, snapshot: PolicySnapshot): boolean {
  const items = intent.controlEvidence;
  if (items === undefined || !items.some(isSigned)) return false;
  const asked = controlsAskedAbout(intent, snapshot);
  return items.some((item) => isSigned(item) && asked.has(item.controlId));
}

/** The review desk signs nothing: the service looks up its approvals, whatever the item contains. */
function isSigned({ attestation, source }: EvidenceItem): boolean {
  return attestation !== undefined && source !== REVIEW_DESK;
}

/** One fact per evidence item, in order. Never rejects: any error makes the attestation worthless. */
export async function verifyAttestations(
  request: VerificationRequest,
): Promise<readonly AttestationChecks[]> {
  const { intent, snapshot } = request;
  const items = intent.controlEvidence ?? [];
  if (!needsVerification(intent, snapshot)) return items.map(() => NO_ATTESTATION);
  const asked = controlsAskedAbout(intent, snapshot);
  let verified = 0;
  return Promise.all(
    items.map((item) => {
      if (!isSigned(item) || !asked.has(item.controlId)) return NO_ATTESTATION;
      verified += 1;
      if (verified > ATTESTED_ITEMS_MAX)
        return reject(`more than ${ATTESTED_ITEMS_MAX} attestations are not verified`);
      return verifyOne(item, item.attestation!, request);
    }),
  );
}

async function verifyOne(
  item: EvidenceItem,
  attestation: string,
  { intent, intentDigest, workspace, snapshot }: VerificationRequest,
): Promise<AttestationChecks> {
  const source = snapshot.evidenceSources.get(item.source);
  if (source === undefined) return reject('the source of the item is not registered');
  const parsed = parseAttestation(attestation);
  if (parsed.kind === 'rejected') return parsed;
  const jwk = source.keys.find((key) => key.kid === parsed.kid);
  if (jwk === undefined) return reject('the attestation names a key that its source does not have');
  if (algorithmOf(jwk) !== parsed.alg) return reject('the `alg` of the attestation does not fit its key');
  // The cheapest check goes first: a flood of attestations for something else never reaches the signature.
  const facts = judgeClaims(parsed.claims, { item, intent, intentDigest, workspace });
  if (facts.kind === 'rejected') return facts;
  const holds = await verifySignature(jwk, parsed.signature, parsed.signed);
  return holds ? facts : reject('the signature of the attestation does not verify');
}

/**
 * Every control that a decision could need: conditions are not evaluated yet, so these are the profiles that could
 * apply. INVARIANT: never fewer than `decide` uses, because an unverified attestation counts as worthless there.
 */
function controlsAskedAbout(intent: WriteIntent, snapshot: PolicySnapshot): ReadonlySet<string> {
  const asked = new Set(intent.requiredControls);
  const workflow = intent.workflowId === undefined ? undefined : snapshot.workflows.get(intent.workflowId);
  for (const { control } of workflow?.require ?? []) asked.add(control.id);
  const ask = (profile: Profile) => {
    for (const { control } of profile.require) asked.add(control.id);
    if (profile.attestedBy !== null) asked.add(profile.attestedBy.id);
    // Only a review confirms, but a revoked attestation still speaks against it.
    if (profile.confirmedBy !== null) asked.add(profile.confirmedBy.id);
    for (const { id } of profile.readsFacts) asked.add(id);
  };
  workflow?.profiles.forEach(ask);
  snapshot.matchingProfiles(intent).forEach(ask);
  for (const { matches, require, readsFacts } of snapshot.limits) {
    if (!matches(intent)) continue;
    for (const { control } of require) asked.add(control.id);
    for (const { id } of readsFacts) asked.add(id);
  }
  return asked;
}
