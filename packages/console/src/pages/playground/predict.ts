/** Predicts the service's decision with the same engine; sends and records nothing. */
import {
  type Fault,
  intentDigest,
  intentFromValue,
  isObject,
  type JsonValue,
  type WriteIntent,
} from '@writecheck/contract';
import {
  type AttestationChecks,
  decide,
  NO_ATTESTATION,
  needsVerification,
  type PolicySnapshot,
  SUPPOSED_KEY,
  supposeAttestations,
  supposeDrawn,
  verifyAttestations,
} from '@writecheck/engine';
import { type Decided, fromEngine } from '../../picture/picture.ts';
import { isSupposed } from './supposed.ts';

export type Prediction =
  | {
      readonly kind: 'decided';
      readonly decided: Decided;
      readonly intent: WriteIntent;
      /** Of items that the draft only supposes to be signed. */
      readonly faults: readonly Fault[];
    }
  | { readonly kind: 'refused'; readonly code: string; readonly faults: readonly Fault[] };

export interface Ground {
  readonly snapshot: PolicySnapshot;
  /** The workspace's ID, which attestations must name. */
  readonly workspace: string;
}

/** Decimal text by limit, for this intent's group; 0 if left out. */
export type Drawn = { readonly [limitId: string]: string };

/** Whether an item says `test:signed`, which only tests and this page believe. */
export function supposesSigned(value: JsonValue): boolean {
  const { controlEvidence } = (value ?? {}) as { readonly controlEvidence?: unknown };
  return Array.isArray(controlEvidence) && controlEvidence.some((item) => isObject(item) && isSupposed(item));
}

/** Synchronous unless a signature needs verification, which is rare. */
export function predict(
  value: JsonValue,
  { snapshot, workspace }: Ground,
  nowMs: number,
  drawn: Drawn = {},
): Prediction | Promise<Prediction> {
  const parsed = intentFromValue(value);
  if (parsed.kind === 'refused') return { kind: 'refused', code: parsed.code, faults: parsed.details };
  const { intent, warnings } = parsed;
  const decided = (verified: readonly AttestationChecks[]): Prediction => {
    const { facts, faults } = supposesSigned(value)
      ? supposeAttestations(intent, value, verified, snapshot, nowMs)
      : { facts: verified, faults: [] };
    const readings = supposeDrawn(intent, facts, snapshot, nowMs, drawn);
    const circumstances = { freezes: [], readings, firstKeyId: SUPPOSED_KEY };
    const found = decide(intent, facts, snapshot, nowMs, circumstances);
    // The service ignores facts beside an attestation; here they are what is supposed.
    const told = facts === verified ? warnings : warnings.filter((each) => !/ignored: `facts`$/.test(each));
    return { kind: 'decided', intent, faults, decided: fromEngine(found, told, nowMs) };
  };
  if (!needsVerification(intent, snapshot))
    return decided(intent.controlEvidence?.map(() => NO_ATTESTATION) ?? []);
  return verifyAttestations({ intent, intentDigest: intentDigest(intent), workspace, snapshot }).then(
    decided,
  );
}
