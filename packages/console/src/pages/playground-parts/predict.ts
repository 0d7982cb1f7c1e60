/** Predicts the service's decision with the same engine; sends and records nothing. */
import {
  type Fault,
  intentDigest,
  intentFromValue,
  type JsonValue,
  type WriteIntent,
} from '@writecheck/contract';
import {
  type AttestationChecks,
  decide,
  NO_ATTESTATION,
  needsVerification,
  type PolicySnapshot,
  verifyAttestations,
} from '@writecheck/engine';
import { type Decided, fromEngine } from '../../picture/picture.ts';

export type Prediction =
  | { readonly kind: 'decided'; readonly decided: Decided; readonly intent: WriteIntent }
  | { readonly kind: 'refused'; readonly code: string; readonly faults: readonly Fault[] };

export interface Ground {
  readonly snapshot: PolicySnapshot;
  /** The workspace's ID, which attestations must name. */
  readonly workspace: string;
}

/** Synchronous unless a signature needs verification, which is rare. */
export function predict(
  value: JsonValue,
  { snapshot, workspace }: Ground,
  nowMs: number,
): Prediction | Promise<Prediction> {
  const parsed = intentFromValue(value);
  if (parsed.kind === 'refused') return { kind: 'refused', code: parsed.code, faults: parsed.details };
  const { intent, warnings } = parsed;
  const decided = (facts: readonly AttestationChecks[]): Prediction => ({
    kind: 'decided',
    intent,
    decided: fromEngine(decide(intent, facts, snapshot, nowMs), warnings, nowMs),
  });
  if (!needsVerification(intent, snapshot))
    return decided(intent.controlEvidence?.map(() => NO_ATTESTATION) ?? []);
  return verifyAttestations({ intent, intentDigest: intentDigest(intent), workspace, snapshot }).then(
    decided,
  );
}
