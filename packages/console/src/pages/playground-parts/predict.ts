/** What the service would decide, found out in the page by the same engine; nothing is sent and nothing is recorded. */
import {
  type Fault,
  intentDigest,
  intentFromValue,
  type JsonValue,
  type WriteIntent,
} from '@writecheck/contract';
import {
  type AttestationFacts,
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
  /** The workspace's id, which attestations have to name. */
  readonly workspace: string;
}

/** At once where nothing has to be verified, which is nearly always; otherwise a promise. */
export function predict(
  value: JsonValue,
  { snapshot, workspace }: Ground,
  nowMs: number,
): Prediction | Promise<Prediction> {
  const parsed = intentFromValue(value);
  if (parsed.kind === 'refused') return { kind: 'refused', code: parsed.code, faults: parsed.details };
  const { intent, warnings } = parsed;
  const decided = (facts: readonly AttestationFacts[]): Prediction => ({
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
