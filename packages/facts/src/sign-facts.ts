/** Signs the facts that were read as an evidence item that the service can verify. */
import { type SignedEvidence, signEvidence } from '@writecheck/client/evidence';
import {
  ATTESTATION_BYTES_MAX,
  canonicalJson,
  FACTS_BYTES_MAX,
  FACTS_DEPTH_MAX,
  type JsonObject,
  parseStrictJson,
  type WriteIntent,
} from '@writecheck/contract';
import { FactsUnavailable } from './failures.ts';
import type { ReaderConfig } from './read-config.ts';
import type { ControlSettings } from './read-control.ts';

export interface ReadFacts {
  readonly control: ControlSettings;
  readonly facts: JsonObject;
  /** The moment before the read began: later changes are newer than the facts. */
  readonly checkedAt: Date;
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

export async function signFacts(
  { issuer, workspace, key }: ReaderConfig,
  intent: WriteIntent,
  { control, facts, checkedAt }: ReadFacts,
): Promise<SignedEvidence> {
  const signed = await signEvidence({
    key: key.jwk,
    kid: key.kid,
    source: issuer,
    workspace,
    controlId: control.id,
    result: 'PASS',
    intent,
    bind: control.bind,
    checkedAt,
    facts,
  });
  if (signed.attestation.length > ATTESTATION_BYTES_MAX)
    throw new FactsUnavailable(`the signed item is longer than ${ATTESTATION_BYTES_MAX} bytes; select less`);
  return signed;
}
