/** A write intent or action request after strict parsing, without null members. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue };

export interface EvidenceItem {
  readonly controlId: string;
  readonly source: string;
  readonly result: string;
  readonly checkedAt?: string;
  readonly expiresAt?: string;
  readonly evidenceRef?: string;
  readonly attestation?: string;
}

export interface WriteIntent {
  readonly schemaVersion?: string;
  readonly system: string;
  readonly objectType?: string;
  readonly objectRef?: string;
  readonly field?: string;
  readonly agentValue?: string;
  readonly authorityValue?: string;
  readonly authoritySource?: string;
  readonly authorityFound?: boolean;
  readonly operation?: string;
  readonly workflowId?: string;
  readonly runId?: string;
  readonly requiredControls?: readonly string[];
  readonly controlEvidence?: readonly EvidenceItem[];
  readonly metadata?: JsonObject;
}
